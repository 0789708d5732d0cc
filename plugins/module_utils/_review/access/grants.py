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


class RoleChange(t.NamedTuple):
    """A change of a role: added and removed assignments and changed permissions, which are `None` for a deletion."""

    role: str
    added: list[Grant]
    removed: list[Grant]
    permissions: dict[str, bool] | None

    def may_affect(self, account: str) -> bool:
        """Return whether the account could lose a required permission. Sends no request."""
        if self.permissions is None or any(self.permissions.get(flag) is False for flag in LOCKOUT_PERMISSIONS):
            return True
        return any(grant.kind == "group" or grant.holder == account for grant in self.removed)


def check_role_change(review: ReviewService, change: RoleChange, all_permissions: t.Callable[[], Permissions]) -> None:
    """Refuse a change of a role that would take a required permission from the account of the task.

    :arg all_permissions: reads the permissions of all roles; called only if the account holds the role
    :raises ToolchainError: if the account would lose a permission, on a project or globally
    """
    if not change.may_affect(review.user):
        return
    holders, before = _require_grants(review)
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
    _holders, before = _require_grants(review)
    after = {grant for grant in before if (grant.kind, grant.holder) != ("group", group)}
    if after != before:
        permissions = all_permissions()
        _check_lockout(review, _effective_permissions(before, permissions), _effective_permissions(after, permissions))


def _check_lockout(review: ReviewService, has: set[tuple[str, str]], will_have: set[tuple[str, str]]) -> None:
    lost = sorted({flag for flag, project in has - will_have if (flag, "") not in will_have})
    if lost:
        raise ToolchainError(
            f"The change would lock out '{review.user}', the account of this task: it would lose {' and '.join(lost)}. "
            "Set 'allow_lockout: true' to allow this."
        )


def find_grants(review: ReviewService) -> tuple[set[tuple[str, str]], set[Grant]] | None:
    """Return the holders (the account of the task and its groups) and their roles.

    Return `None` if the server does not list the account or one of its groups.
    """
    account = accounts.find(review, "account", review.user, prove_absence=True)
    if account is None:
        return None
    grants = _parse_grants("account", account)
    groups = [group.text("name") for group in account.maybe_records("groups")]
    for name in groups:
        group = accounts.find(review, "group", name, prove_absence=True)
        if group is None:
            return None
        grants |= _parse_grants("group", group)
    return {("account", review.user), *(("group", name) for name in groups)}, grants


def _require_grants(review: ReviewService) -> tuple[set[tuple[str, str]], set[Grant]]:
    """Return the result of `find_grants`, which is empty if the server has no access control.

    :raises ToolchainError: if the server does not list the account or one of its groups
    """
    if not review.has_login:
        return set(), set()
    if grants := find_grants(review):
        return grants
    raise ToolchainError(
        f"Cannot verify that '{review.user}', the account of this task, keeps its permissions: the server does not "
        "list the account or one of its groups. Set 'allow_lockout: true' to make the change without this check."
    )


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
