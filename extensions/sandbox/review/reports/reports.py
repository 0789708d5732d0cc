# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports: numbers of issues along two axes, and numbers of files with changed issues."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..api.call import Call, Record, action_route
from ..api.protocol import not_found
from ..issues.conditions import SEVERITIES
from ..issues.issues import Issues, load_view_query
from ..storage import require_project_id

NO_DRILLDOWN = -1


class Axis(NamedTuple):
    """An axis of a report.

    A position on the axis is a path of names. The report shows the first level or, with drill-down, the level below.

    :ivar columns: columns of the issues that determine the positions
    :ivar paths: function that returns the positions of an issue
    """

    columns: tuple[str, ...]
    paths: Callable[[Issues, sqlite3.Row], list[list[str]]]


class Heading(NamedTuple):
    """The heading of a row or a column."""

    order: int
    name: str
    id: int

    def to_record(self) -> Record:
        """Return the record of the heading."""
        return {"id": self.id, "name": self.name}


def _column_axis(column: str) -> Axis:
    return Axis((column,), lambda _issues, row: [[row[column]]])


AXES = {
    "category": Axis(
        ("taxonomy", "category", "code"),
        lambda _issues, row: [[row["taxonomy"], row["category"] or "Other", row["code"]]],
    ),
    "component": Axis(("file",), lambda _issues, row: [row["file"].split("/")]),
    "error code": _column_axis("code"),
    "module": Axis(("file",), lambda issues, row: [[name] for name in issues.modules.find_names(row["file"])]),
    "owner": _column_axis("owner"),
    "severity": Axis(("severity",), lambda _issues, row: [[SEVERITIES[row["severity"] - 1]]]),
    "state": _column_axis("state"),
    "status": _column_axis("status"),
}
TOTAL = Axis((), lambda _issues, _row: [["Total"]])


def report(call: Call) -> Iterable[Record]:
    """Yield a table with rows along `x` and columns along `y`. A missing axis has one total."""
    parameters = call.parameters
    texts = [parameters.text("filterQuery")]
    if view := parameters.text("view"):
        texts.append(load_view_query(call, view))
    issues = Issues(call, *texts, build=parameters.text("build"))
    warnings: list[str] = []
    x, y = (_find_axis(parameters.text(name), warnings) for name in ("x", "y"))
    below_x, below_y = (parameters.integer(f"{name}Drilldown", default=0) for name in ("x", "y"))
    grouped = parameters.boolean("group_issues") if "group_issues" in parameters else None
    counts: Counter[tuple[Heading, Heading]] = Counter()
    for row in issues.count_by((*x.columns, *y.columns), grouped):
        for row_heading in _find_headings(x, issues, row, below_x):
            for column in _find_headings(y, issues, row, below_y):
                counts[row_heading, column] += row["number"]
    rows = sorted({heading for heading, _column in counts})
    columns = sorted({heading for _row, heading in counts})
    yield {
        "rows": [heading.to_record() for heading in rows],
        "columns": [heading.to_record() for heading in columns],
        "data": [[counts[row_heading, column] for column in columns] for row_heading in rows],
        "warnings": [*warnings, *issues.warnings],
    }


def fchurns(call: Call) -> Iterable[Record]:
    """Yield the numbers of files with new or fixed issues: rows are parts of the component, columns are builds."""
    parameters = call.parameters
    project = require_project_id(call)
    if view := parameters.text("view"):
        _require_view(call, project, view, parameters.text("viewCreator"))
    builds = call.db.execute(
        "SELECT id, name FROM review_builds WHERE project = ? ORDER BY id DESC LIMIT ?",
        (project, parameters.integer("latestBuilds", default=10)),
    ).fetchall()[::-1]
    changed = {
        build["id"]: _count_changed_files(call, project, build["id"], parameters.text("component")) for build in builds
    }
    names = sorted({name for counts in changed.values() for name in counts})
    yield {
        "rows": [{"id": number, "name": name} for number, name in enumerate(names, 1)],
        "columns": [{"id": build["id"], "name": build["name"]} for build in builds],
        "data": [[changed[build["id"]][name] for build in builds] for name in names],
    }


def _find_axis(name: str, warnings: list[str]) -> Axis:
    if name and name.lower() not in AXES:
        warnings.append(f"Unknown axis: {name}")
    return AXES.get(name.lower(), TOTAL)


def _find_headings(axis: Axis, issues: Issues, row: sqlite3.Row, below: int) -> Iterator[Heading]:
    """Yield the headings of an issue. With drill-down, yield none if the issue is not below the selected heading."""
    for path in axis.paths(issues, row):
        level = (
            next((level for level in range(1, len(path)) if _hash_path(path[:level]) == below), None) if below else 0
        )
        if level is not None:
            prefix = path[: level + 1]
            order = SEVERITIES.index(prefix[-1]) if prefix[-1] in SEVERITIES else 0
            yield Heading(order, prefix[-1], NO_DRILLDOWN if prefix == path else _hash_path(prefix))


def _hash_path(path: list[str]) -> int:
    return zlib.crc32("\0".join(path).encode()) % 1_000_000_000 or 1


def _count_changed_files(call: Call, project: str, build: int, component: str) -> Counter[str]:
    """Return the number of files with issues that a build found or fixed, by the next part of their paths."""
    prefix = f"{component.rstrip('/')}/" if component else ""
    rows: Iterable[Any] = call.db.execute(
        "SELECT DISTINCT file FROM review_issues WHERE project = ? AND (found_in = ? OR fixed_in = ?)",
        (project, build, build),
    )
    files = [row["file"].removeprefix(prefix) for row in rows if row["file"].startswith(prefix)]
    return Counter(file.partition("/")[0] for file in files)


def _require_view(call: Call, project: str, name: str, creator: str) -> None:
    rows = call.db.execute(
        "SELECT creator FROM review_views WHERE (project, name) = (?, ?) AND (is_public OR creator = ?)",
        (project, name, call.access.user),
    )
    if not any(creator in ("", row["creator"]) for row in rows):
        raise not_found("View", name)


ROUTES = tuple(map(action_route, (report, fchurns)))
