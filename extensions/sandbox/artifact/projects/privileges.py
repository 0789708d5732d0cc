# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the calls for projects share: callers, their privileges, and projects that must exist."""

from __future__ import annotations

from typing import Any

from ..access.accounts import Principal
from ..access.token_api import require_caller
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError, ArtifactError

ADMIN_ROLE = "Project Admin"
REMOTE_REPOSITORIES = "manage_remote_repository"


def require_platform_admin(call: Call) -> None:
    """Fail unless the caller is an administrator of the platform."""
    if not _require_caller(call).admin:
        raise AccessError(403, "Forbidden")


def list_own_projects(call: Call) -> list[dict[str, Any]]:
    """Return the projects that the caller administers."""
    caller = _require_caller(call)
    return [
        project
        for project in call.projects.list_all()
        if caller.admin or _administers(call, caller, project["project_key"])
    ]


def require_project(call: Call, key: str, privilege: str | None = None) -> dict[str, Any]:
    """Return a project that the caller administers.

    `privilege` is the one of the administrators of the project that the call requires, such as `manage_members`.
    """
    caller = _require_caller(call)
    project = call.projects.find(key)
    if not caller.admin:
        is_permitted = project is not None and (privilege is None or project["admin_privileges"].get(privilege))
        if not is_permitted or not _administers(call, caller, key):
            raise AccessError(403, "Forbidden")
    if project is None:
        raise AccessError(404, f"Project with key '{key}' not found")
    return project


def require_repository_manager(call: Call, project: Any, rclass: str) -> None:
    """Fail unless the caller of Artifactory may manage repositories of a class in a project.

    These are the administrators of the platform and, with the privileges of the project, those of the project.
    """
    call.require_login()
    if call.principal.admin or administers_repositories(call, project, rclass):
        return
    raise ArtifactError(403)


def administers_repositories(call: Call, project: Any, rclass: str) -> bool:
    """Return whether the caller of Artifactory is an administrator of a project who may manage such repositories."""
    found = call.projects.find(project) if isinstance(project, str) else None
    if found is None or not _administers(call, call.principal, str(project)):
        return False
    privileges = found["admin_privileges"]
    is_limited = rclass == "remote" and call.supports(feature_versions.REMOTE_REPOSITORY_PRIVILEGE)
    return bool(privileges["manage_resources"] and (not is_limited or privileges.get(REMOTE_REPOSITORIES)))


def require_projects_exist(call: Call, key: str) -> None:
    """Fail if a project does not exist."""
    if call.projects.find(key) is None:
        raise AccessError(404, f"Project with key '{key}' not found")


def _require_caller(call: Call) -> Principal:
    caller = require_caller(call)
    if caller.claims is None and call.get_switch("access_requires_token"):
        raise AccessError(401, "Bad credentials")
    return caller


def _administers(call: Call, caller: Principal, key: str) -> bool:
    user = call.accounts.find_user(caller.name)
    own_groups = user["groups"] if user else []
    users, groups = (call.projects.list_members(key, kind) for kind in ("users", "groups"))
    members = [member for member in users if member["name"] == caller.name]
    members += [member for member in groups if member["name"] in own_groups]
    return any(ADMIN_ROLE in member["roles"] for member in members)
