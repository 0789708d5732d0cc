# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Projects and their parts, as the server stores them."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import form, platform
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_MEMBER_KINDS = ("users", "groups")
CUSTOM = "CUSTOM"


def address(key: str, *names: str) -> str:
    """Return the path of a project, or of something in it, below `/access/api/v1`."""
    return f"/projects{encode_path(key, *names, option='key')}"


def find(artifact: ArtifactService, key: str) -> Record | None:
    """Return a project, or `None` if it does not exist."""
    response = platform.read(artifact, address(key), features.PROJECTS)
    if response.status == 404:
        return None
    record = response.record()
    if (stored := record.text("project_key")) != key:
        raise response.unexpected_value("project_key", f"'{key}'", stored)
    return record


def list_all(artifact: ArtifactService) -> list[Record]:
    """Return all projects that the account administers, except the default one, sorted by key."""
    response = platform.read(artifact, "/projects", features.PROJECTS)
    if response.status == 404:
        raise access_api.foreign_response_error(response)
    projects = [record for record in response.records() if record.text("project_key") != form.DEFAULT_PROJECT]
    return sorted(projects, key=lambda record: record.text("project_key"))


def parse_settings(record: Record) -> Fields:
    """Return the settings of a project."""
    quota = record.get("storage_quota_bytes")
    size = -1 if quota is None else record.convert("storage_quota_bytes", "a number", int)
    privileges: Fields = record.maybe_record("admin_privileges") or {}
    return {
        "display_name": record.maybe_text("display_name") or "",
        "description": record.maybe_text("description") or "",
        "soft_limit": bool(record.maybe_flag("soft_limit")),
        "storage_quota_email_notification": record.maybe_flag("storage_quota_email_notification") is not False,
        "storage_quota": form.format_quota(size),
        "admin_privileges": {name: bool(privileges.get(name)) for name in form.PRIVILEGES},
    }


def read_members(artifact: ArtifactService, key: str) -> Fields:
    """Return the roles of the members by `users/NAME` and `groups/NAME`."""
    members: Fields = {}
    for kind in _MEMBER_KINDS:
        for member in _read(artifact, key, kind).record().maybe_records("members"):
            members[f"{kind}/{member.text('name')}"] = sorted(member.maybe_texts("roles"))
    return members


def read_roles(artifact: ArtifactService, key: str) -> tuple[Fields, set[str]]:
    """Return the custom roles of a project by name, and the names of all others."""
    roles: Fields = {}
    others = set()
    for role in _read(artifact, key, "roles").records():
        if role.maybe_text("type") != CUSTOM:
            others.add(role.text("name"))
            continue
        roles[role.text("name")] = _parse_role(role)
    return roles, others


def find_role(artifact: ArtifactService, key: str, name: str) -> Fields | None:
    """Return a role, or `None` if it does not exist."""
    response = platform.read(artifact, address(key, "roles", name), features.PROJECTS)
    return _parse_role(response.record()) if response.status == 200 else None


def _parse_role(role: Record) -> Fields:
    return {
        "description": role.maybe_text("description") or "",
        "environments": sorted(role.maybe_texts("environments")),
        "actions": sorted(role.maybe_texts("actions")),
    }


def read_environments(artifact: ArtifactService, key: str) -> Fields:
    """Return the environments of a project by name, without the global ones."""
    names = (entry.text("name") for entry in _read(artifact, key, "environments").records())
    return {name: True for name in names if name.startswith(f"{key}-")}


def read_repositories(artifact: ArtifactService, key: str) -> Fields:
    """Return the repositories of a project by key."""
    return {entry["key"]: True for entry in queries.list_repositories(artifact, project=key)}


# Parts of projects by the name of the option
READERS: dict[str, t.Callable[[ArtifactService, str], Fields]] = {
    "environments": read_environments,
    "roles": lambda artifact, key: read_roles(artifact, key)[0],
    "members": read_members,
    "repositories": read_repositories,
}


def find_owner(artifact: ArtifactService, repo: str) -> str | None:
    """Return the project to which a repository is attached, `""` for none, or `None` if it does not exist.

    :raises ToolchainError: if the account may not read the repository
    """
    repository = queries.find_repository(artifact, repo)
    if repository is None:
        return None
    if repository["settings"] is None:
        raise ToolchainError(
            f"Cannot read the project of repository '{repo}'. Check that the account is an administrator."
        )
    owner = repository["settings"].maybe_text("projectKey") or ""
    return "" if owner == form.DEFAULT_PROJECT else owner


def find_sharing(artifact: ArtifactService, repo: str) -> Record | None:
    """Return how a repository is shared, or `None` if it does not exist."""
    path = f"/projects/_/repositories{encode_path(repo, option='shared_repositories')}"
    response = platform.read(artifact, path, features.SHARING)
    return response.record() if response.status == 200 else None


def list_sharing(task: Task, repositories: t.Iterable[str]) -> Fields:
    """Return the repositories that are shared with projects, by key."""
    found = read_concurrently(task, repositories, lambda reader, repo: find_sharing(ArtifactService(reader), repo))
    sharing = {
        repo: {
            "projects": sorted(record.maybe_texts("shared_with_projects")),
            "all_projects": bool(record.maybe_flag("shared_with_all_projects")),
            "read_only": bool(record.maybe_flag("shared_read_only")),
        }
        for repo, record in sorted(found.items())
    }
    return {repo: entry for repo, entry in sharing.items() if entry["projects"] or entry["all_projects"]}


def _read(artifact: ArtifactService, key: str, part: str) -> t.Any:
    return artifact.http.read("GET", f"{platform.API}{address(key, part)}")
