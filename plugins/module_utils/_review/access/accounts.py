# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Accounts and groups of the review service."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

_ACTIONS = {"account": "users", "group": "groups"}
# Without a limit of its own the server leaves out all beyond the first thousand
_MAX_RESULTS = 1_000_000


def find(review: ReviewService, kind: str, name: str, *, prove_absence: bool = False, **fields: t.Any) -> Record | None:
    """Return the `account` or `group` of that name, with the roles that it holds; an account also with its groups.

    :arg prove_absence: look into the list of all accounts or groups if the server finds nothing, because a search that
        finds nothing and a lost response look the same
    """
    # A star in the name stands for anything, and more than those asked for may be found
    found = list(review.records(_ACTIONS[kind], search=name, limit=_MAX_RESULTS if "*" in name else None, **fields))
    if prove_absence and not found:
        found = _list_all(review, kind, **fields)
    return next((record for record in found if record.text("name") == name), None)


def search(review: ReviewService, kind: str, search: str | None, **fields: t.Any) -> list[Record]:
    """Those that the server finds, by name; `*` stands for anything."""
    if search in (None, "*"):
        found = _list_all(review, kind, **fields)
    else:
        found = list(review.records(_ACTIONS[kind], search=search, limit=_MAX_RESULTS, **fields))
    return sorted(found, key=lambda record: record.text("name"))


def find_missing(review: ReviewService, names: t.Collection[str]) -> list[str]:
    """Those of the names that no account has, by one request."""
    existing = {record.text("name") for record in _list_all(review, "account")} if names else set()
    return [name for name in names if name not in existing]


def parse_roles(record: Record) -> list[Fields]:
    """The roles that an account or a group holds, with the id of the project, none for everywhere."""
    held = ((role.text("name"), role.maybe_text("projectId") or None) for role in record.maybe_records("roles"))
    return [{"name": name, "project_id": project} for name, project in sorted(held, key=str)]


def _list_all(review: ReviewService, kind: str, **fields: t.Any) -> list[Record]:
    """Return all accounts or groups.

    :raises ToolchainError: if the response was lost, as far as that can be told
    """
    if kind == "group" and (groups := list(review.records("groups", limit=_MAX_RESULTS, **fields))):
        return groups
    users = review.list_nonempty("users", limit=_MAX_RESULTS, always=f"the account '{review.user}'")
    if kind == "account":
        return users
    if member := next((user for user in users if user.maybe_records("groups")), None):
        raise ToolchainError(
            f"The server lists no groups, but the account '{member.text('name')}' is in one: the body of the response "
            "was lost. Run the task again."
        )
    return []


def check_readonly(kind: str, before: Fields | None) -> None:
    """
    :raises ToolchainError: when it comes from a directory, where the server changes nothing
    """
    if before and before["readonly"]:
        raise ToolchainError(
            f"The {kind} '{before['name']}' is read-only: it comes from a directory (LDAP, NIS) and is managed there."
        )
