# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports: issues counted along two axes, and the files that builds changed."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .call import Call, Record, action
from .conditions import SEVERITIES
from .issues import Issues, query_of_view
from .protocol import not_found
from .storage import project_by

NOTHING_BELOW = -1


class Axis(NamedTuple):
    """What issues are counted along.

    A place on it is a path of names: those of the first level are shown, or with drill-down those below one of them.
    """

    columns: tuple[str, ...]
    paths: Callable[[Issues, sqlite3.Row], list[list[str]]]


class Place(NamedTuple):
    """A row or a column of a report."""

    order: int
    name: str
    id: int

    def record(self) -> Record:
        return {"id": self.id, "name": self.name}


def _of_column(column: str) -> Axis:
    return Axis((column,), lambda _issues, row: [[row[column]]])


AXES = {
    "category": Axis(
        ("taxonomy", "category", "code"),
        lambda _issues, row: [[row["taxonomy"], row["category"] or "Other", row["code"]]],
    ),
    "component": Axis(("file",), lambda _issues, row: [row["file"].split("/")]),
    "error code": _of_column("code"),
    "module": Axis(("file",), lambda issues, row: [[name] for name in issues.modules.names(row["file"])]),
    "owner": _of_column("owner"),
    "severity": Axis(("severity",), lambda _issues, row: [[SEVERITIES[row["severity"] - 1]]]),
    "state": _of_column("state"),
    "status": _of_column("status"),
}
TOTAL = Axis((), lambda _issues, _row: [["Total"]])


def report(call: Call) -> Iterable[Record]:
    """A table: rows along `x`, columns along `y`; without them a single number."""
    parameters = call.parameters
    texts = [parameters.text("filterQuery")]
    if view := parameters.text("view"):
        texts.append(query_of_view(call, view))
    issues = Issues(call, *texts, build=parameters.text("build"))
    warnings: list[str] = []
    x, y = (_axis(parameters.text(name), warnings) for name in ("x", "y"))
    below_x, below_y = (parameters.integer(f"{name}Drilldown", default=0) for name in ("x", "y"))
    grouped = parameters.boolean("group_issues") if "group_issues" in parameters else None
    counts: Counter[tuple[Place, Place]] = Counter()
    for row in issues.counted((*x.columns, *y.columns), grouped):
        for across in _places(x, issues, row, below_x):
            for down in _places(y, issues, row, below_y):
                counts[across, down] += row["number"]
    rows = sorted({place for place, _down in counts})
    columns = sorted({place for _across, place in counts})
    yield {
        "rows": [place.record() for place in rows],
        "columns": [place.record() for place in columns],
        "data": [[counts[across, down] for down in columns] for across in rows],
        "warnings": [*warnings, *issues.warnings],
    }


def fchurns(call: Call) -> Iterable[Record]:
    """How many files had issues that came or went: rows are what is in the component, columns the latest builds."""
    parameters = call.parameters
    project = project_by(call, "name", parameters.text("project"))["id"]
    if view := parameters.text("view"):
        _require_view(call, project, view, parameters.text("viewCreator"))
    builds = call.db.execute(
        "SELECT id, name FROM review_builds WHERE project = ? ORDER BY id DESC LIMIT ?",
        (project, parameters.integer("latestBuilds", default=10)),
    ).fetchall()[::-1]
    changed = {build["id"]: _changed(call, project, build["id"], parameters.text("component")) for build in builds}
    names = sorted({name for counts in changed.values() for name in counts})
    yield {
        "rows": [{"id": number, "name": name} for number, name in enumerate(names, 1)],
        "columns": [{"id": build["id"], "name": build["name"]} for build in builds],
        "data": [[changed[build["id"]][name] for build in builds] for name in names],
    }


def _axis(name: str, warnings: list[str]) -> Axis:
    if name and name.lower() not in AXES:
        warnings.append(f"Unknown axis: {name}")
    return AXES.get(name.lower(), TOTAL)


def _places(axis: Axis, issues: Issues, row: sqlite3.Row, below: int) -> Iterator[Place]:
    """Where an issue is on an axis; nowhere when it is not below what is drilled into."""
    for path in axis.paths(issues, row):
        level = next((level for level in range(1, len(path)) if _id_of(path[:level]) == below), None) if below else 0
        if level is not None:
            shown = path[: level + 1]
            order = SEVERITIES.index(shown[-1]) if shown[-1] in SEVERITIES else 0
            yield Place(order, shown[-1], NOTHING_BELOW if shown == path else _id_of(shown))


def _id_of(path: list[str]) -> int:
    return zlib.crc32("\0".join(path).encode()) % 1_000_000_000 or 1


def _changed(call: Call, project: str, build: int, component: str) -> Counter[str]:
    """The number of files with issues that came or went in the build, by the next part of their paths."""
    begin = f"{component.rstrip('/')}/" if component else ""
    rows: Iterable[Any] = call.db.execute(
        "SELECT DISTINCT file FROM review_issues WHERE project = ? AND (found_in = ? OR fixed_in = ?)",
        (project, build, build),
    )
    files = [row["file"].removeprefix(begin) for row in rows if row["file"].startswith(begin)]
    return Counter(file.partition("/")[0] for file in files)


def _require_view(call: Call, project: str, name: str, creator: str) -> None:
    rows = call.db.execute(
        "SELECT creator FROM review_views WHERE (project, name) = (?, ?) AND (is_public OR creator = ?)",
        (project, name, call.access.user),
    )
    if not any(creator in ("", row["creator"]) for row in rows):
        raise not_found("View", name)


ROUTES = tuple(map(action, (report, fchurns)))
