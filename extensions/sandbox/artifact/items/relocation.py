# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy and move items."""

from __future__ import annotations

import sqlite3
from collections import Counter

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..content import content_path
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_json
from ..protocol.negotiation import vendor_media_type
from .storage import NotAFolder
from .tree import Item, Tree


async def copy_item(call: Call, path: str) -> Response:
    """Handle `POST /api/copy/{repo}/{path}?to=/{repo}/{path}[&dry=1]`."""
    return await _relocate(call, path, is_copy=True)


async def move_item(call: Call, path: str) -> Response:
    """Handle `POST /api/move/{repo}/{path}?to=/{repo}/{path}[&dry=1]`."""
    return await _relocate(call, path, is_copy=False)


async def _relocate(call: Call, path: str, is_copy: bool) -> Response:
    call.require_pro()
    item = _find_source(call, *_split_path(path.rstrip("/")))
    repo, target = _split_path(call.query.get("to", ""))
    if item is None or not call.repositories.is_stored(repo):
        cause = f"{repo}: no such local repository" if item else f"{path}: no such item"
        return _message_response(404, "ERROR", f"Could not find {cause}.")
    target = _resolve_target(call, item, repo, target)
    problem = _find_problem(call, item, repo, target, is_copy)
    if problem:
        return _message_response(409, "ERROR", problem)
    counts = await call.runtime.readers.read(lambda db: _count_items(db, item))
    is_dry_run = call.query.get("dry", "0") != "0"
    if not is_dry_run:
        try:
            await call.relocate(item, repo, target, is_copy)
        except NotAFolder as error:
            return _message_response(409, "ERROR", f"A folder and a file are in each other's way at '{repo}:{error}'.")
    verb_ing, participle = ("copying", "copied") if is_copy else ("moving", "moved")
    text = f"{verb_ing} {item.repo}:{item.path} to {repo}:{target} completed successfully, {counts} were {participle}"
    return _message_response(200, "INFO", f"Dry Run for {text}" if is_dry_run else text)


async def move_to(call: Call, repo: str, path: str, target_repo: str, target: str) -> None:
    """Move an item to exactly this path, as WebDAV does."""
    item = _find_source(call, repo, path)
    if item is None or not call.repositories.is_stored(target_repo):
        raise ArtifactError(404, f"Could not find {target_repo if item else f'{repo}:{path}'}.")
    if not call.principal.may("d", repo, path) or not call.principal.may("w", target_repo, target):
        raise ArtifactError(403, "Insufficient permissions.")
    content_path.validate_names(target_repo, target)
    problem = _find_problem(call, item, target_repo, target, is_copy=False)
    if problem:
        raise ArtifactError(409, problem)
    await call.relocate(item, target_repo, target, is_copy=False)


def _find_source(call: Call, repo: str, path: str) -> Item | None:
    if not call.repositories.is_stored(repo):
        return None
    call.require_read(repo, path)
    return call.items.find(repo, path)


def _resolve_target(call: Call, item: Item, repo: str, target: str) -> str:
    """Return the target path. A file is placed in the target if it is an existing folder; a slash forces this."""
    if not target:
        return item.path
    existing = call.items.find(repo, target.strip("/"))
    is_into_folder = target.endswith("/") or (not item.folder and existing is not None and bool(existing.folder))
    return f"{target.strip('/')}/{item.name}" if is_into_folder else target


def _find_problem(call: Call, item: Item, repo: str, path: str, is_copy: bool) -> str | None:
    may = call.principal.may
    if not may("w", repo, path):
        return f"User doesn't have permissions to deploy to '{repo}:{path}'."
    if not is_copy and not may("d", item.repo, item.path):
        return f"User doesn't have permissions to move '{item.repo}:{item.path}'. Needs delete permissions."
    if (repo, path) == (item.repo, item.path):
        return "Destination and source are the same"
    prefix = f"{item.path}/" if item.path else ""
    if not is_copy and repo == item.repo and path.startswith(prefix):
        return f"Cannot move '{item.repo}:{item.path}' into itself."
    return call.find_conflict(item, repo, path)


def _count_items(db: sqlite3.Connection, item: Item) -> str:
    counts = Counter(
        bool(descendant.folder) for descendant in (item, *(Tree(db).list_descendants(item) if item.folder else ()))
    )
    return f"{counts[False]} artifacts and {counts[True]} folders"


def _split_path(path: str) -> tuple[str, str]:
    repo, _slash, rest = path.lstrip("/").partition("/")
    return repo, rest


def _message_response(status: int, level: str, message: str) -> Response:
    body = format_json({"messages": [{"level": level, "message": message}]}).encode()
    return Response(body, status, {"Content-Type": vendor_media_type("storage.CopyOrMoveResult")})


ROUTES = (
    Route("POST", "/api/copy/{path:.+}", copy_item, "copy_item"),
    Route("POST", "/api/move/{path:.+}", move_item, "move_item"),
)
