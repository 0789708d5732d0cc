# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups in the Access API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from .fields import REALM, supported_group_fields
from .platform_call import (
    is_name_list,
    read_changes,
    read_name,
    read_object,
    require_administrator,
    require_reader,
    select_fields,
    select_page,
)

MAX_NAME_LENGTH = 64


async def list_groups(call: Call) -> Response:
    """Handle `GET /access/api/v2/groups`."""
    require_reader(call)
    names, cursor = select_page(call, [group["name"] for group in call.accounts.list_groups()])
    base = call.base.removesuffix("/artifactory")
    entries = [{"group_name": name, "uri": f"{base}{GROUPS_PATH}/{quote(name, safe='')}"} for name in names]
    return json_response({"groups": entries, "cursor": cursor})


async def get_group(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v2/groups/{name}`."""
    require_reader(call)
    return json_response(_to_json(call, _require_group(call, name)))


async def create_group(call: Call) -> Response:
    """Handle `POST /access/api/v2/groups`."""
    require_administrator(call)
    body = await read_object(call)
    name = read_name(body, "name", f"The name of a group must have 1 to {MAX_NAME_LENGTH} characters", MAX_NAME_LENGTH)
    name = call.accounts.fold_group(name)
    if call.accounts.find_group(name) is not None:
        raise AccessError(409, f"Group {name} already exists")
    members = body.get("members") or []
    if not is_name_list(members):
        raise AccessError(400, "Invalid value of 'members'")
    _require_users(call, members, 404)
    call.accounts.save_group(name, {}, _change_fields(call, body, {}))
    call.accounts.change_members(name, members, ())
    return json_response(_to_json(call, _require_group(call, name)), 201)


async def update_group(call: Call, name: str) -> Response:
    """Handle `PATCH /access/api/v2/groups/{name}`. Missing fields are not changed."""
    require_administrator(call)
    group = _require_group(call, name)
    fields = _change_fields(call, await read_object(call), group["about"])
    call.accounts.save_group(group["name"], group["permissions"], fields)
    return json_response(_to_json(call, _require_group(call, name)))


async def delete_group(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v2/groups/{name}`."""
    require_administrator(call)
    call.accounts.delete_group(_require_group(call, name)["name"])
    return Response(status_code=204)


async def change_members(call: Call, name: str) -> Response:
    """Handle `PATCH /access/api/v2/groups/{name}/members`."""
    require_administrator(call)
    group = _require_group(call, name)["name"]
    added, removed = await read_changes(call)
    _require_users(call, [*added, *removed], 400)
    call.accounts.change_members(group, added, removed)
    return json_response({"members": call.accounts.list_members(group)})


def _require_group(call: Call, name: str) -> dict[str, Any]:
    group = call.accounts.find_group(name)
    if group is None:
        raise AccessError(404, f"Group {name} not found")
    return group


def _require_users(call: Call, names: list[str], status: int) -> None:
    for name in names:
        if call.accounts.find_user(name) is None:
            raise AccessError(status, f"User {name} does not exist")


def _change_fields(call: Call, body: dict[str, Any], current: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a group after a change, as they are stored."""
    fields = {**current, **select_fields(body, supported_group_fields(call))}
    fields = {name: value for name, value in fields.items() if value != ""}
    if fields.get("auto_join") and fields.get("admin_privileges"):
        raise AccessError(400, "A group with administrative privileges cannot be joined automatically")
    if fields.get("policy_manager"):
        fields["policy_viewer"] = True
    return fields


def _to_json(call: Call, group: dict[str, Any]) -> dict[str, Any]:
    name, about = group["name"], group["about"]
    return {
        "name": name,
        **{field: about.get(field, default) for field, default in supported_group_fields(call).items()},
        "realm": about.get("realm", REALM),
        "realm_attributes": about.get("realm_attributes"),
        "members": call.accounts.list_members(name),
    }


GROUPS = "/api/v2/groups"
GROUPS_PATH = f"/access{GROUPS}"
ROUTES = (
    Route("GET", GROUPS, list_groups, "list_platform_groups"),
    Route("POST", GROUPS, create_group, "create_platform_group"),
    Route("GET", f"{GROUPS}/{{name}}", get_group, "platform_group"),
    Route("PATCH", f"{GROUPS}/{{name}}", update_group, "update_platform_group"),
    Route("DELETE", f"{GROUPS}/{{name}}", delete_group, "delete_platform_group"),
    Route("PATCH", f"{GROUPS}/{{name}}/members", change_members, "change_platform_group_members"),
)
