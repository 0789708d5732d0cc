# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Views of the review service."""

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
    """The views of a project that the account may see, by name."""
    found = review.list_nonempty("views", project=project, always=f"the view '{DEFAULT_VIEW}'")
    return sorted(map(_parse_view, found), key=lambda view: view["name"])


def select_view(
    review: ReviewService, found: list[Fields], project: str, naming: ResourceName, of_others: bool
) -> Fields | None:
    """The account's own view of that name; without one, a public view of another account where it may be `of_others`.

    :arg found: the views of the project
    :raises ToolchainError: when it is not clear which one is meant
    """
    named = [view for view in found if view["name"] in naming.names]
    own = [view for view in named if view["creator"] == review.user]
    meant = own or (named if of_others else [])
    for name in naming.names:
        if sum(view["name"] == name for view in meant) > 1:
            raise ToolchainError(f"Several accounts have a view '{name}' in the project '{project}', but not this one.")
    return naming.find(meant)


def check_options(naming: ResourceName, fields: Fields) -> None:
    """
    :raises BadOption: for the server's own view, and for a query that can find nothing, or names a build, which no view
        can
    """
    naming.check_not_builtin(DEFAULT_VIEW)
    if has_keyword(fields.get("query", ""), "build"):
        raise BadOption("query", "a view cannot name a build: leave the 'build:' term out")
    parse(fields.get("query", ""), "query")


def check_change(review: ReviewService, before: Fields | None, wanted: Fields | None, take_over: bool) -> None:
    """
    :raises BadOption: for a new view without a query, and for one of another account that is not to be taken over
    """
    if before is None and "query" not in (wanted or {}):
        raise BadOption("query", "is required for a new view")
    if before and before["creator"] not in (None, review.user) and not take_over:
        raise BadOption("take_over", f"must be true to change the view '{before['name']}' of '{before['creator']}'")


def to_result(view: Fields) -> Fields:
    """The view as the user sees it, with all its fields."""
    return {"id": None, "query": "", "tags": [], "creator": None, **view}


def to_wire(fields: Fields) -> Fields:
    """The fields of a view as the server takes them."""
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
