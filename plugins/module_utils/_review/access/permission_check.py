# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that Klocwork will refuse, as far as reads can tell."""

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
    """Predicts refusals. Where the account may not list users or roles, nothing is predicted, and the server decides.

    :arg project: the name of the project that is changed; without one the server itself is
    """

    def __init__(self, review: ReviewService, project: str | None = None) -> None:
        self._review, self._project = review, project
        self._roles = roles.Roles(review)
        self._get_held_roles = functools.cache(self._read_held_roles)

    def find_unknown_owners(self, owners: t.Iterable[str]) -> set[str]:
        """Return those of the owners that no account has. A server without access control takes any name."""
        named = sorted(set(owners) - {UNOWNED})
        if not self._review.has_login:
            return set()
        try:
            return set(accounts.find_missing(self._review, named))
        except ServerRefusal:
            return set()

    def allows_citation(self, before: str, after: str) -> bool:
        """Return whether a role of the account allows the change of a status, or may do so."""
        held = self._find_roles(_CITE_PERMISSION)
        return held is None or any(before == after or _allows_transition(role, before, after) for role in held)

    def require(self, permission: str) -> None:
        """
        :raises ToolchainError: if no role of the account has the permission
        """
        if self._find_roles(permission) == []:
            place = f" on the project '{self._project}'" if self._project else ""
            raise ToolchainError(
                f"'{self._review.user}', the account of this task, has no role with the permission '{permission}'"
                f"{place}. Klocwork would refuse the change."
            )

    def _find_roles(self, permission: str) -> list[Fields] | None:
        """Return the roles of the account that have the permission; `None` if that cannot be told."""
        if not self._review.has_login:
            return None
        try:
            held = self._get_held_roles()
        except ServerRefusal:
            return None
        if held is None or not self._roles.is_known_permission(permission):
            return None
        return [role for role in held if role["permissions"].get(permission)]

    def _read_held_roles(self) -> list[Fields] | None:
        """Return the roles of the account that count; `None` if the server does not list all that it needs."""
        found = grants.find_grants(self._review)
        if found is None:
            return None
        places = {""}
        if self._project is not None:
            places.add(projects.project_ids(self._review).get(self._project, self._project))
        names = {grant.role for grant in found[1] if grant.project in places}
        held = [role for role in self._roles.search(None, with_assignments=False) if role["name"] in names]
        return held if len(held) == len(names) else None


def check_removal(task: Task, review: ReviewService, permission: str, project: str | None = None) -> None:
    """
    :raises ToolchainError: if the task removes something that needs a permission which the account does not have
    """
    if task.params["state"] == "absent":
        PermissionCheck(review, project).require(permission)


def _allows_transition(role: Fields, before: str, after: str) -> bool:
    transitions = {(one["from"], one["to"]) for one in role["transitions"]}
    if role["readonly"] and not transitions:  # how a server lists the transitions of a role of its own is not known
        return True
    return any((start, end) in transitions for start in (before, _ANY_STATUS) for end in (after, _ANY_STATUS))
