# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items copied and moved."""

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


async def copy(call: Call, path: str) -> Response:
    """POST /api/copy/{repo}/{path}?to=/{repo}/{path}[&dry=1]"""
    return await _relocate(call, path, is_copy=True)


async def move(call: Call, path: str) -> Response:
    """POST /api/move/{repo}/{path}?to=/{repo}/{path}[&dry=1]"""
    return await _relocate(call, path, is_copy=False)


async def _relocate(call: Call, path: str, is_copy: bool) -> Response:
    call.require_pro()
    item = _source(call, *_parted(path.rstrip("/")))
    repo, target = _parted(call.query.get("to", ""))
    if item is None or not call.repositories.is_stored(repo):
        missing = f"{repo}: no such local repository" if item else f"{path}: no such item"
        return _answer(404, "ERROR", f"Could not find {missing}.")
    target = _place(call, item, repo, target)
    refusal = _refusal(call, item, repo, target, is_copy)
    if refusal:
        return _answer(409, "ERROR", refusal)
    counted = await call.runtime.readers.read(lambda db: _counted(db, item))
    dry = call.query.get("dry", "0") != "0"
    if not dry:
        try:
            await call.relocate(item, repo, target, is_copy)
        except NotAFolder as error:
            return _answer(409, "ERROR", f"A folder and a file are in each other's way at '{repo}:{error}'.")
    act, done = ("copying", "copied") if is_copy else ("moving", "moved")
    what = f"{act} {item.repo}:{item.path} to {repo}:{target} completed successfully, {counted} were {done}"
    return _answer(200, "INFO", f"Dry Run for {what}" if dry else what)


async def move_to(call: Call, repo: str, path: str, target_repo: str, target: str) -> None:
    """Move an item as WebDAV does: to exactly this place."""
    item = _source(call, repo, path)
    if item is None or not call.repositories.is_stored(target_repo):
        raise ArtifactError(404, f"Could not find {target_repo if item else f'{repo}:{path}'}.")
    if not call.principal.may("d", repo, path) or not call.principal.may("w", target_repo, target):
        raise ArtifactError(403, "Insufficient permissions.")
    content_path.check_names(target_repo, target)
    refusal = _refusal(call, item, target_repo, target, is_copy=False)
    if refusal:
        raise ArtifactError(409, refusal)
    await call.relocate(item, target_repo, target, is_copy=False)


def _source(call: Call, repo: str, path: str) -> Item | None:
    if not call.repositories.is_stored(repo):
        return None
    call.require_read(repo, path)
    return call.items.find(repo, path)


def _place(call: Call, item: Item, repo: str, target: str) -> str:
    """Where an item goes: below the target if that says so by a slash, and a file also if a folder is there."""
    if not target:
        return item.path
    there = call.items.find(repo, target.strip("/"))
    into = target.endswith("/") or (not item.folder and there is not None and bool(there.folder))
    return f"{target.strip('/')}/{item.name}" if into else target


def _refusal(call: Call, item: Item, repo: str, path: str, is_copy: bool) -> str | None:
    may = call.principal.may
    if not may("w", repo, path):
        return f"User doesn't have permissions to deploy to '{repo}:{path}'."
    if not is_copy and not may("d", item.repo, item.path):
        return f"User doesn't have permissions to move '{item.repo}:{item.path}'. Needs delete permissions."
    if (repo, path) == (item.repo, item.path):
        return "Destination and source are the same"
    below = f"{item.path}/" if item.path else ""
    if not is_copy and repo == item.repo and path.startswith(below):
        return f"Cannot move '{item.repo}:{item.path}' into itself."
    return call.find_conflict(item, repo, path)


def _counted(db: sqlite3.Connection, item: Item) -> str:
    counts = Counter(bool(one.folder) for one in (item, *(Tree(db).list_descendants(item) if item.folder else ())))
    return f"{counts[False]} artifacts and {counts[True]} folders"


def _parted(path: str) -> tuple[str, str]:
    repo, _slash, rest = path.lstrip("/").partition("/")
    return repo, rest


def _answer(status: int, level: str, message: str) -> Response:
    body = format_json({"messages": [{"level": level, "message": message}]}).encode()
    return Response(body, status, {"Content-Type": vendor_media_type("storage.CopyOrMoveResult")})


ROUTES = (
    Route("POST", "/api/copy/{path:.+}", copy, "copy_item"),
    Route("POST", "/api/move/{path:.+}", move, "move_item"),
)
