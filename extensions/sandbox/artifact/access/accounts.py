# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups, and the authentication of requests."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import sqlite3
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from ...runtime.runtime import Runtime
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.versions import Versions, has_behavior
from ..system.configuration.store import Configuration
from . import scopes
from .login_throttle import LoginThrottle
from .permissions import Permissions
from .scopes import Rule, TargetRule
from .tokens import Claims, InvalidToken, Tokens

ANONYMOUS = "anonymous"
# Converters of the columns that do not contain plain text.
COLUMN_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "admin": bool,
    "locked": bool,
    "groups": json.loads,
    "permissions": json.loads,
    "about": json.loads,
}
CHALLENGE = {"WWW-Authenticate": 'Basic realm="Artifactory Realm"'}


@dataclass(frozen=True)
class Principal:
    """The caller of a request and the caller's permissions."""

    name: str
    admin: bool = False
    rules: tuple[Rule | TargetRule, ...] = ()
    claims: Claims | None = None

    @property
    def anonymous(self) -> bool:
        """Whether the caller is the anonymous user."""
        return self.name == ANONYMOUS

    def may(self, action: str, repo: str, path: str = "") -> bool:
        """Return whether an action is permitted on a path: `r`, `w`, `d`, `a` (annotate) or `m` (manage)."""
        return self.admin or any(rule.allows(action, repo, path) for rule in self.rules)

    def may_read_system(self, part: str) -> bool:
        """Return whether the scope of the token permits reading a part of the system, such as `info/storage`."""
        return self.claims is not None and scopes.permits_system_read(self.claims.scope, part)

    def may_anywhere(self, action: str, repo: str) -> bool:
        """Return whether an action is permitted anywhere in a repository."""
        return self.admin or any(rule.allows_anywhere(action, repo) for rule in self.rules)


class InvalidCredentials(Exception):
    """The request has invalid credentials."""

    def __init__(self, status: int, message: str) -> None:
        """Create the error with the HTTP status and the message."""
        super().__init__(message)
        self.status = status
        self.message = message

    def to_artifact_error(self) -> ArtifactError:
        """Return the error in the format of Artifactory."""
        return ArtifactError(self.status, self.message, CHALLENGE if self.status == 401 else None)


class ChallengedRefusal(InvalidCredentials):
    """A refusal whose response has a challenge."""

    def to_artifact_error(self) -> ArtifactError:
        """Return the error with a challenge, as the real server does."""
        return ArtifactError(self.status, self.message, CHALLENGE)


class LoginBlocked(ChallengedRefusal):
    """The account is blocked after several failed logins."""

    def __init__(self, name: str, seconds: int) -> None:
        """Create the error for a block of `seconds`."""
        message = f"'{name}' is blocked due to recurrent login failures"
        super().__init__(403, f"{message}, please try again in {seconds} seconds")


