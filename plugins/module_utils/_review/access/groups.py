# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Groups of the review service, and their members."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts, grants, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService


def list_groups(review: ReviewService, search: str | None) -> list[Fields]:
    """The groups that the server finds, by name; `*` stands for anything."""
    return [_parse_group(record) for record in accounts.search(review, "group", search, list_users=True)]


def find(review: ReviewService, name: str, prove_absence: bool) -> Fields | None:
    """The group of that name."""
    record = accounts.find(review, "group", name, prove_absence=prove_absence, list_users=True)
    return _parse_group(record) if record else None


def merge_members(before: Fields | None, given: Fields, append: bool) -> Fields:
    """The desired fields; with `append` those who are members stay."""
    if append and before and "users" in given:
        return {**given, "users": sort_unique([*before["users"], *given["users"]])}
    return given


def check_members(review: ReviewService, before: Fields | None, wanted: Fields | None) -> None:
    """
    :arg wanted: the fields that will be written; `None` when the group will be removed
    :raises BadOption: when one that is to come into the group is not there
    """
    new = set((wanted or {}).get("users", ())) - set((before or {}).get("users", ()))
    if missing := accounts.find_missing(review, sorted(new)):
        raise BadOption("users", f"there is no user {', '.join(missing)}")


def check_change(review: ReviewService, before: Fields | None, wanted: Fields | None, allow_lockout: bool) -> None:
    """
    :arg wanted: the fields that will be written; `None` when the group will be removed
    :arg allow_lockout: whether the account of this task may lose what it needs to manage roles
    :raises ToolchainError: when the group comes from a directory, or the account would lock itself out
    """
    accounts.check_readonly("group", before)
    if before is None or allow_lockout:
        return
    members: list[str] = [] if wanted is None else wanted["users"]
    if review.user in before["users"] and review.user not in members:
        grants.check_group_removal(review, before["name"], roles.Roles(review).read_permissions)


def create(review: ReviewService, group: Fields) -> None:
    """Make a group."""
    review.write("create_group", name=group["name"], users=group.get("users") or None)


def set_members(review: ReviewService, name: str, users: list[str]) -> None:
    """Make these the members of a group. Empty lists the server does not take."""
    members = {"users": users} if users else {"remove_all": True}
    review.write("update_group", name=name, **members)


def to_result(group: Fields) -> Fields:
    """The group as people see it, with all its fields."""
    return {"readonly": False, "users": [], "roles": [], "groups": [], **group}


def _parse_group(record: Record) -> Fields:
    return {
        "name": record.text("name"),
        "readonly": bool(record.maybe_flag("readonly")),
        "users": sort_unique(record.maybe_texts("users")),
        "roles": accounts.parse_roles(record),
        "groups": sort_unique(group.text("name") for group in record.maybe_records("groups")),
    }
