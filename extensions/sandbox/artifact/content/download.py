# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads and deletions: GET and DELETE /{repo}/{path}."""

from __future__ import annotations

from email.utils import formatdate
from urllib.parse import quote

from starlette.responses import Response

from ...http.routing import Route
from ..call import CONTENT_PATH, Call
from ..items import properties
from ..items.tree import TRASH_REPO, Item, Tree
from ..maven import merged_metadata, snapshots
from ..protocol import feature_versions
from ..protocol.errors import ApiError, ArtifactError
from ..protocol.formats import encode_path, media_type, to_header_text
from . import (
    archives,
    content_path,
    index_page,
    ranges,
)
from .content_path import PROPERTIES, ContentPath
from .upload import OLD_NOTATION, resolve_checksum_file

NO_STORE = {"Cache-Control": "no-store"}
HTML = "text/html; charset=utf-8"
# The words of the server's single-page application, which gets what ends with a slash and is no folder
NO_FOLDER = '{"error":"not found"}'
CHECKSUM_TYPE = "application/x-checksum"


async def download(call: Call, target: str) -> Response:
    """GET or HEAD /{repo}/{path}[!{entry}]"""
    asked = content_path.parse(target)
    repo, path = asked.repo, asked.path
    _check_condition(call)
    if "properties" in call.query:
        return await properties.get(call, repo, path)
    if repo == TRASH_REPO:
        call.require_admin()
    if asked.is_metadata:
        return _metadata(call, asked)
    if merged_metadata.is_merged(call, repo, path):
        return _merged(call, repo, path)
    found = _found(call, asked)
    if asked.entry is not None and not asked.is_folder:
        return await _entry(call, found, asked.entry)
    if found and found[0].folder:
        return await _folder(call, asked, found)
    if asked.is_folder:
        raise ArtifactError(404, NO_FOLDER, NO_STORE)
    return _file(call, found[0]) if found else _checksum(call, repo, path)


def _found(call: Call, asked: ContentPath) -> list[Item]:
    """What a repository serves; a virtual one passes over members whose settings forbid the file."""
    repository = call.repositories.resolve(asked.repo)
    if repository is None and asked.repo != TRASH_REPO:
        raise ArtifactError(404)
    if repository and repository.stores_items:
        repository.check_path(asked.path, downloading=True, is_folder=asked.is_folder)
    return _items(call, asked.repo, asked.path)


def _items(call: Call, repo: str, path: str) -> list[Item]:
    """Return what a repository has at a path; of a snapshot, the one that was modified last comes first."""
    found = [
        item for item in call.find_items(repo, path, "download") if item.repo == repo or not _is_rejected(call, item)
    ]
    if len(found) > 1 and snapshots.is_snapshot(path) and not snapshots.parse_revision(found[0].name):
        found.sort(key=lambda item: item.modified, reverse=True)
    return found


def _is_rejected(call: Call, item: Item) -> bool:
    repository = call.repositories.resolve(item.repo)
    return repository is not None and repository.find_rejection(item.path) is not None


def _metadata(call: Call, asked: ContentPath) -> Response:
    """The old notation for metadata: only that of properties leads somewhere."""
    if not asked.path.endswith(PROPERTIES):
        raise ArtifactError(409, f"{OLD_NOTATION}: {asked}")
    item = quote(f"{asked.repo}/{asked.path.removesuffix(PROPERTIES)}")
    return Response(status_code=302, headers={"Location": f"{call.base}/api/storage/{item}?propertiesXml"})


async def _folder(call: Call, asked: ContentPath, found: list[Item]) -> Response:
    if not asked.is_folder:
        raw_path = call.request.scope["raw_path"].decode("latin-1")
        return Response(status_code=302, headers={"Location": content_path.folder_redirect_url(call.base, raw_path)})
    place = f"{asked.repo}/{asked.path}".rstrip("/")
    headers = {"Content-Type": HTML, **NO_STORE}
    return await call.stream_text(lambda db: index_page.parts(call, db, place, found), **headers)


async def _entry(call: Call, found: list[Item], name: str) -> Response:
    """One entry of an archive, which may be asked for without the rest."""
    if found and call.is_oss:
        raise ArtifactError(403, "Direct resource download from zip requires the Filtered resources add-on.")
    content = await archives.entry(call.runtime.files, found[0], name) if found else None
    if content is None:
        raise ArtifactError(404, "File not found.")
    return Response(content, headers={"Content-Type": media_type(name)})


def _checksum(call: Call, repo: str, path: str) -> Response:
    """A checksum, asked for as if it were a file beside the one it belongs to."""
    of, algorithm = resolve_checksum_file(call, path)
    files = _described(call, repo, of) if algorithm else []
    if not files or files[0].folder:
        raise _missing(call, repo, path)
    headers = {"Content-Type": CHECKSUM_TYPE, **_caching(files[0])}
    return Response(getattr(files[0], algorithm), headers=headers)


def _caching(item: Item) -> dict[str, str]:
    return NO_STORE if snapshots.is_mutable(item.name) else {}


