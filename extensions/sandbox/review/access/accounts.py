# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ..api.call import Call, Record, action_route, filter_names
from ..api.protocol import ActionError, already_exists
from ..storage import find_account, insert, require_account
from .roles import list_role_records


def users(call: Call) -> Iterable[Record]:
    """Yield the users with their roles and groups."""
    for name in filter_names(call, _list_names(call, "review_users")):
        yield {
            "name": name,
            "readonly": bool(require_account(call, "User", name)["readonly"]),
            "roles": list_role_records(call, name, is_group=False),
            "groups": _list_groups(call, name),
        }


def create_user(call: Call) -> None:
    """Create a user."""
    call.access.require("manage_users")
    name = call.parameters.text("name")
    if find_account(call, "User", name):
        raise already_exists("User", name)
    insert(call.db, "review_users", name=name, password=call.parameters.text("password"), readonly=False)


def delete_user(call: Call) -> None:
    """Delete a user with its memberships and role assignments."""
    call.access.require("manage_users")
    name = _require_writable(call, "User")["name"]
    call.db.execute("DELETE FROM review_members WHERE user_name = ?", (name,))
    _delete_account(call, "review_users", name, is_group=False)


def groups(call: Call) -> Iterable[Record]:
    """Yield the groups with their roles and, if requested, their users."""
    list_users = call.parameters.boolean("list_users")
    for name in filter_names(call, _list_names(call, "review_groups")):
        record: Record = {
            "name": name,
            "readonly": bool(require_account(call, "Group", name)["readonly"]),
            "roles": list_role_records(call, name, is_group=True),
            "groups": [],
        }
        if list_users:
            record["users"] = _list_members(call, name)
        yield record


def create_group(call: Call) -> None:
    """Create a group."""
    call.access.require("manage_users")
    name = call.parameters.text("name")
    if find_account(call, "Group", name):
        raise already_exists("Group", name)
    members = _parse_users(call)
    insert(call.db, "review_groups", name=name, readonly=False)
    set_members(call.db, name, members)


def update_group(call: Call) -> None:
    """Replace the members with `users`. If that is empty, `remove_all` removes all members."""
    call.access.require("manage_users")
    name = _require_writable(call, "Group")["name"]
    members = _parse_users(call)
    if members or call.parameters.boolean("remove_all"):
        set_members(call.db, name, members)


def delete_group(call: Call) -> None:
    """Delete a group with its memberships and role assignments."""
    call.access.require("manage_users")
    name = _require_writable(call, "Group")["name"]
    set_members(call.db, name, [])
    _delete_account(call, "review_groups", name, is_group=True)


def set_members(db: sqlite3.Connection, group: str, members: Iterable[str]) -> None:
    """Replace the members of a group."""
    db.execute("DELETE FROM review_members WHERE group_name = ?", (group,))
    for member in members:
        insert(db, "review_members", group_name=group, user_name=member)


def _list_names(call: Call, table: str) -> list[str]:
    return [row["name"] for row in call.db.execute(f"SELECT name FROM {table} ORDER BY name")]


def _list_members(call: Call, group: str) -> list[str]:
    rows = call.db.execute("SELECT user_name FROM review_members WHERE group_name = ? ORDER BY user_name", (group,))
    return [row["user_name"] for row in rows]


def _list_groups(call: Call, user: str) -> list[Record]:
    rows = call.db.execute(
        """
        SELECT g.name, g.readonly FROM review_groups g JOIN review_members m ON m.group_name = g.name
        WHERE m.user_name = ? ORDER BY g.name
        """,
        (user,),
    )
    return [{"name": row["name"], "readonly": bool(row["readonly"])} for row in rows]


def _parse_users(call: Call) -> list[str]:
    members = call.parameters.names("users")
    for member in members:
        require_account(call, "User", member)
    return members


def _require_writable(call: Call, kind: str) -> sqlite3.Row:
    """Return the user or group of the call.

    :raises ActionError: with status 403 if it comes from a directory service (LDAP, NIS)
    """
    account = require_account(call, kind, call.parameters.text("name"))
    if account["readonly"]:
        raise ActionError(403, f"{kind} is read-only: {account['name']}")
    return account


def _delete_account(call: Call, table: str, name: str, is_group: bool) -> None:
    call.db.execute("DELETE FROM review_assignments WHERE (account, is_group) = (?, ?)", (name, is_group))
    call.db.execute(f"DELETE FROM {table} WHERE name = ?", (name,))


ROUTES = tuple(map(action_route, (users, create_user, delete_user, groups, create_group, update_group, delete_group)))
