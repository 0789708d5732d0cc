# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Views and projects of the review service, as records with the fields of the collection."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, as_set
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import Record, ReviewService

DEFAULT_VIEW = "*default*"
_WIRE_NAMES = {"public": "is_public"}


def views(review: ReviewService, project: str) -> list[Fields]:
    """The views of a project that the account may see, by name."""
    return sorted(map(_view, review.records("views", project=project)), key=lambda view: view["name"])


def find_view(review: ReviewService, project: str, name: str) -> Fields | None:
    """The view of that name, or C(None). Other accounts may have public views of the same name.

    :raises ToolchainError: when it is not clear which one is meant
    """
    found = [view for view in views(review, project) if view["name"] == name]
    if len(found) > 1:
        found = [view for view in found if view["creator"] == review.user]
        if not found:
            raise ToolchainError(f"Several accounts have a view '{name}' in the project '{project}', but not this one.")
    return found[0] if found else None


def projects(review: ReviewService) -> list[Fields]:
    """The projects that the account may see, by name."""
    return sorted(map(_project, review.records("projects")), key=lambda project: project["name"])


def check_view(name: str, fields: Fields) -> None:
    """
    :raises BadOption: for the server's own view, and for a query that names a build, which no view can
    """
    if name == DEFAULT_VIEW:
        raise BadOption("name", f"'{DEFAULT_VIEW}' is the server's own view and cannot be changed")
    if re.search(r"(^|\s)[-+]?build:", fields.get("query", ""), re.IGNORECASE):
        raise BadOption("query", "a view cannot name a build: leave the 'build:' term out")


def wire_fields(fields: Fields) -> Fields:
    """The fields of a view, without its name, as the server takes them."""
    return {_WIRE_NAMES.get(field, field): value for field, value in fields.items() if field != "name"}


def _view(record: Record) -> Fields:
    return {
        "id": record.get("id"),
        "name": record["name"],
        "query": record.get("query", ""),
        "tags": as_set(record.get("tags") or []),
        "public": record.get("is_public"),
        "creator": record.get("creator"),
    }


def _project(record: Record) -> Fields:
    return {
        "id": record["id"],
        "name": record["name"],
        "creator": record.get("creator"),
        "description": record.get("description", ""),
        "tags": as_set(record.get("tags") or []),
    }
