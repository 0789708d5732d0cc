# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issues: search, details with history, and status changes."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator

from ..api.actions import STATUSES
from ..api.call import Call, Record, action_route, major_version
from ..api.protocol import ActionError, missing_parameter, not_found
from ..projects.module_paths import ModulePaths
from ..storage import UNOWNED, insert, require_project, require_project_id, update
from .build_range import select_builds
from .conditions import SEVERITIES, Condition, ConditionBuilder
from .query import Term, Value, parse_query

_DEFAULT_STATES = Condition("state IN ('New', 'Existing')")
_DIFF_STATES = Condition("state IN ('New', 'Fixed')")


class Issues:
    """The issues of a project that match queries and that the caller may see.

    :ivar project: ID of the project
    :ivar warnings: terms of the queries that are unknown or invalid
    """

    def __init__(self, call: Call, *texts: str, build: str = "") -> None:
        """Parse queries.

        :arg texts: queries that issues must match
        :arg build: name of the build to select, in addition to the queries
        """
        self._call = call
        project = require_project(call, "name", call.parameters.text("project"))
        self.project: str = project["id"]
        self._name: str = project["name"]
        self._texts = texts
        parts = [list(parse_query(text)) for text in texts]
        terms = list(itertools.chain(*parts))
        if build:
            terms.append(Term("build", (Value(build, exact=True),), excluded=False))
        self.modules = modules = ModulePaths(call, self.project)
        builder = ConditionBuilder(call.runtime.get_switch("review", "extended_keywords"), modules.name_condition)
        self._builds = select_builds(self._list_builds(), terms, major_version(call.runtime))
        self._grouped = _parse_grouping(
            terms, call.runtime.get_switch("review", "grouping_by_default"), builder.warnings
        )
        conditions = [condition for part in parts for condition in builder.build(part)]
        if texts and not any(term.keyword == "state" for term in terms):
            diff = any(term.keyword == "diff" for term in terms)
            conditions.append(_DIFF_STATES if diff else _DEFAULT_STATES)
        self._conditions = [*conditions, *filter(None, [modules.visibility_condition()])]
        self.warnings = builder.warnings

    def fetch_records(self, limit: int | None) -> Iterator[Record]:
        """Yield the records of the issues, ordered by ID."""
        columns = "*, group_concat(id) AS members, min(id) AS first" if self._grouped else "*"
        order = "GROUP BY group_id ORDER BY group_id" if self._grouped else "ORDER BY id"
        sql, arguments = self._select(columns, f"{order} LIMIT ?")
        for row in self._call.db.execute(sql, (*arguments, -1 if limit is None else limit)):
            yield self._record(row)

    def count(self) -> int:
        """Return the number of issues or, if they are grouped, of groups."""
        sql, arguments = self._select("count(DISTINCT group_id)" if self._grouped else "count(*)")
        return int(self._call.db.execute(sql, arguments).fetchone()[0])

    def count_by(self, columns: Iterable[str], grouped: bool | None) -> Iterator[sqlite3.Row]:
        """Yield the number of issues, as `number`, for each combination of values of the columns.

        :arg grouped: whether to count groups instead of issues; null for the setting of the queries
        """
        number = "count(DISTINCT group_id)" if (self._grouped if grouped is None else grouped) else "count(*)"
        names = ", ".join(dict.fromkeys(columns))
        sql, arguments = self._select(
            ", ".join(filter(None, (names, f"{number} AS number"))), f"GROUP BY {names}" if names else ""
        )
        yield from self._call.db.execute(sql, arguments)

    def require_issue(self, number: str) -> sqlite3.Row:
        """Return the issue with an ID.

        :raises ActionError: with status 404 if no such issue matches the queries
        """
        sql, arguments = self._select("*", "AND id = ?")
        row: sqlite3.Row | None = None
        if number.isdecimal() and len(number) < 19:
            row = self._call.db.execute(sql, (*arguments, int(number))).fetchone()
        if row is None:
            raise not_found("Issue", number)
        return row

    def _select(self, columns: str, end: str = "") -> tuple[str, list[object]]:
        state = self._builds.state_expression()
        where = " AND ".join(["state IS NOT NULL", *(condition.sql for condition in self._conditions)])
        sql = f"""
            SELECT {columns} FROM (SELECT *, {state} AS state FROM review_issues WHERE project = ?)
            WHERE {where} {end}
        """
        return sql, [self.project, *(argument for condition in self._conditions for argument in condition.arguments)]

    def _list_builds(self) -> list[sqlite3.Row]:
        sql = "SELECT id, name FROM review_builds WHERE project = ? ORDER BY id DESC"
        return self._call.db.execute(sql, (self.project,)).fetchall()

    def _record(self, row: sqlite3.Row) -> Record:
        number = row["group_id"] if self._grouped else row["id"]
        query = " ".join(filter(None, self._texts))
        place: Record = {} if self._grouped or row["line"] is None else {"line": row["line"]}
        return {
            "id": number,
            "status": row["status"],
            "severity": SEVERITIES[row["severity"] - 1],
            "severityCode": row["severity"],
            **_support_fields(self._call),
            "state": row["state"],
            "code": row["code"],
            "title": row["title"],
            "message": row["message"],
            "file": row["file"],
            "method": row["method"],
            "owner": row["owner"],
            "taxonomyName": row["taxonomy"],
            **_optional_field(row, "reference"),
            "dateOriginated": row["date"],
            **place,
            "url": f"{self._call.url}/review/insight-review.html#issuedetails_goto:"
            f"problemid={number},project={self._name},searchquery={query}",
            "issueIds": sorted(map(int, row["members"].split(","))) if self._grouped else [],
            **({} if self._grouped else {"trace": []}),
            **_optional_field(row, "comment"),
        }


