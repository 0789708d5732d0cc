# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issues of a seed, written one by one or generated."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from typing import Any

from .conditions import SEVERITIES
from .storage import UNOWNED

GROUPS_FROM = 1_000_000_000  # ids of groups look like those of issues, and are none
_BEFORE_ALL = 0  # in place of the id of a build
_MOST_IDS = 2**53

_CODES = (
    "ABV.GENERAL",
    "NPD.FUNC.MUST",
    "UNINIT.STACK.MUST",
    "RLK.MAIN",
    "MISRA.DEFINE.NOTGLOBAL",
    "SV.TAINTED.INJECTION",
)
_IN_ONE_GROUP = 4
_COLUMNS = {
    "group_id": None,
    "title": "",
    "message": "",
    "method": "",
    "line": None,
    "severity": 4,
    "status": "Analyze",
    "owner": UNOWNED,
    "category": "",
    "taxonomy": "C and C++",
    "reference": "",
    "comment": "",
    "bug_id": "",
    "fixed_in": None,
}


def plant_issues(db: sqlite3.Connection, project: str, issues: list[dict[str, Any]]) -> None:
    """Add issues, or describe those with the same ids anew.

    Builds are given by name, the first one of the project when nothing is. Issues with the same checker, file and
    method are one group, whenever they come.

    :raises ValueError: when there is no such build, id or severity
    """
    for issue in issues:
        _check(issue)
    builds = _builds(db, project)
    rows = list({issue["id"]: _row(project, builds, issue) for issue in _numbered(db, issues)}.values())
    _make_room(db, rows)
    _insert(db, iter(rows))
    _insert_history(db, rows)


def generate_issues(db: sqlite3.Connection, project: str, count: int) -> None:
    """Many issues of every kind."""
    builds = list(_builds(db, project).values())
    if not builds:
        raise ValueError("issues are generated in a project without builds")
    first = _next_id(db)
    _insert(db, (_generated(project, builds, number, first) for number in range(count)))
    # Or what was known of few issues would make the database sort all of them before the first one is sent
    db.execute("PRAGMA analysis_limit = 1000")
    db.execute("ANALYZE review_issues")


def _numbered(db: sqlite3.Connection, issues: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with an id."""
    given = [issue["id"] for issue in issues if issue.get("id")]
    if len(given) == len(issues):
        return issues
    free = itertools.count(max([_next_id(db), *(number + 1 for number in given)]))
    return [issue if issue.get("id") else {**issue, "id": next(free)} for issue in issues]


def _check(issue: dict[str, Any]) -> None:
    """Only what a search could not tell."""
    for name, most in (("id", _MOST_IDS), ("severity", len(SEVERITIES))):
        value = issue.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most):
            raise ValueError(f"an issue has the {name} {value!r}, where a number from 1 to {most} belongs")


def _next_id(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) + 1 FROM review_issues").fetchone()[0])


def _builds(db: sqlite3.Connection, project: str) -> dict[str, sqlite3.Row]:
    rows = db.execute("SELECT id, name, date FROM review_builds WHERE project = ? ORDER BY id", (project,))
    return {row["name"]: row for row in rows}


def _row(project: str, builds: dict[str, sqlite3.Row], issue: dict[str, Any]) -> dict[str, Any]:
    if not builds:
        raise ValueError("there are issues in a project without builds")
    first = next(iter(builds))
    ids: dict[str, Any] = {
        name: _id_of(builds, name, issue[name]) for name in ("found_in", "fixed_in") if name in issue
    }
    date = builds[issue.get("found_in") or first]["date"]
    told = {name: value for name, value in issue.items() if value is not None}
    return {**_COLUMNS, "found_in": builds[first]["id"], "date": date, **told, "project": project, **ids}


def _id_of(builds: dict[str, sqlite3.Row], what: str, build: str | None) -> int:
    if build is None:
        return _BEFORE_ALL
    if build not in builds:
        raise ValueError(f"an issue is {what} the build {build!r}, which is not there")
    return int(builds[build]["id"])


def _generated(project: str, builds: list[sqlite3.Row], number: int, first: int) -> dict[str, Any]:
    group = number // _IN_ONE_GROUP
    code = _CODES[group % len(_CODES)]
    found = builds[number % len(builds)]
    return {
        **_COLUMNS,
        "id": first + number,
        "group_id": GROUPS_FROM + first + group * _IN_ONE_GROUP,
        "project": project,
        "code": code,
        "title": f"Finding of {code}",
        "message": f"Generated issue {number}",
        "file": f"src/part{group % 97}/file{group}.c",
        "method": f"function_{group}",
        "line": number % 5000 + 1,
        "severity": number % 10 + 1,
        "status": "Fix" if number % 7 == 0 else "Analyze",
        "found_in": found["id"],
        "date": found["date"],
    }


def _make_room(db: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    """Take away what is described anew; what is left of a group that was named after it is named after another."""
    db.executemany("DELETE FROM review_issues WHERE (project, id) = (:project, :id)", rows)
    db.executemany(
        f"""
        UPDATE review_issues SET group_id = {GROUPS_FROM} + (
            SELECT min(id) FROM review_issues WHERE (project, group_id) = (:project, {GROUPS_FROM} + :id)
        ) WHERE (project, group_id) = (:project, {GROUPS_FROM} + :id)
        """,
        rows,
    )


def _insert(db: sqlite3.Connection, rows: Iterator[dict[str, Any]]) -> None:
    """Add issues; one without a group belongs to that of those that are alike, or begins one."""
    names = ("id", "project", "code", "file", "found_in", "date", *_COLUMNS)
    alike = "(project, code, file, method) = (:project, :code, :file, :method)"
    group = f"(SELECT group_id FROM review_issues WHERE {alike} LIMIT 1)"
    values = {name: f":{name}" for name in names}
    values["group_id"] = f"coalesce(:group_id, {group}, {GROUPS_FROM} + :id)"
    db.executemany(f"INSERT INTO review_issues ({', '.join(values)}) VALUES ({', '.join(values.values())})", rows)


def _insert_history(db: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    sql = """
        INSERT INTO review_history (issue, date, userid, status, comment)
        SELECT key, :date, :account, :status, :comment FROM review_issues WHERE (project, id) = (:project, :id)
    """
    db.executemany(
        sql,
        (
            {"project": row["project"], "id": row["id"], "comment": "", **entry}
            for row in rows
            for entry in row.get("history", ())
        ),
    )
