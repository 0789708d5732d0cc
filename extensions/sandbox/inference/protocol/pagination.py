# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pagination of lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

from ...parsing.integers import parse_integer_or_none
from ..call import Call
from .checks import check_choice, check_number
from .errors import invalid_parameter
from .json_bodies import json_response


def paginate(
    call: Call,
    records: Iterable[dict[str, Any]],
    default_limit: int = 20,
    max_limit: int = 100,
    key: str = "id",
    *,
    by_cursor: bool = False,
) -> Response:
    """Return the page of a list that `limit`, `after`, `before` and `order` select.

    :arg key: the member with the id of a record
    :arg by_cursor: whether the page has the member `next` instead of the first and the last id
    """
    matching, query = list(records), call.request.query_params
    limit = _limit(query.get("limit", str(default_limit)), max_limit)
    if "order" in query:
        check_choice(("asc", "desc"), "order", query["order"])
        matching = matching[::-1] if query["order"] == "desc" else matching
    ids = [record[key] for record in matching]
    if "before" in query:
        end = _find_index(ids, "before", query["before"])
        part = matching[max(0, end - limit) : end]
        more = end > limit
    else:
        start = _find_index(ids, "after", query["after"]) + 1 if "after" in query else 0
        part = matching[start : start + limit]
        more = len(matching) > start + limit
    first, last = (part[0][key], part[-1][key]) if part else (None, None)
    cursors = {"next": last if more else None} if by_cursor else {"first_id": first, "last_id": last}
    return json_response({"object": "list", "data": part, "has_more": more, **cursors})


def _limit(text: str, most: int) -> int:
    value: Any = parse_integer_or_none(text, 64)
    value = text if value is None else value
    check_number(1, most, "limit", value, integer=True)
    return int(value)


def _find_index(ids: list[str], name: str, id: str) -> int:
    if id not in ids:
        raise invalid_parameter(f"Invalid '{name}': no such object: '{id}'.", name, "invalid_value")
    return ids.index(id)
