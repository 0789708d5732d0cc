# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The WebDAV methods that Artifactory supports."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from email.utils import formatdate
from time import gmtime, strftime
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.documents import parse_xml
from ..call import CONTENT_PATH, Call
from ..items import relocation
from ..items.tree import TRASH_REPO, Item, Tree, parent_path
from ..protocol.errors import ApiError, ArtifactError
from ..protocol.formats import encode_path, guess_media_type
from . import content_path, upload
from .content_path import ContentPath

# In the order of the real server.
SUPPORTED_METHODS = "mkcol,move,propfind,unlock,post,proppatch,options,lock,delete"
XML_HEADERS = {"Content-Type": "text/xml;charset=UTF-8"}
XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
DEPTHS = {"0": 0, "1": 1}
MAX_DEPTH = 3
LOCK_TOKEN = "Artifactory:fake-lock-token"
# Formatters of the properties; `None` omits the property.
PROPERTY_FORMATTERS: dict[str, Callable[[Item], str | None]] = {
    "getcontentlength": lambda item: None if item.folder else str(item.size),
    "getcontenttype": lambda item: None if item.folder else guess_media_type(item.name),
    "getlastmodified": lambda item: formatdate(item.modified, usegmt=True),
    "getetag": lambda item: f'W/"{item.size or 0}-{formatdate(item.modified, usegmt=True)}"',
    "creationdate": lambda item: strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(item.created)),
    "displayname": lambda item: escape(item.name),
    "source": lambda _item: "",
}


async def describe_methods(call: Call, target: str) -> Response:
    """Handle `OPTIONS /{repo}/{path}`."""
    _require_repository(call, target)
    return Response(headers={"DAV": "1,2", "Allow": SUPPORTED_METHODS, "MS-Author-Via": "DAV"})


async def refuse_post(call: Call, target: str) -> Response:
    """Handle `POST /{repo}/{path}`, which is refused with a different Allow header than other methods."""
    location = _require_repository(call, target)
    raise ApiError(405, {"Allow": "GET" if call.repositories.is_virtual(location.repo) else "GET,PUT,DELETE"})


async def refuse_method(call: Call, target: str) -> Response:
    """Handle any other method on `/{repo}/{path}`, which is refused."""
    _require_repository(call, target)
    raise ApiError(405, {"Allow": SUPPORTED_METHODS})


async def unlock_item(call: Call, target: str) -> Response:
    """Handle `UNLOCK /{repo}/{path}`, which succeeds without effect."""
    _require_repository(call, target)
    return Response(status_code=204)


async def lock_item(call: Call, target: str) -> Response:
    """Handle `LOCK /{repo}/{path}`, which succeeds without effect."""
    location = _require_repository(call, target)
    root = await _parse_body(call)
    if root is None:
        raise ArtifactError(400, "Bad lock request")
    kinds = {name: _describe_lock(root, name) for name in ("locktype", "lockscope")}
    if "<D:read/>" in kinds["locktype"] and not call.find_items(location.repo, location.path):
        raise ArtifactError(404, f"{location.repo}/{location.path} not found")
    owner = root.findtext("{DAV:}owner/{DAV:}href", "")
    body = (
        f'{XML_DECLARATION}<D:prop xmlns:D="DAV:"><D:lockdiscovery><D:activelock>{"".join(kinds.values())}'
        f"<D:depth>infinity</D:depth><D:owner><D:href>{escape(owner)}</D:href></D:owner>"
        f"<D:timeout>Second-3600</D:timeout><D:locktoken><D:href>{LOCK_TOKEN}</D:href></D:locktoken>"
        "</D:activelock></D:lockdiscovery></D:prop>"
    )
    return Response(body, headers={**XML_HEADERS, "Lock-Token": f"<{LOCK_TOKEN}>"})


async def patch_properties(call: Call, target: str) -> Response:
    """Handle `PROPPATCH /{repo}/{path}`, which succeeds without effect."""
    location = _require_repository(call, target)
    if not call.find_items(location.repo, location.path):
        raise ArtifactError(404, f"Resource {location.repo}/{location.path} does not exists.")
    return Response()


async def create_collection(call: Call, target: str) -> Response:
    """Handle `MKCOL /{repo}/{path}`."""
    location = _require_repository(call, target)
    repository = call.repositories.find(location.repo)
    if repository is None or not call.repositories.is_stored(location.repo):
        raise ArtifactError(404, f"Could not find repo '{location.repo}'.")
    if not location.path or call.items.find(location.repo, location.path) is not None:
        raise ArtifactError(405, f"MKCOL can only be executed on non-existent resource: {location}")
    upload.check_upload(call, repository, location, is_folder=True)
    content_path.validate_names(location.repo, f"{location.path}/")
    parent_folder = parent_path(location.path) or ""
    parent = call.items.find(location.repo, parent_folder)
    if parent is None:
        raise ArtifactError(409, f"Directory cannot be created: parent doesn't exist: {location.repo}:{parent_folder}")
    if not parent.folder:
        raise ArtifactError(500, f"Expected a folder but found a file, at: {location.repo}:{parent_folder}")
    call.items.create_folder(location.repo, location.path, call.principal.name)
    return Response(status_code=201)


