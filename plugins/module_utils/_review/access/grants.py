# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles of the task's account, held directly or through groups, and protection against losing them."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

# Without these permissions, an account cannot undo its changes to roles, assignments and groups
LOCKOUT_PERMISSIONS = ("assign_role", "manage_roles", "manage_users", "webapi_access")

Permissions = dict[str, dict[str, bool]]  # whether a permission is granted, by role and permission


class Grant(t.NamedTuple):
    """An assignment of a role to an account or group."""

    role: str
    kind: str  # account or group
    holder: str
    project: str  # ID, empty for a global assignment


# Holders of roles, by kind and name, and their grants
Grants = tuple[set[tuple[str, str]], set[Grant]]


class RoleChange(t.NamedTuple):
    """A change of a role: added and removed assignments and changed permissions, which are `None` for a deletion."""

    role: str
    added: list[Grant]
    removed: list[Grant]
    permissions: dict[str, bool] | None

    def may_affect(self, review: ReviewService) -> bool:
        """Return whether the account of the task could lose a required permission. Sends no request."""
        if self.permissions is None or any(self.permissions.get(flag) is False for flag in LOCKOUT_PERMISSIONS):
            return True
        return any(grant.kind == "group" or is_own(review, grant.holder) for grant in self.removed)


def check_role_change(review: ReviewService, change: RoleChange, all_permissions: t.Callable[[], Permissions]) -> None:
    """Refuse a change of a role that would take a required permission from the account of the task.

    :arg all_permissions: reads the permissions of all roles; called only if the account holds the role
    :raises ToolchainError: if the account would lose a permission, on a project or globally
    """
    if not change.may_affect(review):
        return
    access = _require_access(review)
    holders, before = access.collect() if access else (set(), set())
    if not any(grant.role == change.role for grant in before):
        return
    after = (before - set(change.removed)) | {grant for grant in change.added if (grant.kind, grant.holder) in holders}
    permissions = all_permissions()
    new_permissions = (
        {**permissions.get(change.role, {}), **(change.permissions or {})} if change.permissions is not None else {}
    )
    _check_lockout(
        review,
        _effective_permissions(before, permissions),
        _effective_permissions(after, {**permissions, change.role: new_permissions}),
    )


def check_group_removal(review: ReviewService, group: str, all_permissions: t.Callable[[], Permissions]) -> None:
    """Refuse to remove the account of the task from a group that gives it a required permission.

    :arg group: name of the group
    :arg all_permissions: reads the permissions of all roles; called only if the group holds a role
    :raises ToolchainError: if the account would lose a permission, on a project or globally
    """
    access = _require_access(review)
    if access is None:
        return
    before, after = access.collect()[1], access.collect(without=group)[1]
    if after != before:
        permissions = all_permissions()
        _check_lockout(review, _effective_permissions(before, permissions), _effective_permissions(after, permissions))


def _check_lockout(review: ReviewService, has: set[tuple[str, str]], will_have: set[tuple[str, str]]) -> None:
    lost = sorted({flag for flag, project in has - will_have if (flag, "") not in will_have})
    if lost:
        raise lockout_error(review, f"it would lose {' and '.join(lost)}")


def is_own(review: ReviewService, name: str) -> bool:
    """Return whether a name is that of the account of the task. Servers can ignore the case of names."""
    return name.casefold() == review.user.casefold()


def lockout_error(review: ReviewService, consequence: str) -> ToolchainError:
    """Return the error for a change that takes permissions from the account of the task."""
    return ToolchainError(
        f"The change would lock out '{review.user}', the account of this task: {consequence}. Set 'allow_lockout: "
        "true' to allow this."
    )


class _Access:
    """The account of the task and the groups that it is in, directly or through other groups."""

    def __init__(self, account: Record) -> None:
        self.account = account
        self.groups: dict[str, Record] = {}

    def collect(self, without: str | None = None) -> Grants:
        """Return the holders (the account and its groups) and their roles.

        :arg without: a group to leave out, with the groups that the account is in only through it
        """
        name = self.account.text("name")
        holders, grants = {("account", name)}, _parse_grants("account", self.account)
        remaining = _list_groups(self.account)
        while remaining:
            group = remaining.pop()
            if group != without and ("group", group) not in holders:
                holders.add(("group", group))
                grants |= _parse_grants("group", self.groups[group])
                remaining += _list_groups(self.groups[group])
        return holders, grants


def find_grants(review: ReviewService) -> Grants | None:
    """Return the holders (the account of the task and its groups) and their roles.

    Return `None` if the server does not list the account or one of its groups.
    """
    access = _find_access(review)
    return None if access is None else access.collect()


def _find_access(review: ReviewService) -> _Access | None:
    account = accounts.find(review, "account", review.user, prove_absence=True)
    if account is None:
        return None
    access = _Access(account)
    remaining = _list_groups(account)
    while remaining:
        name = remaining.pop(0)
        if name in access.groups:
            continue
        group = accounts.find(review, "group", name, prove_absence=True)
        if group is None:
            return None
        access.groups[name] = group
        remaining += _list_groups(group)
    return access


def _require_access(review: ReviewService) -> _Access | None:
    """Return the result of `_find_access`, or `None` if the server has no access control.

    :raises ToolchainError: if the server does not list the account or one of its groups
    """
    if not review.has_login:
        return None
    if access := _find_access(review):
        return access
    raise ToolchainError(
        f"Cannot verify that '{review.user}', the account of this task, keeps its permissions: the server does not "
        "list the account or one of its groups. Set 'allow_lockout: true' to make the change without this check."
    )


def _list_groups(record: Record) -> list[str]:
    """Return the groups that an account or group is in."""
    return [group.text("name") for group in record.maybe_records("groups")]


def _parse_grants(kind: str, record: Record) -> set[Grant]:
    name = record.text("name")
    return {
        Grant(role.text("name"), kind, name, role.maybe_text("projectId") or "")
        for role in record.maybe_records("roles")
    }


def _effective_permissions(grants: set[Grant], permissions: Permissions) -> set[tuple[str, str]]:
    return {
        (flag, grant.project)
        for grant in grants
        for flag in LOCKOUT_PERMISSIONS
        if permissions.get(grant.role, {}).get(flag)
    }
