# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls that search: by name, and by pattern."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import islice
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ...parsing import globs
from ...parsing.globs import Glob
from ..call import Call
from ..items.item_info import children_of, file_info, folder_info
from ..items.tree import TRASH, Item, Tree
from ..protocol import methods
from ..protocol.errors import ArtifactError

TIMEOUT = (
    "Artifacts pattern search returned 0 results because it exceeded the configured timeout (30 seconds). Please make"
    " sure your query is not too broad, causing the search to scan too many nodes, or ask your Artifactory"
    " administrator to change the default timeout."
)


async def quick(call: Call) -> Response:
    """GET /api/search/artifact?name=..."""
    name = call.query.get("name", "")
    if not name.strip():
        raise ArtifactError(400, "The search term cannot be empty")
    if not name.strip("*?"):
        raise ArtifactError(400, "Search term containing only wildcards is not permitted")
    where = searched(call)
    cap = None if call.principal.admin else call.switch("search_limit")

    def found(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        readable = (item for item in _named(tree, where, name) if call.principal.may("r", item.repo, item.path))
        return {"results": (result(call, tree, item) for item in islice(readable, cap))}

    return await call.vnd_stream("search.ArtifactSearchResult", found)


def searched(call: Call) -> list[tuple[str, str]]:
    """Return the storages to search, each with a folder: all if no repository is named, none for unknown ones."""
    asked = [entry.strip().strip("/") for entry in call.query.get("repos", "").split(",") if entry.strip()]
    if not asked:
        return [
            (key, "") for repository in call.repositories.all() for key in call.repositories.storages(repository.key)
        ]
    where = []
    for entry in asked:
        key, _slash, folder = entry.partition("/")
        where += [(storage, folder) for storage in call.repositories.storages(key)]
    return where


def _named(tree: Tree, where: list[tuple[str, str]], name: str) -> Iterator[Item]:
    pattern = "*" * (name[0] not in "*?") + name + "*" * (name[-1] not in "*?")
    pattern = pattern.replace("[", "[[]")  # which means nothing to the server
    for repo, folder in dict.fromkeys(where):
        if repo != TRASH:
            yield from tree.files_named(repo, folder, pattern)


def result(call: Call, tree: Tree, item: Item) -> dict[str, Any]:
    """Return the entry of a result, as detailed as the request asks for."""
    detail = {part.strip() for part in call.request.headers.get("x-result-detail", "").split(",")}
    result = _info(call, tree, item) if "info" in detail else {}
    result["uri"] = f"{call.base}/api/storage/{item.repo}/{item.path}"
    if "properties" in detail:
        result["properties"] = dict(sorted(tree.properties(item).items()))
    return result


def _info(call: Call, tree: Tree, item: Item) -> dict[str, Any]:
    if not item.folder:
        return file_info(call, item, item.repo)
    return folder_info(call, item, item.repo, list(children_of(tree.children(item.repo, item.path))))


async def pattern(call: Call) -> Response:
    """GET /api/search/pattern?pattern=repo:path"""
    call.need_pro()
    call.need_login()
    asked = call.query.get("pattern", "")
    key, colon, path = asked.partition(":")
    if not (key and colon and path) or ":" in path:
        raise ArtifactError(400, f"Invalid pattern: '{asked}'. It must be of the form repo-key:this/is/a/*pattern*.war")
    if call.switch("pattern_search_times_out"):
        raise ArtifactError(408, TIMEOUT)
    shown = key.removesuffix("-cache") if call.repositories.upstream(key) else key
    expression = ant_glob(path.lstrip("/"))
    storages = [] if call.repositories.is_virtual(key) else call.repositories.storages(key)
    for storage in storages:
        call.permit_reading(storage, "")

    def found(db: sqlite3.Connection) -> dict[str, Any]:
        beginning = path.lstrip("/").partition("*")[0].partition("?")[0].rpartition("/")[0]
        files = (item.path for repo in storages for item in Tree(db).files_named(repo, beginning, "*"))
        return {
            "repoUri": f"{call.base}/{shown}",
            "sourcePattern": asked,
            "files": (file for file in files if expression.fullmatch(file)),
        }

    return await call.vnd_stream("search.PatternResultFileSet", found)


def ant_glob(pattern: str) -> Glob:
    """Return a pattern in Ant's style; a star does not go beyond its folder, two of them do."""
    parts = {"**": globs.ANY, "*": globs.IN_FOLDER, "?": globs.ONE_IN_FOLDER}
    return Glob(parts.get(part, part) for part in re.split(r"(\*\*|\*|\?)", pattern))


async def describe(call: Call) -> Response:
    """OPTIONS /api/search: the resource of the searches has no other method"""
    return methods.describe((), str(call.request.url))


ROUTES = (
    Route("OPTIONS", "/api/search", describe, "describe_searches"),
    Route("GET", "/api/search/artifact", quick, "quick_search"),
    Route("GET", "/api/search/pattern", pattern, "pattern_search"),
)
