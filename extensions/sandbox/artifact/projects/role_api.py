# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of projects: predefined ones, which cannot be changed, and custom ones."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route, introduce
from ..call import Call
from ..identities.platform_call import is_name_list, read_name, read_object
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from .privileges import ADMIN_ROLE, require_project
from .project_api import PROJECT
from .store import BUILT_IN_ENVIRONMENTS, Projects

CUSTOM = "CUSTOM"
_OBJECTS = {
    "REPOSITORY": ("READ", "ANNOTATE", "DEPLOY_CACHE", "DELETE_OVERWRITE", "MANAGE_XRAY_MD"),
    "BUILD": ("READ", "ANNOTATE", "DEPLOY", "DELETE", "MANAGE_XRAY_MD"),
    "RELEASE_BUNDLE": ("READ", "ANNOTATE", "CREATE", "DISTRIBUTE", "DELETE", "MANAGE_XRAY_MD"),
    "SOURCES_PIPELINE": ("READ", "MANAGE"),
    "INTEGRATIONS_PIPELINE": ("READ", "MANAGE"),
    "POOLS_PIPELINE": ("READ", "MANAGE"),
    "PIPELINE": ("TRIGGER",),
    "SECURITY": ("TRIGGER",),
    "MEMBERS": ("MANAGE",),
    "RESOURCES": ("MANAGE",),
}
ACTIONS = tuple(f"{verb}_{name}" for name, verbs in _OBJECTS.items() for verb in verbs)
_READING = tuple(action for action in ACTIONS if action.startswith("READ_"))
_CONTRIBUTING = (*_READING, "ANNOTATE_REPOSITORY", "DEPLOY_CACHE_REPOSITORY", "ANNOTATE_BUILD", "DEPLOY_BUILD")
# The actions of the predefined roles are plausible, but not verified.
PREDEFINED: dict[str, tuple[str, ...]] = {
    ADMIN_ROLE: ACTIONS,
    "Developer": (*_CONTRIBUTING, "DELETE_OVERWRITE_REPOSITORY", "DELETE_BUILD"),
    "Contributor": _CONTRIBUTING,
    "Viewer": _READING,
    "Release Manager": (*_READING, *(action for action in ACTIONS if action.endswith("RELEASE_BUNDLE"))),
    "Security Manager": (*_READING, *(action for action in ACTIONS if "XRAY" in action)),
}


def list_role_names(projects: Projects, key: str) -> set[str]:
    """Return the names of all roles of a project."""
    return {role["name"] for role in _list_roles(projects, key)}


def build_role(projects: Projects, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return a new role with the fields of a request, or fail if the server would refuse it."""
    name = read_name(body, "name", "The name of a role is required")
    if name in list_role_names(projects, key):
        raise AccessError(409, f"Role {name} already exists in project {key}")
    return _change_role(projects, key, {"name": name, "description": "", "type": CUSTOM}, body)


async def list_roles(call: Call, key: str) -> Response:
    """Handle `GET /access/api/v1/projects/{key}/roles`."""
    require_project(call, key)
    return json_response(_list_roles(call.projects, key))


async def get_role(call: Call, key: str, name: str) -> Response:
    """Handle `GET /access/api/v1/projects/{key}/roles/{name}`."""
    require_project(call, key)
    return json_response(_require_role(call, key, name))


async def create_role(call: Call, key: str) -> Response:
    """Handle `POST /access/api/v1/projects/{key}/roles`."""
    require_project(call, key, "manage_members")
    role = build_role(call.projects, key, await read_object(call))
    call.projects.save_role(key, role)
    return json_response(role, 201)


async def update_role(call: Call, key: str, name: str) -> Response:
    """Handle `PUT /access/api/v1/projects/{key}/roles/{name}`."""
    require_project(call, key, "manage_members")
    role = _require_custom_role(call, key, name)
    body = await read_object(call)
    if body.get("name", name) != name:
        raise AccessError(400, "The name of a role cannot be changed")
    changed = _change_role(call.projects, key, role, body)
    call.projects.save_role(key, changed)
    return json_response(changed)


async def delete_role(call: Call, key: str, name: str) -> Response:
    """Handle `DELETE /access/api/v1/projects/{key}/roles/{name}`."""
    require_project(call, key, "manage_members")
    _require_custom_role(call, key, name)
    call.projects.delete_role(key, name)
    return Response(status_code=204)


def _list_roles(projects: Projects, key: str) -> list[dict[str, Any]]:
    predefined = [
        {
            "name": name,
            "description": "",
            "type": "ADMIN" if name == ADMIN_ROLE else "PREDEFINED",
            "environments": list(BUILT_IN_ENVIRONMENTS),
            "actions": list(actions),
        }
        for name, actions in PREDEFINED.items()
    ]
    return predefined + projects.list_roles(key)


def _require_role(call: Call, key: str, name: str) -> dict[str, Any]:
    for role in _list_roles(call.projects, key):
        if role["name"] == name:
            return role
    raise AccessError(404, f"Role {name} not found in project {key}")


def _require_custom_role(call: Call, key: str, name: str) -> dict[str, Any]:
    role = _require_role(call, key, name)
    if role["type"] != CUSTOM:
        raise AccessError(400, f"Role {name} is predefined and cannot be changed")
    return role


def _change_role(projects: Projects, key: str, role: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    if body.get("type", CUSTOM) != CUSTOM:
        raise AccessError(400, "Only roles of type CUSTOM can be created or changed")
    environments, actions = (body.get(name, role.get(name, [])) for name in ("environments", "actions"))
    if not is_name_list(environments) or not is_name_list(actions):
        raise AccessError(400, "'environments' and 'actions' must be lists of names")
    known = {*projects.list_environments(), *projects.list_environments(key)}
    if unknown := [name for name in environments if name not in known]:
        raise AccessError(400, f"Environment {unknown[0]} does not exist")
    if unknown := [name for name in actions if name not in ACTIONS]:
        raise AccessError(400, f"Action {unknown[0]} is not valid")
    description = role["description"] if body.get("description") is None else str(body["description"])
    return {**role, "description": description, "environments": environments, "actions": actions}


ROLES = f"{PROJECT}/roles"
ROUTES = introduce(
    feature_versions.PROJECTS,
    Route("GET", ROLES, list_roles, "list_project_roles"),
    Route("POST", ROLES, create_role, "create_project_role"),
    Route("GET", f"{ROLES}/{{name}}", get_role, "project_role"),
    Route("PUT", f"{ROLES}/{{name}}", update_role, "update_project_role"),
    Route("DELETE", f"{ROLES}/{{name}}", delete_role, "delete_project_role"),
)
