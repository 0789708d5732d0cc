# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of items, with the escaping rules of their calls."""

from __future__ import annotations

import json
import re
from typing import Any

from starlette.responses import Response

from .call import Call
from .errors import ArtifactError
from .items import Item, Items
from .repositories import Repositories

NAME = re.compile(r"[^\W\d_][^\s)(}{\]\[*+^$\\/~`!@#%&<>;=,±§]*")
WRONG_NAME = "Name must start with a letter and cannot contain whitespace or special characters"
LOCAL_ONLY = "This method can only be invoked on local/cached repositories."


class Properties:
    """The calls about properties."""

    def __init__(self, items: Items, repositories: Repositories) -> None:
        self._items = items
        self._repositories = repositories

    async def get(self, call: Call, repo: str, path: str) -> Response:
        """GET /api/storage/{repo}/{path}?properties[=a,b]"""
        items = self._repositories.items_at(call, repo, path)
        if not items:
            raise ArtifactError(404, "Unable to find item")
        asked = [name for name in split(call.query["properties"], ",") if name]
        properties = next(filter(None, map(self._items.properties, items)), {})
        shown = {name: values for name, values in properties.items() if not asked or name in asked}
        if not shown:
            raise ArtifactError(404, "No properties could be found.")
        uri = f"{call.base}/api/storage/{self._repositories.shown_as(repo)}/{path}".rstrip("/")
        return call.vnd("storage.ItemProperties", {"properties": shown, "uri": uri}, **{"Cache-Control": "no-store"})

    async def set(self, call: Call, repo: str, path: str) -> Response:
        """PUT /api/storage/{repo}/{path}?properties=k=v,w;l=x"""
        call.need_pro()
        changes = parse(call.query.get("properties", ""))
        item = self._changeable(call, repo, path)
        self._items.set_properties(item, changes, call.query.get("recursive", "1") != "0")
        return Response(status_code=204)

    async def delete(self, call: Call, repo: str, path: str) -> Response:
        """DELETE /api/storage/{repo}/{path}?properties=k,l"""
        call.need_pro()
        names = [name for name in split(call.query.get("properties", ""), ",") if name]
        if not names:
            raise ArtifactError(400, "No properties were given")
        item = self._changeable(call, repo, path)
        self._items.set_properties(item, {name: [] for name in names}, call.query.get("recursive", "1") != "0")
        return Response(status_code=204)

    async def patch(self, call: Call, repo: str, path: str) -> Response:
        """PATCH /api/metadata/{repo}/{path}"""
        call.need_pro()
        try:
            body = json.loads(await call.request.body())
        except ValueError:
            raise ArtifactError(400, "Error parsing json body") from None
        props = body.get("props") if isinstance(body, dict) else None
        if not props or not isinstance(props, dict):
            raise ArtifactError(400, "props or stats fields required")
        changes = {checked(name): _values(value) for name, value in props.items()}
        item = self._changeable(call, repo, path)
        self._items.set_properties(item, changes, call.query.get("recursiveProperties", "1") != "0")
        return Response(status_code=204)

    def _changeable(self, call: Call, repo: str, path: str) -> Item:
        storages = self._repositories.storages(repo)
        if storages and not self._repositories.is_stored(repo):
            raise ArtifactError(400, LOCAL_ONLY)
        for storage in storages:
            call.permit("a", storage, path, f"Not enough permissions to annotate '{repo}:{path}'.")
        item = self._items.find(repo, path) if storages else None
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
