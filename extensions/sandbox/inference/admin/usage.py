# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage and costs of an organization in time buckets.

Usage is that of chat completions, recorded and seeded. The sandbox has no prices: costs are seeded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.integers import parse_integer_or_none
from ..call import Call
from ..protocol.checks import check_choice, check_number, missing_parameter
from ..protocol.errors import invalid_parameter
from ..protocol.json_bodies import json_response
from ..schema import insert
from .common import ORGANIZATION, Record, current_time, query_rows

_DAY = 86_400
# Default and maximum number of buckets by their width in seconds
_USAGE_LIMITS = {60: (60, 1440), 3600: (24, 168), _DAY: (7, 31)}
_COST_LIMITS = {_DAY: (7, 180)}
_WIDTHS = {"1m": 60, "1h": 3600, "1d": _DAY}
_LATEST = 253_402_300_799  # end of the year 9999

KINDS = (
    "completions",
    "embeddings",
    "moderations",
    "images",
    "audio_speeches",
    "audio_transcriptions",
    "vector_stores",
    "code_interpreter_sessions",
    "file_search_calls",
    "web_search_calls",
)
_USAGE_GROUPS = ("project_id", "user_id", "api_key_id", "model", "batch", "service_tier")
_COST_GROUPS = ("project_id", "line_item", "api_key_id")
_COUNTS = ("input_tokens", "output_tokens", "num_model_requests")


def record_completion(call: Call, model: str, usage: dict[str, Any]) -> None:
    """Record a chat completion."""
    insert(
        call.runtime.db,
        "inference_usage",
        organization=call.caller.organization,
        project_id=call.caller.project,
        user_id=call.caller.user_id,
        api_key_id=call.caller.key_id,
        model=model,
        at=current_time(call),
        input_tokens=usage["prompt_tokens"],
        output_tokens=usage["completion_tokens"],
        num_model_requests=1,
    )


async def read_usage(call: Call, kind: str) -> Response:
    """Get the usage of one kind. All kinds except completions are unused."""
    check_choice(KINDS, "kind", kind)
    rows = _select_rows(call, "inference_usage", ("project_id", "user_id", "api_key_id", "model"))
    records = [dict(row) for row in rows] if kind == "completions" else []
    return _respond(call, records, _USAGE_LIMITS, _USAGE_GROUPS, _summarize_usage)


async def read_costs(call: Call) -> Response:
    """Get the costs by day."""
    records = [dict(row) for row in _select_rows(call, "inference_costs", ("project_id", "api_key_id"))]
    return _respond(call, records, _COST_LIMITS, _COST_GROUPS, _summarize_costs)


def _select_rows(call: Call, table: str, filters: Iterable[str]) -> list[Any]:
    rows = query_rows(
        call, f"SELECT * FROM {table} WHERE organization = ? ORDER BY at, rowid", call.caller.organization
    )
    for name in filters:
        if accepted := _read_list(call, f"{name}s"):
            rows = [row for row in rows if row[name] in accepted]
    return rows


def _respond(
    call: Call,
    rows: list[Record],
    limits: dict[int, tuple[int, int]],
    groups: tuple[str, ...],
    summarize: Callable[[list[Record]], Record],
) -> Response:
    """Return the page of buckets that the query selects."""
    query = call.request.query_params
    check_choice(list(_WIDTHS), "bucket_width", query.get("bucket_width", "1d"))
    width = _WIDTHS[query.get("bucket_width", "1d")]
    if width not in limits:
        raise invalid_parameter(
            "Invalid 'bucket_width': costs have buckets of one day.", "bucket_width", "invalid_value"
        )
    if "start_time" not in query:
        raise missing_parameter("start_time")
    start = _read_integer(call, "start_time", 0, 0, _LATEST) // width * width
    end = _read_integer(call, "end_time", current_time(call) + 1, 0, _LATEST)
    default, maximum = limits[width]
    limit = _read_integer(call, "limit", default, 1, maximum)
    first = start + width * _read_integer(call, "page", 0, 0, _LATEST)
    grouped = _read_list(call, "group_by")
    for name in grouped:
        check_choice(groups, "group_by", name)
    starts = list(range(first, max(first, min(end, first + (limit + 1) * width)), width))
    return json_response(
        {
            "object": "page",
            "data": [
                {
                    "object": "bucket",
                    "start_time": at,
                    "end_time": at + width,
                    "results": _group(
                        [row for row in rows if max(at, start) <= row["at"] < min(at + width, end)],
                        grouped,
                        groups,
                        summarize,
                    ),
                }
                for at in starts[:limit]
            ],
            "has_more": len(starts) > limit,
            "next_page": str((first - start) // width + limit) if len(starts) > limit else None,
        }
    )


def _group(
    rows: list[Record], grouped: list[str], groups: tuple[str, ...], summarize: Callable[[list[Record]], Record]
) -> list[Record]:
    """Return one summary for each combination of values of the grouped members. The other members are null."""
    parts: dict[tuple[Any, ...], list[Record]] = {}
    for row in rows:
        parts.setdefault(tuple(row.get(name) for name in grouped), []).append(row)
    return [
        {**summarize(part), **dict.fromkeys(groups), **dict(zip(grouped, values, strict=True))}
        for values, part in parts.items()
    ]


def _summarize_usage(rows: list[Record]) -> Record:
    zeros = dict.fromkeys(("input_cached_tokens", "input_audio_tokens", "output_audio_tokens"), 0)
    counts = {name: sum(row[name] for row in rows) for name in _COUNTS}
    return {"object": "organization.usage.completions.result", **counts, **zeros}


def _summarize_costs(rows: list[Record]) -> Record:
    amount = {"value": sum(row["amount"] for row in rows), "currency": "usd"}
    return {"object": "organization.costs.result", "amount": amount, "quantity": None, "quantity_unit": None}


def _read_integer(call: Call, name: str, default: int, least: int, most: int) -> int:
    text = call.request.query_params.get(name)
    value: Any = default if text is None else parse_integer_or_none(text, 64)
    check_number(least, most, name, text if value is None else value, integer=True)
    return int(value)


def _read_list(call: Call, name: str) -> list[str]:
    """Return the values of a list, whose name may end with brackets."""
    query = call.request.query_params
    return [*query.getlist(name), *query.getlist(f"{name}[]")]


ROUTES = (
    Route("GET", f"{ORGANIZATION}/usage/{{kind}}", read_usage, "usage", scope="api.usage.read"),
    Route("GET", f"{ORGANIZATION}/costs", read_costs, "costs", scope="api.usage.read"),
)