def search(call: Call) -> Iterable[Record]:
    """Yield the issues that match a query and, if requested, a summary."""
    parameters = call.parameters
    texts = [parameters.text("query")]
    if view := parameters.text("view"):
        texts.append(load_view_query(call, view))
    issues = Issues(call, *texts)
    limit = parameters.integer("limit", 0) if parameters.text("limit") else None
    yield from issues.fetch_records(limit)
    if parameters.text("summary").lower() not in ("", "false"):
        request = {name: parameters.text(name) for name in ("query", "project", "view") if name in parameters}
        limited = {} if limit is None else {"limit": limit}
        yield {"summary": {**request, **limited, "total": issues.count(), "warnings": issues.warnings}}


def issue_details(call: Call) -> Iterable[Record]:
    """Yield the details of an issue. All values are strings, except those of the history."""
    row = Issues(call, *_ANY_ISSUE).require_issue(call.parameters.text("id"))
    build = call.db.execute("SELECT name FROM review_builds WHERE project = ? ORDER BY id DESC", (row["project"],))
    history = [
        {name: entry[name] for name in ("date", "userid", "status", "comment")}
        for entry in call.db.execute("SELECT * FROM review_history WHERE issue = ? ORDER BY id", (row["key"],))
    ]
    label = SEVERITIES[row["severity"] - 1]
    yield {
        "id": str(row["id"]),
        "code": row["code"],
        "name": row["title"],
        "location": row["file"],
        "build": build.fetchone()["name"],
        "severity": f"{label} ({row['severity']})",
        **{name: value for name, value in _support_fields(call).items() if name == "supportLevel"},
        "owner": row["owner"],
        "state": row["state"],
        "status": row["status"],
        **({"history": history} if history else {}),
        **({"xsync": ""} if call.parameters.boolean("include_xsync") else {}),
    }


def update_status(call: Call) -> None:
    """Change status, owner, comment or bug ID of issues, and add entries to their histories.

    If one issue cannot be changed, none is changed.
    """
    issues, fields = Issues(call, *_ANY_ISSUE), _parse_changes(call)
    call.access.require("change_issue_status", issues.project)
    for number in call.parameters.names("ids"):
        row = issues.require_issue(number)
        status = fields.get("status", row["status"])
        if status != row["status"] and not call.access.may_change_status(issues.project, row["status"], status):
            raise ActionError(403, f"Status transition is not permitted: {row['status']} to {status}")
        update(call.db, "review_issues", "key", row["key"], **fields)
        insert(
            call.db,
            "review_history",
            issue=row["key"],
            date=int(call.runtime.clock.now() * 1000),
            userid=call.access.user,
            status=status,
            comment=fields.get("comment", ""),
        )


_ANY_ISSUE = ("grouping:off build:any state:New,Existing,Fixed",)
_STATUS_COLUMNS = {"status": "status", "owner": "owner", "comment": "comment", "bug_tracker_id": "bug_id"}


def _parse_changes(call: Call) -> dict[str, str]:
    """Return the new values of columns.

    :raises ActionError: if parameters are missing or invalid
    """
    fields = {column: call.parameters.text(name) for name, column in _STATUS_COLUMNS.items() if name in call.parameters}
    if not fields:
        raise missing_parameter("status")
    if "bug_id" in fields and len(fields) > 1:
        raise ActionError(400, "The parameter bug_tracker_id cannot be combined with other changes")
    if "status" in fields:
        statuses = {status.lower(): status for status in STATUSES}
        if fields["status"].lower() not in statuses:
            raise ActionError(400, f"Invalid value for parameter status: {fields['status']}")
        fields["status"] = statuses[fields["status"].lower()]
    if "owner" in fields:
        fields["owner"] = fields["owner"] or UNOWNED
        _require_owner(call, fields["owner"])
    return fields


def _require_owner(call: Call, owner: str) -> None:
    user = call.db.execute("SELECT 1 FROM review_users WHERE name = ?", (owner,)).fetchone()
    if owner != UNOWNED and not user and call.runtime.get_switch("review", "access_control"):
        raise not_found("User", owner)


def load_view_query(call: Call, name: str) -> str:
    """Return the query of a view of the caller or, if the caller has none, of a public view.

    :raises ActionError: with status 404 if no such view exists
    """
    project = require_project_id(call)
    row = call.db.execute(
        """
        SELECT query FROM review_views WHERE (project, name) = (?, ?) AND (is_public OR creator = ?)
        ORDER BY creator = ? DESC, id
        """,
        (project, name, call.access.user, call.access.user),
    ).fetchone()
    if row is None:
        raise not_found("View", name)
    return str(row["query"])


def _parse_grouping(terms: Iterable[Term], default: bool, warnings: list[str]) -> bool:
    grouped = default
    for value in (term.values[0].text.lower() if term.values else "" for term in terms if term.keyword == "grouping"):
        if value in ("on", "off"):
            return value == "on"
        warnings.append(f"Invalid value for keyword grouping: {value}")
    return grouped


def _support_fields(call: Call) -> Record:
    """Return the fields of the support level, which newer servers have."""
    supported = {"supportLevel": "Klocwork Supported", "supportLevelCode": 2}
    return supported if major_version(call.runtime) >= 23 else {}


def _optional_field(row: sqlite3.Row, name: str) -> Record:
    return {name: row[name]} if row[name] else {}


ROUTES = tuple(map(action_route, (search, issue_details, update_status)))
