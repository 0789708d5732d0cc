# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads and deletions: GET and DELETE /{repo}/{path}."""

from __future__ import annotations

from email.utils import formatdate, parsedate_to_datetime
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response

from ..routing import Route
from . import archives, index_page, properties
from .call import OUTSIDE_API, Call
from .deployment import CHECKSUM_FILES
from .errors import ArtifactError, Refusal
from .formats import media_type
from .properties import ITEM
from .tree import TRASH, Item, Tree

HTML = "text/html; charset=utf-8"
ENTRY = "!/"
PROPERTIES_OF = ":properties"
CHECKSUM_TYPE = "application/x-checksum"


async def download(call: Call, repo: str, path: str) -> Response:
    """GET or HEAD /{repo}/{path}"""
    if "properties" in call.query:
        return await properties.get(call, repo, path)
    if repo == TRASH:
        call.need_admin()
    found = call.items_at(repo, path)
    if not found and ENTRY in path:
        return await _entry(call, repo, *path.split(ENTRY, 1))
    if not found:
        return _checksum(call, repo, path)
    if found[0].folder:
        if not call.request.scope["raw_path"].endswith(b"/"):
            place = quote(f"{repo}/{path}".rstrip("/"))
            return Response(status_code=302, headers={"Location": f"{call.base}/{place}/"})
        return await call.stream(
            lambda db: index_page.parts(call, db, f"{repo}/{path}", found), **{"Content-Type": HTML}
        )
    return _file(call, found[0])


async def _entry(call: Call, repo: str, path: str, name: str) -> Response:
    """One entry of an archive, which may be asked for without the rest."""
    call.need_pro()
    files = call.items_at(repo, path)
    content = await archives.entry(call.world.files, files[0], name) if files else None
    if content is None:
        raise ArtifactError(404, "File not found.")
    return Response(content, headers={"Content-Type": media_type(name)})


def _checksum(call: Call, repo: str, path: str) -> Response:
    """A checksum, asked for as if it were a file beside the one it belongs to."""
    of, dot, suffix = path.rpartition(".")
    files = call.items_at(repo, of) if dot + suffix in CHECKSUM_FILES else []
    if not files or files[0].folder:
        raise ArtifactError(404, "File not found.")
    return Response(getattr(files[0], CHECKSUM_FILES[dot + suffix]), headers={"Content-Type": CHECKSUM_TYPE})


def _file(call: Call, item: Item) -> Response:
    assert item.sha256 and item.sha1 and item.md5
    headers = {
        "ETag": item.sha1,
        "Last-Modified": formatdate(item.modified, usegmt=True),
        "X-Checksum-Sha1": item.sha1,
        "X-Checksum-Sha256": item.sha256,
        "X-Checksum-Md5": item.md5,
        "X-Artifactory-Filename": quote(item.name),
    }
    if _is_known(call.request.headers, item):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = media_type(item.name)
    if not call.world.files.path(item.sha256).exists():
        raise ArtifactError(
            404, "The content of this file is not here: it was planted with its size and checksums alone."
        )
    if call.request.method == "GET":
        call.items.note_download(item, call.principal.name)
    return FileResponse(call.world.files.path(item.sha256), headers=headers, filename=item.name)


async def delete(call: Call, repo: str, path: str) -> Response:
    """DELETE /{repo}/{path}"""
    path, marker = path.removesuffix(PROPERTIES_OF), path.endswith(PROPERTIES_OF)
    if not call.repositories.is_stored(repo):
        raise Refusal(404)
    call.permit_deleting(repo, path)
    if not path or repo == TRASH:
        call.need_admin(f"Not enough permissions to delete '{repo}:{path}'. This requires admin privileges.")
    item = call.items.find(repo, path)
    if item is None:
        raise ArtifactError(404, f"Could not locate artifact '{repo}:{path}' (Nothing to delete).")
    await _permit_deleting_below(call, item)
    if marker:
        call.items.set_properties(item, {name: [] for name in call.items.properties(item)})
    else:
        await call.discard(item)
    return Response(status_code=204)


async def _permit_deleting_below(call: Call, item: Item) -> None:
    may = call.principal.may
    if not call.principal.admin and not await call.world.readers.read(
        lambda db: all(may("d", below.repo, below.path) for below in Tree(db).below(item))
    ):
        needed = f"(user: '{call.principal.name}' needs DELETE permission)."
        raise ArtifactError(
            403, f"Not enough permissions to delete/overwrite all artifacts under '{item.repo}:{item.path}' {needed}"
        )


def _is_known(headers: Headers, item: Item) -> bool:
    """Whether a conditional request is from somebody who has this content."""
    known = [tag.strip().removeprefix("W/").strip('"') for tag in headers.get("if-none-match", "").split(",")]
    if "if-none-match" in headers:
        return "*" in known or item.sha1 in known
    try:
        return int(item.modified) <= parsedate_to_datetime(headers["if-modified-since"]).timestamp()
    except (KeyError, ValueError):
        return False


ROUTES = (
    Route("GET", f"/{OUTSIDE_API}{ITEM}{{:(;.*)?}}", download, "download_file"),
    Route("DELETE", f"/{OUTSIDE_API}{ITEM}{{:(;.*)?}}", delete, "delete_item"),
)
