# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prediction of refusals by Klocwork because of missing permissions, unknown owners and status transitions."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts, grants, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

UNOWNED = "unowned"
_CITE_PERMISSION = "change_issue_status"
_ANY_STATUS = "Any"


class PermissionCheck:
    """Predicts refusals from the roles of the account. Predicts none if the account may not list users or roles.

    :arg project: name of the project to change; `None` for changes of the server
    """

    def __init__(self, review: ReviewService, project: str | None = None) -> None:
        self._review, self._project = review, project
        self._roles = roles.Roles(review)
        self._get_assigned_roles = functools.cache(self._read_assigned_roles)

    def find_unknown_owners(self, owners: t.Iterable[str]) -> set[str]:
        """Return the owners that are not users. A server without access control accepts any name."""
        named = sorted(set(owners) - {UNOWNED})
        if not self._review.has_login:
            return set()
        try:
            return set(accounts.find_missing(self._review, named))
        except ServerRefusal:
            return set()

    def allows_citation(self, before: str, after: str) -> bool:
        """Return whether a role of the account allows the status transition, or this is unknown."""
        assigned_roles = self._find_roles(_CITE_PERMISSION)
        return assigned_roles is None or any(
            before == after or _allows_transition(role, before, after) for role in assigned_roles
        )

    def require(self, permission: str) -> None:
        """Raise an error if the account lacks a permission.

        :raises ToolchainError: if no role of the account has the permission
        """
        if self._find_roles(permission) == []:
            place = f" on the project '{self._project}'" if self._project else ""
            raise ToolchainError(
                f"Klocwork would refuse the change: '{self._review.user}', the account of this task, lacks the "
                f"permission '{permission}'{place}. Assign a role with this permission."
            )

    def _find_roles(self, permission: str) -> list[Fields] | None:
        """Return the roles of the account that have the permission; `None` if this is unknown."""
        if not self._review.has_login:
            return None
        try:
            assigned_roles = self._get_assigned_roles()
        except ServerRefusal:
            return None
        if assigned_roles is None or not self._roles.is_known_permission(permission):
            return None
        return [role for role in assigned_roles if role["permissions"].get(permission)]

    def _read_assigned_roles(self) -> list[Fields] | None:
        """Return the roles of the account that apply to the project; `None` if the server does not list all of them."""
        role_grants = grants.find_grants(self._review)
        if role_grants is None:
            return None
        places = {""}
        if self._project is not None:
            places.add(projects.project_ids(self._review).get(self._project, self._project))
        names = {grant.role for grant in role_grants[1] if grant.project in places}
        assigned_roles = [role for role in self._roles.search(None, with_assignments=False) if role["name"] in names]
        return assigned_roles if len(assigned_roles) == len(names) else None


def check_removal(task: Task, review: ReviewService, permission: str, project: str | None = None) -> None:
    """Raise an error if the task deletes a resource and the account lacks the permission for it.

    :raises ToolchainError: if the permission is missing
    """
    if task.params["state"] == "absent":
        PermissionCheck(review, project).require(permission)


def _allows_transition(role: Fields, before: str, after: str) -> bool:
    transitions = {(transition["from"], transition["to"]) for transition in role["transitions"]}
    if role["readonly"] and not transitions:  # servers may not list the transitions of built-in roles
        return True
    return any((start, end) in transitions for start in (before, _ANY_STATUS) for end in (after, _ANY_STATUS))
