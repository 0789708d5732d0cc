# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of files, classes and functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..api.call import Call, Record, action_route
from ..issues.conditions import Condition, join_or, text_condition
from ..issues.issues import load_view_query
from ..issues.query import parse_query
from ..storage import require_project_id


def metrics(call: Call) -> Iterable[Record]:
    """Yield the measured values or, with `aggregate`, their statistics for each metric."""
    parameters = call.parameters
    conditions = [
        Condition("project = ?", [require_project_id(call)]),
        *_build_conditions(parameters.text("query")),
    ]
    if view := parameters.text("view"):
        conditions += _build_conditions(load_view_query(call, view))
    if parameters.boolean("exclude_system_files"):
        conditions.append(Condition("NOT system"))
    where = " AND ".join(condition.sql for condition in conditions)
    arguments = [argument for condition in conditions for argument in condition.arguments]
    limit = parameters.integer("limit", 0) if parameters.text("limit") else -1
    if parameters.boolean("aggregate"):
        sql = f"""
            SELECT tag, sum(value) AS sum, min(value) AS min, max(value) AS max, count(*) AS entries
            FROM review_metrics WHERE {where} GROUP BY tag ORDER BY tag LIMIT ?
        """
        yield from map(dict, call.db.execute(sql, (*arguments, limit)))
        return
    for row in call.db.execute(f"SELECT * FROM review_metrics WHERE {where} ORDER BY id LIMIT ?", (*arguments, limit)):
        yield {
            "filePath": row["file"],
            "entity": row["entity"],
            "entity_id": row["id"],
            "tag": row["tag"],
            "metricValue": row["value"],
        }


def _build_conditions(text: str) -> Iterator[Condition]:
    """Yield conditions for the terms about metrics and files. Other terms are ignored."""
    for term in parse_query(text):
        values = [value._replace(exact=True) if term.keyword == "metric" else value for value in term.values]
        if term.keyword in _COLUMNS and values:
            condition = join_or(text_condition(_COLUMNS[term.keyword], value) for value in values)
            yield condition._replace(sql=f"NOT {condition.sql}") if term.excluded else condition


_COLUMNS = {"metric": "tag", "file": "file"}

ROUTES = (action_route(metrics),)
