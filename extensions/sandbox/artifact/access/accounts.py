# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who calls: users, groups, API keys, and tokens as credentials."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from starlette.requests import Request

from ...runtime.runtime import Runtime
from ..protocol.errors import ArtifactError
from . import scopes
from .login_throttle import Logins
from .scopes import Rule, TargetRule
from .tokens import Claims, InvalidToken, Tokens

ANONYMOUS = "anonymous"
# Actions by the letters of permission targets
ACTIONS = {"m": "m", "d": "d", "w": "w", "n": "a", "r": "r"}
# What permission targets say for all repositories of a kind
KINDS = {"ANY LOCAL": "local", "ANY REMOTE": "remote"}
# What columns hold that are no texts
READ: dict[str, Callable[[Any], Any]] = {
    "admin": bool,
    "locked": bool,
    "groups": json.loads,
    "permissions": json.loads,
    "about": json.loads,
}
CHALLENGE = {"WWW-Authenticate": 'Basic realm="Artifactory Realm"'}


@dataclass(frozen=True)
class Principal:
    """Who a call is made as, and what that allows."""

    name: str
    admin: bool = False
    rules: tuple[Rule | TargetRule, ...] = ()
    claims: Claims | None = None

    @property
    def anonymous(self) -> bool:
        """Whether nobody in particular calls."""
        return self.name == ANONYMOUS

    def may(self, action: str, repo: str, path: str = "") -> bool:
        """Whether an action (`r`, `w`, `d`, `a` for annotate) is allowed on a path."""
        return self.admin or any(rule.allows(action, repo, path) for rule in self.rules)

    def may_read_system(self, part: str) -> bool:
        """Whether a scope of its token lets it read a part of the system, such as `info/storage`."""
        return self.claims is not None and scopes.reads_system(self.claims.scope, part)

    def may_anywhere(self, action: str, repo: str) -> bool:
        """Whether the action is allowed on any part of a repository."""
        return self.admin or any(rule.allows_anywhere(action, repo) for rule in self.rules)


