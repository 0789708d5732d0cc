# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What roles an account holds, by itself and through its groups, and what it would lose."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

# Without these an account cannot undo what it did to roles, their assignments, and groups
LOCKOUT_PERMISSIONS = ("assign_role", "manage_roles", "manage_users", "webapi_access")

Permissions = dict[str, dict[str, bool]]  # role to permission to whether it is on


class Grant(t.NamedTuple):
    """A role that somebody holds."""

    role: str
    kind: str  # account or group
    holder: str
    project: str  # id, empty for everywhere


class RoleChange(t.NamedTuple):
    """What is done to a role: who gets it, who loses it, which permissions are switched (`None` for its removal)."""

    role: str
    added: list[Grant]
    removed: list[Grant]
    permissions: dict[str, bool] | None

    def may_affect(self, account: str) -> bool:
        """Whether the account may lose a needed permission, as far as can be told without asking."""
        if self.permissions is None or any(self.permissions.get(flag) is False for flag in LOCKOUT_PERMISSIONS):
            return True
        return any(grant.kind == "group" or grant.holder == account for grant in self.removed)


def check_role_change(review: ReviewService, change: RoleChange, all_permissions: t.Callable[[], Permissions]) -> None:
    """
    :arg all_permissions: asked only where the account of the task holds the role
    :raises ToolchainError: when it would lose a needed permission, on some project or everywhere
    """
    if not change.may_affect(review.user):
        return
    holders, before = _require_grants(review)
    if not any(grant.role == change.role for grant in before):
        return
    after = (before - set(change.removed)) | {grant for grant in change.added if (grant.kind, grant.holder) in holders}
    permissions = all_permissions()
    switched = (
        {**permissions.get(change.role, {}), **(change.permissions or {})} if change.permissions is not None else {}
    )
    _check_lockout(
        review,
        _effective_permissions(before, permissions),
        _effective_permissions(after, {**permissions, change.role: switched}),
    )


def check_group_removal(review: ReviewService, group: str, all_permissions: t.Callable[[], Permissions]) -> None:
    """
    :arg group: the one that the account of the task would no longer be in
    :arg all_permissions: asked only where the group holds a role
    :raises ToolchainError: when the account would lose a needed permission, on some project or everywhere
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
            f"This would take {' and '.join(lost)} from '{review.user}', the account of this task, which has it from "
            "no other role. With 'allow_lockout: true' it is done nevertheless."
        )


def find_grants(review: ReviewService) -> tuple[set[tuple[str, str]], set[Grant]] | None:
    """Return the account and its groups, and the roles that they hold.

    `None` if the server does not list the account or one of its groups.
    """
    account = accounts.find(review, "account", review.user, prove_absence=True)
    if account is None:
        return None
    found = _parse_grants("account", account)
    groups = [group.text("name") for group in account.maybe_records("groups")]
    for name in groups:
        group = accounts.find(review, "group", name, prove_absence=True)
        if group is None:
            return None
        found |= _parse_grants("group", group)
    return {("account", review.user), *(("group", name) for name in groups)}, found


def _require_grants(review: ReviewService) -> tuple[set[tuple[str, str]], set[Grant]]:
    """Return what `find_held` returns. Without access control an account needs no roles.

    :raises ToolchainError: if the server does not list all that the account holds
    """
    if not review.has_login:
        return set(), set()
    if found := find_grants(review):
        return found
    raise ToolchainError(
        f"The server lists no account '{review.user}', or not all groups of it. Whether the account of this task would "
        "lose a permission that it needs is not known. With 'allow_lockout: true' the change is made nevertheless."
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
