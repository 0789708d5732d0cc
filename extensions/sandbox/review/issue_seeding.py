# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issues of a seed, written one by one or generated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from .storage import UNOWNED

GROUPS_FROM = 1_000_000_000  # ids of groups look like those of issues, and are none

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
    """Add issues; builds are given by name, the first one of the project when nothing is.

    Those with the same checker, file and method are one group.

    :raises ValueError: when there is no such build
    """
    builds = _builds(db, project)
    _insert(db, (_row(project, builds, issue) for issue in issues))
    _group(db, project)


def generate_issues(db: sqlite3.Connection, project: str, count: int) -> None:
    """Many issues of every kind."""
    builds = list(_builds(db, project).values())
    if not builds:
        raise ValueError("issues are generated in a project without builds")
    first = GROUPS_FROM + db.execute("SELECT coalesce(max(id), 0) + 1 FROM review_issues").fetchone()[0]
    _insert(db, (_generated(project, builds, number, first) for number in range(count)))
    # Or what was known of few issues would make the database sort all of them before the first one is sent
    db.execute("PRAGMA analysis_limit = 1000")
    db.execute("ANALYZE review_issues")


def _builds(db: sqlite3.Connection, project: str) -> dict[str, sqlite3.Row]:
    rows = db.execute("SELECT id, name, date FROM review_builds WHERE project = ? ORDER BY id", (project,))
    return {row["name"]: row for row in rows}


def _row(project: str, builds: dict[str, sqlite3.Row], issue: dict[str, Any]) -> dict[str, Any]:
    for name in ("found_in", "fixed_in"):
        if name in issue and issue[name] not in builds:
            raise ValueError(f"an issue is {name} the build {issue[name]!r}, which is not there")
    if not builds:
        raise ValueError("there are issues in a project without builds")
    found = builds[issue["found_in"]] if "found_in" in issue else next(iter(builds.values()))
    fixed = {"fixed_in": builds[issue["fixed_in"]]["id"]} if "fixed_in" in issue else {}
    return {**_COLUMNS, "date": found["date"], **issue, "project": project, "found_in": found["id"], **fixed}


def _generated(project: str, builds: list[sqlite3.Row], number: int, first: int) -> dict[str, Any]:
    group = number // _IN_ONE_GROUP
    code = _CODES[group % len(_CODES)]
    found = builds[number % len(builds)]
    return {
        **_COLUMNS,
        "group_id": first + group * _IN_ONE_GROUP,
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


def _insert(db: sqlite3.Connection, rows: Iterator[dict[str, Any]]) -> None:
    names = ("project", "code", "file", "found_in", "date", *_COLUMNS)
    sql = f"INSERT INTO review_issues ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"
    db.executemany(sql, rows)


def _group(db: sqlite3.Connection, project: str) -> None:
    """What is alike belongs to the group of the first of it."""
    db.execute(
        """
        UPDATE review_issues SET group_id = ? + (
            SELECT min(id) FROM review_issues AS alike
            WHERE (alike.project, alike.code, alike.file, alike.method)
                = (review_issues.project, review_issues.code, review_issues.file, review_issues.method)
        ) WHERE project = ? AND group_id IS NULL
        """,
        (GROUPS_FROM, project),
    )