class Accounts:
    """Users and groups in the database, and the authentication of requests.

    :ivar permissions: what users and groups may do
    """

    def __init__(self, runtime: Runtime, tokens: Tokens, configuration: Configuration) -> None:
        """Create the accounts."""
        self._runtime = runtime
        self._configuration = configuration
        self._db = runtime.db
        self._tokens = tokens
        self.permissions = Permissions(runtime)
        self.logins = LoginThrottle(runtime.clock)
        self._last_logins: dict[str, float] = {}

    def save_group(self, name: str, permissions: dict[str, str], about: dict[str, Any] | None = None) -> None:
        """Create or replace a group.

        `permissions` maps a repository or path to actions. `about` contains the other fields, with the names of the
        Access API.
        """
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_groups VALUES (?, ?, ?)",
            (name, json.dumps(permissions), json.dumps(about or {})),
        )

    def save_user(self, user: dict[str, Any]) -> None:
        """Create or replace a user. Its name is stored in lower case.

        `about` contains the other fields, with the names of the Access API.
        """
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_users VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                user["name"].lower(),
                user.get("password"),
                user.get("api_key"),
                user.get("admin", False),
                user.get("locked", False),
                json.dumps(user.get("groups", [])),
                json.dumps(user.get("permissions", {})),
                json.dumps(user.get("about", {})),
            ),
        )

    def list_users(self) -> list[dict[str, Any]]:
        """Return all users in the format of seeds, sorted by name."""
        return list(map(_to_seed, self._db.execute("SELECT * FROM artifact_users ORDER BY name")))

    def list_groups(self) -> list[dict[str, Any]]:
        """Return all groups in the format of seeds, sorted by name."""
        return list(map(_to_seed, self._db.execute("SELECT * FROM artifact_groups ORDER BY name")))

    def find_user(self, name: str) -> dict[str, Any] | None:
        """Return a user in the format of seeds."""
        row = self._select_user(name)
        return row and _to_seed(row)

    def find_group(self, name: str) -> dict[str, Any] | None:
        """Return a group in the format of seeds."""
        row = self._select_group(name)
        return row and _to_seed(row)

    def fold_group(self, name: str) -> str:
        """Return the name under which a group is stored."""
        return name.lower() if self._runtime.get_switch("artifact", "lowercase_groups") else name

    def delete_user(self, name: str) -> None:
        """Delete a user."""
        self.permissions.remove_principal("users", name.lower())
        self._db.execute("DELETE FROM artifact_users WHERE name = ?", (name.lower(),))
        self._leave_projects("users", name.lower())

    def delete_group(self, name: str) -> None:
        """Delete a group and its memberships."""
        self.set_members(name, ())
        self.permissions.remove_principal("groups", name)
        self._db.execute("DELETE FROM artifact_groups WHERE name = ?", (name,))
        self._leave_projects("groups", name)

    def _leave_projects(self, kind: str, name: str) -> None:
        self._db.execute("DELETE FROM artifact_project_members WHERE kind = ? AND name = ?", (kind, name))

    def list_members(self, group: str) -> list[str]:
        """Return the names of the users in a group, sorted."""
        query = """
            SELECT DISTINCT artifact_users.name FROM artifact_users, json_each(groups) AS membership
            WHERE membership.value = ? ORDER BY 1
        """
        return [row["name"] for row in self._db.execute(query, (group,))]

    def list_auto_join_groups(self) -> list[str]:
        """Return the names of the groups that new users join, sorted."""
        query = "SELECT name FROM artifact_groups WHERE json_extract(about, '$.auto_join') ORDER BY name"
        return [row["name"] for row in self._db.execute(query)]

    def set_members(self, group: str, names: Collection[str]) -> None:
        """Replace the members of a group."""
        current, desired = set(self.list_members(group)), {name.lower() for name in names}
        self.change_members(group, desired - current, current - desired)

    def change_members(self, group: str, added: Iterable[str], removed: Iterable[str]) -> None:
        """Add users to a group, and remove others."""
        for name in added:
            if (user := self.find_user(name)) and group not in user["groups"]:
                self._set_groups(user["name"], [*user["groups"], group])
        for name in removed:
            if user := self.find_user(name):
                self._set_groups(user["name"], [other for other in user["groups"] if other != group])

    def _set_groups(self, name: str, groups: list[str]) -> None:
        self._db.execute("UPDATE artifact_users SET groups = ? WHERE name = ?", (json.dumps(groups), name))

    def unlock(self, names: Iterable[str]) -> None:
        """Unlock users."""
        self._db.executemany("UPDATE artifact_users SET locked = 0 WHERE name = ?", ((name.lower(),) for name in names))

    def is_admin(self, name: str) -> bool:
        """Return whether a user is an administrator, directly or through a group."""
        user = self._select_user(name)
        return user is not None and self._is_admin(user)

    def last_login(self, name: str) -> float | None:
        """Return when a user last logged in with a password, or `None` if this is unknown."""
        return self._last_logins.get(name)

    def forget_logins(self) -> None:
        """Forget all logins."""
        self.logins.clear()
        self._last_logins.clear()

    def identify(self, request: Request) -> Principal | None:
        """Return the caller of a request, or `None` if it has no credentials.

        :raises InvalidCredentials: if the credentials are invalid
        """
        api_key = request.headers.get("x-jfrog-art-api")
        if api_key is not None:
            return self._identify_by_api_key(api_key)
        scheme, _unused, credentials = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._identify_by_bearer(credentials.strip())
        if scheme.lower() == "basic":
            return self._identify_by_basic(credentials)
        return None

    def user_principals(self) -> list[Principal]:
        """Return all users with the permissions granted to them directly."""
        rows = self._db.execute("SELECT * FROM artifact_users ORDER BY name")
        return [
            Principal(user["name"], self._is_admin(user), tuple(self._direct_rules("users", user))) for user in rows
        ]

    def group_principals(self) -> list[Principal]:
        """Return all groups with their permissions."""
        rows = self._db.execute("SELECT * FROM artifact_groups ORDER BY name")
        return [
            Principal(group["name"], _grants_admin(group), tuple(self._direct_rules("groups", group))) for group in rows
        ]

    def get_anonymous(self) -> Principal:
        """Return the anonymous user."""
        return Principal(ANONYMOUS, rules=self._user_rules(ANONYMOUS))

    def _identify_by_api_key(self, api_key: str) -> Principal:
        user = self._db.execute("SELECT * FROM artifact_users WHERE api_key = ?", (api_key,)).fetchone()
        if user is not None:
            return self._to_principal(user)
        try:
            return self._identify_by_token(api_key)
        except InvalidCredentials:
            if not self._supports(feature_versions.WRONG_API_KEYS_ARE_QUOTED):
                raise ChallengedRefusal(401, "Authentication is required") from None
            # The real server quotes the key as well.
            error = ChallengedRefusal if not self._supports(feature_versions.TOKEN_ERRORS) else InvalidCredentials
            raise error(403, f"Bad props auth token: apiKey={api_key}") from None

    def _identify_by_bearer(self, token: str) -> Principal:
        try:
            return self._identify_by_token(token)
        except InvalidCredentials:
            if self._supports(feature_versions.TOKEN_ERRORS):
                raise
            message = "Bad props auth token: basictoken=" + token
            if not self._supports(feature_versions.LEGACY_TOKENS):
                message = "Bad Props auth Key:basictoken"
            raise InvalidCredentials(401, message) from None

    def _identify_by_basic(self, credentials: str) -> Principal | None:
        try:
            name, _unused, password = base64.b64decode(credentials, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            raise InvalidCredentials(401, "Bad credentials") from None
        if not name.strip():  # the server ignores such credentials
            return None
        counts = not self._supports(feature_versions.BLOCKED_LOGINS_DO_NOT_COUNT)
        blocked_seconds = self.logins.blocked_seconds(name, credentials, counts)
        if blocked_seconds and self._runtime.get_switch("artifact", "login_blocks"):
            raise LoginBlocked(name, blocked_seconds)
        try:
            principal = self._identify_by_password(name, password)
        except InvalidCredentials as error:
            if error.status == 401 and name != ANONYMOUS:
                self.logins.record_failure(name)
                self._lock_after_failures(name)
            raise
        self.logins.record_success(name, credentials)
        self._last_logins[principal.name] = self._runtime.clock.now()
        return principal

    def _supports(self, behavior: str | Versions) -> bool:
        return has_behavior(self._runtime.get_switch("artifact", "version"), behavior)

    def _lock_after_failures(self, name: str) -> None:
        """Lock a user whose logins have failed too often, if the lock policy is enabled."""
        policy = self._configuration.load_section("security")["userLockPolicy"]
        if policy["enabled"] and self.logins.count_failures(name) >= policy["loginAttempts"]:
            self._db.execute("UPDATE artifact_users SET locked = 1 WHERE name = ?", (name.lower(),))

    def _identify_by_password(self, name: str, password: str) -> Principal:
        user = self._select_user(name)
        for accepted in _list_passwords(user) if user is not None else ():
            if accepted and secrets.compare_digest(accepted.encode(), password.encode()):
                return self._to_principal(user)
        try:
            principal = self._identify_by_token(password)
        except InvalidCredentials:
            raise InvalidCredentials(401, "Bad credentials") from None
        if principal.name.lower() != name.lower():
            raise InvalidCredentials(401, "Bad credentials")
        return principal

    def _identify_by_token(self, token: str) -> Principal:
        try:
            claims = self._tokens.verify(token)
        except InvalidToken as error:
            raise InvalidCredentials(401, f"Token failed verification: {error}") from None
        scope_list = scopes.split_scopes(claims.scope)
        user = self._select_user(claims.username)
        has_user_permissions = "applied-permissions/user" in scope_list
        rules: list[Rule | TargetRule] = list(scopes.parse_artifact_rules(scope_list))
        for scope in scope_list:
            for group in scopes.parse_groups(scope):
                rules += self._group_rules(group)
        if has_user_permissions:
            rules += self._user_rules(claims.username)
        admin = "applied-permissions/admin" in scope_list or bool(
            has_user_permissions and user is not None and self._is_admin(user)
        )
        return Principal(claims.username, admin, tuple(rules), claims)

    def _to_principal(self, user: sqlite3.Row) -> Principal:
        if user["locked"]:
            raise InvalidCredentials(403, f"The user: '{user['name']}' is locked.")
        if json.loads(user["about"]).get("status") in ("disabled", "invited"):
            raise InvalidCredentials(401, "Bad credentials")
        return Principal(user["name"], self._is_admin(user), self._user_rules(user["name"]))

    def _is_admin(self, user: sqlite3.Row) -> bool:
        groups = filter(None, map(self._select_group, json.loads(user["groups"])))
        return bool(user["admin"]) or any(map(_grants_admin, groups))

    def _select_user(self, name: str) -> Any:
        return self._db.execute("SELECT * FROM artifact_users WHERE name = ?", (name.lower(),)).fetchone()

    def _user_rules(self, name: str) -> tuple[Rule | TargetRule, ...]:
        user = self._select_user(name)
        if user is None:
            return ()
        rules = self._direct_rules("users", user)
        for group in json.loads(user["groups"]):
            rules += self._group_rules(group)
        return tuple(rules)

    def _select_group(self, name: str) -> Any:
        return self._db.execute("SELECT * FROM artifact_groups WHERE name = ?", (name,)).fetchone()

    def _group_rules(self, name: str) -> list[Rule | TargetRule]:
        row = self._select_group(name)
        return self._direct_rules("groups", row) if row else []

    def _direct_rules(self, kind: str, row: sqlite3.Row) -> list[Rule | TargetRule]:
        """Return the rules of a user or group itself and of the permissions that name it."""
        return [*_parse_rules(row["permissions"]), *self.permissions.list_rules(kind, row["name"])]


def _to_seed(row: sqlite3.Row) -> dict[str, Any]:
    return {
        name: COLUMN_CONVERTERS[name](value) if name in COLUMN_CONVERTERS else value
        for name, value in dict(row).items()
    }


def _grants_admin(group: sqlite3.Row) -> bool:
    return bool(json.loads(group["about"]).get("admin_privileges"))


def _list_passwords(user: sqlite3.Row) -> list[str | None]:
    """Return the texts that the user can log in with as a password."""
    is_disabled = json.loads(user["about"]).get("internal_password_disabled")
    return [None if is_disabled else user["password"], user["api_key"]]


def _parse_rules(permissions: str) -> list[Rule]:
    return [scopes.parse_rule(text, actions) for text, actions in json.loads(permissions).items()]
