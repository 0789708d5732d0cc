# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policy for locking users after failed logins."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..access.accounts import LOCK_POLICY, LOCK_POLICY_SETTING
from ..call import Call
from ..protocol.errors import ArtifactError
from ..protocol.json_conversion import to_boolean, to_integer
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_object

MAX_ATTEMPTS = 100


async def get_policy(call: Call) -> Response:
    """Handle `GET /api/security/userLockPolicy`."""
    call.require_admin()
    policy = {**LOCK_POLICY, **call.runtime.load_setting(LOCK_POLICY_SETTING, {})}
    return json_response(policy)


async def replace_policy(call: Call) -> Response:
    """Handle `PUT /api/security/userLockPolicy`."""
    call.require_admin()
    body = await read_json_object(call, enabled=to_boolean, loginAttempts=to_integer)
    policy = {name: body.get(name, default) for name, default in LOCK_POLICY.items()}
    if policy["enabled"] and not 1 <= policy["loginAttempts"] <= MAX_ATTEMPTS:
        raise ArtifactError(400, f"LoginAttempts must be between 1 - {MAX_ATTEMPTS}")
    call.runtime.save_setting(LOCK_POLICY_SETTING, policy)
    return PlainTextResponse("UserLockPolicy was successfully updated")


POLICY = "/api/security/userLockPolicy"
ROUTES = (
    Route("GET", POLICY, get_policy, "user_lock_policy"),
    Route("PUT", POLICY, replace_policy, "replace_user_lock_policy"),
)
