# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permission targets in version 1 of the API."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import ArtifactError
from .permission_views import as_returned, find_unknown_repository, to_stored_target
from .permissions import PRINCIPALS, Permission
from .user_api import is_string_list, list_entry, read_body, require_existing, require_security_admin

DEFAULTS = {"includesPattern": "**", "excludesPattern": "", "repositories": [], "principals": {}}
# Letters by actions.
LETTERS = {"READ": "r", "WRITE": "w", "ANNOTATE": "n", "DELETE": "d", "MANAGE": "m", "SCAN": "mxm"}
ACTIONS = {letter: action for action, letter in LETTERS.items()}
MAX_NAME_LENGTH = 64
MAX_PATTERN_LENGTH = 1024


async def list_targets(call: Call) -> Response:
    """Handle `GET /api/security/permissions`."""
    require_security_admin(call)
    targets = [list_entry(call, "permissions", name) for name in call.accounts.permissions.list_names()]
    return call.vendor_json("security.PermissionTargets", targets)


async def get_target(call: Call, name: str) -> Response:
    """Handle `GET /api/security/permissions/{name}`."""
    require_security_admin(call)
    permission = call.accounts.permissions.find(name)
    target = require_existing(_to_json(as_returned(call, permission)) if permission else None)
    return call.vendor_json("security.PermissionTarget", target)


async def replace_target(call: Call, name: str) -> Response:
    """Handle `PUT /api/security/permissions/{name}`. Resource types that this API does not have stay."""
    require_security_admin(call)
    body = await read_body(call, "PermissionTarget")
    target = {member: body.get(member, default) for member, default in DEFAULTS.items()}
    _validate_target(call, name, target)
    current = call.accounts.permissions.find(name)
    resources = {**(current.resources if current else {}), "artifact": _to_resource(call, target)}
    call.accounts.permissions.save(name, resources, call.principal.name)
    return Response(status_code=201)


async def delete_target(call: Call, name: str) -> Response:
    """Handle `DELETE /api/security/permissions/{name}`."""
    require_security_admin(call)
    if call.accounts.permissions.find(name) is None:
        raise ArtifactError(404)
    call.accounts.permissions.delete(name)
    return PlainTextResponse(f"Permission Target '{name}' has been removed successfully.")


def _validate_target(call: Call, name: str, target: dict[str, Any]) -> None:
    patterns = [target["includesPattern"], target["excludesPattern"]]
    if len(name) > MAX_NAME_LENGTH or any(
        not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_LENGTH for pattern in patterns
    ):
        raise ArtifactError(400)
    repositories = target["repositories"]
    if not repositories or not is_string_list(repositories) or not _are_principals(target["principals"]):
        raise ArtifactError(400)
    unknown = find_unknown_repository(call, repositories)
    if unknown is not None:
        raise ArtifactError(400, f"Permission target contains a reference to a non-existing repository '{unknown}'.")


def _are_principals(value: Any) -> bool:
    """Return whether a value maps users and groups to lists of action letters."""
    if not isinstance(value, dict) or not value.keys() <= {"users", "groups"}:
        return False
    mappings = [kind for kind in value.values() if kind is not None]
    return all(isinstance(kind, dict) and all(map(is_string_list, kind.values())) for kind in mappings)


def _to_resource(call: Call, target: dict[str, Any]) -> dict[str, Any]:
    texts = {"include_patterns": target["includesPattern"], "exclude_patterns": target["excludesPattern"]}
    patterns = {name: [part.strip() for part in text.split(",") if part.strip()] for name, text in texts.items()}
    return {
        "actions": {
            kind: {
                name: [ACTIONS[letter] for letter in dict.fromkeys(letters) if letter in ACTIONS]
                for name, letters in (target["principals"].get(kind) or {}).items()
            }
            for kind in PRINCIPALS
        },
        "targets": {to_stored_target(call, key): patterns for key in target["repositories"]},
    }


def _to_json(permission: Permission) -> dict[str, Any]:
    """Return the artifacts of a permission, with one set of patterns for all repositories."""
    resource = permission.resources.get("artifact", {"actions": {kind: {} for kind in PRINCIPALS}, "targets": {}})
    targets = resource["targets"].values()
    patterns = {
        name: ",".join(dict.fromkeys(pattern for target in targets for pattern in target[member]))
        for name, member in (("includesPattern", "include_patterns"), ("excludesPattern", "exclude_patterns"))
    }
    principals = {
        kind: {name: [LETTERS[action] for action in actions if action in LETTERS] for name, actions in names.items()}
        for kind, names in resource["actions"].items()
    }
    return {"name": permission.name, **patterns, "repositories": list(resource["targets"]), "principals": principals}


TARGETS = "/api/security/permissions"
ROUTES = (
    Route("GET", TARGETS, list_targets, "list_permission_targets"),
    Route("GET", f"{TARGETS}/{{name}}", get_target, "permission_target_detail"),
    Route("PUT", f"{TARGETS}/{{name}}", replace_target, "replace_permission_target"),
    Route("DELETE", f"{TARGETS}/{{name}}", delete_target, "delete_permission_target"),
)