async def move_content(call: Call, target: str) -> Response:
    """Handle `MOVE /{repo}/{path}` with a Destination header."""
    location = _require_repository(call, target)
    if not location.path:
        raise ArtifactError(400, "Cannot perform MOVE action on a repository. Please specify a valid path")
    destination = unquote(call.request.headers.get("destination", ""))
    if not destination:
        raise ArtifactError(400, "Header 'Destination' is required.")
    repo, _slash, path = destination.removeprefix(call.base).strip("/").partition("/")
    await relocation.move_to(call, location.repo, location.path, repo, path)
    return Response()


async def find_properties(call: Call, target: str) -> Response:
    """Handle `PROPFIND /{repo}/{path}` with a Depth header. Unreadable items are omitted."""
    location = _require_repository(call, target)
    names = await _read_property_names(call)
    depth = DEPTHS.get(call.request.headers.get("depth", ""), MAX_DEPTH)
    readable = call.repositories.is_stored(location.repo) and call.principal.may("r", location.repo, location.path)
    item = call.items.find(location.repo, location.path) if readable else None

    def parts(db: sqlite3.Connection) -> Iterator[str]:
        yield f'{XML_DECLARATION}<D:multistatus xmlns:D="DAV:" xmlns:lp1="DAV:">'
        if item is not None:
            yield _describe_item(item, names)
            descendants = Tree(db).list_descendants(item, depth) if item.folder and depth else ()
            yield from (
                _describe_item(descendant, names)
                for descendant in descendants
                if call.principal.may("r", descendant.repo, descendant.path)
            )
        yield "</D:multistatus>"

    response = await call.stream_text(parts, **XML_HEADERS)
    response.status_code = 207
    return response


def _require_repository(call: Call, target: str) -> ContentPath:
    """Return the parsed target, or fail if the repository does not exist."""
    location = call.parse_target(target)
    if call.repositories.find(location.repo) is None and not call.repositories.list_storages(location.repo):
        raise ArtifactError(404)
    if location.repo == TRASH_REPO:
        call.require_admin()
    return location


async def _parse_body(call: Call) -> Any:
    """Return the root element of the XML body, or `None` if it is not valid XML."""
    try:
        return parse_xml(await call.request.body())
    except ElementTree.ParseError:
        return None


async def _read_property_names(call: Call) -> Collection[str]:
    """Return the names of the requested properties; all if there is no body."""
    if not await call.request.body():
        return PROPERTY_FORMATTERS
    root = await _parse_body(call)
    if root is None:
        raise ArtifactError(500, "Webdav propfind failed.")
    prop = root.find("{DAV:}prop")
    return PROPERTY_FORMATTERS if prop is None else [element.tag.rpartition("}")[2] for element in prop]


def _describe_lock(root: Any, name: str) -> str:
    element = root.find(f"{{DAV:}}{name}/*")
    inner = "" if element is None else f"<D:{escape(element.tag.rpartition('}')[2])}/>"
    return f"<D:{name}>{inner}</D:{name}>"


def _describe_item(item: Item, names: Collection[str]) -> str:
    """Return the PROPFIND response element of an item."""
    values = ((name, PROPERTY_FORMATTERS[name](item)) for name in names if name in PROPERTY_FORMATTERS)
    elements = "".join(f"<lp1:{name}>{value}</lp1:{name}>" for name, value in values if value is not None)
    collection = "<D:collection/>" if item.folder else ""
    address = f"/artifactory/{encode_path(f'{item.repo}/{item.path}'.rstrip('/'))}"
    return (
        f"<D:response><D:href>{escape(address)}</D:href><D:propstat><D:prop>{elements}"
        f"<lp1:resourcetype>{collection}</lp1:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
        "</D:response>"
    )


ROUTES = (
    Route("OPTIONS", CONTENT_PATH, describe_methods, "webdav_options"),
    Route("POST", CONTENT_PATH, refuse_post, "post_content"),
    Route("PROPFIND", CONTENT_PATH, find_properties, "find_properties", read_only=True),
    Route("PROPPATCH", CONTENT_PATH, patch_properties, "patch_properties", read_only=True),
    Route("MKCOL", CONTENT_PATH, create_collection, "make_collection"),
    Route("MOVE", CONTENT_PATH, move_content, "move_content"),
    Route("LOCK", CONTENT_PATH, lock_item, "lock_content", read_only=True),
    Route("UNLOCK", CONTENT_PATH, unlock_item, "unlock_content", read_only=True),
    Route(ANY, CONTENT_PATH, refuse_method, "unsupported_method", read_only=True),
)
