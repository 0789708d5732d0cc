# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repositories: the list and the detail have different shapes, which become one here."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_ADDRESS = "/artifactory/api/repositories"


def listed(artifact: ArtifactService, **filters: str) -> list[Fields]:
    """The repositories that the account may see, by key, without their settings.

    :arg filters: `type`, `packageType`, `project`, as the server takes them
    """
    repositories = artifact.http.read("GET", _ADDRESS, query=filters).records()
    return sorted(map(_repository, repositories), key=lambda repository: repository["key"])


def find(artifact: ArtifactService, key: str) -> Fields | None:
    """One repository with its settings, or `None`.

    The detail of an unknown key is answered with 400, and so is any detail by an edition that has none; it may be kept
    from accounts that see the repository in the list. So then the list decides.

    :raises ServerRefusal: when the account may not see the detail, and the list does not have it either
    """
    try:
        return _repository(artifact.http.read("GET", _address(key)).record())
    except ServerRefusal as refusal:
        if refusal.status not in (400, 401, 403, 404):
            raise
        found = next((repository for repository in listed(artifact) if repository["key"] == key), None)
        if found is None and refusal.status in (401, 403):
            raise
        return found


def find_if_told(artifact: ArtifactService, key: str) -> Fields | None:
    """Return a repository as `find` does, asked for once. An account that may not learn of it gets no `type`."""

    def look() -> Fields | None:
        try:
            return find(artifact, key)
        except ServerRefusal:
            return {"type": None, "settings": None}

    return t.cast("Fields | None", artifact.http.remembered(f"repository {key}", look))


def check_local(artifact: ArtifactService, key: str, needed_for: str) -> Fields:
    """Predict whether a call takes a repository that must be a local one, as far as the server tells the account.

    :arg needed_for: what only local repositories take, such as `Items are restored`
    :returns: the repository, without `type` for an account that may not learn of it
    :raises ToolchainError: when the repository is missing, remote or virtual
    """
    repository = find_if_told(artifact, key)
    if repository is None:
        raise ToolchainError(f"There is no repository '{key}', or this account may not see it.")
    if repository["type"] in ("remote", "virtual"):
        raise ToolchainError(f"The repository '{key}' is {repository['type']}. {needed_for} in local repositories.")
    return repository


def check_upload(artifact: ArtifactService, key: str) -> str | None:
    """Predict whether a repository takes uploads, as far as the server tells the account.

    :returns: the repository in which uploads are stored, `None` if it is not known
    :raises ToolchainError: when the server refuses all uploads to it
    """
    repository = find_if_told(artifact, key)
    if repository is None:
        raise ToolchainError(f"There is no repository '{key}', or this account may not see it.")
    settings = repository["settings"]
    if repository["type"] == "remote":
        raise ToolchainError(f"The repository '{key}' is remote. Upload to a local repository.")
    if repository["type"] == "virtual" and settings and not repository["default_deployment_repo"]:
        raise ToolchainError(
            f"The repository '{key}' is virtual and has no default deployment repository. Upload to a local repository."
        )
    if settings and settings.get("blackedOut") is True:
        raise ToolchainError(f"The repository '{key}' is blacked out. It takes no uploads.")
    is_stored_elsewhere = repository["type"] in (None, "virtual")
    return t.cast("str | None", repository.get("default_deployment_repo")) if is_stored_elsewhere else key


def _address(key: str) -> str:
    return _ADDRESS + segments(key, option="key")


def _repository(found: Record) -> Fields:
    detailed = "rclass" in found
    return {
        "key": found.text("key"),
        "type": found.text("rclass" if detailed else "type").lower(),
        "package_type": (found.maybe_text("packageType") or "").lower(),
        "description": found.maybe_text("description") or "",
        "url": found.maybe_text("url"),
        "default_deployment_repo": found.maybe_text("defaultDeploymentRepo") or None,
        "settings": dict(found) if detailed else None,
    }
