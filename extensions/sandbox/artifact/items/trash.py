# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trash can API: clean, empty, restore."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from .storage import NotAFolder
from .tree import TRASH_REPO

RESTORED = "Successfully restored trash items"


def _require_trash_can(call: Call) -> None:
    """Fail if the server lacks the trash can, or if the caller is no administrator."""
    if call.is_oss and not call.supports(feature_versions.OPEN_SOURCE_TRASH_CAN):
        raise ArtifactError(404)
    call.require_admin()


async def clean_item(call: Call, path: str) -> Response:
    """Handle `DELETE /api/trash/clean/{original repo}/{path}`. The status of all errors is 400."""
    _require_trash_can(call)
    item = call.items.find(TRASH_REPO, path)
    if item is None or not path:
        raise ArtifactError(400, f"Could not locate artifact '{TRASH_REPO}:{path}' (Nothing to delete).")
    await call.items.delete(item)
    return Response(status_code=204)


async def empty_trash(call: Call) -> Response:
    """Handle `POST /api/trash/empty`."""
    _require_trash_can(call)
    root = call.items.find(TRASH_REPO, "")
    assert root is not None
    await call.items.delete(root)
    return PlainTextResponse("Successfully deleted all trashcan items", 202, {"Cache-Control": "no-store"})


async def restore_item(call: Call, path: str) -> Response:
    """Handle `POST /api/trash/restore/{original repo}/{path}[?to=repo/path]`."""
    _require_trash_can(call)
    item = call.items.find(TRASH_REPO, path)
    if item is None and call.supports(feature_versions.RESTORES_NOTHING):
        return PlainTextResponse(RESTORED, 202)
    if item is None or not path:
        raise ArtifactError(400, f"Could not find item '{path}' in the trash can.")
    repo, _slash, target = (call.query.get("to") or path).strip("/").partition("/")
    if not call.repositories.is_stored(repo):
        raise ArtifactError(400, f"Restore repo '{repo}' doesn't exist")
    try:
        await call.relocate(item, repo, target, is_copy=False)
    except NotAFolder as error:
        raise ArtifactError(400, f"A file is in the way at '{repo}:{error}'.") from None
    return PlainTextResponse(RESTORED, 202)


ROUTES = (
    Route("DELETE", "/api/trash/clean/{path:.+}", clean_item, "clean_trash", since=feature_versions.TRASH_CAN),
    Route("POST", "/api/trash/empty", empty_trash, "empty_trash", since=feature_versions.TRASH_CAN),
    Route("POST", "/api/trash/restore/{path:.+}", restore_item, "restore_trash", since=feature_versions.TRASH_CAN),
)
