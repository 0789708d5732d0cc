# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of builds: those whose properties name a run, which the server deletes with it, and those of a record."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import builds, query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_AT_ONCE = 100
_PAGE_SIZE = 10_000


def of_runs(artifact: ArtifactService, build: str, numbers: t.Sequence[str]) -> list[Fields]:
    """Repository and path of all files that belong to one of the runs, sorted.

    :raises BadOption: when the query language cannot say a name
    :raises ToolchainError: when the server did not list all of them
    """
    found: list[Fields] = []
    for some in _batches(list(dict.fromkeys(numbers))):
        any_number = {"$or": [{"@build.number": number} for number in some]}
        try:
            found += _ask(artifact, [{"@build.name": build}, any_number])
        except BadOption as error:
            raise BadOption(
                "artifacts", f"the files of '{build}' cannot be found, for a name {error.problem}"
            ) from None
    files = ({"repo": row["repo"], "path": f"{row['path']}/{row['name']}".removeprefix("./")} for row in found)
    return sorted(files, key=lambda file: (file["repo"], file["path"]))


def check_unshared(
    artifact: ArtifactService, build: str, project_key: str | None, gone: t.Sequence[Fields], kept: t.Sequence[Fields]
) -> None:
    """Check that the files of runs can be deleted without files of other runs.

    Artifactory deletes the files with the name and a number of the build, whatever run and project they come from.

    :arg gone: the runs to delete with their files
    :arg kept: the other runs of the build in its project
    :raises ToolchainError: when another run of the build has the number of one of them
    """
    numbers = {run["number"] for run in gone}
    shared = [_named(run) for run in kept if run["number"] in numbers]
    if project_key and numbers:
        outside = builds.runs(artifact, build)
        shared += [f"{_named(run)} outside the project '{project_key}'" for run in outside if run["number"] in numbers]
    if shared:
        raise ToolchainError(
            f"Files of '{build}' cannot be deleted: Artifactory finds them by the number of the run, and runs that are "
            f"kept have the number of a run to delete: {', '.join(shared)}. Keep all runs of these numbers, or set "
            "'artifacts: false'."
        )


def with_content(artifact: ArtifactService, repo: str, checksums: t.Sequence[str]) -> set[str]:
    """Return those of the SHA-1 checksums that files of a repository have."""
    found: set[str] = set()
    for some in _batches(checksums):
        any_checksum = {"$or": [{"actual_sha1": checksum} for checksum in some]}
        found.update(row["actual_sha1"] for row in _ask(artifact, [{"repo": repo}, any_checksum], "actual_sha1"))
    return found


def check_gone(files: t.Sequence[Fields]) -> None:
    """
    :arg files: what is left of runs that are gone
    :raises ToolchainError: when there is some
    """
    if files:
        raise ToolchainError(
            f"The build is gone, but {len(files):,} of its files are still there, the first of them "
            f"{files[0]['repo']}/{files[0]['path']}. The account may lack the permission Delete on them."
        )


def _named(run: Fields) -> str:
    return f"'{run['number']}' of {run['started']}"


def _ask(artifact: ArtifactService, find: list[Fields], *fields: str) -> t.Iterator[Fields]:
    asked = query.Query("items", find, include=("repo", "path", "name", *fields))
    return query.rows(artifact, query.prepared(asked), _PAGE_SIZE)


def _batches(texts: t.Sequence[str]) -> t.Iterator[t.Sequence[str]]:
    return (texts[begin : begin + _AT_ONCE] for begin in range(0, len(texts), _AT_ONCE))
