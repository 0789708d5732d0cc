# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the properties of a folder and everything below it by one query, with constant memory."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingObject,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Replaces the values of a property that differs between items
MIXED = "differs from item to item"


def check_path(params: Fields) -> None:
    """Verify that a query can express the path.

    :raises BadOption: if it cannot
    """
    try:
        str(_build_query(params["repo"], params["path"].strip("/")))
    except BadOption as error:
        raise BadOption("path", f"cannot be used with 'recursive': it {error.problem}") from None


def read_tree(artifact: ArtifactService, repo: str, path: str, may_be_missing: bool = False) -> tuple[Fields, int]:
    """Return the values of each property in the tree, or `MIXED` if items differ, and the number of items.

    :arg may_be_missing: whether a missing item counts as a tree without items
    :raises ToolchainError: if the item does not exist
    """
    path = path.strip("/")
    values: Fields = {}
    counts: collections.Counter[str] = collections.Counter()
    count = 0
    for properties in _read_items(artifact, repo, path):
        count += 1
        for key, texts in properties.items():
            counts[key] += 1
            values[key] = texts if values.setdefault(key, texts) == texts else MIXED
    if not count and not path:
        return dict(artifact.fetch_properties(repo, path, may_be_missing)), 1
    if not count and not may_be_missing:
        raise MissingObject(
            f"Item '{path}' does not exist in repository '{repo}', or the account has no Read permission on it."
        )
    return {key: properties if counts[key] == count else MIXED for key, properties in sorted(values.items())}, count


def _read_items(artifact: ArtifactService, repo: str, path: str) -> t.Iterator[dict[str, list[str]]]:
    """Yield the properties of each item of the tree."""
    for row in aql.fetch_rows(artifact, _build_query(repo, path), 0):
        try:
            if row["repo"] == repo and _is_in(row, path):
                yield _get_properties(row)
        except (KeyError, TypeError, AttributeError):
            raise ToolchainError(
                "POST /artifactory/api/search/aql: the response contains a row of an unexpected form. "
                "Check the URL. If it is correct, please report this response."
            ) from None


def _build_query(repo: str, path: str) -> aql.Query:
    folder, _slash, name = path.rpartition("/")
    find: dict[str, t.Any] = {"repo": repo, "type": "any"}
    if path:
        itself = {"path": folder or ".", "name": name}
        find["$or"] = [itself, {"path": path}, {"path": {"$match": aql.widen_pattern(f"{path}/*")}}]
    return aql.prepare(aql.Query("items", find, include=("repo", "path", "name", "property")))


def _is_in(row: Fields, path: str) -> bool:
    """Return whether an item is in the tree. The query also returns others, because `*` and `?` in names are wildcards
    there.
    """
    if row["name"] == ".":  # the repository itself, which cannot have properties
        return False
    place = row["name"] if row["path"] == "." else f"{row['path']}/{row['name']}"
    return not path or place == path or place.startswith(f"{path}/")


def _get_properties(row: Fields) -> dict[str, list[str]]:
    properties: dict[str, set[str]] = {}
    for entry in row.get("properties") or ():
        properties.setdefault(entry["key"], set()).add(entry.get("value") or "")
    return {key: sorted(values) for key, values in properties.items()}
