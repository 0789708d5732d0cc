# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of items, with the escaping rules of their calls."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any
from xml.etree import ElementTree

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from .tree import Item

NAME = re.compile(r"[^\W\d_][^\s)(}{\]\[*+^$\\/~`!@#%&<>;=,±§]*")
WRONG_NAME = "Name must start with a letter and cannot contain whitespace or special characters"
ITEM = "{repo:[^/;]+}{path:(/[^;]*)?}"
STORAGE = f"/api/storage/{ITEM}{{:(;.*)?}}"
# What may be in the name of a property, but not in that of an element
NO_XML_NAME = re.compile(r"[^\w.:·-]")
# XStream refers to these by their codes, though XML 1.0 knows few of them
NO_PLAIN_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


async def get(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?properties[=a,b]"""
    asked = [name for name in split(call.query["properties"], ",") if name]
    shown = _shown(call, repo, path, asked)
    uri = f"{call.base}/api/storage/{call.repositories.info_key(repo)}/{path}".rstrip("/")
    return call.vendor_json(
        "storage.ItemProperties", {"properties": shown, "uri": uri}, **{"Cache-Control": "no-store"}
    )


async def get_xml(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?propertiesXml"""
    root = ElementTree.Element("properties")
    for name, values in _shown(call, repo, path).items():
        for value in values:
            ElementTree.SubElement(root, _element_name(name)).text = value
    ElementTree.indent(root)
    text = ElementTree.tostring(root, "UTF-8", xml_declaration=True).decode()
    written = NO_PLAIN_TEXT.sub(lambda found: f"&#x{ord(found[0]):x};", text)
    return Response(written, headers={"Content-Type": "application/xml", "Cache-Control": "no-store"})


def _shown(call: Call, repo: str, path: str, asked: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the properties of an item. A missing or unreadable item is refused like one without properties."""
    properties = next(filter(None, map(call.items.get_properties, call.find_readable_items(repo, path))), {})
    shown = {name: values for name, values in properties.items() if not asked or name in asked}
    if not shown:
        raise ArtifactError(404, "No properties could be found.")
    return shown


def _element_name(name: str) -> str:
    """The name of a property as XStream writes it: with two underscores for one, and codes for what XML has not."""
    return NO_XML_NAME.sub(lambda found: f"_.{ord(found[0]):04x}", name.replace("_", "__"))


async def put(call: Call, repo: str, path: str) -> Response:
    """PUT /api/storage/{repo}/{path}?properties=k=v,w;l=x"""
    call.require_pro()
    changes = parse(call.query.get("properties", ""))
    item = _changeable(call, repo, path)
    await _change(call, item, changes, call.query.get("recursive", "1"))
    return Response(status_code=204)


async def delete(call: Call, repo: str, path: str) -> Response:
    """DELETE /api/storage/{repo}/{path}?properties=k,l"""
    call.require_pro()
    names = [name for name in split(call.query.get("properties", ""), ",") if name]
    if not names:
        raise ArtifactError(400, "No properties were given")
    item = _changeable(call, repo, path)
    await _change(call, item, {name: [] for name in names}, call.query.get("recursive", "1"))
    return Response(status_code=204)


async def patch(call: Call, repo: str, path: str) -> Response:
    """PATCH /api/metadata/{repo}/{path}"""
    if not call.supports(feature_versions.METADATA_PATCH):
        raise ArtifactError(404)
    call.require_pro()
    try:
        body = parse_json(await call.request.body())
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None
    props = body.get("props") if isinstance(body, dict) else None
    if not props or not isinstance(props, dict):
        raise ArtifactError(400, "props or stats fields required")
    changes = {checked(name): _values(value) for name, value in props.items()}
    item = _changeable(call, repo, path)
    await _change(call, item, changes, call.query.get("recursiveProperties", "1"))
    return Response(status_code=204)


async def _change(call: Call, item: Item, changes: dict[str, list[str]], recursive: str) -> None:
    if recursive != "0":
        await call.items.set_properties_recursively(item, changes)
    else:
        call.items.set_properties(item, changes)


def _changeable(call: Call, repo: str, path: str) -> Item:
    storages = call.repositories.list_storages(repo)
    if storages and not call.repositories.is_stored(repo):
        raise ArtifactError(400, call.permission_message("local_only", repo))
    for storage in storages:
        call.require_permission("a", storage, path, f"Not enough permissions to annotate '{repo}:{path}'.")
    item = call.items.find(repo, path) if storages else None
    if item is None:
        raise ArtifactError(404, "Unable to find item")
    return item


def parse(text: str) -> dict[str, list[str]]:
    """The properties in a query argument; a pair without exactly one unescaped `=` is passed over."""
    if not text.strip():
        raise ArtifactError(400, "No properties were given")
    changes = {}
    for pair in split(text, ";|", unescape=False):
        parts = split(pair, "=", unescape=False)
        if len(parts) == 2:
            changes[checked(_unescape(parts[0]))] = split(parts[1], ",")
    return changes


def split(text: str, separators: str, unescape: bool = True) -> list[str]:
    """The parts of a text between separators that have no backslash before them."""
    parts, part = [], ""
    for token in re.findall(r"\\.|.", text, re.DOTALL):
        if token in separators:
            parts.append(part)
            part = ""
        else:
            part += token
    parts.append(part)
    return [_unescape(part) for part in parts] if unescape else parts


def checked(name: str) -> str:
    """The name of a property, if it may be one."""
    if not NAME.fullmatch(name):
        raise ArtifactError(400, WRONG_NAME)
    return name


def _unescape(text: str) -> str:
    return re.sub(r"\\([\\,|=;])", r"\1", text)


def _values(value: Any) -> list[str]:
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    return [single if isinstance(single, str) else json.dumps(single) for single in values]


ROUTES = (
    Route("GET", STORAGE, get, "get_properties", argument="properties"),
    Route("GET", STORAGE, get_xml, "properties_in_xml", argument="propertiesXml"),
    Route("PUT", STORAGE, put, "set_properties"),
    Route("DELETE", STORAGE, delete, "delete_properties"),
    Route("PATCH", f"/api/metadata/{ITEM}", patch, "patch_metadata"),
)
