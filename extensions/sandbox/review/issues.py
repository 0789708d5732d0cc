# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issues: found by a query, told with their history, and cited."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator

from .build_terms import chosen
from .call import Call, Record, action, major_version
from .catalogue import STATUSES
from .conditions import SEVERITIES, Condition, Reader
from .module_paths import ModulePaths
from .protocol import ActionError, missing_parameter, not_found
from .query import Term, Value, terms_of
from .storage import UNOWNED, change, insert, project_by

_BY_DEFAULT = Condition("state IN ('New', 'Existing')")
# What came and what went between two builds
_OF_DIFF = Condition("state IN ('New', 'Fixed')")


class Issues:
    """The issues of a project, as far as the caller sees them.

    :arg texts: queries that must all be met
    :arg build: the name of the build that they are about, besides what the queries say
    """

    def __init__(self, call: Call, *texts: str, build: str = "") -> None:
        self._call = call
        project = project_by(call, "name", call.parameters.text("project"))
        self.project: str = project["id"]
        self._name: str = project["name"]
        self._texts = texts
        parts = [list(terms_of(text)) for text in texts]
        terms = list(itertools.chain(*parts))
        if build:
            terms.append(Term("build", (Value(build, exact=True),), excluded=False))
        self.modules = modules = ModulePaths(call, self.project)
        reader = Reader(call.runtime.get_switch("review", "more_keywords"), modules.named)
        self._builds = chosen(self._listed_builds(), terms, major_version(call.runtime))
        self._grouped = _grouping(terms, call.runtime.get_switch("review", "grouping_by_default"), reader.warnings)
        conditions = [condition for part in parts for condition in reader.conditions(part)]
        if texts and not any(term.keyword == "state" for term in terms):
            diff = any(term.keyword == "diff" for term in terms)
            conditions.append(_OF_DIFF if diff else _BY_DEFAULT)
        self._conditions = [*conditions, *filter(None, [modules.visible()])]
        self.warnings = reader.warnings

    def found(self, limit: int | None) -> Iterator[Record]:
        """A record each, by id."""
        columns = "*, group_concat(id) AS members, min(id) AS first" if self._grouped else "*"
        order = "GROUP BY group_id ORDER BY group_id" if self._grouped else "ORDER BY id"
        sql, arguments = self._select(columns, f"{order} LIMIT ?")
        for row in self._call.db.execute(sql, (*arguments, -1 if limit is None else limit)):
            yield self._record(row)

    def total(self) -> int:
        """How many there are."""
        sql, arguments = self._select("count(DISTINCT group_id)" if self._grouped else "count(*)")
        return int(self._call.db.execute(sql, arguments).fetchone()[0])

    def counted(self, columns: Iterable[str], grouped: bool | None) -> Iterator[sqlite3.Row]:
        """How many there are, as `number`, for each combination of values in these columns.

        :arg grouped: whether those that are alike count as one; None for what a search would do
        """
        number = "count(DISTINCT group_id)" if (self._grouped if grouped is None else grouped) else "count(*)"
        told = ", ".join(dict.fromkeys(columns))
        sql, arguments = self._select(
            ", ".join(filter(None, (told, f"{number} AS number"))), f"GROUP BY {told}" if told else ""
        )
        yield from self._call.db.execute(sql, arguments)

    def one(self, number: str) -> sqlite3.Row:
        """The issue with this id, whatever its state; 404 when the caller sees none."""
        sql, arguments = self._select("*", "AND id = ?")
        row: sqlite3.Row | None = None
        if number.isdecimal() and len(number) < 19:
            row = self._call.db.execute(sql, (*arguments, int(number))).fetchone()
        if row is None:
            raise not_found("Issue", number)
        return row

    def _select(self, columns: str, end: str = "") -> tuple[str, list[object]]:
        where = " AND ".join(["state IS NOT NULL", *(condition.sql for condition in self._conditions)])
        sql = f"""
            SELECT {columns} FROM (SELECT *, {self._builds.state()} AS state FROM review_issues WHERE project = ?)
            WHERE {where} {end}
        """
        return sql, [self.project, *(argument for condition in self._conditions for argument in condition.arguments)]

    def _listed_builds(self) -> list[sqlite3.Row]:
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
            **_support(self._call),
            "state": row["state"],
            "code": row["code"],
            "title": row["title"],
            "message": row["message"],
            "file": row["file"],
            "method": row["method"],
            "owner": row["owner"],
            "taxonomyName": row["taxonomy"],
            **_told(row, "reference"),
            "dateOriginated": row["date"],
            **place,
            "url": f"{self._call.url}/review/insight-review.html#issuedetails_goto:"
            f"problemid={number},project={self._name},searchquery={query}",
            "issueIds": sorted(map(int, row["members"].split(","))) if self._grouped else [],
            **({} if self._grouped else {"trace": []}),
            **_told(row, "comment"),
        }


