# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Validate, encode and write the properties of items."""

from __future__ import annotations

import re
import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

# Servers and proxies accept about 8 KB for the request line and the headers together
_MAX_URL_LENGTH = 6000
# Old servers do not support the call, and some proxies block the method
_UNSUPPORTED = (404, 405, 501)
_HAS_PATCH = "PATCH /api/metadata"
_KEY = re.compile(r"[^\W\d_][^\s)(}{\][*+^$\\/~`!@#%&<>;=,±§]*")


def normalize(properties: dict[str, t.Any], option: str) -> dict[str, list[str] | None]:
    """Return properties as the server stores them: each a sorted list of texts, `None` for a property to delete.

    :raises BadOption: if a key or value is invalid
    """
    return {check_key(key, option): _normalize_values(key, value, option) or None for key, value in properties.items()}


def check_key(key: str, option: str) -> str:
    """Return the key.

    :raises BadOption: if Artifactory does not accept it
    """
    if not _KEY.fullmatch(key):
        raise BadOption(
            option,
            f"'{key}' cannot be a key: it must begin with a letter and must not contain spaces or "
            ")(}{][*+^$\\/~`!@#%&<>;=,",
        )
    return key


def write_properties(service: ArtifactService, repo: str, path: str, fields: Fields, recursive: bool = False) -> None:
    """Set the properties that have values and delete those that are `None`, in one request if the server supports it.

    :arg recursive: whether to change all items below a folder, too
    :raises ToolchainError: if a property is too long for one of several requests; nothing is sent then
    """
    if service.http.get_cached(_HAS_PATCH, lambda: True) and _try_patch(service, repo, path, fields, recursive):
        return
    for method, address, text in list(_split_requests(service.info_address(repo, path), fields)):
        # without recursive=0, the server also changes everything below a folder
        query: dict[str, str | None] = {"properties": text, "recursive": str(int(recursive))}
        service.http.write(method, address, query=query, accept=(200, 204), policy=IDEMPOTENT)
    service.http.get_cached(_HAS_PATCH, lambda: False, invalid=True)


def check_writable(service: ArtifactService, repo: str) -> None:
    """Predict whether properties can be set in a repository.

    :raises ToolchainError: if the server reports a type that does not support it
    """
    repository = queries.find_if_visible(service, repo)
    kind = repository and repository["type"]
    if kind in ("virtual", "remote"):
        where = "a local repository or a cache" if kind == "virtual" else f"its cache, '{repo}-cache'"
        raise ToolchainError(f"The repository '{repo}' is {kind}: properties can only be set in {where}.")


def _try_patch(service: ArtifactService, repo: str, path: str, fields: Fields, recursive: bool) -> bool:
    """Change all properties in one request. Return whether the server supports it."""
    response = service.http.write(
        "PATCH",
        service.info_address(repo, path, call="metadata"),
        query={"recursiveProperties": str(int(recursive))},
        json={"props": fields},
        accept=(200, 204, *_UNSUPPORTED),
        policy=IDEMPOTENT,
    )
    return response.status not in _UNSUPPORTED


def _split_requests(address: str, fields: Fields) -> t.Iterator[tuple[str, str, str]]:
    """Yield method, address and `properties` parameter of the requests that together change all properties."""
    room = _MAX_URL_LENGTH - len(address)
    for text in _join_in_batches([_format_pair(key, values) for key, values in fields.items() if values], ";", room):
        yield "PUT", address, text
    for text in _join_in_batches([_escape(key) for key, values in fields.items() if not values], ",", room):
        yield "DELETE", address, text


def _normalize_values(key: str, value: t.Any, option: str) -> list[str]:
    values = value if isinstance(value, list) else [value]
    for single in values:
        if not isinstance(single, (str, int, float)):
            raise BadOption(option, f"'{key}' must be a string, a number, a boolean or a list of these")
    return sort_unique(str(single).lower() if isinstance(single, bool) else str(single) for single in values)


def _format_pair(key: str, values: list[str]) -> str:
    return f"{_escape(key)}={','.join(map(_escape, values))}"


def _escape(text: str) -> str:
    return re.sub(r"([\\,|=;])", r"\\\1", text)


def _join_in_batches(parts: list[str], separator: str, room: int) -> t.Iterator[str]:
    """Yield joined parts, as many in each text as fit when they are percent-encoded.

    :raises ToolchainError: if a single part is too long
    """
    batch: list[str] = []
    size = 0
    for part in parts:
        length = len(quote(part, safe="")) + len(quote(separator, safe=""))
        if length > room:
            raise ToolchainError(
                f"The property '{part.partition('=')[0]}' is too long for this server: it does not fit into a "
                f"URL ({length:,} of {room:,} bytes), and PATCH /api/metadata, which has no limit, is not supported."
            )
        if batch and size + length > room:
            yield separator.join(batch)
            batch, size = [], 0
        batch.append(part)
        size += length
    if batch:
        yield separator.join(batch)
