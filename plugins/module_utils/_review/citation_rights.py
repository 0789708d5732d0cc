# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of issues that Klocwork will refuse, as far as reads can tell."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import accounts, grants, projects, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

UNOWNED = "unowned"
_PERMISSION = "change_issue_status"
_ANY = "Any"


class CitationRights:
    """Predicts refusals. Where an account may not list users or roles, nothing is predicted, and the server decides."""

    def __init__(self, review: ReviewService, project: str) -> None:
        self._review, self._project = review, project
        self._roles = functools.cache(self._held_roles)

    def unknown_owners(self, owners: t.Iterable[str]) -> set[str]:
        """Return those of the owners that no account has. A server without access control takes any name."""
        named = sorted(set(owners) - {UNOWNED})
        if not self._review.has_login:
            return set()
        try:
            return set(accounts.missing(self._review, named))
        except ServerRefusal:
            return set()

    def allows(self, before: str, after: str) -> bool:
        """Return whether a role of the account allows the change of a status, or may do so."""
        if not self._review.has_login:
            return True
        try:
            held = self._roles()
        except ServerRefusal:
            return True
        return held is None or any(_allows(role, before, after) for role in held)

    def _held_roles(self) -> list[Fields] | None:
        """Return the roles of the account on the project; `None` if the server does not list all that it needs."""
        held = grants.held(self._review)
        if held is None:
            return None
        places = ("", projects.ids(self._review).get(self._project, self._project))
        names = {grant.role for grant in held[1] if grant.project in places}
        listed = roles.Roles(self._review).matching(None, with_assignments=False)
        found = [role for role in listed if role["name"] in names]
        return found if len(found) == len(names) else None


def _allows(role: Fields, before: str, after: str) -> bool:
    if not role["permissions"].get(_PERMISSION):
        return False
    if before == after:
        return True
    transitions = {(one["from"], one["to"]) for one in role["transitions"]}
    if role["readonly"] and not transitions:  # how a server lists the transitions of a role of its own is not known
        return True
    return any((start, end) in transitions for start in (before, _ANY) for end in (after, _ANY))
