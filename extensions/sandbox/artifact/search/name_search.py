# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches by name and by pattern."""

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
from ..items.item_info import child_entries, file_info, folder_info
from ..items.tree import TRASH_REPO, Item, Tree
from ..protocol import methods
from ..protocol.errors import ArtifactError

TIMEOUT_MESSAGE = (
    "Artifacts pattern search returned 0 results because it exceeded the configured timeout (30 seconds). Please make"
    " sure your query is not too broad, causing the search to scan too many nodes, or ask your Artifactory"
    " administrator to change the default timeout."
)


async def search_by_name(call: Call) -> Response:
    """Handle `GET /api/search/artifact?name=...`."""
    name = call.query.get("name", "")
    if not name.strip():
        raise ArtifactError(400, "The search term cannot be empty")
    if not name.strip("*?"):
        raise ArtifactError(400, "Search term containing only wildcards is not permitted")
    storages = parse_storages(call)
    limit = None if call.principal.admin else call.get_switch("search_limit")

    def query(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        readable = (
            item for item in _iterate_matches(tree, storages, name) if call.principal.may("r", item.repo, item.path)
        )
        return {"results": (build_entry(call, tree, item) for item in islice(readable, limit))}

    return await call.stream_vendor_json("search.ArtifactSearchResult", query)


def parse_storages(call: Call) -> list[tuple[str, str]]:
    """Return the storages to search, each with a folder. Without `repos`, these are all storages."""
    entries = [entry.strip().strip("/") for entry in call.query.get("repos", "").split(",") if entry.strip()]
    if not entries:
        return [
            (key, "")
            for repository in call.repositories.list_all()
            for key in call.repositories.list_storages(repository.key)
        ]
    storages = []
    for entry in entries:
        key, _slash, folder = entry.partition("/")
        storages += [(storage, folder) for storage in call.repositories.list_storages(key)]
    return storages


def _iterate_matches(tree: Tree, storages: list[tuple[str, str]], name: str) -> Iterator[Item]:
    glob = "*" * (name[0] not in "*?") + name + "*" * (name[-1] not in "*?")
    glob = glob.replace("[", "[[]")  # brackets are literal for the server
    for repo, folder in dict.fromkeys(storages):
        if repo != TRASH_REPO:
            yield from tree.find_files(repo, folder, glob)


def build_entry(call: Call, tree: Tree, item: Item) -> dict[str, Any]:
    """Return the entry of a result with the requested details."""
    detail = {part.strip() for part in call.request.headers.get("x-result-detail", "").split(",")}
    entry = _item_info(call, tree, item) if "info" in detail else {}
    entry["uri"] = f"{call.base}/api/storage/{item.repo}/{item.path}"
    if "properties" in detail:
        entry["properties"] = dict(sorted(tree.get_properties(item).items()))
    return entry


def _item_info(call: Call, tree: Tree, item: Item) -> dict[str, Any]:
    if not item.folder:
        return file_info(call, item, item.repo)
    return folder_info(call, item, item.repo, list(child_entries(tree.list_children(item.repo, item.path))))


async def search_by_pattern(call: Call) -> Response:
    """Handle `GET /api/search/pattern?pattern=repo:path`."""
    call.require_pro()
    call.require_login()
    pattern = call.query.get("pattern", "")
    key, colon, path = pattern.partition(":")
    if not (key and colon and path) or ":" in path:
        raise ArtifactError(
            400, f"Invalid pattern: '{pattern}'. It must be of the form repo-key:this/is/a/*pattern*.war"
        )
    if call.get_switch("pattern_search_times_out"):
        raise ArtifactError(408, TIMEOUT_MESSAGE)
    public_key = key.removesuffix("-cache") if call.repositories.find_upstream_url(key) else key
    expression = compile_ant_pattern(path.lstrip("/"))
    storages = [] if call.repositories.is_virtual(key) else call.repositories.list_storages(key)
    for storage in storages:
        call.require_read(storage, "")

    def query(db: sqlite3.Connection) -> dict[str, Any]:
        folder = path.lstrip("/").partition("*")[0].partition("?")[0].rpartition("/")[0]
        files = (item.path for repo in storages for item in Tree(db).find_files(repo, folder, "*"))
        return {
            "repoUri": f"{call.base}/{public_key}",
            "sourcePattern": pattern,
            "files": (file for file in files if expression.fullmatch(file)),
        }

    return await call.stream_vendor_json("search.PatternResultFileSet", query)


def compile_ant_pattern(pattern: str) -> Glob:
    """Compile an Ant pattern: `*` stays within a folder, `**` does not."""
    parts = {"**": globs.ANY, "*": globs.IN_FOLDER, "?": globs.ONE_IN_FOLDER}
    return Glob(parts.get(piece, piece) for piece in re.split(r"(\*\*|\*|\?)", pattern))


async def describe_searches(call: Call) -> Response:
    """Handle `OPTIONS /api/search`. The resource has no other method."""
    return methods.describe_resource((), str(call.request.url))


ROUTES = (
    Route("OPTIONS", "/api/search", describe_searches, "describe_searches"),
    Route("GET", "/api/search/artifact", search_by_name, "quick_search"),
    Route("GET", "/api/search/pattern", search_by_pattern, "pattern_search"),
)
