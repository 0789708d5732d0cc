# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Metrics of a Klocwork project."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService


def read_metrics(review: ReviewService, params: Fields) -> t.Iterator[Fields]:
    """Yield the values of the metrics, or with `aggregate` a summary of each metric, as the server sends them."""
    terms = [f"metric:{','.join(params['tags'])}"] if params["tags"] else []
    fields = {name: params[name] for name in ("project", "view", "limit", "aggregate")}
    records = review.records(
        "metrics",
        query=" ".join(filter(None, [*terms, params["query"]])),
        exclude_system_files=not params["system_files"],
        **fields,
    )
    return map(_parse_summary if params["aggregate"] else _parse_value, records)


def _parse_value(record: Record) -> Fields:
    return {
        "file": record.text("filePath"),
        "entity": record.maybe_text("entity"),
        "entity_id": record.maybe_integer("entity_id"),
        "tag": record.text("tag"),
        "value": _parse_number(record, "metricValue"),
    }


def _parse_summary(record: Record) -> Fields:
    return {
        "tag": record.text("tag"),
        "entries": record.integer("entries"),
        **{name: _parse_number(record, name) for name in ("sum", "min", "max")},
    }


def _parse_number(record: Record, name: str) -> float:
    return record.convert(name, "a number", _to_float)


def _to_float(value: t.Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= 1e300:
        raise ValueError
    return float(value)
