# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses of the fault presets."""

from __future__ import annotations

from ..service import Failures
from .api.protocol import error_response

FAILURES: Failures = {
    "unavailable": [({}, error_response(503, "Service Unavailable"))],
    "expired_token": [({}, error_response(401, "Authentication failed"))],
    "read_only_account": [({"effect": "write"}, error_response(403, "The user does not have the required permission"))],
}
