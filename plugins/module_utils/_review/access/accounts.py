# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Accounts and groups of a Klocwork server."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

_ACTIONS = {"account": "users", "group": "groups"}
# Without a limit, the server returns only the first thousand
_MAX_RESULTS = 1_000_000


def find(review: ReviewService, kind: str, name: str, *, prove_absence: bool = False, **fields: t.Any) -> Record | None:
    """Return the account or group with this name and its roles, an account also with its groups, or `None`.

    :arg kind: `account` or `group`
    :arg prove_absence: whether to search the list of all accounts or groups if the server finds nothing. An empty
        search result looks like a lost response.
    """
    # The server treats `*` in the name as a wildcard, so that the search can return other names
    records = list(review.records(_ACTIONS[kind], search=name, limit=_MAX_RESULTS if "*" in name else None, **fields))
    if prove_absence and not records:
        records = _list_all(review, kind, **fields)
    return next((record for record in records if record.text("name") == name), None)


def search(review: ReviewService, kind: str, search: str | None, **fields: t.Any) -> list[Record]:
    """Return the accounts or groups that match a pattern, sorted by name. `*` matches any text."""
    if search in (None, "*"):
        records = _list_all(review, kind, **fields)
    else:
        records = list(review.records(_ACTIONS[kind], search=search, limit=_MAX_RESULTS, **fields))
    return sorted(records, key=lambda record: record.text("name"))


def find_missing(review: ReviewService, names: t.Collection[str]) -> list[str]:
    """Return the names that do not belong to an account. Sends one request."""
    existing = {record.text("name") for record in _list_all(review, "account")} if names else set()
    return [name for name in names if name not in existing]


def parse_roles(record: Record) -> list[Fields]:
    """Return the roles of an account or group. The `project_id` of a global role is `None`."""
    roles = ((role.text("name"), role.maybe_text("projectId") or None) for role in record.maybe_records("roles"))
    return [{"name": name, "project_id": project} for name, project in sorted(roles, key=str)]


def _list_all(review: ReviewService, kind: str, **fields: t.Any) -> list[Record]:
    """Return all accounts or groups.

    :raises ToolchainError: if the body of the response was lost, as far as this can be detected
    """
    if kind == "group" and (groups := list(review.records("groups", limit=_MAX_RESULTS, **fields))):
        return groups
    users = review.list_nonempty("users", limit=_MAX_RESULTS, always=f"the account '{review.user}'")
    if kind == "account":
        return users
    if member := next((user for user in users if user.maybe_records("groups")), None):
        raise ToolchainError(
            f"Cannot list the groups: the body of the response was lost. The account '{member.text('name')}' is in a "
            "group, but the list is empty. Run the task again."
        )
    return []


def check_readonly(kind: str, before: Fields | None) -> None:
    """Refuse to change an account or group that is imported from an external directory.

    :raises ToolchainError: if it is read-only
    """
    if before and before["readonly"]:
        raise ToolchainError(
            f"Cannot change {kind} '{before['name']}': it is read-only. "
            "Manage it in the external directory (LDAP, NIS)."
        )
