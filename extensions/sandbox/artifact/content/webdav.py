# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of WebDAV on the content of repositories, as far as Artifactory has them."""

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
from ..items.tree import (
    TRASH_REPO,
    Item,
    Tree,
    parent_path,
)
from ..protocol.errors import ApiError, ArtifactError
from ..protocol.formats import encode_path, media_type
from . import content_path, upload
from .content_path import ContentPath

# In the order of the server's hash table
METHODS = "mkcol,move,propfind,unlock,post,proppatch,options,lock,delete"
XML = {"Content-Type": "text/xml;charset=UTF-8"}
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
DEPTHS = {"0": 0, "1": 1}
DEEPEST = 3
LOCK_TOKEN = "Artifactory:fake-lock-token"
# The properties of items, each as the element that an answer has, or None for members that folders lack
PROPERTIES: dict[str, Callable[[Item], str | None]] = {
    "getcontentlength": lambda item: None if item.folder else str(item.size),
    "getcontenttype": lambda item: None if item.folder else media_type(item.name),
    "getlastmodified": lambda item: formatdate(item.modified, usegmt=True),
    "getetag": lambda item: f'W/"{item.size or 0}-{formatdate(item.modified, usegmt=True)}"',
    "creationdate": lambda item: strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(item.created)),
    "displayname": lambda item: escape(item.name),
    "source": lambda item: "",
}


async def options(call: Call, target: str) -> Response:
    """OPTIONS /{repo}/{path}"""
    _require_repository(call, target)
    return Response(headers={"DAV": "1,2", "Allow": METHODS, "MS-Author-Via": "DAV"})


async def post(call: Call, target: str) -> Response:
    """POST /{repo}/{path}: not allowed, and refused with other methods than the rest"""
    asked = _require_repository(call, target)
    raise ApiError(405, {"Allow": "GET" if call.repositories.is_virtual(asked.repo) else "GET,PUT,DELETE"})


async def unsupported(call: Call, target: str) -> Response:
    """Any other method on /{repo}/{path}"""
    _require_repository(call, target)
    raise ApiError(405, {"Allow": METHODS})


async def unlock(call: Call, target: str) -> Response:
    """UNLOCK /{repo}/{path}: there are no locks"""
    _require_repository(call, target)
    return Response(status_code=204)


async def lock(call: Call, target: str) -> Response:
    """LOCK /{repo}/{path}: granted to everyone, and without effect"""
    asked = _require_repository(call, target)
    root = await _read_xml(call)
    if root is None:
        raise ArtifactError(400, "Bad lock request")
    kinds = {name: _describe_lock(root, name) for name in ("locktype", "lockscope")}
    if "<D:read/>" in kinds["locktype"] and not call.find_items(asked.repo, asked.path):
        raise ArtifactError(404, f"{asked.repo}/{asked.path} not found")
    owner = root.findtext("{DAV:}owner/{DAV:}href", "")
    body = (
        f'{DECLARATION}<D:prop xmlns:D="DAV:"><D:lockdiscovery><D:activelock>{"".join(kinds.values())}'
        f"<D:depth>infinity</D:depth><D:owner><D:href>{escape(owner)}</D:href></D:owner>"
        f"<D:timeout>Second-3600</D:timeout><D:locktoken><D:href>{LOCK_TOKEN}</D:href></D:locktoken>"
        "</D:activelock></D:lockdiscovery></D:prop>"
    )
    return Response(body, headers={**XML, "Lock-Token": f"<{LOCK_TOKEN}>"})


async def proppatch(call: Call, target: str) -> Response:
    """PROPPATCH /{repo}/{path}: nothing is changed"""
    asked = _require_repository(call, target)
    if not call.find_items(asked.repo, asked.path):
        raise ArtifactError(404, f"Resource {asked.repo}/{asked.path} does not exists.")
    return Response()


async def mkcol(call: Call, target: str) -> Response:
    """MKCOL /{repo}/{path}"""
    asked = _require_repository(call, target)
    repository = call.repositories.find(asked.repo)
    if repository is None or not call.repositories.is_stored(asked.repo):
        raise ArtifactError(404, f"Could not find repo '{asked.repo}'.")
    if not asked.path or call.items.find(asked.repo, asked.path) is not None:
        raise ArtifactError(405, f"MKCOL can only be executed on non-existent resource: {asked}")
    upload.permit(call, repository, asked, is_folder=True)
    content_path.check_names(asked.repo, f"{asked.path}/")
    above = parent_path(asked.path) or ""
    parent = call.items.find(asked.repo, above)
    if parent is None:
        raise ArtifactError(409, f"Directory cannot be created: parent doesn't exist: {asked.repo}:{above}")
    if not parent.folder:
        raise ArtifactError(500, f"Expected a folder but found a file, at: {asked.repo}:{above}")
    call.items.create_folder(asked.repo, asked.path, call.principal.name)
    return Response(status_code=201)


