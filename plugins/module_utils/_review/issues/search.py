# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Search of issues, and their details."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import normalize_status
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

_PROGRESS_INTERVAL = 100  # requests


def search_issues(
    review: ReviewService,
    project: str,
    query: str,
    warn: t.Callable[[str], None],
    view: str | None = None,
    limit: int | None = None,
) -> t.Iterator[Fields]:
    """Yield the issues that match a query, as the server sends them.

    :arg warn: called after the last issue with each warning of the server, such as an unknown keyword
    :raises ToolchainError: after the last issue, if the response is incomplete
    """
    count = 0
    summary: Record | None = None
    fields = {"project": project, "query": query, "view": view, "limit": limit, "summary": True}
    for record in review.records("search", **fields):
        summary = record.maybe_record("summary")
        if summary is None:
            count += 1
            yield _parse_issue(record)
            continue
        for warning in summary.maybe_texts("warnings"):
            warn(f"Warning of the server about the query '{query}': {warning}")
        total = summary.maybe_integer("total")
        if limit is None and total is not None and total > count:
            raise ToolchainError(
                f"The result of the search is incomplete: the server found {total:,} issues, but sent {count:,}. "
                "Narrow the query."
            )
    if summary is None:
        raise ToolchainError(
            f"The response to the search is incomplete: it ends after {count:,} issues without a summary. Run the task "
            "again."
        )


def read_details(review: ReviewService, project: str, issue_id: int) -> Fields | None:
    """Return an issue with its history, oldest entry first, or `None` if it does not exist.

    :raises ToolchainError: if the server returns another issue
    """
    try:
        records = list(review.records("issue_details", project=project, id=issue_id))
    except ServerRefusal as error:
        if error.status != 404 or project not in projects.project_ids(review):
            raise
        records = []
    for record in records:
        if record.text("id") != str(issue_id):
            raise ToolchainError(f"Requested issue {issue_id}, but the server returned issue {record.text('id')}.")
        return _parse_details(record)
    return None


def read_all_details(
    review: ReviewService, project: str, ids: list[int], progress: t.Callable[[str, str], None]
) -> t.Iterator[Fields]:
    """Yield the details of the issues that exist."""
    for position, issue_id in enumerate(ids, 1):
        if position % _PROGRESS_INTERVAL == 0:
            progress(f"reading issues: {position:,} of {len(ids):,}", "running")
        if issue := read_details(review, project, issue_id):
            yield issue


def read_result_details(
    review: ReviewService, project: str, issues: t.Iterator[Fields], progress: t.Callable[[str, str], None]
) -> t.Iterator[Fields]:
    """Yield the details of the issues of a search.

    The search is read to its end first, because the server closes responses that are read too slowly.
    """
    yield from read_all_details(review, project, [issue["id"] for issue in issues], progress)


def _parse_issue(record: Record) -> Fields:
    return {
        "id": record.integer("id"),
        "status": normalize_status(record.text("status")),
        "severity": record.maybe_text("severity"),
        "severity_level": record.maybe_integer("severityCode"),
        "state": record.maybe_text("state"),
        "code": record.maybe_text("code"),
        "title": record.maybe_text("title"),
        "message": record.maybe_text("message"),
        "file": record.maybe_text("file"),
        "line": record.maybe_integer("line"),
        "method": record.maybe_text("method"),
        "owner": record.maybe_text("owner"),
        "taxonomy": record.maybe_text("taxonomyName"),
        "reference": record.maybe_text("reference"),
        "comment": record.maybe_text("comment") or "",
        "date": record.maybe_timestamp("dateOriginated", per_second=1000),
        "url": record.maybe_text("url"),
        "issue_ids": record.get("issueIds") or [],
    }


def _parse_details(record: Record) -> Fields:
    history = [
        {
            "date": entry.maybe_timestamp("date", per_second=1000),
            "account": entry.maybe_text("userid"),
            "status": entry.maybe_text("status"),
            "comment": entry.maybe_text("comment") or "",
        }
        for entry in sorted(record.maybe_records("history"), key=lambda entry: entry.maybe_integer("date") or 0)
    ]
    comments = [entry["comment"] for entry in history if entry["comment"]]
    return {
        "id": int(record.text("id")),
        "status": normalize_status(record.text("status")),
        "severity": record.maybe_text("severity"),
        "state": record.maybe_text("state"),
        "code": record.maybe_text("code"),
        "title": record.maybe_text("name"),
        "file": record.maybe_text("location"),
        "build": record.maybe_text("build"),
        "owner": record.maybe_text("owner"),
        "comment": comments[-1] if comments else "",
        "history": history,
    }
