# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Usage and costs of an OpenAI organization, by time bucket."""

from __future__ import annotations

import math
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

KINDS = [
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
]
_DAY = 86_400
_SECONDS = dict(type="float", at_least=0, at_most=10 * 366 * _DAY)
# An option that selects objects by name or ID
FILTER = dict(type="list", elements="str", default=[], each_element=NAME)
# Options that select the period and the objects
PERIOD = ArgumentSpec(
    dict(
        newer_than=dict(**{**_SECONDS, "default": 30.0 * _DAY}),
        older_than=dict(**_SECONDS),
        project_ids=dict(**FILTER),
        api_key_ids=dict(**FILTER, no_log=False),
    )
)
# Width in seconds, and maximum number of buckets per response
_USAGE_WIDTHS = {"1m": (60, 1440), "1h": (3600, 168), "1d": (_DAY, 31)}
_COST_WIDTH = (_DAY, 180)
# Members that describe a result; those that not all kinds have; all others are amounts
_TEXTS = ("project_id", "user_id", "api_key_id", "model")
_SPECIAL_TEXTS = ("service_tier", "size", "source", "context_level")


def list_usage(task: Task) -> list[dict[str, t.Any]]:
    """Return the usage of one kind, oldest first."""
    admin, width = AdminClient(task), task.params["bucket_width"]
    lists = ("project_ids", "user_ids", "api_key_ids", "models", "group_by")
    query = {**_build_query(task, admin, *_USAGE_WIDTHS[width], lists), "bucket_width": width}
    return [
        {**_parse_period(bucket), **_parse_usage(result)}
        for bucket in admin.iter_buckets(f"/organization/usage/{task.params['kind']}", query=query)
        for result in bucket.records("results")
    ]


def list_costs(task: Task) -> list[dict[str, t.Any]]:
    """Return the costs, oldest first."""
    admin = AdminClient(task)
    query = _build_query(task, admin, *_COST_WIDTH, ("project_ids", "api_key_ids", "group_by"))
    return [
        {**_parse_period(bucket), **_parse_costs(result)}
        for bucket in admin.iter_buckets("/organization/costs", query=query)
        for result in bucket.records("results")
    ]


def sum_usage(rows: list[dict[str, t.Any]]) -> dict[str, int]:
    """Return the sums of all amounts by name."""
    totals: dict[str, int] = {}
    for row in rows:
        for name, amount in row.items():
            if name not in ("start", "end") and isinstance(amount, int) and not isinstance(amount, bool):
                totals[name] = totals.get(name, 0) + amount
    return totals


def sum_costs(rows: list[dict[str, t.Any]]) -> dict[str, float]:
    """Return the total costs by currency."""
    currencies = sorted({row["currency"] for row in rows})
    return {
        currency: math.fsum(row["amount"] for row in rows if row["currency"] == currency) for currency in currencies
    }


def _build_query(
    task: Task, admin: AdminClient, width: int, limit: int, lists: tuple[str, ...]
) -> dict[str, str | list[str]]:
    """Return the query for the period, which starts with a complete bucket."""
    now = admin.now()
    query: dict[str, str | list[str]] = {
        "start_time": str(max(0, int(now - task.params["newer_than"])) // width * width),
        "limit": str(limit),
    }
    if task.params["older_than"] is not None:
        query["end_time"] = str(max(0, int(now - task.params["older_than"])))
    return query | {f"{name}[]": task.params[name] for name in lists if task.params[name]}


def _parse_period(bucket: Record) -> dict[str, t.Any]:
    return {
        "start": bucket.integer("start_time"),
        "start_at": bucket.maybe_timestamp("start_time"),
        "end": bucket.integer("end_time"),
        "end_at": bucket.maybe_timestamp("end_time"),
    }


def _parse_usage(result: Record) -> dict[str, t.Any]:
    """Return the members of a result: texts, the flag `batch`, and whole numbers."""
    amounts = result.keys() - {"object", "batch", *_TEXTS, *_SPECIAL_TEXTS}
    return {
        **{name: result.maybe_text(name) for name in _TEXTS},
        **{name: result.maybe_text(name) for name in _SPECIAL_TEXTS if name in result},
        **({"batch": result.maybe_flag("batch")} if "batch" in result else {}),
        **{name: result.maybe_integer(name) for name in sorted(amounts)},
    }


def _parse_costs(result: Record) -> dict[str, t.Any]:
    amount = result.record("amount")
    return {
        "amount": amount.convert("value", "an amount of money", _to_number),
        "currency": amount.text("currency").upper(),
        "line_item": result.maybe_text("line_item"),
        "project_id": result.maybe_text("project_id"),
        "api_key_id": result.maybe_text("api_key_id"),
        "quantity": None if result.get("quantity") is None else result.convert("quantity", "a number", _to_number),
        "quantity_unit": result.maybe_text("quantity_unit"),
    }


def _to_number(value: t.Any) -> float:
    """Return a finite number. Some responses contain amounts as texts."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number