async def move(call: Call, target: str) -> Response:
    """MOVE /{repo}/{path} with a header Destination"""
    asked = _require_repository(call, target)
    if not asked.path:
        raise ArtifactError(400, "Cannot perform MOVE action on a repository. Please specify a valid path")
    destination = unquote(call.request.headers.get("destination", ""))
    if not destination:
        raise ArtifactError(400, "Header 'Destination' is required.")
    repo, _slash, path = destination.removeprefix(call.base).strip("/").partition("/")
    await relocation.move_to(call, asked.repo, asked.path, repo, path)
    return Response()


async def propfind(call: Call, target: str) -> Response:
    """PROPFIND /{repo}/{path} with a header Depth; what cannot be read is missing."""
    asked = _require_repository(call, target)
    names = await _read_names(call)
    depth = DEPTHS.get(call.request.headers.get("depth", ""), DEEPEST)
    readable = call.repositories.is_stored(asked.repo) and call.principal.may("r", asked.repo, asked.path)
    item = call.items.find(asked.repo, asked.path) if readable else None

    def parts(db: sqlite3.Connection) -> Iterator[str]:
        yield f'{DECLARATION}<D:multistatus xmlns:D="DAV:" xmlns:lp1="DAV:">'
        if item is not None:
            yield _describe_item(item, names)
            below = Tree(db).list_descendants(item, depth) if item.folder and depth else ()
            yield from (_describe_item(one, names) for one in below if call.principal.may("r", one.repo, one.path))
        yield "</D:multistatus>"

    answer = await call.stream_text(parts, **XML)
    answer.status_code = 207
    return answer


def _require_repository(call: Call, target: str) -> ContentPath:
    """The place that is asked for, in a repository that exists."""
    asked = content_path.parse(target)
    if call.repositories.find(asked.repo) is None and not call.repositories.list_storages(asked.repo):
        raise ArtifactError(404)
    if asked.repo == TRASH_REPO:
        call.require_admin()
    return asked


async def _read_xml(call: Call) -> Any:
    """Return the root of the XML in the request, or None if it has no valid XML."""
    try:
        return parse_xml(await call.request.body())
    except ElementTree.ParseError:
        return None


async def _read_names(call: Call) -> Collection[str]:
    """The names of the properties that PROPFIND asks for: all without a body."""
    if not await call.request.body():
        return PROPERTIES
    root = await _read_xml(call)
    if root is None:
        raise ArtifactError(500, "Webdav propfind failed.")
    named = root.find("{DAV:}prop")
    return PROPERTIES if named is None else [element.tag.rpartition("}")[2] for element in named]


def _describe_lock(root: Any, name: str) -> str:
    found = root.find(f"{{DAV:}}{name}/*")
    inner = "" if found is None else f"<D:{escape(found.tag.rpartition('}')[2])}/>"
    return f"<D:{name}>{inner}</D:{name}>"


def _describe_item(item: Item, names: Collection[str]) -> str:
    """What PROPFIND says about one item."""
    found = ((name, PROPERTIES[name](item)) for name in names if name in PROPERTIES)
    shown = "".join(f"<lp1:{name}>{value}</lp1:{name}>" for name, value in found if value is not None)
    kind = "<D:collection/>" if item.folder else ""
    address = f"/artifactory/{encode_path(f'{item.repo}/{item.path}'.rstrip('/'))}"
    return (
        f"<D:response><D:href>{escape(address)}</D:href><D:propstat><D:prop>{shown}"
        f"<lp1:resourcetype>{kind}</lp1:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
        "</D:response>"
    )


ROUTES = (
    Route("OPTIONS", CONTENT_PATH, options, "webdav_options"),
    Route("POST", CONTENT_PATH, post, "post_content"),
    Route("PROPFIND", CONTENT_PATH, propfind, "find_properties", read_only=True),
    Route("PROPPATCH", CONTENT_PATH, proppatch, "patch_properties", read_only=True),
    Route("MKCOL", CONTENT_PATH, mkcol, "make_collection"),
    Route("MOVE", CONTENT_PATH, move, "move_content"),
    Route("LOCK", CONTENT_PATH, lock, "lock_content", read_only=True),
    Route("UNLOCK", CONTENT_PATH, unlock, "unlock_content", read_only=True),
    Route(ANY, CONTENT_PATH, unsupported, "unsupported_method", read_only=True),
)
