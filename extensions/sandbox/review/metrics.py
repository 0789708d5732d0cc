# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of the entities of a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .call import Call, Record, action
from .conditions import Condition, either, text_condition
from .issues import query_of_view
from .query import terms_of
from .storage import project_by


def metrics(call: Call) -> Iterable[Record]:
    """A measured value a line, or with `aggregate` what they come to for each metric."""
    parameters = call.parameters
    conditions = [
        Condition("project = ?", [project_by(call, "name", parameters.text("project"))["id"]]),
        *_conditions(parameters.text("query")),
    ]
    if view := parameters.text("view"):
        conditions += _conditions(query_of_view(call, view))
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


def _conditions(text: str) -> Iterator[Condition]:
    """What a query says of metrics and files; the rest of it is about issues."""
    for term in terms_of(text):
        values = [value._replace(exact=True) if term.keyword == "metric" else value for value in term.values]
        if term.keyword in _COLUMNS and values:
            found = either(text_condition(_COLUMNS[term.keyword], value) for value in values)
            yield found._replace(sql=f"NOT {found.sql}") if term.excluded else found


_COLUMNS = {"metric": "tag", "file": "file"}

ROUTES = (action(metrics),)
