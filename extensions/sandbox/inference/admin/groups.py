# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of users, and their membership in projects."""

from __future__ import annotations

from starlette.responses import Response

from ..call import Call
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from . import objects
from .common import ORGANIZATION, PROJECT, Record, admin_route, check_name, current_time, query_rows, read_body
from .objects import CREATED, Collection, find_owner
from .roles import require_project_role
from .users import find_user

GROUP = Collection(
    "group",
    "group_",
    "group",
    {"name": check_name},
    ("name",),
    defaults={CREATED: 0, "is_scim_managed": False, "group_type": "group"},
    by_cursor=True,
)
_MEMBER, _PROJECT_GROUP = "user of the group", "group of the project"


async def list_users(call: Call, group: str) -> Response:
    """List the users of a group."""
    require_group(call, group)
    members = {member["user_id"] for member in objects.list_all(call, _MEMBER, group)}
    rows = query_rows(
        call, "SELECT * FROM inference_users WHERE organization = ? ORDER BY rowid", call.caller.organization
    )
    return paginate(call, (describe_user(call, row["id"]) for row in rows if row["id"] in members), by_cursor=True)


async def add_user(call: Call, group: str) -> Response:
    """Add a user of the organization to a group."""
    require_group(call, group)
    user = (await read_body(call, ("user_id",), user_id=check_name))["user_id"]
    find_user(call, user)
    member = {"object": "group.user", "user_id": user, "group_id": group}
    objects.save(call, _MEMBER, group, user, member)
    return json_response(member)


async def retrieve_user(call: Call, group: str, user: str) -> Response:
    """Get a user of a group."""
    require_group(call, group)
    objects.require(call, _MEMBER, group, user)
    return json_response(describe_user(call, user))


async def remove_user(call: Call, group: str, user: str) -> Response:
    """Remove a user from a group."""
    require_group(call, group)
    objects.delete(call, _MEMBER, group, user)
    return json_response({"object": "group.user.deleted", "deleted": True})


async def list_project_groups(call: Call, project: str) -> Response:
    """List the groups of a project that still exist."""
    owner = find_owner(call, project)
    entries = objects.list_all(call, _PROJECT_GROUP, owner)
    existing = (one for one in entries if objects.find(call, GROUP.kind, call.caller.organization, one["group_id"]))
    return paginate(call, existing, key="group_id", by_cursor=True)


async def add_project_group(call: Call, project: str) -> Response:
    """Add a group to a project with a role."""
    owner = find_owner(call, project)
    values = await read_body(call, ("group_id", "role"), group_id=check_name, role=check_name)
    group = require_group(call, values["group_id"])
    require_project_role(call, owner, values["role"])
    entry = {
        "object": "project.group",
        "project_id": owner,
        "group_id": group["id"],
        "group_name": group["name"],
        "group_type": group["group_type"],
        CREATED: current_time(call),
    }
    objects.save(call, _PROJECT_GROUP, owner, group["id"], entry)
    return json_response(entry)


async def retrieve_project_group(call: Call, project: str, group: str) -> Response:
    """Get a group of a project."""
    owner = find_owner(call, project)
    require_group(call, group)
    return json_response(objects.require(call, _PROJECT_GROUP, owner, group))


async def remove_project_group(call: Call, project: str, group: str) -> Response:
    """Remove a group from a project."""
    objects.delete(call, _PROJECT_GROUP, find_owner(call, project), group)
    return json_response({"object": "project.group.deleted", "deleted": True})


def require_group(call: Call, group: str) -> Record:
    """Return a group of the caller's organization."""
    return objects.require(call, GROUP.kind, call.caller.organization, group)


def describe_user(call: Call, user: str) -> Record:
    """Return a user as groups show it."""
    row = find_user(call, user)
    fields = {name: row[name] for name in ("id", "name", "email")}
    return {**fields, "is_service_account": False, "user_type": "user"}


_GROUPS = f"{ORGANIZATION}/groups"
_USERS, _PROJECT_GROUPS = f"{_GROUPS}/{{group}}/users", f"{PROJECT}/groups"

ROUTES = (
    *GROUP.build_routes(_GROUPS),
    admin_route("GET", _USERS, list_users, "list_group_users"),
    admin_route("POST", _USERS, add_user, "create_group_user"),
    admin_route("GET", f"{_USERS}/{{user}}", retrieve_user, "retrieve_group_user"),
    admin_route("DELETE", f"{_USERS}/{{user}}", remove_user, "delete_group_user"),
    admin_route("GET", _PROJECT_GROUPS, list_project_groups, "list_project_groups"),
    admin_route("POST", _PROJECT_GROUPS, add_project_group, "create_project_group"),
    admin_route("GET", f"{_PROJECT_GROUPS}/{{group}}", retrieve_project_group, "retrieve_project_group"),
    admin_route("DELETE", f"{_PROJECT_GROUPS}/{{group}}", remove_project_group, "delete_project_group"),
)
