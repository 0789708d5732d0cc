# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of builds: files whose properties refer to a run, and files with the checksums in the build info."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_BATCH = 100
_PAGE_SIZE = 10_000


def find_files_of_runs(artifact: ArtifactService, build: str, numbers: t.Sequence[str]) -> list[Fields]:
    """Return repository and path of all files whose properties refer to one of the runs, sorted.

    :raises BadOption: if AQL cannot express a name
    :raises ToolchainError: if the server truncated the result
    """
    rows: list[Fields] = []
    for batch in _batches(list(dict.fromkeys(numbers))):
        any_number = {"$or": [{"@build.number": number} for number in batch]}
        try:
            rows += _query_files(artifact, [{"@build.name": build}, any_number])
        except BadOption as error:
            raise BadOption("artifacts", f"the files of '{build}' cannot be found: a name {error.problem}") from None
    files = ({"repo": row["repo"], "path": f"{row['path']}/{row['name']}".removeprefix("./")} for row in rows)
    return sorted(files, key=lambda file: (file["repo"], file["path"]))


def check_unshared(
    artifact: ArtifactService,
    build: str,
    project_key: str | None,
    runs_to_delete: t.Sequence[Fields],
    runs_to_keep: t.Sequence[Fields],
) -> None:
    """Verify that files of runs can be deleted without deleting files of other runs.

    Artifactory selects the files by the name and number of the build, regardless of run and project.

    :arg runs_to_delete: the runs to delete together with their files
    :arg runs_to_keep: the other runs of the build in its project
    :raises ToolchainError: if a run to keep has the same number as a run to delete
    """
    numbers = {run["number"] for run in runs_to_delete}
    shared = [_describe_run(run) for run in runs_to_keep if run["number"] in numbers]
    if project_key and numbers:
        outside = build_info.list_runs(artifact, build)
        shared += [
            f"{_describe_run(run)} outside the project '{project_key}'" for run in outside if run["number"] in numbers
        ]
    if shared:
        raise ToolchainError(
            f"Files of '{build}' cannot be deleted: Artifactory selects them by build number, and these runs to "
            f"keep have the number of a run to delete: {', '.join(shared)}. Keep all runs with these numbers, or set "
            "'artifacts: false'."
        )


def find_checksums(artifact: ArtifactService, repo: str, checksums: t.Sequence[str]) -> set[str]:
    """Return the SHA-1 checksums for which the repository contains a file."""
    existing: set[str] = set()
    for batch in _batches(checksums):
        any_checksum = {"$or": [{"actual_sha1": checksum} for checksum in batch]}
        existing.update(
            row["actual_sha1"] for row in _query_files(artifact, [{"repo": repo}, any_checksum], "actual_sha1")
        )
    return existing


def check_deleted(files: t.Sequence[Fields]) -> None:
    """Verify that no files of deleted runs are left.

    :arg files: the remaining files
    :raises ToolchainError: if there are any
    """
    if files:
        raise ToolchainError(
            f"The build was deleted, but {len(files):,} of its files still exist, the first of them "
            f"{files[0]['repo']}/{files[0]['path']}. Check that the account has the Delete permission on them."
        )


def _describe_run(run: Fields) -> str:
    return f"'{run['number']}' of {run['started']}"


def _query_files(artifact: ArtifactService, find: list[Fields], *fields: str) -> t.Iterator[Fields]:
    aql_query = aql.Query("items", find, include=("repo", "path", "name", *fields))
    return aql.fetch_rows(artifact, aql.prepare(aql_query), _PAGE_SIZE)


def _batches(texts: t.Sequence[str]) -> t.Iterator[t.Sequence[str]]:
    return (texts[begin : begin + _BATCH] for begin in range(0, len(texts), _BATCH))
