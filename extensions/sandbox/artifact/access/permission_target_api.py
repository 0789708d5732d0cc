# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permission targets: what users and groups may do in some repositories."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import ArtifactError
from .accounts import KINDS
from .user_api import (
    entry,
    is_string_list,
    known,
    permit,
    read_body,
)

DEFAULTS = {"includesPattern": "**", "excludesPattern": "", "repositories": [], "principals": {}}
LONGEST_NAME = 64
LONGEST_PATTERN = 1024


async def listed(call: Call) -> Response:
    """GET /api/security/permissions"""
    permit(call)
    targets = [entry(call, "permissions", name) for name in call.accounts.list_targets()]
    return call.vendor_json("security.PermissionTargets", targets)


async def detail(call: Call, name: str) -> Response:
    """GET /api/security/permissions/{name}"""
    permit(call)
    return call.vendor_json(
        "security.PermissionTarget", {"name": name, **known(call.accounts.list_targets().get(name))}
    )


async def replace(call: Call, name: str) -> Response:
    """PUT /api/security/permissions/{name}"""
    permit(call)
    given = await read_body(call, "PermissionTarget")
    target = {member: given.get(member, default) for member, default in DEFAULTS.items()}
    _check(call, name, target)
    call.accounts.save_target(name, target)
    return Response(status_code=201)


async def delete(call: Call, name: str) -> Response:
    """DELETE /api/security/permissions/{name}"""
    permit(call)
    known(call.accounts.list_targets().get(name))
    call.accounts.delete_target(name)
    return PlainTextResponse(f"Permission Target '{name}' has been removed successfully.")


def _check(call: Call, name: str, target: dict[str, Any]) -> None:
    patterns = [target["includesPattern"], target["excludesPattern"]]
    if len(name) > LONGEST_NAME or any(not isinstance(one, str) or len(one) > LONGEST_PATTERN for one in patterns):
        raise ArtifactError(400)
    repositories = target["repositories"]
    if not repositories or not is_string_list(repositories) or not _are_principals(target["principals"]):
        raise ArtifactError(400)
    for key in repositories:
        if key not in ("ANY", *KINDS) and call.repositories.find(key) is None:
            raise ArtifactError(400, f"Permission target contains a reference to a non-existing repository '{key}'.")


def _are_principals(given: Any) -> bool:
    """Whether they are users and groups, each with the letters of what they may."""
    if not isinstance(given, dict) or not given.keys() <= {"users", "groups"}:
        return False
    found = [kind for kind in given.values() if kind is not None]
    return all(isinstance(kind, dict) and all(map(is_string_list, kind.values())) for kind in found)


TARGETS = "/api/security/permissions"
ROUTES = (
    Route("GET", TARGETS, listed, "list_permission_targets"),
    Route("GET", f"{TARGETS}/{{name}}", detail, "permission_target_detail"),
    Route("PUT", f"{TARGETS}/{{name}}", replace, "replace_permission_target"),
    Route("DELETE", f"{TARGETS}/{{name}}", delete, "delete_permission_target"),
)
