# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permission targets in version 2 of the API, since Artifactory 6.6."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.request_body import read_json_object
from .permission_views import (
    as_returned,
    find_unknown_principal,
    find_unknown_repository,
    list_manageable,
    manages,
    to_stored_target,
)
from .permissions import PRINCIPALS, Permission, Resources
from .user_api import is_string_list

# Sections of a permission target by resource types.
SECTIONS = {"artifact": "repo", "build": "build", "release_bundle": "releaseBundle"}
WORDS = {
    "READ": "read",
    "WRITE": "write",
    "ANNOTATE": "annotate",
    "DELETE": "delete",
    "MANAGE": "manage",
    "SCAN": "managedXrayMeta",
    "DISTRIBUTE": "distribute",
}
ACTIONS = {word: action for action, word in WORDS.items()}
PATTERNS = {"include-patterns": "include_patterns", "exclude-patterns": "exclude_patterns"}


async def list_targets(call: Call) -> Response:
    """Handle `GET /api/v2/security/permissions`."""
    _require_version(call)
    names = list_manageable(call, call.principal)
    entries = [{"name": name, "uri": f"{call.base}{TARGETS}/{quote(name)}"} for name in names]
    return call.vendor_json("security.PermissionTargets", entries)


async def get_target(call: Call, name: str) -> Response:
    """Handle `GET /api/v2/security/permissions/{name}`."""
    permission = as_returned(call, _require_readable(call, name))
    return call.vendor_json("security.PermissionTargetV2", _to_json(call, permission))


async def create_target(call: Call, name: str) -> Response:
    """Handle `POST /api/v2/security/permissions/{name}`."""
    _require_version(call)
    _require_administrator(call)
    resources = await _read_resources(call, name)
    if call.accounts.permissions.find(name) is not None:
        section = SECTIONS[next(iter(resources))]
        raise ArtifactError(409, f"Can't create permission target '{name}' for type {section}. It already exists.")
    call.accounts.permissions.save(name, resources, call.principal.name)
    return Response(status_code=201)


async def replace_target(call: Call, name: str) -> Response:
    """Handle `PUT /api/v2/security/permissions/{name}`. A section that is missing is deleted."""
    permission = _require_readable(call, name)
    resources = await _read_resources(call, name)
    # the sections that this API does not have stay
    others = {kind: value for kind, value in permission.resources.items() if kind not in SECTIONS}
    if not call.principal.admin:
        _check_manager_changes(call, permission, resources)
    call.accounts.permissions.save(name, {**resources, **others}, call.principal.name)
    return Response(status_code=200)


async def delete_target(call: Call, name: str) -> Response:
    """Handle `DELETE /api/v2/security/permissions/{name}`."""
    _require_version(call)
    _require_administrator(call)
    call.accounts.permissions.delete(_require_permission(call, name).name)
    return Response(status_code=200)


def _require_version(call: Call) -> None:
    if not call.supports(feature_versions.PERMISSION_TARGETS_2):
        raise ArtifactError(404)
    call.require_pro()


def _require_administrator(call: Call) -> None:
    call.require_login()
    if not call.principal.admin:
        raise ArtifactError(403, "Only an admin user can create permission targets.")


def _require_permission(call: Call, name: str) -> Permission:
    permission = call.accounts.permissions.find(name)
    if permission is None:
        raise ArtifactError(404, f"No such permission target '{name}'")
    return permission


def _require_readable(call: Call, name: str) -> Permission:
    _require_version(call)
    call.require_login()
    permission = call.accounts.permissions.find(name)
    if not call.principal.admin and (permission is None or not manages(call, call.principal, permission)):
        raise ArtifactError(403)
    return _require_permission(call, name)


def _check_manager_changes(call: Call, permission: Permission, resources: Resources) -> None:
    """Fail if a manager would change anything except the actions of the sections that the manager manages."""
    for kind in SECTIONS:
        before, after = permission.resources.get(kind), resources.get(kind)
        if before == after:
            continue
        has_same_targets = before and after and before["targets"] == after["targets"]
        if not has_same_targets or not manages(call, call.principal, permission, kind):
            raise ArtifactError(403, "Manager user cannot modify repositories in a permission target")


