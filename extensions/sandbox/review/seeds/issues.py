# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issues of a seed, listed or generated."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from typing import Any

from ..issues.conditions import SEVERITIES
from ..storage import UNOWNED

FIRST_GROUP_ID = 1_000_000_000  # distinguishes IDs of groups from those of issues
_BEFORE_FIRST_BUILD = 0  # replaces the ID of a build
_MAX_ID = 2**53

_CODES = (
    "ABV.GENERAL",
    "NPD.FUNC.MUST",
    "UNINIT.STACK.MUST",
    "RLK.MAIN",
    "MISRA.DEFINE.NOTGLOBAL",
    "SV.TAINTED.INJECTION",
)
_GROUP_SIZE = 4
_DEFAULTS = {
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


def add_issues(db: sqlite3.Connection, project: str, issues: list[dict[str, Any]]) -> None:
    """Add issues, or replace those with the same IDs.

    The builds of issues are given by name; the default is the first build. Issues with the same checker, file and
    method form a group.

    :raises ValueError: if a build does not exist, or an ID or severity is invalid
    """
    for issue in issues:
        _validate_issue(issue)
    builds = _load_builds(db, project)
    rows = list({issue["id"]: _create_row(project, builds, issue) for issue in _assign_ids(db, issues)}.values())
    _delete_replaced(db, rows)
    _insert_rows(db, iter(rows))
    _insert_history(db, rows)


def generate_issues(db: sqlite3.Connection, project: str, count: int) -> None:
    """Add a number of generated issues.

    :raises ValueError: if the project has no builds
    """
    builds = list(_load_builds(db, project).values())
    if not builds:
        raise ValueError("cannot generate issues in a project without builds")
    first = _next_id(db)
    _insert_rows(db, (_generate_row(project, builds, number, first) for number in range(count)))
    # With outdated statistics, SQLite would sort all issues before it returns the first one.
    db.execute("PRAGMA analysis_limit = 1000")
    db.execute("ANALYZE review_issues")


def _assign_ids(db: sqlite3.Connection, issues: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the issues, each with an ID."""
    ids = [issue["id"] for issue in issues if issue.get("id")]
    if len(ids) == len(issues):
        return issues
    free = itertools.count(max([_next_id(db), *(number + 1 for number in ids)]))
    return [issue if issue.get("id") else {**issue, "id": next(free)} for issue in issues]


def _validate_issue(issue: dict[str, Any]) -> None:
    """Check the fields that would break searches.

    :raises ValueError: if a value is invalid
    """
    for name, limit in (("id", _MAX_ID), ("severity", len(SEVERITIES))):
        value = issue.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= limit):
            raise ValueError(f"{name} of an issue must be a number from 1 to {limit}, not {value!r}")


def _next_id(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) + 1 FROM review_issues").fetchone()[0])


def _load_builds(db: sqlite3.Connection, project: str) -> dict[str, sqlite3.Row]:
    rows = db.execute("SELECT id, name, date FROM review_builds WHERE project = ? ORDER BY id", (project,))
    return {row["name"]: row for row in rows}


def _create_row(project: str, builds: dict[str, sqlite3.Row], issue: dict[str, Any]) -> dict[str, Any]:
    if not builds:
        raise ValueError("cannot add issues to a project without builds")
    first = next(iter(builds))
    ids: dict[str, Any] = {
        name: _find_build_id(builds, name, issue[name]) for name in ("found_in", "fixed_in") if name in issue
    }
    date = builds[issue.get("found_in") or first]["date"]
    values = {name: value for name, value in issue.items() if value is not None}
    return {**_DEFAULTS, "found_in": builds[first]["id"], "date": date, **values, "project": project, **ids}


def _find_build_id(builds: dict[str, sqlite3.Row], field: str, build: str | None) -> int:
    if build is None:
        return _BEFORE_FIRST_BUILD
    if build not in builds:
        raise ValueError(f"{field} of an issue names the build {build!r}, which does not exist")
    return int(builds[build]["id"])


def _generate_row(project: str, builds: list[sqlite3.Row], number: int, first: int) -> dict[str, Any]:
    group = number // _GROUP_SIZE
    code = _CODES[group % len(_CODES)]
    detected_in = builds[number % len(builds)]
    return {
        **_DEFAULTS,
        "id": first + number,
        "group_id": FIRST_GROUP_ID + first + group * _GROUP_SIZE,
        "project": project,
        "code": code,
        "title": f"Finding of {code}",
        "message": f"Generated issue {number}",
        "file": f"src/part{group % 97}/file{group}.c",
        "method": f"function_{group}",
        "line": number % 5000 + 1,
        "severity": number % 10 + 1,
        "status": "Fix" if number % 7 == 0 else "Analyze",
        "found_in": detected_in["id"],
        "date": detected_in["date"],
    }


def _delete_replaced(db: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    """Delete the issues that are replaced. Groups with the ID of a deleted issue get that of another member."""
    db.executemany("DELETE FROM review_issues WHERE (project, id) = (:project, :id)", rows)
    db.executemany(
        f"""
        UPDATE review_issues SET group_id = {FIRST_GROUP_ID} + (
            SELECT min(id) FROM review_issues WHERE (project, group_id) = (:project, {FIRST_GROUP_ID} + :id)
        ) WHERE (project, group_id) = (:project, {FIRST_GROUP_ID} + :id)
        """,
        rows,
    )


def _insert_rows(db: sqlite3.Connection, rows: Iterator[dict[str, Any]]) -> None:
    """Insert issues. Without a group, an issue joins that of similar issues or starts a new one."""
    names = ("id", "project", "code", "file", "found_in", "date", *_DEFAULTS)
    is_similar = "(project, code, file, method) = (:project, :code, :file, :method)"
    group = f"(SELECT group_id FROM review_issues WHERE {is_similar} LIMIT 1)"
    values = {name: f":{name}" for name in names}
    values["group_id"] = f"coalesce(:group_id, {group}, {FIRST_GROUP_ID} + :id)"
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
