# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules of a Klocwork project: their path patterns and access lists."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

DEFAULT_MODULE = "*default*"
# Names in requests, and names in the responses of servers that return them
ACCESS_LISTS = {
    "allow_users": "allowUsers",
    "allow_groups": "allowGroups",
    "deny_users": "denyUsers",
    "deny_groups": "denyGroups",
}
LIST_FIELDS = (*ACCESS_LISTS, "paths", "tags")


def list_modules(review: ReviewService, project: str) -> list[Fields]:
    """Return the modules of a project, sorted by name. Access lists are missing if the server does not return them."""
    records = review.list_nonempty("modules", project=project, always=f"the module '{DEFAULT_MODULE}'")
    return sorted(map(_parse_module, records), key=lambda module: module["name"])


def normalize(fields: Fields) -> Fields:
    """Return the desired fields with sorted lists without duplicates."""
    return {name: sort_unique(value) if name in LIST_FIELDS else value for name, value in fields.items()}


def add_defaults(fields: Fields) -> Fields:
    """Return the fields of a new module, which is visible to all users unless users or groups are allowed by name."""
    return {"allow_all": not (fields.get("allow_users") or fields.get("allow_groups")), **fields}


def check_change(before: Fields | None, desired: Fields | None) -> None:
    """Refuse to create a module without paths.

    :raises BadOption: if the paths are missing
    """
    if before is None and "paths" not in (desired or {}):
        raise BadOption("paths", "is required to create a module")


def to_result(module: Fields) -> Fields:
    """Return the module with all fields of the result. Unknown access lists are `None`."""
    return {"paths": [], "tags": [], **dict.fromkeys(ACCESS_LISTS), **module}


def _parse_module(record: Record) -> Fields:
    returned = {name: wire_name for name, wire_name in ACCESS_LISTS.items() if record.get(wire_name) is not None}
    return {
        "name": record.text("name"),
        "allow_all": bool(record.maybe_flag("allowAll")),
        "paths": sort_unique(record.maybe_texts("paths")),
        "tags": sort_unique(record.maybe_texts("tags")),
        **{name: sort_unique(record.texts(wire_name)) for name, wire_name in returned.items()},
    }
