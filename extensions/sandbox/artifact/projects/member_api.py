# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of projects: users and groups with their roles."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route, introduce
from ..call import Call
from ..identities.platform_call import is_name_list, read_object
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from ..state import State
from .privileges import require_project
from .project_api import PROJECT
from .role_api import list_role_names

KINDS = {"users": "User", "groups": "Group"}


async def list_members(call: Call, key: str, kind: str) -> Response:
    """Handle `GET /access/api/v1/projects/{key}/{kind}`."""
    require_project(call, key)
    return json_response({"members": call.projects.list_members(key, kind)})


async def get_member(call: Call, key: str, kind: str, name: str) -> Response:
    """Handle `GET /access/api/v1/projects/{key}/{kind}/{name}`."""
    require_project(call, key)
    for member in call.projects.list_members(key, kind):
        if member["name"] == name:
            return json_response(member)
    raise _unknown_member(kind, name)


async def save_member(call: Call, key: str, kind: str, name: str) -> Response:
    """Handle `PUT /access/api/v1/projects/{key}/{kind}/{name}`."""
    require_project(call, key, "manage_members")
    body = await read_object(call)
    if body.get("name", name) != name:
        raise AccessError(400, "The name in the body differs from that in the path")
    return json_response(put_member(call.state, key, kind, name, body.get("roles")))


def put_member(state: State, key: str, kind: str, name: str, roles: Any) -> dict[str, Any]:
    """Add a member to a project or replace its roles, or fail if the server would refuse it. Return the member."""
    if not is_name_list(roles) or not roles:
        raise AccessError(400, "At least one role is required")
    find = state.accounts.find_user if kind == "users" else state.accounts.find_group
    stored = find(name)
    if stored is None:
        raise AccessError(404, f"{KINDS[kind]} {name} not found")
    known = list_role_names(state.projects, key)
    if unknown := [role for role in roles if role not in known]:
        raise AccessError(400, f"Role {unknown[0]} does not exist in project {key}")
    member = {"name": stored["name"], "roles": sorted(set(roles))}
    state.projects.save_member(key, kind, **member)
    return member


async def remove_member(call: Call, key: str, kind: str, name: str) -> Response:
    """Handle `DELETE /access/api/v1/projects/{key}/{kind}/{name}`."""
    require_project(call, key, "manage_members")
    if name not in [member["name"] for member in call.projects.list_members(key, kind)]:
        raise _unknown_member(kind, name)
    call.projects.remove_member(key, kind, name)
    return Response(status_code=204)


def _unknown_member(kind: str, name: str) -> AccessError:
    return AccessError(404, f"{KINDS[kind]} {name} is not a member of the project")


MEMBERS = f"{PROJECT}/{{kind:users|groups}}"
ROUTES = introduce(
    feature_versions.PROJECTS,
    Route("GET", MEMBERS, list_members, "list_project_members"),
    Route("GET", f"{MEMBERS}/{{name}}", get_member, "project_member"),
    Route("PUT", f"{MEMBERS}/{{name}}", save_member, "save_project_member"),
    Route("DELETE", f"{MEMBERS}/{{name}}", remove_member, "remove_project_member"),
)
