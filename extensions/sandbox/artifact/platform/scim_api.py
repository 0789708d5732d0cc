# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups over SCIM 2.0 (RFC 7644)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.fields import ENABLED
from ..identities.platform_call import read_name, read_object, require_administrator
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response

USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group"
DISABLED = "disabled"


async def get_user(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v1/scim/v2/Users/{name}`."""
    require_administrator(call)
    return json_response(_describe_user(_require_user(call, name)))


async def create_user(call: Call) -> Response:
    """Handle `POST /access/api/v1/scim/v2/Users`. New users join the groups that users join automatically."""
    require_administrator(call)
    body = await read_object(call)
    name = read_name(body, "userName", "userName is required")
    if call.accounts.find_user(name) is not None:
        raise AccessError(409, f"User {name} already exists")
    about = {"internal_password_disabled": True, **_read_user(body)}
    call.accounts.save_user({"name": name, "groups": call.accounts.list_auto_join_groups(), "about": about})
    return json_response(_describe_user(_require_user(call, name)), 201)


async def replace_user(call: Call, name: str) -> Response:
    """Handle `PUT /access/api/v1/scim/v2/Users/{name}`. Groups are not changed."""
    require_administrator(call)
    user = _require_user(call, name)
    about = {**user["about"], **_read_user(await read_object(call))}
    call.accounts.save_user({**user, "about": about})
    return json_response(_describe_user(_require_user(call, name)))


async def delete_user(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v1/scim/v2/Users/{name}`."""
    require_administrator(call)
    call.accounts.delete_user(_require_user(call, name)["name"])
    return Response(status_code=204)


async def get_group(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v1/scim/v2/Groups/{name}`."""
    require_administrator(call)
    return json_response(_describe_group(call, _require_group(call, name)))


async def create_group(call: Call) -> Response:
    """Handle `POST /access/api/v1/scim/v2/Groups`."""
    require_administrator(call)
    body = await read_object(call)
    name = read_name(body, "displayName", "displayName is required")
    if call.accounts.find_group(name) is not None:
        raise AccessError(409, f"Group {name} already exists")
    members = _read_members(call, body)
    call.accounts.save_group(name, {}, {})
    call.accounts.set_members(name, members)
    return json_response(_describe_group(call, name), 201)


async def replace_group(call: Call, name: str) -> Response:
    """Handle `PUT /access/api/v1/scim/v2/Groups/{name}`, which replaces the members."""
    require_administrator(call)
    call.accounts.set_members(_require_group(call, name), _read_members(call, await read_object(call)))
    return json_response(_describe_group(call, name))


async def delete_group(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v1/scim/v2/Groups/{name}`."""
    require_administrator(call)
    call.accounts.delete_group(_require_group(call, name))
    return Response(status_code=204)


def _read_user(body: dict[str, Any]) -> dict[str, Any]:
    emails = body.get("emails") or []
    if not isinstance(emails, list) or not all(isinstance(email, dict) for email in emails):
        raise AccessError(400, "emails must be a list of objects")
    primary = next((email for email in emails if email.get("primary") is True), emails[0] if emails else {})
    return {"email": primary.get("value"), "status": DISABLED if body.get("active") is False else ENABLED}


def _read_members(call: Call, body: dict[str, Any]) -> list[str]:
    members = body.get("members") or []
    if not isinstance(members, list) or not all(isinstance(member, dict) for member in members):
        raise AccessError(400, "members must be a list of objects")
    names = [str(member.get("value")) for member in members]
    for name in names:
        _require_user(call, name)
    return names


def _require_user(call: Call, name: str) -> dict[str, Any]:
    user = call.accounts.find_user(name)
    if user is None:
        raise AccessError(404, f"User {name} not found")
    return user


def _require_group(call: Call, name: str) -> str:
    if call.accounts.find_group(name) is None:
        raise AccessError(404, f"Group {name} not found")
    return name


def _describe_user(user: dict[str, Any]) -> dict[str, Any]:
    email = user["about"].get("email")
    return {
        "schemas": [USER_SCHEMA],
        "id": user["name"],
        "userName": user["name"],
        "active": user["about"].get("status", ENABLED) != DISABLED,
        "emails": [{"value": email, "primary": True}] if email else [],
        "groups": [{"value": group} for group in user["groups"]],
        "meta": {"resourceType": "User"},
    }


def _describe_group(call: Call, name: str) -> dict[str, Any]:
    members = [{"value": member, "display": member} for member in call.accounts.list_members(name)]
    meta = {"resourceType": "Group"}
    return {"schemas": [GROUP_SCHEMA], "id": name, "displayName": name, "members": members, "meta": meta}


SCIM = "/api/v1/scim/v2"
ROUTES = (
    Route("POST", f"{SCIM}/Users", create_user, "create_scim_user"),
    Route("GET", f"{SCIM}/Users/{{name}}", get_user, "scim_user"),
    Route("PUT", f"{SCIM}/Users/{{name}}", replace_user, "replace_scim_user"),
    Route("DELETE", f"{SCIM}/Users/{{name}}", delete_user, "delete_scim_user"),
    Route("POST", f"{SCIM}/Groups", create_group, "create_scim_group"),
    Route("GET", f"{SCIM}/Groups/{{name}}", get_group, "scim_group"),
    Route("PUT", f"{SCIM}/Groups/{{name}}", replace_group, "replace_scim_group"),
    Route("DELETE", f"{SCIM}/Groups/{{name}}", delete_group, "delete_scim_group"),
)
