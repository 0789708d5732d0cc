# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The artifacts in a repository that a task would delete."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import storage
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items.item_info import find_item
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError


def check_empty(artifact: ArtifactService, key: str, rclass: str) -> None:
    """Verify that a repository stores no artifacts.

    :arg rclass: class of the repository; of a remote repository, the cache is verified
    :raises ToolchainError: if it has artifacts, or if this cannot be verified
    """
    if rclass == "virtual":
        return
    storage_key = f"{key}-cache" if rclass == "remote" else key
    try:
        root = find_item(artifact, storage_key, "")
    except ToolchainError as error:
        raise ToolchainError(
            f"Cannot verify that repository '{key}' has no artifacts: {error} "
            "To delete it with its artifacts, set 'allow_delete_content'."
        ) from None
    if root is None or root["children"] is None:
        raise ToolchainError(
            f"Cannot verify that repository '{key}' has no artifacts: the server does not list '{storage_key}'. "
            "To delete it with its artifacts, set 'allow_delete_content'."
        )
    if root["children"]:
        raise ToolchainError(
            f"Repository '{key}' has artifacts{_describe_amount(artifact, key)}. "
            "To delete them with the repository, set 'allow_delete_content'."
        )


def _describe_amount(artifact: ArtifactService, key: str) -> str:
    """Return the number and size of the files as of the last storage calculation, as far as the account can read it."""
    try:
        row = storage.find_row(storage.fetch_summary(artifact), key)
    except ToolchainError:
        row = None
    if not row or not row["files"]:
        return ", which the last storage calculation does not include"
    return f": {row['files']:,} files with {row['used']:,} bytes at the last storage calculation"
