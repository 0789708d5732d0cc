# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Views of a Klocwork project."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import has_keyword
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query_terms import parse
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.resource_name import ResourceName
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

DEFAULT_VIEW = "*default*"
_WIRE_NAMES = {"public": "is_public"}


def list_views(review: ReviewService, project: str) -> list[Fields]:
    """Return the views of a project that the account can see, sorted by name."""
    records = review.list_nonempty("views", project=project, always=f"the view '{DEFAULT_VIEW}'")
    return sorted(map(_parse_view, records), key=lambda view: view["name"])


def select_view(
    review: ReviewService, views: list[Fields], project: str, name: ResourceName, include_foreign: bool
) -> Fields | None:
    """Return the account's own view with this name or, with `include_foreign`, a public view of another account.

    :arg views: views of the project
    :raises ToolchainError: if several other accounts have a view with this name
    """
    named = [view for view in views if view["name"] in name.names]
    own = [view for view in named if view["creator"] == review.user]
    candidates = own or (named if include_foreign else [])
    for text in name.names:
        if sum(view["name"] == text for view in candidates) > 1:
            raise ToolchainError(
                f"Cannot select view '{text}' in project '{project}': several accounts have a view with this name, but "
                "this account has none. Use another name."
            )
    return name.find(candidates)


def check_options(name: ResourceName, fields: Fields) -> None:
    """Refuse the built-in view and invalid queries.

    :raises BadOption: for the built-in view, an invalid query, or a query with a build, which views do not support
    """
    name.check_not_builtin(DEFAULT_VIEW)
    if has_keyword(fields.get("query", ""), "build"):
        raise BadOption("query", "must not contain 'build:', which views do not support. Remove this term")
    parse(fields.get("query", ""), "query")


def check_change(review: ReviewService, before: Fields | None, desired: Fields | None, take_over: bool) -> None:
    """Refuse to create a view without a query, and to change a view of another account without `take_over`.

    :raises BadOption: if the change is refused
    """
    if before is None and "query" not in (desired or {}):
        raise BadOption("query", "is required to create a view")
    if before and before["creator"] not in (None, review.user) and not take_over:
        raise BadOption(
            "take_over", f"must be true to change view '{before['name']}', which '{before['creator']}' owns"
        )


def to_result(view: Fields) -> Fields:
    """Return the view with all fields of the result."""
    return {"id": None, "query": "", "tags": [], "creator": None, **view}


def to_wire(fields: Fields) -> Fields:
    """Return the fields of a view with the names of the Web API."""
    return {_WIRE_NAMES.get(field, field): value for field, value in fields.items()}


def _parse_view(record: Record) -> Fields:
    return {
        "id": record.maybe_integer("id"),
        "name": record.text("name"),
        "query": record.maybe_text("query") or "",
        "tags": sort_unique(record.maybe_texts("tags")),
        "public": record.maybe_flag("is_public"),
        "creator": record.maybe_text("creator"),
    }
