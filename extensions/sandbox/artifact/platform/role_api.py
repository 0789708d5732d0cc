# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Global roles: predefined ones, which cannot be changed, and custom ones."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import is_name_list, read_name, read_object, require_administrator
from ..projects.role_api import ACTIONS, PREDEFINED
from ..projects.store import BUILT_IN_ENVIRONMENTS
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from . import store

CUSTOM = "CUSTOM_GLOBAL"


async def list_roles(call: Call) -> Response:
    """Handle `GET /access/api/v1/roles`."""
    require_administrator(call)
    return json_response(_list_roles(call))


async def get_role(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v1/roles/{name}`."""
    require_administrator(call)
    return json_response(_require_role(call, name))


async def create_role(call: Call) -> Response:
    """Handle `POST /access/api/v1/roles`."""
    require_administrator(call)
    body = await read_object(call)
    name = read_name(body, "name", "The name of a role is required")
    if name in (role["name"] for role in _list_roles(call)):
        raise AccessError(409, f"Role {name} already exists")
    return _save(call, name, body, 201)


async def replace_role(call: Call, name: str) -> Response:
    """Handle `PUT /access/api/v1/roles/{name}`. Missing fields get their defaults."""
    require_administrator(call)
    _require_custom(call, name)
    body = await read_object(call)
    if body.get("name", name) != name:
        raise AccessError(400, "The name of a role cannot be changed")
    return _save(call, name, body, 200)


async def delete_role(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v1/roles/{name}`."""
    require_administrator(call)
    _require_custom(call, name)
    store.delete(call.state, "role", name)
    return Response(status_code=204)


def _list_roles(call: Call) -> list[dict[str, Any]]:
    predefined = [
        {
            "name": name,
            "description": "",
            "type": "PREDEFINED",
            "environments": list(BUILT_IN_ENVIRONMENTS),
            "actions": list(actions),
        }
        for name, actions in PREDEFINED.items()
    ]
    return predefined + store.list_all(call.state, "role")


def _require_role(call: Call, name: str) -> dict[str, Any]:
    for role in _list_roles(call):
        if role["name"] == name:
            return role
    raise AccessError(404, f"Role {name} not found")


def _require_custom(call: Call, name: str) -> None:
    if _require_role(call, name)["type"] != CUSTOM:
        raise AccessError(400, f"Role {name} is predefined and cannot be changed")


def _save(call: Call, name: str, body: dict[str, Any], status: int) -> Response:
    environments, actions = (body.get(member) or [] for member in ("environments", "actions"))
    if body.get("type", CUSTOM) != CUSTOM:
        raise AccessError(400, f"Only roles of type {CUSTOM} can be created or changed")
    if not is_name_list(environments) or not is_name_list(actions):
        raise AccessError(400, "'environments' and 'actions' must be lists of names")
    if unknown := [environment for environment in environments if environment not in call.projects.list_environments()]:
        raise AccessError(400, f"Environment {unknown[0]} does not exist")
    if unknown := [action for action in actions if action not in ACTIONS]:
        raise AccessError(400, f"Action {unknown[0]} is not valid")
    description = str(body.get("description") or "")
    role = {"name": name, "description": description, "type": CUSTOM, "environments": environments, "actions": actions}
    store.save(call.state, "role", name, role)
    return json_response(role, status)


ROLES = "/api/v1/roles"
ROUTES = (
    Route("GET", ROLES, list_roles, "list_global_roles"),
    Route("POST", ROLES, create_role, "create_global_role"),
    Route("GET", f"{ROLES}/{{name}}", get_role, "global_role"),
    Route("PUT", f"{ROLES}/{{name}}", replace_role, "replace_global_role"),
    Route("DELETE", f"{ROLES}/{{name}}", delete_role, "delete_global_role"),
)
