# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The properties of a folder and of all that is below it, by one query, in memory that does not grow with the tree."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# What stands for a property that not all items have alike; equal to no values
MIXED = "differs from item to item"


def check(params: Fields) -> None:
    """
    :raises BadOption: when the tree cannot be asked for
    """
    try:
        str(_query(params["repo"], params["path"].strip("/")))
    except BadOption as error:
        raise BadOption("path", f"cannot go with 'recursive', for it {error.problem}") from None


def read(artifact: ArtifactService, repo: str, path: str) -> tuple[Fields, int]:
    """Each property that an item of the tree has, with its values or `MIXED`; and the number of items.

    :raises ToolchainError: when there is no such item
    """
    path = path.strip("/")
    values: Fields = {}
    having: collections.Counter[str] = collections.Counter()
    count = 0
    for found in _found(artifact, repo, path):
        count += 1
        for key, texts in found.items():
            having[key] += 1
            values[key] = texts if values.setdefault(key, texts) == texts else MIXED
    if not count:
        raise ToolchainError(f"There is no item '{path}' in the repository '{repo}', or this account may not see it.")
    return {key: found if having[key] == count else MIXED for key, found in sorted(values.items())}, count


def _found(artifact: ArtifactService, repo: str, path: str) -> t.Iterator[dict[str, list[str]]]:
    """The properties of each item of the tree."""
    for row in query.rows(artifact, _query(repo, path), 0):
        try:
            if row["repo"] == repo and _is_in(row, path):
                yield _properties(row)
        except (KeyError, TypeError, AttributeError):
            raise ToolchainError(
                "POST /artifactory/api/search/aql: 200, but with a row of another form than expected. "
                "Is the address right? If so, please report this answer."
            ) from None


def _query(repo: str, path: str) -> query.Query:
    folder, _slash, name = path.rpartition("/")
    find: dict[str, t.Any] = {"repo": repo, "type": "any"}
    if path:
        itself = {"path": folder or ".", "name": name}
        find["$or"] = [itself, {"path": path}, {"path": {"$match": query.wide(f"{path}/*")}}]
    return query.prepared(query.Query("items", find, include=("repo", "path", "name", "property")))


def _is_in(row: Fields, path: str) -> bool:
    """Whether an item is in the tree; `*` and `?` in names mean more to the query."""
    if row["name"] == ".":  # the repository itself, of which only items can have properties
        return False
    place = row["name"] if row["path"] == "." else f"{row['path']}/{row['name']}"
    return not path or place == path or place.startswith(f"{path}/")


def _properties(row: Fields) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for entry in row.get("properties") or ():
        found.setdefault(entry["key"], set()).add(entry.get("value") or "")
    return {key: sorted(values) for key, values in found.items()}
