# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings for single sign-on with Crowd and over HTTP, and the roles of AWS that users assume."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import read_object, require_administrator, select_fields
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from . import store

CROWD: dict[str, Any] = {
    "enable_integration": False,
    "server_url": "",
    "application_name": "",
    "use_default_proxy": False,
    "auto_user_creation": True,
    "allow_user_to_access_profile": False,
    "direct_authentication": False,
    "override_all_groups_upon_login": False,
}
CROWD_INTERVAL = "session_validation_interval"
HTTP_SSO: dict[str, Any] = {
    "http_sso_proxied": False,
    "auto_create_user": False,
    "allow_user_to_access_profile": False,
    "remote_user_request_variable": "REMOTE_USER",
    "sync_ldap_groups": False,
}
AWS_ROLE = {"username": "", "iam_role": ""}


async def get_crowd(call: Call) -> Response:
    """Handle `GET /access/api/v1/crowd`. The password is not returned."""
    require_administrator(call)
    return json_response({**CROWD, CROWD_INTERVAL: 0, **(store.find(call.state, "crowd", "") or {})})


async def replace_crowd(call: Call) -> Response:
    """Handle `PUT /access/api/v1/crowd`. Missing fields get their defaults."""
    require_administrator(call)
    body = await read_object(call)
    interval = body.get(CROWD_INTERVAL, 0)
    if isinstance(interval, bool) or not isinstance(interval, int) or interval < 0:
        raise AccessError(400, f"Invalid value of '{CROWD_INTERVAL}'")
    store.save(call.state, "crowd", "", {**select_fields(body, CROWD), CROWD_INTERVAL: interval})
    return await get_crowd(call)


async def get_http_sso(call: Call) -> Response:
    """Handle `GET /access/api/v1/httpsso`."""
    require_administrator(call)
    return json_response({**HTTP_SSO, **(store.find(call.state, "httpsso", "") or {})})


async def replace_http_sso(call: Call) -> Response:
    """Handle `PUT /access/api/v1/httpsso`. Missing fields get their defaults."""
    require_administrator(call)
    store.save(call.state, "httpsso", "", select_fields(await read_object(call), HTTP_SSO))
    return await get_http_sso(call)


async def get_aws_role(call: Call, username: str) -> Response:
    """Handle `GET /access/api/v1/aws/iam_role/{username}`."""
    require_administrator(call)
    role = store.find(call.state, "aws", username) if call.accounts.find_user(username) else None
    if role is None:
        raise AccessError(400, f"No IAM role is assigned to user {username}")
    return json_response(role)


async def assign_aws_role(call: Call) -> Response:
    """Handle `PUT /access/api/v1/aws/iam_role`."""
    require_administrator(call)
    role = {**AWS_ROLE, **select_fields(await read_object(call), AWS_ROLE)}
    if not role["iam_role"].startswith("arn:aws:iam::") or call.accounts.find_user(role["username"]) is None:
        raise AccessError(400, "username must be a user, and iam_role the name of an IAM role")
    store.save(call.state, "aws", role["username"], role)
    return json_response(role)


async def remove_aws_role(call: Call, username: str) -> Response:
    """Handle `DELETE /access/api/v1/aws/iam_role/{username}`."""
    require_administrator(call)
    if not store.delete(call.state, "aws", username):
        raise AccessError(400, f"No IAM role is assigned to user {username}")
    return Response(status_code=204)


AWS = "/api/v1/aws/iam_role"
ROUTES = (
    Route("GET", "/api/v1/crowd", get_crowd, "crowd_settings"),
    Route("PUT", "/api/v1/crowd", replace_crowd, "replace_crowd_settings"),
    Route("GET", "/api/v1/httpsso", get_http_sso, "http_sso_settings"),
    Route("PUT", "/api/v1/httpsso", replace_http_sso, "replace_http_sso_settings"),
    Route("GET", f"{AWS}/{{username}}", get_aws_role, "aws_role"),
    Route("PUT", AWS, assign_aws_role, "assign_aws_role"),
    Route("DELETE", f"{AWS}/{{username}}", remove_aws_role, "remove_aws_role"),
)
