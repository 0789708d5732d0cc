# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads and deletions: GET and DELETE /{repo}/{path}."""

from __future__ import annotations

import re
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
from ..protocol.formats import encode_path, to_header_text
from . import archives, content_path, index_page, ranges
from .content_path import PROPERTIES_SUFFIX, ContentPath
from .upload import OLD_NOTATION, resolve_checksum_file

NO_STORE = {"Cache-Control": "no-store"}
HTML_TYPE = "text/html; charset=utf-8"
# Body for paths with a trailing slash that are not a folder.
NUMERIC_RANGE = re.compile(r"\w+=\s*\d+-\d*")
NOT_A_FOLDER_BODY = '{"error":"not found"}'
CHECKSUM_TYPE = "application/x-checksum"


async def download(call: Call, target: str) -> Response:
    """Handle `GET or HEAD /{repo}/{path}[!{entry}]`."""
    location = call.parse_target(target)
    repo, path = location.repo, location.path
    _validate_dates(call)
    if "properties" in call.query:
        return await properties.get_properties(call, repo, path)
    if repo == TRASH_REPO:
        call.require_admin()
    if location.is_metadata:
        return _redirect_to_properties(call, location)
    if merged_metadata.is_merged(call, repo, path):
        return _merged_metadata(call, repo, path)
    items = _find_served(call, location)
    if location.entry is not None and not location.is_folder:
        return await _archive_entry(call, items, location.entry)
    if items and items[0].folder:
        return await _folder_page(call, location, items)
    if items and call.supports(feature_versions.MANDATORY_PROPERTIES):
        _require_properties(call, location, items[0])
    if location.is_folder:
        raise ArtifactError(404, _not_a_folder_body(call, location, items), NO_STORE)
    return _file_content(call, items[0]) if items else _checksum_file(call, repo, path)


def _require_properties(call: Call, location: ContentPath, item: Item) -> None:
    """Fail unless the item has the mandatory properties in the matrix parameters, such as `;os+=linux`."""
    stored = call.items.get_properties(item)
    for name, values in location.properties.items():
        if name.endswith("+") and not set(values) <= set(stored.get(name[:-1], ())):
            message = f"File '{item.repo}:{item.path}' was found, but mandatory properties do not match."
            raise ArtifactError(404, message)


def _not_a_folder_body(call: Call, location: ContentPath, items: list[Item]) -> str:
    if not call.supports(feature_versions.FOLDER_CONFLICT_MESSAGES):
        return NOT_A_FOLDER_BODY
    if not items:
        return f'{{"error":"Item {location} does not exist"}}'
    return f'{{"error":"Expected a folder but found a file, at: {items[0].repo}:{items[0].path}"}}'


def _find_served(call: Call, location: ContentPath) -> list[Item]:
    """Return the items that a repository serves, or fail if its settings forbid the path.

    A virtual repository skips members whose settings forbid the path.
    """
    repository = call.repositories.resolve(location.repo)
    if repository is None and location.repo != TRASH_REPO:
        raise ArtifactError(404)
    if repository and repository.stores_items:
        call.check_path(repository, location.path, is_download=True, is_folder=location.is_folder)
    return _find_allowed(call, location.repo, location.path)


def _find_allowed(call: Call, repo: str, path: str) -> list[Item]:
    """Return the items at a path. If it is a non-unique snapshot, the one modified last comes first."""
    items = _find_accepted(call, repo, path)
    if not snapshots.is_snapshot(path):
        return items
    if not items and not call.is_oss:
        return _find_latest_snapshots(call, repo, path)
    if len(items) > 1 and not snapshots.parse_revision(items[0].name):
        items.sort(key=lambda item: item.modified, reverse=True)
    return items


def _find_accepted(call: Call, repo: str, path: str) -> list[Item]:
    """Return the items at a path, without those that the settings of members of a virtual repository forbid."""
    items = call.find_items(repo, path, "download")
    return [item for item in items if item.repo == repo or not _is_rejected(call, item)]


