# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses of the fault presets. Messages that name the user or item on a real server have no names here."""

from __future__ import annotations

from ..service import Failures
from .access.accounts import CHALLENGE
from .call import DISK_FULL_MESSAGE
from .protocol.errors import AccessError, ArtifactError

_PLATFORM = {"path": "^/(access|event)/"}
_ARTIFACTORY = {"path": "^/(artifactory|v2)(/|$)"}
_UPLOADS = {"method": "PUT", "path": "^/artifactory/(?!api/)|^/v2/", "effect": "write"}
_EXPIRED = "Token failed verification: expired"
_RETRY = {"Retry-After": "10"}

FAILURES: Failures = {
    "unavailable": [({}, ArtifactError(503, headers=_RETRY).to_response())],
    "expired_token": [
        (_PLATFORM, AccessError(401, _EXPIRED).to_response()),
        (_ARTIFACTORY, ArtifactError(401, _EXPIRED, CHALLENGE).to_response()),
    ],
    "read_only_account": [
        ({**_PLATFORM, "effect": "write"}, AccessError(403, "Forbidden").to_response()),
        ({**_ARTIFACTORY, "effect": "write"}, ArtifactError(403).to_response()),
    ],
    "disk_full": [(_UPLOADS, ArtifactError(413, DISK_FULL_MESSAGE).to_response())],
}
