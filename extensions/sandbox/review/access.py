# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what: authentication, and permissions that come from roles."""

from __future__ import annotations

import hmac
import json
from typing import NamedTuple

from ..runtime.runtime import Runtime
from .protocol import ActionError

ROOT_ADMIN = "Projects root admin"


class Grant(NamedTuple):
    """A role that the caller holds, directly or through a group."""

    role: str
    project: str  # "" is projects_root: every project, and the server itself
    permissions: frozenset[str]
    transitions: frozenset[tuple[str, str]]


class Access:
    """The rights of the caller of one request."""

    def __init__(self, user: str, grants: list[Grant] | None) -> None:
        self.user = user
        self._grants = grants

    @property
    def everything(self) -> bool:
        """Whether access control is off."""
        return self._grants is None

    def has(self, permission: str, project: str = "") -> bool:
        return self.everything or any(
            permission in grant.permissions and grant.project in ("", project) for grant in self._grants or ()
        )

    def sees(self, project: str) -> bool:
        return self.everything or any(grant.project in ("", project) for grant in self._grants or ())

    def may_cite(self, project: str, old: str, new: str) -> bool:
        """Whether a role lets the caller bring an issue from one status to another."""
        if self._grants is None:
            return True
        ways = {(before, after) for before in (old, "Any") for after in (new, "Any")}
        return any(
            ways & grant.transitions and "change_issue_status" in grant.permissions and grant.project in ("", project)
            for grant in self._grants
        )

    def require(self, permission: str, project: str = "") -> None:
        if not self.has(permission, project):
            raise ActionError(403, f"User {self.user} does not have the {permission} permission")

    def require_web_api(self) -> None:
        # The permission belongs to projects_root, yet "Project admin", a role held per project, carries it.
        if not self.everything and not any("webapi_access" in grant.permissions for grant in self._grants or ()):
            raise ActionError(403, f"User {self.user} does not have the Web API access permission")

    def require_root_admin(self) -> None:
        if not self.everything and not any(g.role == ROOT_ADMIN and not g.project for g in self._grants or ()):
            raise ActionError(403, f"User {self.user} is not a {ROOT_ADMIN}")


def authenticate(runtime: Runtime, user: str, ltoken: str) -> Access:
    """The rights of `user`, proved by the login token that was issued to the same user."""
    if not runtime.get_switch("review", "access_control"):
        return Access(user, grants=None)
    row = runtime.db.execute("SELECT ltoken FROM review_users WHERE name = ?", (user,)).fetchone()
    if not row or not row["ltoken"] or not hmac.compare_digest(row["ltoken"].encode(), ltoken.encode()):
        raise ActionError(401, f"Authentication failed for user {user}")
    return Access(user, _grants(runtime, user))


def _grants(runtime: Runtime, user: str) -> list[Grant]:
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
