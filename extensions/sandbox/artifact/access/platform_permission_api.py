# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions in the Access API, since Artifactory 7.72.0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import is_name_list, read_name, read_object, select_page
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.formats import format_time
from ..protocol.json_response import json_response
from .accounts import Principal
from .permission_views import (
    as_returned,
    find_unknown_principal,
    find_unknown_repository,
    list_manageable,
    manages,
    to_stored_target,
)
from .permissions import ALL_PATHS, PRINCIPALS, Permission, Resources
from .token_api import require_caller

TYPES = ("artifact", "build", "release_bundle", "destination", "pipeline_source")
ACTIONS = ("READ", "WRITE", "ANNOTATE", "DELETE", "MANAGE", "SCAN", "EXECUTE", "DISTRIBUTE")
MAX_NAME_LENGTH = 255


async def list_permissions(call: Call) -> Response:
    """Handle `GET /access/api/v2/permissions`."""
    names, cursor = select_page(call, list_manageable(call, _require_caller(call)))
    base = call.base.removesuffix("/artifactory")
    entries = [{"name": name, "uri": f"{base}{PERMISSIONS_PATH}/{quote(name, safe='')}"} for name in names]
    return json_response({"permissions": entries, "cursor": cursor})


async def get_permission(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v2/permissions/{name}`."""
    return json_response(_to_json(as_returned(call, _require_readable(call, name))))


async def create_permission(call: Call) -> Response:
    """Handle `POST /access/api/v2/permissions`."""
    caller = _require_administrator(call)
    body = await read_object(call)
    refusal = f"The name of a permission must have 1 to {MAX_NAME_LENGTH} characters"
    name, resources = read_name(body, "name", refusal, MAX_NAME_LENGTH), body.get("resources")
    if not isinstance(resources, dict) or not resources:
        raise AccessError(400, "Permission resources must be provided")
    if call.accounts.permissions.find(name) is not None:
        raise AccessError(409, f"Permission {name} already exists")
    _save(call, caller, name, {kind: _parse_resource(call, kind, value) for kind, value in resources.items()})
    return json_response(_to_json(_require_permission(call, name)), 201)


async def delete_permission(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v2/permissions/{name}`."""
    _require_administrator(call)
    call.accounts.permissions.delete(_require_permission(call, name).name)
    return Response(status_code=204)


async def get_resource(call: Call, name: str, kind: str) -> Response:
    """Handle `GET /access/api/v2/permissions/{name}/{type}`."""
    permission = as_returned(call, _require_readable(call, name))
    if kind not in permission.resources:
        raise AccessError(404, f"Permission {name} has no resource {kind}")
    return json_response(permission.resources[kind])


async def replace_resource(call: Call, name: str, kind: str) -> Response:
    """Handle `PUT /access/api/v2/permissions/{name}/{type}`."""
    caller, permission = _require_caller(call), _require_readable(call, name)
    return _save_resource(call, caller, permission, kind, await read_object(call))


async def update_resource(call: Call, name: str, kind: str) -> Response:
    """Handle `PATCH /access/api/v2/permissions/{name}/{type}`. Missing users, groups and targets are not changed."""
    caller, permission = _require_caller(call), _require_readable(call, name)
    current = permission.resources.get(kind, {"actions": {}, "targets": {}})
    body = await read_object(call)
    changes = body.get("actions") or {}
    if not isinstance(changes, dict) or not isinstance(body.get("targets") or {}, dict):
        raise AccessError(400, f"Invalid resource: {kind}")
    actions = {name: {**current["actions"].get(name, {}), **(changes.get(name) or {})} for name in PRINCIPALS}
    targets = {**current["targets"], **(body.get("targets") or {})}
    return _save_resource(call, caller, permission, kind, {"actions": actions, "targets": targets})


async def delete_resource(call: Call, name: str, kind: str) -> Response:
    """Handle `DELETE /access/api/v2/permissions/{name}/{type}`."""
    caller, permission = _require_administrator(call), _require_permission(call, name)
    if kind not in permission.resources:
        raise AccessError(404, f"Permission {name} has no resource {kind}")
    _save(call, caller, name, {other: value for other, value in permission.resources.items() if other != kind})
    return PlainTextResponse("Ok")


def _require_caller(call: Call) -> Principal:
    if not call.supports(feature_versions.PLATFORM_PERMISSIONS):
        raise AccessError(404, "HTTP 404 Not Found")
    caller = require_caller(call)
    if caller.claims is None and call.get_switch("access_requires_token"):
        raise AccessError(401, "Bad credentials")
    return caller


def _require_administrator(call: Call) -> Principal:
    caller = _require_caller(call)
    if not caller.admin:
        raise AccessError(403, "Only an admin user can create permission targets.")
    return caller


def _require_permission(call: Call, name: str) -> Permission:
    permission = call.accounts.permissions.find(name)
    if permission is None:
        raise AccessError(404, f"Permission {name} not found")
    return permission


def _require_readable(call: Call, name: str) -> Permission:
    """Return a permission, or fail unless the caller is an administrator or manages it."""
    caller = _require_caller(call)
    permission = call.accounts.permissions.find(name)
    if not caller.admin and (permission is None or not manages(call, caller, permission)):
        raise AccessError(403, "Forbidden")
    return _require_permission(call, name)


def _save_resource(call: Call, caller: Principal, permission: Permission, kind: str, body: dict[str, Any]) -> Response:
    resource = _parse_resource(call, kind, body)
    current = permission.resources.get(kind, {"targets": None})
    if not caller.admin and (current["targets"] != resource["targets"] or not manages(call, caller, permission, kind)):
        raise AccessError(403, "Manager user cannot modify targets in a permission target")
    _save(call, caller, permission.name, {**permission.resources, kind: resource})
    return json_response(resource)


def _save(call: Call, caller: Principal, name: str, resources: Resources) -> None:
    if unknown := find_unknown_principal(call, resources):
        raise AccessError(400, f"The {unknown} does not exist")
    call.accounts.permissions.save(name, resources, caller.name)


def _parse_resource(call: Call, kind: str, value: Any) -> dict[str, Any]:
    """Return a resource as it is stored, or fail with 400 if it is invalid."""
    if kind not in TYPES:
        raise AccessError(400, f"Invalid resource type: {kind}")
    actions, targets = (value.get("actions") or {}, value.get("targets")) if isinstance(value, dict) else (None, None)
    if not isinstance(actions, dict) or not isinstance(targets, dict) or not targets:
        raise AccessError(400, f"At least one target must be provided for {kind}")
    if kind == "build" and len(targets) != 1:
        raise AccessError(400, "Exactly one target must be provided for build")
    unknown = find_unknown_repository(call, targets) if kind == "artifact" else None
    if unknown is not None:
        raise AccessError(400, f"Permission target contains a reference to a non-existing repository '{unknown}'.")
    return {
        "actions": {name: _parse_principals(actions.get(name)) for name in PRINCIPALS},
        "targets": {
            to_stored_target(call, target) if kind == "artifact" else target: _parse_patterns(patterns)
            for target, patterns in targets.items()
        },
    }


def _parse_principals(value: Any) -> dict[str, list[str]]:
    """Return the actions by user or group. Those without actions are left out."""
    principals = {} if value is None else value
    if not isinstance(principals, dict) or not all(map(is_name_list, principals.values())):
        raise AccessError(400, "Actions must be lists of names")
    _check_known({action for actions in principals.values() for action in actions})
    return {name: list(dict.fromkeys(actions)) for name, actions in principals.items() if actions}


def _check_known(actions: Iterable[str]) -> None:
    if unknown := sorted(set(actions) - set(ACTIONS)):
        raise AccessError(400, f"Invalid action: {unknown[0]}")


def _parse_patterns(value: Any) -> dict[str, list[str]]:
    patterns = ALL_PATHS | {name: text for name, text in (value or {}).items() if text is not None}
    if not all(is_name_list(patterns[name]) for name in ALL_PATHS):
        raise AccessError(400, "Patterns must be lists of strings")
    return {name: patterns[name] for name in ALL_PATHS}


def _to_json(permission: Permission) -> dict[str, Any]:
    times = {"created_at": permission.created, "modified_at": permission.modified}
    return {
        "name": permission.name,
        "resources": permission.resources,
        "created_by": permission.created_by,
        "modified_by": permission.modified_by,
        **{member: format_time(time) for member, time in times.items() if time is not None},
    }


PERMISSIONS = "/api/v2/permissions"
PERMISSIONS_PATH = f"/access{PERMISSIONS}"
RESOURCE = f"{PERMISSIONS}/{{name}}/{{kind}}"
ROUTES = (
    Route("GET", PERMISSIONS, list_permissions, "list_platform_permissions"),
    Route("POST", PERMISSIONS, create_permission, "create_platform_permission"),
    Route("GET", f"{PERMISSIONS}/{{name}}", get_permission, "platform_permission"),
    Route("DELETE", f"{PERMISSIONS}/{{name}}", delete_permission, "delete_platform_permission"),
    Route("GET", RESOURCE, get_resource, "platform_permission_resource"),
    Route("PUT", RESOURCE, replace_resource, "replace_platform_permission_resource"),
    Route("PATCH", RESOURCE, update_resource, "update_platform_permission_resource"),
    Route("DELETE", RESOURCE, delete_resource, "delete_platform_permission_resource"),
)
