# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authorization strategies of the plugins matrix-auth and role-strategy, and what they grant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from ..access.permissions import ADMINISTER, BY_ID, BY_TITLE, Permission
from ..java_patterns import compile_pattern
from ..storage import Storage

# Users have the permissions of the seed
SEEDED = "seeded"
GLOBAL_MATRIX, PROJECT_MATRIX, ROLES = "globalMatrix", "projectMatrix", "roleBased"
UNSECURED, LOGGED_IN = "unsecured", "loggedInUsersCanDoAnything"
ROLE_TYPES = ("globalRoles", "projectRoles", "slaveRoles")
USER, GROUP, EITHER = "USER", "GROUP", "EITHER"
ANONYMOUS = "anonymous"
_SETTING = "authorization"


@dataclass(frozen=True, order=True)
class Sid:
    """A user, a group, or a name that can be both."""

    type: str
    name: str

    def includes(self, user: str, groups: Iterable[str]) -> bool:
        """Return whether a user or one of its groups is meant. Upper and lower case differ.

        What anonymous users may do, everybody may do.
        """
        return (self.type != GROUP and self.name in (user, ANONYMOUS)) or (self.type != USER and self.name in groups)


@dataclass
class Entry:
    """The permissions of a user or group, as IDs."""

    sid: Sid
    permissions: list[str]


@dataclass
class Role:
    """A role with its members.

    :arg permissions: IDs
    """

    name: str
    permissions: list[str]
    pattern: str = ".*"
    sids: list[Sid] = field(default_factory=list)
    description: str | None = None
    template: str | None = None


@dataclass
class Strategy:
    """The strategy of the server.

    :arg entries: of a matrix
    :arg roles: of role-strategy, by their type
    :arg templates: IDs of permissions by the name of their template
    """

    kind: str = SEEDED
    entries: list[Entry] = field(default_factory=list)
    roles: dict[str, list[Role]] = field(default_factory=lambda: {kind: [] for kind in ROLE_TYPES})
    templates: dict[str, list[str]] = field(default_factory=dict)


def load_strategy(storage: Storage) -> Strategy:
    """Return the strategy of the server."""
    stored: dict[str, Any] | None = storage.setting(_SETTING)
    if not stored:
        return Strategy()
    entries = [Entry(Sid(**entry["sid"]), entry["permissions"]) for entry in stored["entries"]]
    roles = {
        kind: [Role(**{**role, "sids": [Sid(**sid) for sid in role["sids"]]}) for role in stored["roles"][kind]]
        for kind in ROLE_TYPES
    }
    return Strategy(stored["kind"], entries, roles, stored["templates"])


def save_strategy(storage: Storage, strategy: Strategy) -> None:
    """Replace the strategy of the server."""
    storage.set(_SETTING, asdict(strategy))


def list_seeded_permissions(storage: Storage) -> Strategy:
    """Return the permissions of the seed as a matrix."""
    grants = ((Sid(USER, user.name), BY_TITLE[title].id) for user in storage.users() for title in user.permissions)
    return Strategy(GLOBAL_MATRIX, list_entries(grants))


def find_permission(text: str) -> Permission | None:
    """Return the permission with an ID or a title such as `Job/Read`."""
    return BY_ID.get(text) or BY_TITLE.get(text)


def list_global_permissions(storage: Storage, strategy: Strategy, user: str, groups: Iterable[str]) -> set[Permission]:
    """Return what a user may do everywhere."""
    if strategy.kind == SEEDED:
        account = storage.user(user)
        return {BY_TITLE[title] for title in account.permissions} if account else set()
    if strategy.kind == UNSECURED or (strategy.kind == LOGGED_IN and "authenticated" in groups):
        return {ADMINISTER}
    if strategy.kind == ROLES:
        return _grant_roles(strategy.roles["globalRoles"], user, groups)
    return grant_entries(strategy.entries, user, groups)


def list_role_permissions(
    strategy: Strategy, role_type: str, name: str, user: str, groups: Iterable[str]
) -> set[Permission]:
    """Return what the roles whose pattern matches a full name grant to a user."""
    matching = [role for role in strategy.roles[role_type] if compile_pattern(role.pattern).fullmatch(name)]
    return _grant_roles(matching, user, groups)


def grant_entries(entries: Iterable[Entry], user: str, groups: Iterable[str]) -> set[Permission]:
    """Return what entries of a matrix grant to a user."""
    return {
        BY_ID[identifier]
        for entry in entries
        if entry.sid.includes(user, groups)
        for identifier in entry.permissions
        if identifier in BY_ID
    }


def list_entries(grants: Iterable[tuple[Sid, str]]) -> list[Entry]:
    """Return the entries of a matrix, with the permissions of the same user or group together."""
    permissions: dict[Sid, set[str]] = {}
    for sid, identifier in grants:
        permissions.setdefault(sid, set()).add(identifier)
    return [Entry(sid, sorted(permissions[sid])) for sid in sorted(permissions)]


def _grant_roles(roles: Iterable[Role], user: str, groups: Iterable[str]) -> set[Permission]:
    return set(_list_granted(roles, user, groups))


def _list_granted(roles: Iterable[Role], user: str, groups: Iterable[str]) -> Iterator[Permission]:
    for role in roles:
        if any(sid.includes(user, groups) for sid in role.sids):
            yield from (BY_ID[identifier] for identifier in role.permissions if identifier in BY_ID)