def search(call: Call) -> Iterable[Record]:
    """An issue a line, and a summary after them where it is asked for."""
    parameters = call.parameters
    texts = [parameters.text("query")]
    if view := parameters.text("view"):
        texts.append(query_of_view(call, view))
    issues = Issues(call, *texts)
    limit = parameters.integer("limit", 0) if parameters.text("limit") else None
    yield from issues.found(limit)
    if parameters.text("summary").lower() not in ("", "false"):
        asked = {name: parameters.text(name) for name in ("query", "project", "view") if name in parameters}
        limited = {} if limit is None else {"limit": limit}
        yield {"summary": {**asked, **limited, "total": issues.total(), "warnings": issues.warnings}}


def issue_details(call: Call) -> Iterable[Record]:
    """Every value is a text, except in the history, which an issue has that was cited."""
    row = Issues(call, *_ANYWHERE).one(call.parameters.text("id"))
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
        **{name: value for name, value in _support(call).items() if name == "supportLevel"},
        "owner": row["owner"],
        "state": row["state"],
        "status": row["status"],
        **({"history": history} if history else {}),
        **({"xsync": ""} if call.parameters.boolean("include_xsync") else {}),
    }


def update_status(call: Call) -> None:
    """Cite issues: all of them, or none. Each call adds to their histories."""
    issues, fields = Issues(call, *_ANYWHERE), _fields(call)
    call.access.require("change_issue_status", issues.project)
    for number in call.parameters.names("ids"):
        row = issues.one(number)
        status = fields.get("status", row["status"])
        if status != row["status"] and not call.access.may_cite(issues.project, row["status"], status):
            raise ActionError(403, f"Status transition is not permitted: {row['status']} to {status}")
        change(call.db, "review_issues", "key", row["key"], **fields)
        insert(
            call.db,
            "review_history",
            issue=row["key"],
            date=int(call.runtime.clock.now() * 1000),
            userid=call.access.user,
            status=status,
            comment=fields.get("comment", ""),
        )


_ANYWHERE = ("grouping:off build:any state:New,Existing,Fixed",)
_CITED = {"status": "status", "owner": "owner", "comment": "comment", "bug_tracker_id": "bug_id"}


def _fields(call: Call) -> dict[str, str]:
    """The columns that a citation changes."""
    fields = {column: call.parameters.text(name) for name, column in _CITED.items() if name in call.parameters}
    if not fields:
        raise missing_parameter("status")
    if "bug_id" in fields and len(fields) > 1:
        raise ActionError(400, "The parameter bug_tracker_id is given alone")
    if "status" in fields:
        known = {status.lower(): status for status in STATUSES}
        if fields["status"].lower() not in known:
            raise ActionError(400, f"Invalid value for parameter status: {fields['status']}")
        fields["status"] = known[fields["status"].lower()]
    if "owner" in fields:
        fields["owner"] = fields["owner"] or UNOWNED
        _require_owner(call, fields["owner"])
    return fields


def _require_owner(call: Call, owner: str) -> None:
    known = call.db.execute("SELECT 1 FROM review_users WHERE name = ?", (owner,)).fetchone()
    if owner != UNOWNED and not known and call.runtime.get_switch("review", "access_control"):
        raise not_found("User", owner)


def query_of_view(call: Call, name: str) -> str:
    """The query of the caller's own view, or else of a public one; 404 when there is none."""
    project = project_by(call, "name", call.parameters.text("project"))["id"]
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


def _grouping(terms: Iterable[Term], default: bool, warnings: list[str]) -> bool:
    grouped = default
    for value in (term.values[0].text.lower() if term.values else "" for term in terms if term.keyword == "grouping"):
        if value in ("on", "off"):
            return value == "on"
        warnings.append(f"Invalid value for keyword grouping: {value}")
    return grouped


def _support(call: Call) -> Record:
    """Newer servers tell who stands in for a checker."""
    supported = {"supportLevel": "Klocwork Supported", "supportLevelCode": 2}
    return supported if major_version(call.runtime) >= 23 else {}


def _told(row: sqlite3.Row, name: str) -> Record:
    return {name: row[name]} if row[name] else {}


ROUTES = tuple(map(action, (search, issue_details, update_status)))
