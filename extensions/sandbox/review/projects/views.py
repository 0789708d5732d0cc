# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views: named queries of a project. They are public or private to their creators."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from typing import Any

from ..api.call import Call, Record, action_route
from ..api.protocol import ActionError, already_exists, not_found
from ..storage import DEFAULT_VIEW, add_view, require_project_id, tags_field, update

QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


def views(call: Call) -> Iterable[Record]:
    """Yield the views that the caller may see."""
    for row in _list_visible(call, require_project_id(call)):
        yield {
            "id": row["id"],
            "name": row["name"],
            "query": row["query"],
            "creator": row["creator"],
            "is_public": bool(row["is_public"]),
            **tags_field(row["tags"]),
        }


def create_view(call: Call) -> None:
    """Create a view."""
    project = require_project_id(call)
    name = call.parameters.text("name")
    if name == DEFAULT_VIEW or _has_view(call, project, name):
        raise already_exists("View", name)
    add_view(
        call.db,
        project,
        name,
        query=_parse_query(call),
        creator=call.access.user,
        is_public=call.parameters.boolean("is_public"),
        tags=call.parameters.names("tags"),
    )


def update_view(call: Call) -> None:
    """Update the given fields of a view."""
    parameters = call.parameters
    project = require_project_id(call)
    view = _require_writable(call, project)
    fields: dict[str, Any] = {}
    new_name = parameters.text("new_name")
    if new_name and new_name != view["name"]:
        if new_name == DEFAULT_VIEW or _has_view(call, project, new_name, creator=view["creator"]):
            raise already_exists("View", new_name)
        fields["name"] = new_name
    if "query" in parameters:
        fields["query"] = _parse_query(call)
    if "tags" in parameters:
        fields["tags"] = parameters.names("tags")
    if "is_public" in parameters:
        fields["is_public"] = parameters.boolean("is_public")
    update(call.db, "review_views", "id", view["id"], **fields)


def delete_view(call: Call) -> None:
    """Delete a view."""
    view = _require_writable(call, require_project_id(call))
    call.db.execute("DELETE FROM review_views WHERE id = ?", (view["id"],))


def _list_visible(call: Call, project: str) -> sqlite3.Cursor:
    return call.db.execute(
        "SELECT * FROM review_views WHERE project = ? AND (is_public OR creator = ?) ORDER BY id",
        (project, call.access.user),
    )


def _has_view(call: Call, project: str, name: str, creator: str = "") -> bool:
    """Return whether a creator, by default the caller, has a view with this name. Names are unique for each creator."""
    return bool(
        call.db.execute(
            "SELECT 1 FROM review_views WHERE (project, name, creator) = (?, ?, ?)",
            (project, name, creator or call.access.user),
        ).fetchone()
    )


def _require_writable(call: Call, project: str) -> sqlite3.Row:
    """Return the view of the call. The caller's own view takes precedence over a public one with the same name.

    :raises ActionError: if the view does not exist or is read-only
    """
    name = call.parameters.text("name")
    if name == DEFAULT_VIEW:
        raise ActionError(403, f"View is read-only: {name}")
    candidates = [view for view in _list_visible(call, project) if view["name"] == name]
    if not candidates:
        raise not_found("View", name)
    return max(candidates, key=lambda view: bool(view["creator"] == call.access.user))


def _parse_query(call: Call) -> str:
    query = call.parameters.text("query")
    if re.search(r"(^|\s)[-+]?build:", QUOTED.sub("", query), re.IGNORECASE):
        raise ActionError(400, "The keyword build is not supported in the query of a view")
    return query


ROUTES = tuple(map(action_route, (views, create_view, update_view, delete_view)))
