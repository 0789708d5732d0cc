# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON request bodies."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...parsing.documents import parse_json
from ..call import Call
from .errors import ArtifactError

JFROG_MEDIA_TYPE = re.compile(r"application/vnd\.org\.jfrog\.[\w.]+\+json")


async def read_json_object(call: Call, **converters: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the JSON object in the body, with the named fields converted."""
    fields: dict[str, Any] = await read_json_body(call, dict)
    try:
        return fields | {name: convert(fields[name]) for name, convert in converters.items() if name in fields}
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None


async def read_json_body(call: Call, kind: type) -> Any:
    """Return the JSON value in the body, or fail with 400 if it is not of type `kind`."""
    body = await call.request.body()
    media_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and media_type != "application/json" and not JFROG_MEDIA_TYPE.fullmatch(media_type):
        raise ArtifactError(415)
    value = await parse_json_body(call)
    if not isinstance(value, kind):
        raise ArtifactError(400, "Error parsing json body")
    return value


async def parse_json_body(call: Call) -> Any:
    """Return the JSON value in the body, regardless of its media type and type."""
    try:
        return parse_json(await call.request.body())
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None
