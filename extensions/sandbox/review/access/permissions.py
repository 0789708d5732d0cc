# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authentication, and permissions from the roles of an account."""

from __future__ import annotations

import hmac
import json
from typing import NamedTuple

from ...runtime.runtime import Runtime
from ..api.protocol import ActionError

ROOT_ADMIN = "Projects root admin"


class Grant(NamedTuple):
    """A role that is assigned to the caller, directly or through a group."""

    role: str
    project: str  # empty for projects_root, that is all projects and the server
    permissions: frozenset[str]
    transitions: frozenset[tuple[str, str]]


class Access:
    """The permissions of the caller."""

    def __init__(self, user: str, grants: list[Grant] | None) -> None:
        """Create the permissions of a user.

        :arg grants: null if access control is disabled
        """
        self.user = user
        self._grants = grants

    @property
    def is_unrestricted(self) -> bool:
        """Whether access control is disabled."""
        return self._grants is None

    def has(self, permission: str, project: str = "") -> bool:
        """Return whether the caller has a permission for a project or, by default, for the server."""
        return self.is_unrestricted or any(
            permission in grant.permissions and grant.project in ("", project) for grant in self._grants or ()
        )

    def may_see(self, project: str) -> bool:
        """Return whether the caller has any role in a project."""
        return self.is_unrestricted or any(grant.project in ("", project) for grant in self._grants or ())

    def may_change_status(self, project: str, old: str, new: str) -> bool:
        """Return whether a role of the caller allows the transition from one status to another."""
        if self._grants is None:
            return True
        transitions = {(before, after) for before in (old, "Any") for after in (new, "Any")}
        return any(
            transitions & grant.transitions
            and "change_issue_status" in grant.permissions
            and grant.project in ("", project)
            for grant in self._grants
        )

    def require(self, permission: str, project: str = "") -> None:
        """Check a permission for a project or, by default, for the server.

        :raises ActionError: with status 403 if the caller does not have it
        """
        if not self.has(permission, project):
            raise ActionError(403, f"User {self.user} does not have the {permission} permission")

    def require_web_api(self) -> None:
        """Check the permission to use the web API.

        :raises ActionError: with status 403 if the caller does not have it
        """
        # The permission applies to projects_root, but "Project admin", a role for single projects, includes it.
        if not self.is_unrestricted and not any("webapi_access" in grant.permissions for grant in self._grants or ()):
            raise ActionError(403, f"User {self.user} does not have the Web API access permission")

    def require_root_admin(self) -> None:
        """Check that the caller is a root administrator.

        :raises ActionError: with status 403 if not
        """
        if not self.is_unrestricted and not any(g.role == ROOT_ADMIN and not g.project for g in self._grants or ()):
            raise ActionError(403, f"User {self.user} is not a {ROOT_ADMIN}")


def authenticate(runtime: Runtime, user: str, ltoken: str) -> Access:
    """Return the permissions of a user.

    :arg ltoken: login token of the user; ignored if access control is disabled
    :raises ActionError: with status 401 if the token is wrong
    """
    if not runtime.get_switch("review", "access_control"):
        return Access(user, grants=None)
    row = runtime.db.execute("SELECT ltoken FROM review_users WHERE name = ?", (user,)).fetchone()
    if not row or not row["ltoken"] or not hmac.compare_digest(row["ltoken"].encode(), ltoken.encode()):
        raise ActionError(401, f"Authentication failed for user {user}")
    return Access(user, _load_grants(runtime, user))


def _load_grants(runtime: Runtime, user: str) -> list[Grant]:
    rows = runtime.db.execute(
        """
        SELECT a.role, a.project, r.permissions, r.transitions
        FROM review_assignments a JOIN review_roles r ON r.name = a.role
        WHERE (NOT a.is_group AND a.account = :user)
           OR (a.is_group AND a.account IN (SELECT group_name FROM review_members WHERE user_name = :user))
        """,
        {"user": user},
    )
    return [
        Grant(
            row["role"],
            row["project"],
            frozenset(json.loads(row["permissions"])),
            frozenset((old, new) for old, new in json.loads(row["transitions"])),
        )
        for row in rows
    ]