class InvalidCredentials(Exception):
    """Credentials were given and are not good."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def to_artifact_error(self) -> ArtifactError:
        """How the repository service says so."""
        return ArtifactError(self.status, self.message, CHALLENGE if self.status == 401 else None)


class LoginBlocked(InvalidCredentials):
    """The account is blocked after several failed logins."""

    def __init__(self, name: str, seconds: int) -> None:
        blocked = f"'{name}' is blocked due to recurrent login failures"
        super().__init__(403, f"{blocked}, please try again in {seconds} seconds")

    def to_artifact_error(self) -> ArtifactError:
        return ArtifactError(self.status, self.message, CHALLENGE)


class Accounts:
    """The users and groups, and how a request is traced to one of them."""

    def __init__(self, runtime: Runtime, tokens: Tokens) -> None:
        self._runtime = runtime
        self._db = runtime.db
        self._tokens = tokens
        self.logins = Logins(runtime.clock)

    def save_group(self, name: str, permissions: dict[str, str], about: dict[str, Any] | None = None) -> None:
        """Make a group, or describe it anew; the permissions are actions by repository or path."""
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_groups VALUES (?, ?, ?)",
            (name, json.dumps(permissions), json.dumps(about or {})),
        )

    def save_user(self, user: dict[str, Any]) -> None:
        """Make a user, or describe one anew; `about` is what administrators say that nothing depends on."""
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_users VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                user["name"],
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
        """All users as seeds describe them, by name."""
        return list(map(_described, self._db.execute("SELECT * FROM artifact_users ORDER BY name")))

    def list_groups(self) -> list[dict[str, Any]]:
        """All groups as seeds describe them, by name."""
        return list(map(_described, self._db.execute("SELECT * FROM artifact_groups ORDER BY name")))

    def find_user(self, name: str) -> dict[str, Any] | None:
        """One user as seeds describe it."""
        found = self._user(name)
        return found and _described(found)

    def find_group(self, name: str) -> dict[str, Any] | None:
        """One group as seeds describe it."""
        found = self._group(name)
        return found and _described(found)

    def delete_user(self, name: str) -> None:
        """Remove a user."""
        self._leave_targets("users", name)
        self._db.execute("DELETE FROM artifact_users WHERE name = ?", (name,))

    def delete_group(self, name: str) -> None:
        """Remove a group, of which nobody is a member any more."""
        self.set_members(name, ())
        self._leave_targets("groups", name)
        self._db.execute("DELETE FROM artifact_groups WHERE name = ?", (name,))

    def list_members(self, group: str) -> list[str]:
        """The users in a group, by name."""
        return [user["name"] for user in self.list_users() if group in user["groups"]]

    def set_members(self, group: str, names: Collection[str]) -> None:
        """Have these users in a group, and no others."""
        for user in self.list_users():
            others = [name for name in user["groups"] if name != group]
            self.save_user({**user, "groups": [*others, group] if user["name"] in names else others})

    def unlock(self, names: Iterable[str]) -> None:
        """Let users log in again."""
        self._db.executemany("UPDATE artifact_users SET locked = 0 WHERE name = ?", ((name,) for name in names))

    def list_targets(self) -> dict[str, dict[str, Any]]:
        """All permission targets, by name."""
        found = self._db.execute("SELECT * FROM artifact_permission_targets ORDER BY name")
        return {row["name"]: json.loads(row["target"]) for row in found}

    def save_target(self, name: str, target: dict[str, Any]) -> None:
        """Make a permission target, or describe it anew."""
        self._db.execute("INSERT OR REPLACE INTO artifact_permission_targets VALUES (?, ?)", (name, json.dumps(target)))

    def delete_target(self, name: str) -> None:
        """Remove a permission target."""
        self._db.execute("DELETE FROM artifact_permission_targets WHERE name = ?", (name,))

    def identify(self, request: Request) -> Principal | None:
        """Who calls; None when the request has no credentials."""
        api_key = request.headers.get("x-jfrog-art-api")
        if api_key is not None:
            return self._by_api_key(api_key)
        scheme, _unused, credentials = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._by_token(credentials.strip())
        if scheme.lower() == "basic":
            return self._by_basic(credentials)
        return None

    def user_principals(self) -> list[Principal]:
        """All users, each with what is allowed to them by name."""
        found = self._db.execute("SELECT * FROM artifact_users ORDER BY name")
        return [Principal(user["name"], self._is_admin(user), tuple(self._own_rules("users", user))) for user in found]

    def group_principals(self) -> list[Principal]:
        """All groups, as if they could call."""
        found = self._db.execute("SELECT * FROM artifact_groups ORDER BY name")
        return [
            Principal(group["name"], _makes_admins(group), tuple(self._own_rules("groups", group))) for group in found
        ]

    def get_anonymous(self) -> Principal:
        """The anonymous user."""
        return Principal(ANONYMOUS, rules=self._rules_of(ANONYMOUS))

    def _by_api_key(self, api_key: str) -> Principal:
        user = self._db.execute("SELECT * FROM artifact_users WHERE api_key = ?", (api_key,)).fetchone()
        if user is not None:
            return self._logged_in(user)
        try:
            return self._by_token(api_key)
        except InvalidCredentials:
            # The real server repeats the key in its message.
            raise InvalidCredentials(403, f"Bad props auth token: apiKey={api_key}") from None

    def _by_basic(self, credentials: str) -> Principal | None:
        try:
            name, _unused, password = base64.b64decode(credentials, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            raise InvalidCredentials(401, "Bad credentials") from None
        if not name.strip():  # No filter of the server takes them.
            return None
        seconds = self.logins.blocked_seconds(name, credentials)
        if seconds and self._runtime.get_switch("artifact", "login_blocks"):
            raise LoginBlocked(name, seconds)
        try:
            principal = self._by_password(name, password)
        except InvalidCredentials as error:
            if error.status == 401 and name != ANONYMOUS:
                self.logins.note_failure(name)
            raise
        self.logins.note_success(name, credentials)
        return principal

    def _by_password(self, name: str, password: str) -> Principal:
        user = self._user(name)
        for accepted in (user["password"], user["api_key"]) if user is not None else ():
            if accepted and secrets.compare_digest(accepted.encode(), password.encode()):
                return self._logged_in(user)
        try:
            principal = self._by_token(password)
        except InvalidCredentials:
            raise InvalidCredentials(401, "Bad credentials") from None
        if principal.name != name:
            raise InvalidCredentials(401, "Bad credentials")
        return principal

    def _by_token(self, token: str) -> Principal:
        try:
            claims = self._tokens.verify(token)
        except InvalidToken as error:
            raise InvalidCredentials(401, f"Token failed verification: {error}") from None
        single = scopes.split(claims.scope)
        user = self._user(claims.username)
        as_user = "applied-permissions/user" in single
        rules: list[Rule | TargetRule] = list(scopes.artifact_rules(single))
        for scope in single:
            for group in scopes.groups(scope):
                rules += self._rules_of_group(group)
        if as_user:
            rules += self._rules_of(claims.username)
        admin = "applied-permissions/admin" in single or bool(as_user and user is not None and self._is_admin(user))
        return Principal(claims.username, admin, tuple(rules), claims)

    def _logged_in(self, user: sqlite3.Row) -> Principal:
        if user["locked"]:
            raise InvalidCredentials(403, f"The user: '{user['name']}' is locked.")
        return Principal(user["name"], self._is_admin(user), self._rules_of(user["name"]))

    def _is_admin(self, user: sqlite3.Row) -> bool:
        groups = filter(None, map(self._group, json.loads(user["groups"])))
        return bool(user["admin"]) or any(map(_makes_admins, groups))

    def _user(self, name: str) -> Any:
        return self._db.execute("SELECT * FROM artifact_users WHERE name = ?", (name,)).fetchone()

    def _rules_of(self, name: str) -> tuple[Rule | TargetRule, ...]:
        user = self._user(name)
        if user is None:
            return ()
        rules = self._own_rules("users", user)
        for group in json.loads(user["groups"]):
            rules += self._rules_of_group(group)
        return tuple(rules)

    def _group(self, name: str) -> Any:
        return self._db.execute("SELECT * FROM artifact_groups WHERE name = ?", (name,)).fetchone()

    def _rules_of_group(self, name: str) -> list[Rule | TargetRule]:
        row = self._group(name)
        return self._own_rules("groups", row) if row else []

    def _own_rules(self, kind: str, row: sqlite3.Row) -> list[Rule | TargetRule]:
        """What is allowed to a user or a group by name, by the account itself and by permission targets."""
        return [*_rules(row["permissions"]), *self._rules_of_targets(kind, row["name"])]

    def _rules_of_targets(self, kind: str, name: str) -> Iterator[TargetRule]:
        naming = """
            SELECT target FROM artifact_permission_targets, json_each(target, '$.principals.' || ?) AS principal
            WHERE principal.key = ? ORDER BY name
        """
        for row in self._db.execute(naming, (kind, name)):
            target = json.loads(row["target"])
            actions = "".join(ACTIONS.get(letter, "") for letter in target["principals"][kind][name])
            if actions:
                patterns = target["includesPattern"], target["excludesPattern"]
                keys = chain.from_iterable(map(self._meant, target["repositories"]))
                yield TargetRule(tuple(keys), *patterns, actions)

    def _leave_targets(self, kind: str, name: str) -> None:
        for key, target in self.list_targets().items():
            if (target["principals"].get(kind) or {}).pop(name, None) is not None:
                self.save_target(key, target)

    def _meant(self, key: str) -> list[str]:
        """The repositories that a permission target means."""
        if key not in KINDS:
            return [key]
        of_kind = "SELECT key FROM artifact_repositories WHERE json_extract(configuration, '$.rclass') = ?"
        return [row["key"] for row in self._db.execute(of_kind, (KINDS[key],))]


def _described(row: sqlite3.Row) -> dict[str, Any]:
    return {name: READ[name](value) if name in READ else value for name, value in dict(row).items()}


def _makes_admins(group: sqlite3.Row) -> bool:
    return bool(json.loads(group["about"]).get("adminPrivileges"))


def _rules(permissions: str) -> list[Rule]:
    return [scopes.rule(text, actions) for text, actions in json.loads(permissions).items()]
