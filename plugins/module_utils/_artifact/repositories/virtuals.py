# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Virtual repositories that contain a repository."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import (
    configurations,
    queries,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.provisioning import (
    Provisioning,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def check_not_contained(task: Task, artifact: ArtifactService, shared: Provisioning, key: str) -> None:
    """Verify that no virtual repository contains a repository that will be deleted.

    The server deletes it and removes it from the virtual repositories without notice, so that they lose its artifacts.

    :raises ToolchainError: with the virtual repositories that contain it
    """
    contained = shared.list_containing(key)
    if contained is None:
        contained = sorted(name for name, members in _read_members(task, artifact).items() if key in members)
    if contained:
        names = ", ".join(f"'{name}'" for name in contained)
        raise ToolchainError(
            f"Repository '{key}' is a member of virtual repositories: {names}. "
            "Remove it from their 'repositories' first; items of the same task are processed in the right order."
        )


def _read_members(task: Task, artifact: ArtifactService) -> dict[str, list[str]]:
    records = configurations.list_configurations(artifact, repoType="virtual")
    if records is not None:
        return {record.text("key"): record.maybe_texts("repositories") for record in records}
    keys = [entry["key"] for entry in queries.list_repositories(artifact, type="virtual")]
    return {key: fields["repositories"] for key, fields in configurations.read_each(task, keys).items()}
