# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork groups and their members."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import MissingName
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts, grants, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService


def list_groups(review: ReviewService, search: str | None) -> list[Fields]:
    """Return the groups that match a pattern, sorted by name. `*` matches any text."""
    return [_parse_group(record) for record in accounts.search(review, "group", search, list_users=True)]


def find(review: ReviewService, name: str, prove_absence: bool) -> Fields | None:
    """Return the group with this name, or `None`."""
    record = accounts.find(review, "group", name, prove_absence=prove_absence, list_users=True)
    return _parse_group(record) if record else None


def merge_members(before: Fields | None, desired: Fields, append: bool) -> Fields:
    """Return the desired fields. With `append`, the desired members include the current ones."""
    if append and before and "users" in desired:
        return {**desired, "users": sort_unique([*before["users"], *desired["users"]])}
    return desired


def check_members(review: ReviewService, before: Fields | None, desired: Fields | None) -> None:
    """Verify that new members exist.

    :arg desired: fields to write; `None` for a deletion
    :raises BadOption: if a new member does not exist
    """
    new = set((desired or {}).get("users", ())) - set((before or {}).get("users", ()))
    if missing_names := accounts.find_missing(review, sorted(new)):
        raise MissingName("users", f"contains users that do not exist: {', '.join(missing_names)}")


def check_change(review: ReviewService, before: Fields | None, desired: Fields | None, allow_lockout: bool) -> None:
    """Refuse changes of read-only groups and changes that lock out the account of the task.

    :arg desired: fields to write; `None` for a deletion
    :arg allow_lockout: whether the account of the task may lose its administrative permissions
    :raises ToolchainError: if the change is refused
    """
    accounts.check_readonly("group", before)
    if before is None or allow_lockout:
        return
    members: list[str] = [] if desired is None else desired["users"]
    is_left = _has_own(review, before["users"]) and not _has_own(review, members)
    # the account can also be in a group of this group
    if is_left or (desired is None and (before["roles"] or before["groups"])):
        grants.check_group_removal(review, before["name"], roles.Roles(review).read_permissions)


def _has_own(review: ReviewService, members: list[str]) -> bool:
    return any(grants.is_own(review, member) for member in members)


def create(review: ReviewService, group: Fields) -> None:
    """Create a group."""
    review.write("create_group", name=group["name"], users=group.get("users") or None)


def set_members(review: ReviewService, name: str, users: list[str]) -> None:
    """Replace the members of a group. The server rejects empty lists and has `remove_all` instead."""
    members = {"users": users} if users else {"remove_all": True}
    review.write("update_group", name=name, **members)


def to_result(group: Fields) -> Fields:
    """Return the group with all fields of the result."""
    return {"readonly": False, "users": [], "roles": [], "groups": [], **group}


def _parse_group(record: Record) -> Fields:
    return {
        "name": record.text("name"),
        "readonly": bool(record.maybe_flag("readonly")),
        "users": sort_unique(record.maybe_texts("users")),
        "roles": accounts.parse_roles(record),
        "groups": sort_unique(group.text("name") for group in record.maybe_records("groups")),
    }
