# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion of repositories, with the reports of newer versions."""

from __future__ import annotations

from typing import Any

from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from .repositories import Repository


def check_deletion(call: Call, repository: Repository) -> None:
    """Fail if a repository cannot be deleted."""
    if repository.rclass == "local" and call.repositories.count_local() == 1:
        raise ArtifactError(403, "Deleting the last local repository is not allowed")
    if repository.rclass == "federated":
        call.require_enterprise(feature_versions.FEDERATED_REPOSITORIES)


async def delete_with_report(call: Call, key: str) -> dict[str, Any]:
    """Delete a repository and return the report. The report of an unknown repository claims success as well."""
    repository = call.repositories.find_stored(key)
    if repository is None:
        return _report(key, f"Cannot delete repository: '{key}', repository config does not exist", 0)
    check_deletion(call, repository)
    call.begin_descriptor_write()
    count = call.repositories.count_files(repository)
    await call.repositories.delete(repository)
    content = "has" if repository.rclass == "virtual" else "and all its content have"
    return _report(key, f"Repository '{key}' {content} been removed successfully.", count)


def _report(key: str, message: str, count: int) -> dict[str, Any]:
    return {"repoKey": key, "statusMsg": message, "deletedArtifactsCount": count, "success": True}
