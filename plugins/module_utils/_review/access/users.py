# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork users."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts, grants
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService


def list_users(review: ReviewService, search: str | None) -> list[Fields]:
    """Return the users that match a pattern, sorted by name. `*` matches any text."""
    return [_parse_user(record) for record in accounts.search(review, "account", search)]


def find(review: ReviewService, name: str, prove_absence: bool) -> Fields | None:
    """Return the user with this name, or `None`."""
    record = accounts.find(review, "account", name, prove_absence=prove_absence)
    return _parse_user(record) if record else None


def check_change(review: ReviewService, before: Fields | None, desired: Fields | None, allow_lockout: bool) -> None:
    """Refuse to change read-only users and to delete the account of the task.

    :arg desired: fields to write; `None` for a deletion
    :arg allow_lockout: whether the account of the task may be deleted
    :raises ToolchainError: if the change is refused
    """
    accounts.check_readonly("user", before)
    if before and desired is None and not allow_lockout and grants.is_own(review, before["name"]):
        raise grants.lockout_error(review, "it would be deleted")


def to_result(user: Fields) -> Fields:
    """Return the user with all fields of the result."""
    return {"readonly": False, "roles": [], "groups": [], **user}


def _parse_user(record: Record) -> Fields:
    return {
        "name": record.text("name"),
        "readonly": bool(record.maybe_flag("readonly")),
        "roles": accounts.parse_roles(record),
        "groups": sort_unique(group.text("name") for group in record.maybe_records("groups")),
    }
