# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Item properties: how they are written down for the server."""

from __future__ import annotations

import re
import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, as_set

# Servers and proxies take request lines of about 8 KB.
_LONGEST_QUERY = 6000
_KEY = re.compile(r"[^\W\d_][^\s)(}{\][*+^$\\/~`!@#%&<>;=,±§]*")


def normalised(properties: dict[str, t.Any], option: str) -> dict[str, list[str] | None]:
    """Properties as the server keeps them: each a sorted list of texts, C(None) for one that shall not be there.

    :raises BadOption: when a key or a value cannot be one
    """
    return {check_key(key, option): _values(key, value, option) or None for key, value in properties.items()}


def check_key(key: str, option: str) -> str:
    """The key itself.

    :raises BadOption: when the server would not take it
    """
    if not _KEY.fullmatch(key):
        raise BadOption(
            option,
            f"'{key}' cannot be a key: it must begin with a letter, without blanks and )(}}{{][*+^$\\/~`!@#%&<>;=,",
        )
    return key


def write(service: ArtifactService, repo: str, path: str, fields: Fields) -> None:
    """Set those properties that have values and remove those that are C(None), in as few requests as may be."""
    address = service.item(repo, path)
    for text in _batched([_pair(key, values) for key, values in fields.items() if values], ";"):
        _send(service, "PUT", address, text)
    for text in _batched([_escaped(key) for key, values in fields.items() if not values], ","):
        _send(service, "DELETE", address, text)


def _send(service: ArtifactService, method: str, address: str, properties: str) -> None:
    # without recursive=0 a folder's properties go to everything below it
    query: dict[str, str | None] = {"properties": properties, "recursive": "0"}
    service.http.write(method, address, query=query, accept=(200, 204), repeatable=True)


def _values(key: str, value: t.Any, option: str) -> list[str]:
    values = value if isinstance(value, list) else [value]
    for single in values:
        if not isinstance(single, (str, int, float)):
            raise BadOption(option, f"'{key}' takes a text, a number, a boolean or a list of them")
    return as_set(str(single).lower() if isinstance(single, bool) else str(single) for single in values)


def _pair(key: str, values: list[str]) -> str:
    return f"{_escaped(key)}={','.join(map(_escaped, values))}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\,|=;])", r"\\\1", text)


def _batched(parts: list[str], separator: str) -> t.Iterator[str]:
    """The parts joined, as many at once as fit into a request line."""
    batch: list[str] = []
    size = 0
    for part in parts:
        length = len(quote(part, safe="")) + len(quote(separator, safe=""))
        if batch and size + length > _LONGEST_QUERY:
            yield separator.join(batch)
            batch, size = [], 0
        batch.append(part)
        size += length
    if batch:
        yield separator.join(batch)
