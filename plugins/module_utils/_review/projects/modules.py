# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules of a project in the review service: which files belong to them, and who sees them."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

DEFAULT_MODULE = "*default*"
# As written, and as read by servers that tell them
ACCESS_LISTS = {
    "allow_users": "allowUsers",
    "allow_groups": "allowGroups",
    "deny_users": "denyUsers",
    "deny_groups": "denyGroups",
}
LIST_FIELDS = (*ACCESS_LISTS, "paths", "tags")


def list_modules(review: ReviewService, project: str) -> list[Fields]:
    """The modules of a project, by name; without access lists where the server tells none."""
    found = review.list_nonempty("modules", project=project, always=f"the module '{DEFAULT_MODULE}'")
    return sorted(map(_parse_module, found), key=lambda module: module["name"])


def normalize(fields: Fields) -> Fields:
    """The fields that the user gave, their lists as sets."""
    return {name: sort_unique(value) if name in LIST_FIELDS else value for name, value in fields.items()}


def add_defaults(fields: Fields) -> Fields:
    """The fields of a module that is not there yet: all see it, unless it is said who does."""
    return {"allow_all": not (fields.get("allow_users") or fields.get("allow_groups")), **fields}


def check_change(before: Fields | None, wanted: Fields | None) -> None:
    """
    :raises BadOption: for a new module without paths
    """
    if before is None and "paths" not in (wanted or {}):
        raise BadOption("paths", "is required for a new module")


def to_result(module: Fields) -> Fields:
    """The module as the user sees it, with all its fields; access lists that the server does not tell are none."""
    return {"paths": [], "tags": [], **dict.fromkeys(ACCESS_LISTS), **module}


def _parse_module(record: Record) -> Fields:
    told = {ours: theirs for ours, theirs in ACCESS_LISTS.items() if record.get(theirs) is not None}
    return {
        "name": record.text("name"),
        "allow_all": bool(record.maybe_flag("allowAll")),
        "paths": sort_unique(record.maybe_texts("paths")),
        "tags": sort_unique(record.maybe_texts("tags")),
        **{ours: sort_unique(record.texts(theirs)) for ours, theirs in told.items()},
    }