def _find_latest_snapshots(call: Call, repo: str, path: str) -> list[Item]:
    """Return the latest unique snapshots for a path with `-SNAPSHOT`, the latest of all repositories first."""
    folders = (call.maven.read_snapshot_folder(storage, path) for storage in call.repositories.list_storages(repo))
    paths = {snapshots.find_latest_unique_path(path, folder) for folder in folders}
    items = [item for latest in paths - {path} for item in _find_accepted(call, repo, latest)]
    return sorted(items, key=lambda item: snapshots.read_timestamp(item.name), reverse=True)


def _is_rejected(call: Call, item: Item) -> bool:
    repository = call.repositories.resolve(item.repo)
    return repository is not None and repository.find_rejection(item.path) is not None


def _redirect_to_properties(call: Call, location: ContentPath) -> Response:
    """Redirect the old notation for properties; fail for other metadata."""
    if not location.path.endswith(PROPERTIES_SUFFIX):
        raise ArtifactError(409, f"{OLD_NOTATION}: {location}")
    item = quote(f"{location.repo}/{location.path.removesuffix(PROPERTIES_SUFFIX)}")
    return Response(status_code=302, headers={"Location": f"{call.base}/api/storage/{item}?propertiesXml"})


async def _folder_page(call: Call, location: ContentPath, folders: list[Item]) -> Response:
    if not location.is_folder:
        raw_path = call.request.scope["raw_path"].decode("latin-1")
        return Response(status_code=302, headers={"Location": content_path.folder_redirect_url(call.base, raw_path)})
    path = f"{location.repo}/{location.path}".rstrip("/")
    headers = {"Content-Type": HTML_TYPE, **NO_STORE}
    return await call.stream_text(lambda db: index_page.iterate_page_parts(call, db, path, folders), **headers)


async def _archive_entry(call: Call, archive_items: list[Item], name: str) -> Response:
    """Return an entry of an archive."""
    if archive_items and call.is_oss:
        raise ArtifactError(403, "Direct resource download from zip requires the Filtered resources add-on.")
    content = await archives.read_entry(call.runtime.files, archive_items[0], name) if archive_items else None
    if content is None:
        raise ArtifactError(404, "File not found.")
    return Response(content, headers={"Content-Type": call.guess_media_type(name)})


def _checksum_file(call: Call, repo: str, path: str) -> Response:
    """Return a checksum that is requested as a file beside its artifact."""
    described_path, algorithm = resolve_checksum_file(call, path)
    files = _find_checksum_target(call, repo, described_path) if algorithm else []
    if not files or files[0].folder:
        raise _missing_error(call, repo, path)
    headers = _cache_headers(files[0])
    if call.request.method == "HEAD" and not call.supports(feature_versions.CHECKSUM_FILES_OMIT_HEADERS):
        headers = _file_headers(call, files[0])
    headers["Content-Type"] = CHECKSUM_TYPE
    return Response(getattr(files[0], algorithm), headers=headers)


def _cache_headers(item: Item) -> dict[str, str]:
    return dict(NO_STORE) if snapshots.is_mutable(item.name) else {}


def _missing_error(call: Call, repo: str, path: str) -> ArtifactError:
    """Return the error for a missing file. Remote repositories are reported as offline, because nothing is fetched."""
    repository = call.repositories.find(repo)
    if repository is None or repository.rclass != "remote":
        return ArtifactError(404, "File not found.")
    state = "offline" if repository.configuration["offline"] else "assumed offline"
    return ArtifactError(404, f"{repo}: is {state}, '{repo}:{path}' is not found at '{path}'.")


def _find_checksum_target(call: Call, repo: str, path: str) -> list[Item]:
    """Return the items that a checksum file belongs to."""
    if not merged_metadata.is_merged(call, repo, path):
        return _find_allowed(call, repo, path)
    merged = merged_metadata.merge_metadata(call, repo, path)
    return [merged[0]] if merged else []


def _merged_metadata(call: Call, repo: str, path: str) -> Response:
    merged = merged_metadata.merge_metadata(call, repo, path)
    if merged is None:
        raise ArtifactError(404, f"Maven metadata not found for '{path}'.")
    item, content = merged
    headers = _file_headers(call, item)
    if _is_not_modified(call, item):
        return Response(status_code=304, headers=headers)
    return Response(content, headers={**headers, "Content-Type": call.guess_media_type(item.name)})


