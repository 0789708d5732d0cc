# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Item properties, and the syntax of property parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any
from xml.etree import ElementTree

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.request_body import parse_json_body
from .tree import Item

VALID_NAME = re.compile(r"[^\W\d_][^\s)(}{\]\[*+^$\\/~`!@#%&<>;=,±§]*")
INVALID_NAME_MESSAGE = "Name must start with a letter and cannot contain whitespace or special characters"
ITEM = "{repo:[^/;]+}{path:(/[^;]*)?}"
STORAGE = f"/api/storage/{ITEM}{{:(;.*)?}}"
# Characters that are permitted in property names but not in XML names.
NOT_IN_XML_NAMES = re.compile(r"[^\w.:·-]")
# Characters that XStream writes as references, although XML 1.0 forbids most of them.
XML_REFERENCES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


async def get_properties(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}?properties[=a,b]`."""
    names = [name for name in split_unescaped(call.query["properties"], ",") if name]
    properties = _read_properties(call, repo, path, names)
    uri = f"{call.base}/api/storage/{call.repositories.info_key(repo)}/{path}".rstrip("/")
    return call.vendor_json(
        "storage.ItemProperties", {"properties": properties, "uri": uri}, **{"Cache-Control": "no-store"}
    )


async def get_properties_xml(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}?propertiesXml`."""
    root = ElementTree.Element("properties")
    for name, values in _read_properties(call, repo, path).items():
        for value in values:
            ElementTree.SubElement(root, _element_name(name)).text = value
    ElementTree.indent(root)
    text = ElementTree.tostring(root, "UTF-8", xml_declaration=True).decode()
    escaped = XML_REFERENCES.sub(lambda match: f"&#x{ord(match[0]):x};", text)
    return Response(escaped, headers={"Content-Type": "application/xml", "Cache-Control": "no-store"})


def _read_properties(call: Call, repo: str, path: str, names: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the properties of an item, or fail with 404 if it is missing, unreadable or without properties."""
    properties = next(filter(None, map(call.items.get_properties, call.find_readable_items(repo, path))), {})
    selected = {name: values for name, values in properties.items() if not names or name in names}
    if not selected:
        raise ArtifactError(404, "No properties could be found.")
    return selected


def _element_name(name: str) -> str:
    """Return the name of a property as XStream writes it: underscores doubled, other characters as codes."""
    return NOT_IN_XML_NAMES.sub(lambda match: f"_.{ord(match[0]):04x}", name.replace("_", "__"))


async def set_properties(call: Call, repo: str, path: str) -> Response:
    """Handle `PUT /api/storage/{repo}/{path}?properties=k=v,w;l=x`."""
    call.require_pro()
    changes = parse_properties(call.query.get("properties", ""))
    item = _require_changeable(call, repo, path)
    await _apply_changes(call, item, changes, call.query.get("recursive", "1"))
    return Response(status_code=204)


async def delete_properties(call: Call, repo: str, path: str) -> Response:
    """Handle `DELETE /api/storage/{repo}/{path}?properties=k,l`."""
    call.require_pro()
    names = [name for name in split_unescaped(call.query.get("properties", ""), ",") if name]
    if not names:
        raise ArtifactError(400, "No properties were given")
    item = _require_changeable(call, repo, path)
    await _apply_changes(call, item, {name: [] for name in names}, call.query.get("recursive", "1"))
    return Response(status_code=204)


async def patch_properties(call: Call, repo: str, path: str) -> Response:
    """Handle `PATCH /api/metadata/{repo}/{path}`."""
    if not call.supports(feature_versions.METADATA_PATCH):
        raise ArtifactError(404)
    call.require_pro()
    body = await parse_json_body(call)
    props = body.get("props") if isinstance(body, dict) else None
    if not props or not isinstance(props, dict):
        raise ArtifactError(400, "props or stats fields required")
    changes = {validate_name(name): _to_strings(value) for name, value in props.items()}
    item = _require_changeable(call, repo, path)
    await _apply_changes(call, item, changes, call.query.get("recursiveProperties", "1"))
    return Response(status_code=204)


async def _apply_changes(call: Call, item: Item, changes: dict[str, list[str]], recursive: str) -> None:
    if recursive != "0":
        await call.items.set_properties_recursively(item, changes)
    else:
        call.items.set_properties(item, changes)


def _require_changeable(call: Call, repo: str, path: str) -> Item:
    storages = call.repositories.list_storages(repo)
    if storages and not call.repositories.is_stored(repo):
        raise ArtifactError(400, call.permission_message("local_only", repo))
    for storage in storages:
        call.require_permission("a", storage, path, f"Not enough permissions to annotate '{repo}:{path}'.")
    item = call.items.find(repo, path) if storages else None
    if item is None:
        raise ArtifactError(404, "Unable to find item")
    return item


def parse_properties(text: str) -> dict[str, list[str]]:
    """Parse the properties in a query parameter. A pair without exactly one unescaped `=` is ignored."""
    if not text.strip():
        raise ArtifactError(400, "No properties were given")
    changes = {}
    for pair in split_unescaped(text, ";|", unescape=False):
        parts = split_unescaped(pair, "=", unescape=False)
        if len(parts) == 2:
            changes[validate_name(_unescape(parts[0]))] = split_unescaped(parts[1], ",")
    return changes


def split_unescaped(text: str, separators: str, unescape: bool = True) -> list[str]:
    """Split a text at separators that are not preceded by a backslash."""
    parts, part = [], ""
    for token in re.findall(r"\\.|.", text, re.DOTALL):
        if token in separators:
            parts.append(part)
            part = ""
        else:
            part += token
    parts.append(part)
    return [_unescape(part) for part in parts] if unescape else parts


def validate_name(name: str) -> str:
    """Return the name of a property, or fail if it is invalid."""
    if not VALID_NAME.fullmatch(name):
        raise ArtifactError(400, INVALID_NAME_MESSAGE)
    return name


def _unescape(text: str) -> str:
    return re.sub(r"\\([\\,|=;])", r"\1", text)


def _to_strings(value: Any) -> list[str]:
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    return [element if isinstance(element, str) else json.dumps(element) for element in values]


ROUTES = (
    Route("GET", STORAGE, get_properties, "get_properties", argument="properties"),
    Route("GET", STORAGE, get_properties_xml, "properties_in_xml", argument="propertiesXml"),
    Route("PUT", STORAGE, set_properties, "set_properties"),
    Route("DELETE", STORAGE, delete_properties, "delete_properties"),
    Route("PATCH", f"/api/metadata/{ITEM}", patch_properties, "patch_metadata"),
)
