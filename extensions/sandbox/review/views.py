# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views: named queries of a project, public or their creator's own."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from typing import Any

from .call import Call, Record, action
from .protocol import ActionError, already_exists, not_found
from .storage import DEFAULT_VIEW, add_view, change, project_by, tags_of

QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


def views(call: Call) -> Iterable[Record]:
    for row in _visible(call, _project(call)):
        yield {
            "id": row["id"],
            "name": row["name"],
            "query": row["query"],
            "creator": row["creator"],
            "is_public": bool(row["is_public"]),
            **tags_of(row["tags"]),
        }


def create_view(call: Call) -> None:
    project = _project(call)
    name = call.parameters.text("name")
    if name == DEFAULT_VIEW or _own(call, project, name):
        raise already_exists("View", name)
    add_view(
        call.db,
        project,
        name,
        query=_query(call),
        creator=call.access.user,
        is_public=call.parameters.boolean("is_public"),
        tags=call.parameters.names("tags"),
    )


def update_view(call: Call) -> None:
    parameters = call.parameters
    project = _project(call)
    view = _changeable(call, project)
    fields: dict[str, Any] = {}
    new_name = parameters.text("new_name")
    if new_name and new_name != view["name"]:
        if new_name == DEFAULT_VIEW or _own(call, project, new_name, creator=view["creator"]):
            raise already_exists("View", new_name)
        fields["name"] = new_name
    if "query" in parameters:
        fields["query"] = _query(call)
    if "tags" in parameters:
        fields["tags"] = parameters.names("tags")
    if "is_public" in parameters:
        fields["is_public"] = parameters.boolean("is_public")
    change(call.db, "review_views", "id", view["id"], **fields)


def delete_view(call: Call) -> None:
    view = _changeable(call, _project(call))
    call.db.execute("DELETE FROM review_views WHERE id = ?", (view["id"],))


def _project(call: Call) -> str:
    project_id: str = project_by(call, "name", call.parameters.text("project"))["id"]
    return project_id


def _visible(call: Call, project: str) -> sqlite3.Cursor:
    return call.db.execute(
        "SELECT * FROM review_views WHERE project = ? AND (is_public OR creator = ?) ORDER BY id",
        (project, call.access.user),
    )


def _own(call: Call, project: str, name: str, creator: str = "") -> bool:
    """Whether the creator (the caller, unless told) has a view of this name; names are unique per creator."""
    return bool(
        call.db.execute(
            "SELECT 1 FROM review_views WHERE (project, name, creator) = (?, ?, ?)",
            (project, name, creator or call.access.user),
        ).fetchone()
    )


def _changeable(call: Call, project: str) -> sqlite3.Row:
    """The view of the call: of two with the same name the caller's own."""
    name = call.parameters.text("name")
    if name == DEFAULT_VIEW:
        raise ActionError(403, f"View is read-only: {name}")
    named = [view for view in _visible(call, project) if view["name"] == name]
    if not named:
        raise not_found("View", name)
    return max(named, key=lambda view: bool(view["creator"] == call.access.user))


def _query(call: Call) -> str:
    query = call.parameters.text("query")
    if re.search(r"(^|\s)[-+]?build:", QUOTED.sub("", query), re.IGNORECASE):
        raise ActionError(400, "The keyword build is not supported in the query of a view")
    return query


ROUTES = tuple(map(action, (views, create_view, update_view, delete_view)))