def _file_content(call: Call, item: Item) -> Response:
    assert item.sha256
    headers = _file_headers(call, item)
    if _is_not_modified(call, item):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = call.guess_media_type(item.name)
    if not call.runtime.files.path(item.sha256).exists():
        raise ArtifactError(
            404, "The content of this file is not here: it was planted with its size and checksums alone."
        )
    if call.request.method == "GET":
        call.items.record_download(item, call.principal.name)
    return serve_content(call, item, headers)


def serve_content(call: Call, item: Item, headers: dict[str, str]) -> Response:
    """Return a file, or the requested ranges of it."""
    assert item.sha256 and item.sha1 and item.size is not None
    if call.request.method == "HEAD":
        return Response(headers={**headers, "Content-Length": str(item.size)})
    path, request_headers = call.runtime.files.path(item.sha256), call.request.headers
    range_header = request_headers.get("range", "")
    if ranges.is_outdated(request_headers.get("if-range", ""), item.sha1, item.modified):
        range_header = ""
    try:
        parts = ranges.parse_ranges(range_header, item.size)
    except ranges.NotSatisfiable:
        if NUMERIC_RANGE.fullmatch(range_header) and not call.supports(feature_versions.UNSATISFIABLE_RANGES):
            raise ArtifactError(500, "Could not process download request: limit must be non-negative") from None
        return ranges.not_satisfiable_response(item.size)
    if not parts:
        return ranges.serve_whole(path, item.size, headers)
    if not call.supports(feature_versions.ETAG_WITHOUT_RANGE):
        headers["ETag"] = "-".join([item.sha1, *(f"{part.first}-{part.last}" for part in parts)])
    return ranges.serve_partially(path, item.size, parts, headers)


def _file_headers(call: Call, item: Item) -> dict[str, str]:
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
        **_cache_headers(item),
    }


async def delete_content(call: Call, target: str) -> Response:
    """Handle `DELETE /{repo}/{path}`. The suffix `:properties` limits it to the properties of the item."""
    location = call.parse_target(target)
    repo, path = location.repo, location.path.removesuffix(PROPERTIES_SUFFIX)
    if not call.repositories.is_stored(repo):
        raise ApiError(404)
    item = call.items.find(repo, path)
    if item is None:
        raise ArtifactError(404, f"Could not locate artifact '{repo}:{location.original_path}' (Nothing to delete).")
    call.require_delete(repo, path)
    if repo == TRASH_REPO or (not path and call.supports(feature_versions.ROOT_DELETION_REQUIRES_ADMIN)):
        call.require_admin(f"Not enough permissions to delete '{repo}:{path}'. This requires admin privileges.")
    await _require_delete_below(call, item)
    if location.path.endswith(PROPERTIES_SUFFIX):
        call.items.set_properties(item, {name: [] for name in call.items.get_properties(item)})
    else:
        await call.delete_item(item)
    return Response(status_code=204)


async def _require_delete_below(call: Call, item: Item) -> None:
    may = call.principal.may
    if not call.principal.admin and not await call.runtime.readers.read(
        lambda db: all(may("d", descendant.repo, descendant.path) for descendant in Tree(db).list_descendants(item))
    ):
        raise ArtifactError(403, call.permission_message("delete_below", item.repo, item.path))


def _validate_dates(call: Call) -> None:
    """Fail if a conditional header contains an invalid date, as the server does regardless of the path."""
    date = call.request.headers.get("if-modified-since")
    if date is not None and ranges.parse_date(date) is None:
        raise ArtifactError(500, f"Could not process download request: {date}")


def _is_not_modified(call: Call, item: Item) -> bool:
    """Return whether the conditional headers match. The server compares entity tags as strings."""
    headers = call.request.headers
    if "if-none-match" in headers:
        return headers["if-none-match"] == item.sha1
    date = ranges.parse_date(headers.get("if-modified-since", ""))
    return date is not None and int(item.modified) <= date


ROUTES = (
    Route("GET", CONTENT_PATH, download, "download_file"),
    Route("DELETE", CONTENT_PATH, delete_content, "delete_item"),
)
