# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of permission targets."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import ArtifactError
from .accounts import REPOSITORY_WILDCARDS
from .user_api import is_string_list, list_entry, read_body, require_existing, require_security_admin

DEFAULTS = {"includesPattern": "**", "excludesPattern": "", "repositories": [], "principals": {}}
MAX_NAME_LENGTH = 64
MAX_PATTERN_LENGTH = 1024


async def list_targets(call: Call) -> Response:
    """Handle `GET /api/security/permissions`."""
    require_security_admin(call)
    targets = [list_entry(call, "permissions", name) for name in call.accounts.list_targets()]
    return call.vendor_json("security.PermissionTargets", targets)


async def get_target(call: Call, name: str) -> Response:
    """Handle `GET /api/security/permissions/{name}`."""
    require_security_admin(call)
    return call.vendor_json(
        "security.PermissionTarget", {"name": name, **require_existing(call.accounts.list_targets().get(name))}
    )


async def replace_target(call: Call, name: str) -> Response:
    """Handle `PUT /api/security/permissions/{name}`."""
    require_security_admin(call)
    body = await read_body(call, "PermissionTarget")
    target = {member: body.get(member, default) for member, default in DEFAULTS.items()}
    _validate_target(call, name, target)
    call.accounts.save_target(name, target)
    return Response(status_code=201)


async def delete_target(call: Call, name: str) -> Response:
    """Handle `DELETE /api/security/permissions/{name}`."""
    require_security_admin(call)
    require_existing(call.accounts.list_targets().get(name))
    call.accounts.delete_target(name)
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
    for key in repositories:
        if key not in ("ANY", *REPOSITORY_WILDCARDS) and call.repositories.find(key) is None:
            raise ArtifactError(400, f"Permission target contains a reference to a non-existing repository '{key}'.")


def _are_principals(value: Any) -> bool:
    """Return whether a value maps users and groups to lists of action letters."""
    if not isinstance(value, dict) or not value.keys() <= {"users", "groups"}:
        return False
    mappings = [kind for kind in value.values() if kind is not None]
    return all(isinstance(kind, dict) and all(map(is_string_list, kind.values())) for kind in mappings)


TARGETS = "/api/security/permissions"
ROUTES = (
    Route("GET", TARGETS, list_targets, "list_permission_targets"),
    Route("GET", f"{TARGETS}/{{name}}", get_target, "permission_target_detail"),
    Route("PUT", f"{TARGETS}/{{name}}", replace_target, "replace_permission_target"),
    Route("DELETE", f"{TARGETS}/{{name}}", delete_target, "delete_permission_target"),
)
