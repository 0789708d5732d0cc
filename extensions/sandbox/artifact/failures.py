# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses of the fault presets. Messages that name the user or item on a real server have no names here."""

from __future__ import annotations

from ..service import Failures
from .access.accounts import CHALLENGE
from .call import DISK_FULL_MESSAGE
from .images.registry import denied_error, invalid_credentials_error
from .protocol.errors import AccessError, ArtifactError

_PLATFORM = {"path": "^/(access|event|lifecycle)/"}
_REGISTRY = {"path": "^/(artifactory/api/docker/[^/]+/)?v2(/|$)"}
_ARTIFACTORY = {"path": "^/artifactory(?!/api/docker/[^/]+/v2(/|$))(/|$)"}
_UPLOADS = {"method": "PUT", "path": "^/artifactory/(?!api/)", "effect": "write"}
_EXPIRED = "Token failed verification: expired"
_DISK_FULL = ArtifactError(413, DISK_FULL_MESSAGE).to_response()
_RETRY = {"Retry-After": "10"}

FAILURES: Failures = {
    "unavailable": [({}, ArtifactError(503, headers=_RETRY).to_response())],
    "expired_token": [
        (_PLATFORM, AccessError(401, _EXPIRED).to_response()),
        (_ARTIFACTORY, ArtifactError(401, _EXPIRED, CHALLENGE).to_response()),
        (_REGISTRY, invalid_credentials_error(_EXPIRED).to_response()),
    ],
    "read_only_account": [
        ({**_PLATFORM, "effect": "write"}, AccessError(403, "Forbidden").to_response()),
        ({**_ARTIFACTORY, "effect": "write"}, ArtifactError(403).to_response()),
        ({**_REGISTRY, "effect": "write"}, denied_error(None).to_response()),
    ],
    "disk_full": [
        (_UPLOADS, _DISK_FULL),
        # The disk quota has the same response in the registry.
        *(({**_REGISTRY, "method": method, "effect": "write"}, _DISK_FULL) for method in ("POST", "PATCH", "PUT")),
    ],
}
