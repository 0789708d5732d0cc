# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repositories, in one form for the different responses of the list and the details."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.members import (
    normalize_package_type,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingObject,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/artifactory/api/repositories"
# Repositories that Artifactory creates for itself: by package type and by the end of their key
_BUILT_IN_TYPES = ("buildinfo", "releasebundles", "support")
_BUILT_IN_SUFFIXES = ("build-info", "pipe-info", "release-bundles", "release-bundles-v2", "trashcan")


def list_repositories(artifact: ArtifactService, **filters: str) -> list[Fields]:
    """Return the repositories visible to the account, sorted by key, without their configuration.

    :arg filters: `type`, `packageType` and `project`, as in the REST API
    """
    repositories = artifact.http.read("GET", _ADDRESS, query=filters).records()
    return sorted(map(from_record, repositories), key=lambda repository: repository["key"])


def list_item_repositories(artifact: ArtifactService) -> list[str]:
    """Return the keys of the repositories that store items: local ones, and the caches of remote ones."""
    found = [entry for entry in list_repositories(artifact) if entry["type"] != "virtual"]
    return [f"{entry['key']}-cache" if entry["type"] == "remote" else entry["key"] for entry in found]


def list_deletable(task: Task, artifact: ArtifactService) -> list[str]:
    """Return the keys of the repositories that Artifactory does not create for itself.

    The options `type` and `package_type` of the task select them.

    :raises BadOption: if the server does not list package types, but they are required
    """
    found = [entry for entry in list_repositories(artifact) if not _is_built_in(entry)]
    if task.params["package_type"] and not all(entry["package_type"] for entry in found):
        raise BadOption(
            "package_type", "cannot narrow 'undeclared', because this version does not list package types. Omit it"
        )
    return [
        entry["key"]
        for entry in found
        if is_selected(task, type=entry["type"], package_type=normalize_package_type(entry["package_type"]))
    ]


def from_record(record: Record) -> Fields:
    """Return a repository from an entry of the list or from its configuration."""
    detailed = "rclass" in record
    return {
        "key": record.text("key"),
        "type": record.text("rclass" if detailed else "type").lower(),
        "package_type": (record.maybe_text("packageType") or "").lower(),
        "description": record.maybe_text("description") or "",
        "url": record.maybe_text("url"),
        "default_deployment_repo": record.maybe_text("defaultDeploymentRepo") or None,
        "settings": record if detailed else None,
    }


def find_repository(artifact: ArtifactService, key: str) -> Fields | None:
    """Return a repository with its configuration, or `None`.

    Artifactory responds with 400 to requests for unknown keys, and to all requests for details in editions without
    them. It also hides details from accounts that see the repository in the list. In these cases, the list decides.

    :raises ServerRefusal: if the account may not read the details and the list does not contain the repository
    """
    try:
        return from_record(artifact.http.read("GET", _address(key)).record())
    except ServerRefusal as refusal:
        if refusal.status not in (400, 401, 403, 404):
            raise
        entry = next((repository for repository in list_repositories(artifact) if repository["key"] == key), None)
        if entry is None and refusal.status in (401, 403):
            raise
        return entry


def find_if_visible(artifact: ArtifactService, key: str) -> Fields | None:
    """Return a repository as `find` does, with a cached request. `type` is `None` if the account may not read it."""

    def read() -> Fields | None:
        try:
            return find_repository(artifact, key)
        except ServerRefusal:
            return {"type": None, "settings": None}

    return t.cast("Fields | None", artifact.http.get_cached(f"repository {key}", read))


def check_local(artifact: ArtifactService, key: str, operation: str) -> Fields:
    """Predict whether Artifactory accepts a call that requires a local repository, as far as the account can read it.

    :arg operation: the operation, such as `Restoring items`
    :returns: the repository; its `type` is `None` if the account may not read it
    :raises ToolchainError: if the repository is missing, remote or virtual
    """
    repository = _find_existing(artifact, key)
    if repository["type"] in ("remote", "virtual"):
        raise ToolchainError(
            f"The repository '{key}' is {repository['type']}. {operation} requires a local repository."
        )
    return repository


def check_upload(artifact: ArtifactService, key: str, paths: t.Iterable[str]) -> str | None:
    """Predict whether a repository accepts uploads to these paths, as far as the account can read it.

    :returns: key of the repository that stores the uploads, `None` if it is unknown
    :raises ToolchainError: if Artifactory would refuse one of the uploads
    """
    repository = _find_existing(artifact, key)
    settings = repository["settings"]
    if repository["type"] == "remote":
        raise ToolchainError(f"The repository '{key}' is remote. Upload to a local repository.")
    if repository["type"] == "virtual" and settings and not repository["default_deployment_repo"]:
        raise ToolchainError(
            f"The repository '{key}' is virtual and has no default deployment repository. Upload to a local repository."
        )
    if settings and settings.get("blackedOut") is True:
        raise ToolchainError(f"The repository '{key}' is blacked out. It accepts no uploads.")
    if repository["type"] == "virtual" and settings:
        return check_upload(artifact, repository["default_deployment_repo"], paths)
    for path in paths:
        if settings and not _is_accepted(settings, path):
            raise ToolchainError(
                f"The repository '{key}' does not accept '{path}'. Check its include and exclude patterns."
            )
    return None if repository["type"] in (None, "virtual") else key


def _find_existing(artifact: ArtifactService, key: str) -> Fields:
    repository = find_if_visible(artifact, key)
    if repository is None:
        raise MissingObject(f"Repository '{key}' does not exist, or the account has no Read permission on it.")
    return repository


def _is_accepted(settings: Fields, path: str) -> bool:
    """Return whether the include and exclude patterns of a repository accept a file."""
    included, excluded = (_get_patterns(settings, name) for name in ("includesPattern", "excludesPattern"))
    parts = path.split("/")
    is_included = not included or any(_is_match(pattern, parts, with_folder=True) for pattern in included)
    return is_included and not any(_is_match(pattern, parts, with_folder=False) for pattern in excluded)


def _get_patterns(settings: Fields, name: str) -> list[list[str]]:
    """Return comma-separated Ant patterns, each split at slashes."""
    patterns = (pattern.strip() for pattern in str(settings.get(name) or "").split(","))
    return [(f"{pattern}**" if pattern.endswith("/") else pattern).split("/") for pattern in patterns if pattern]


def _is_match(pattern: list[str], path: list[str], with_folder: bool) -> bool:
    """Return whether an Ant pattern matches: `**` any number of folders, `*` and `?` within a name.

    :arg with_folder: whether `a/**` matches `a`
    """
    if not pattern or not path:
        return not path and (not pattern or (with_folder and pattern == ["**"]))
    if pattern[0] == "**":
        rests = (path[skipped:] for skipped in range(len(path) + 1))
        return pattern == ["**"] or any(_is_match(pattern[1:], rest, with_folder) for rest in rests)
    name = re.escape(pattern[0]).replace(r"\*", ".*").replace(r"\?", ".")
    return bool(re.fullmatch(name, path[0], re.DOTALL)) and _is_match(pattern[1:], path[1:], with_folder)


def _is_built_in(entry: Fields) -> bool:
    is_own_type = entry["package_type"] in _BUILT_IN_TYPES
    return is_own_type or entry["key"].startswith("jfrog-") or entry["key"].endswith(_BUILT_IN_SUFFIXES)


def _address(key: str) -> str:
    return _ADDRESS + encode_path(key, option="key")