async def _read_resources(call: Call, name: str) -> Resources:
    body = await read_json_object(call)
    sections = {kind: body[section] for kind, section in SECTIONS.items() if body.get(section) is not None}
    if not sections:
        raise ArtifactError(400, "Permission target request missing repositories, builds and release bundles.")
    resources = {kind: _parse_section(call, name, kind, section) for kind, section in sections.items()}
    if unknown := find_unknown_principal(call, resources):
        raise ArtifactError(400, f"Unable to find {unknown}")
    return resources


def _parse_section(call: Call, name: str, kind: str, section: Any) -> dict[str, Any]:
    if not isinstance(section, dict):
        raise ArtifactError(400)
    repositories = section.get("repositories")
    if not is_string_list(repositories) or not repositories:
        raise ArtifactError(400, "Permission target request missing repositories.")
    unknown = find_unknown_repository(call, repositories) if kind == "artifact" else None
    if unknown is not None:
        raise ArtifactError(400, f"Permission target contains a reference to a non-existing repository '{unknown}'.")
    if kind == "build" and len(repositories) != 1:
        raise ArtifactError(400, "Permission target for builds must contain only the build-info repository.")
    patterns = _parse_patterns(name, section)
    actions = section.get("actions") or {}
    if not isinstance(actions, dict):
        raise ArtifactError(400)
    return {
        "actions": {principals: _parse_actions(actions.get(principals)) for principals in PRINCIPALS},
        "targets": {to_stored_target(call, key) if kind == "artifact" else key: patterns for key in repositories},
    }


def _parse_patterns(name: str, section: dict[str, Any]) -> dict[str, list[str]]:
    patterns = {"include_patterns": ["**"], "exclude_patterns": []}
    for member, stored in PATTERNS.items():
        if section.get(member) is not None:
            if not is_string_list(section[member]):
                raise ArtifactError(400)
            patterns[stored] = list(filter(None, section[member]))
    if not any(patterns.values()):
        raise ArtifactError(400, f"Permission target {name} must contain at least one include or exclude pattern")
    return patterns


def _parse_actions(value: Any) -> dict[str, list[str]]:
    principals = {} if value is None else value
    if not isinstance(principals, dict) or not all(map(is_string_list, principals.values())):
        raise ArtifactError(400)
    unknown = {word for words in principals.values() for word in words} - ACTIONS.keys()
    if unknown:
        raise ArtifactError(400, f"Invalid permission '{min(unknown)}'")
    return {name: [ACTIONS[word] for word in dict.fromkeys(words)] for name, words in principals.items() if words}


def _to_json(call: Call, permission: Permission) -> dict[str, Any]:
    sections = {
        section: _to_section(call, permission.resources[kind])
        for kind, section in SECTIONS.items()
        if kind in permission.resources
    }
    return {"name": permission.name, **sections}


def _to_section(call: Call, resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource with one set of patterns for all targets, and without actions that this API does not have."""
    targets = resource["targets"].values()
    patterns = {
        member: list(dict.fromkeys(pattern for target in targets for pattern in target[stored]))
        for member, stored in PATTERNS.items()
    }
    if not patterns["exclude-patterns"] and not call.supports(feature_versions.EMPTY_EXCLUDE_PATTERNS):
        patterns["exclude-patterns"] = [""]
    actions = {
        kind: {name: [WORDS[action] for action in actions if action in WORDS] for name, actions in principals.items()}
        for kind, principals in resource["actions"].items()
    }
    return {**patterns, "repositories": list(resource["targets"]), "actions": actions}


TARGETS = "/api/v2/security/permissions"
ROUTES = (
    Route("GET", TARGETS, list_targets, "list_permission_targets_2"),
    Route("GET", f"{TARGETS}/{{name}}", get_target, "permission_target_detail_2"),
    Route("POST", f"{TARGETS}/{{name}}", create_target, "create_permission_target_2"),
    Route("PUT", f"{TARGETS}/{{name}}", replace_target, "replace_permission_target_2"),
    Route("DELETE", f"{TARGETS}/{{name}}", delete_target, "delete_permission_target_2"),
)
