# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

from ..parsing.integers import parse_integer_or_none
from .call import Call
from .checks import number, one_of
from .errors import invalid
from .protocol import json_response


def page(call: Call, records: Iterable[dict[str, Any]], usual: int = 20) -> Response:
    """The part of a list that `limit`, `after`, `before` and `order` ask for."""
    found, asked = list(records), call.request.query_params
    limit = _limit(asked.get("limit", str(usual)))
    if "order" in asked:
        one_of(("asc", "desc"), "order", asked["order"])
        found = found[::-1] if asked["order"] == "desc" else found
    ids = [record["id"] for record in found]
    if "before" in asked:
        end = _place(ids, "before", asked["before"])
        part = found[max(0, end - limit) : end]
        more = end > limit
    else:
        start = _place(ids, "after", asked["after"]) + 1 if "after" in asked else 0
        part = found[start : start + limit]
        more = len(found) > start + limit
    return json_response(
        {
            "object": "list",
            "data": part,
            "first_id": part[0]["id"] if part else None,
            "last_id": part[-1]["id"] if part else None,
            "has_more": more,
        }
    )


def _limit(text: str) -> int:
    value: Any = parse_integer_or_none(text, 64)
    value = text if value is None else value
    number(1, 100, "limit", value, integer=True)
    return int(value)


def _place(ids: list[str], name: str, id: str) -> int:
    if id not in ids:
        raise invalid(f"Invalid '{name}': no such object: '{id}'.", name, "invalid_value")
    return ids.index(id)