def _missing(call: Call, repo: str, path: str) -> ArtifactError:
    """Return the refusal of a file that is not stored. Remote repositories are offline, because nothing is fetched."""
    repository = call.repositories.find(repo)
    if repository is None or repository.rclass != "remote":
        return ArtifactError(404, "File not found.")
    state = "offline" if repository.configuration["offline"] else "assumed offline"
    return ArtifactError(404, f"{repo}: is {state}, '{repo}:{path}' is not found at '{path}'.")


def _described(call: Call, repo: str, path: str) -> list[Item]:
    """What a checksum belongs to."""
    if not merged_metadata.is_merged(call, repo, path):
        return _items(call, repo, path)
    merged = merged_metadata.merged(call, repo, path)
    return [merged[0]] if merged else []


def _merged(call: Call, repo: str, path: str) -> Response:
    found = merged_metadata.merged(call, repo, path)
    if found is None:
        raise ArtifactError(404, f"Maven metadata not found for '{path}'.")
    item, content = found
    headers = _headers(call, item)
    if _is_known(call, item):
        return Response(status_code=304, headers=headers)
    return Response(content, headers={**headers, "Content-Type": media_type(item.name)})


def _file(call: Call, item: Item) -> Response:
    assert item.sha256
    headers = _headers(call, item)
    if _is_known(call, item):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = media_type(item.name)
    if not call.runtime.files.path(item.sha256).exists():
        raise ArtifactError(
            404, "The content of this file is not here: it was planted with its size and checksums alone."
        )
    if call.request.method == "GET":
        call.items.record_download(item, call.principal.name)
    return serve_content(call, item, headers)


def serve_content(call: Call, item: Item, headers: dict[str, str]) -> Response:
    """Return the file, or the ranges of it that a GET asks for."""
    assert item.sha256 and item.sha1 and item.size is not None
    if call.request.method == "HEAD":
        return Response(headers={**headers, "Content-Length": str(item.size)})
    path, sent = call.runtime.files.path(item.sha256), call.request.headers
    asked = sent.get("range", "")
    if ranges.is_outdated(sent.get("if-range", ""), item.sha1, item.modified):
        asked = ""
    try:
        parts = ranges.read_ranges(asked, item.size)
    except ranges.NotSatisfiable:
        return ranges.refuse(item.size)
    if not parts:
        return ranges.serve_whole(path, item.size, headers)
    if not call.supports(feature_versions.ETAG_WITHOUT_RANGE):
        headers["ETag"] = "-".join([item.sha1, *(f"{part.first}-{part.last}" for part in parts)])
    return ranges.serve_partially(path, item.size, parts, headers)


def _headers(call: Call, item: Item) -> dict[str, str]:
    assert item.sha256 and item.sha1 and item.md5
    name = encode_path(item.name)
    return {
        "ETag": item.sha1,
        "Last-Modified": formatdate(item.modified, usegmt=True),
        "X-Checksum-Sha1": item.sha1,
        **({"X-Checksum-Sha256": item.sha256} if call.supports_sha256 else {}),
        "X-Checksum-Md5": item.md5,
        "X-Artifactory-Filename": name,
        "Accept-Ranges": "bytes",
        "Content-Disposition": f"attachment; filename=\"{to_header_text(item.name)}\"; filename*=UTF-8''{name}",
        **_caching(item),
    }


async def delete(call: Call, target: str) -> Response:
    """DELETE /{repo}/{path}; `path:properties` stands for the properties of the item alone."""
    asked = content_path.parse(target)
    repo, path = asked.repo, asked.path.removesuffix(PROPERTIES)
    if not call.repositories.is_stored(repo):
        raise ApiError(404)
    item = call.items.find(repo, path)
    if item is None:
        raise ArtifactError(404, f"Could not locate artifact '{repo}:{path}' (Nothing to delete).")
    call.require_delete(repo, path)
    if repo == TRASH_REPO or (not path and call.supports(feature_versions.ROOT_DELETION_REQUIRES_ADMIN)):
        call.require_admin(f"Not enough permissions to delete '{repo}:{path}'. This requires admin privileges.")
    await _permit_deleting_below(call, item)
    if asked.path.endswith(PROPERTIES):
        call.items.set_properties(item, {name: [] for name in call.items.get_properties(item)})
    else:
        await call.delete_item(item)
    return Response(status_code=204)


async def _permit_deleting_below(call: Call, item: Item) -> None:
    may = call.principal.may
    if not call.principal.admin and not await call.runtime.readers.read(
        lambda db: all(may("d", below.repo, below.path) for below in Tree(db).list_descendants(item))
    ):
        raise ArtifactError(403, call.permission_message("delete_below", item.repo, item.path))


def _check_condition(call: Call) -> None:
    """Refuse dates that the server fails to read, whatever is asked for."""
    since = call.request.headers.get("if-modified-since")
    if since is not None and ranges.parse_date(since) is None:
        raise ArtifactError(500, f"Could not process download request: {since}")


def _is_known(call: Call, item: Item) -> bool:
    """Whether a conditional request is from somebody who has this content; tags are compared as they are."""
    headers = call.request.headers
    if "if-none-match" in headers:
        return headers["if-none-match"] == item.sha1
    since = ranges.parse_date(headers.get("if-modified-since", ""))
    return since is not None and int(item.modified) <= since


ROUTES = (
    Route("GET", CONTENT_PATH, download, "download_file"),
    Route("DELETE", CONTENT_PATH, delete, "delete_item"),
)
