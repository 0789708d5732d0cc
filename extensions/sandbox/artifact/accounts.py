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
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from ..world import World
from . import scopes
from .errors import ArtifactError
from .scopes import Rule
from .tokens import Claims, InvalidToken, Tokens

ANONYMOUS = "anonymous"
CHALLENGE = {"WWW-Authenticate": 'Basic realm="Artifactory Realm"'}


@dataclass(frozen=True)
class Principal:
    """Who a call is made as, and what that allows."""

    name: str
    admin: bool = False
    rules: tuple[Rule, ...] = ()
    claims: Claims | None = None

    @property
    def anonymous(self) -> bool:
        """Whether nobody in particular calls."""
        return self.name == ANONYMOUS

    def may(self, action: str, repo: str, path: str = "") -> bool:
        """Whether an action (`r`, `w`, `d`, `a` for annotate) is allowed on a path."""
        return self.admin or any(rule.allows(action, repo, path) for rule in self.rules)

    def may_read_of_system(self, part: str) -> bool:
        """Whether a scope of its token lets it read a part of the system, such as `info/storage`."""
        return self.claims is not None and scopes.reads_system(self.claims.scope, part)

    def may_somewhere(self, action: str, repo: str) -> bool:
        """Whether the action is allowed on any part of a repository."""
        return self.admin or any(Rule(rule.repo, "", rule.actions).allows(action, repo, "") for rule in self.rules)


class WrongCredentials(Exception):
    """Credentials were given and are not good."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def refusal(self) -> ArtifactError:
        """How the repository service says so."""
        return ArtifactError(self.status, self.message, CHALLENGE if self.status == 401 else None)


class Accounts:
    """The users and groups, and how a request is traced to one of them."""

    def __init__(self, world: World, tokens: Tokens) -> None:
        self._db = world.db
        self._tokens = tokens

    def add_group(self, name: str, permissions: dict[str, str]) -> None:
        """Make a group, or describe it anew; the permissions are actions by repository or path."""
        self._db.execute("INSERT OR REPLACE INTO artifact_groups VALUES (?, ?)", (name, json.dumps(permissions)))

    def add_user(self, user: dict[str, Any]) -> None:
        """Make a user, or describe one anew."""
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_users VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                user["name"],
                user.get("password"),
                user.get("api_key"),
                user.get("admin", False),
                user.get("locked", False),
                json.dumps(user.get("groups", [])),
                json.dumps(user.get("permissions", {})),
            ),
        )

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

    def users(self) -> list[Principal]:
        """All users, each with what is allowed to them by name."""
        found = self._db.execute("SELECT * FROM artifact_users ORDER BY name")
        return [Principal(user["name"], bool(user["admin"]), tuple(_rules(user["permissions"]))) for user in found]

    def groups(self) -> list[Principal]:
        """All groups, as if they could call."""
        found = self._db.execute("SELECT * FROM artifact_groups ORDER BY name")
        return [Principal(group["name"], rules=tuple(_rules(group["permissions"]))) for group in found]

    def nobody(self) -> Principal:
        """The anonymous user."""
        return Principal(ANONYMOUS, rules=self._rules_of(ANONYMOUS))

    def _by_api_key(self, api_key: str) -> Principal:
        user = self._db.execute("SELECT * FROM artifact_users WHERE api_key = ?", (api_key,)).fetchone()
        if user is not None:
            return self._logged_in(user)
        try:
            return self._by_token(api_key)
        except WrongCredentials:
            # The real server repeats the key in its message.
            raise WrongCredentials(403, f"Bad props auth token: apiKey={api_key}") from None

    def _by_basic(self, credentials: str) -> Principal:
        try:
            name, _unused, password = base64.b64decode(credentials, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            raise WrongCredentials(401, "Bad credentials") from None
        user = self._user(name)
        for accepted in (user["password"], user["api_key"]) if user is not None else ():
            if accepted and secrets.compare_digest(accepted.encode(), password.encode()):
                return self._logged_in(user)
        try:
            principal = self._by_token(password)
        except WrongCredentials:
            raise WrongCredentials(401, "Bad credentials") from None
        if principal.name != name:
            raise WrongCredentials(401, "Bad credentials")
        return principal

    def _by_token(self, token: str) -> Principal:
        try:
            claims = self._tokens.verify(token)
        except InvalidToken as error:
            raise WrongCredentials(401, f"Token failed verification: {error}") from None
        single = scopes.split(claims.scope)
        user = self._user(claims.username)
        as_user = "applied-permissions/user" in single
        rules = scopes.artifact_rules(single)
        for scope in single:
            for group in scopes.groups(scope):
                rules += self._rules_of_group(group)
        if as_user:
            rules += self._rules_of(claims.username)
        admin = "applied-permissions/admin" in single or bool(as_user and user is not None and user["admin"])
        return Principal(claims.username, admin, tuple(rules), claims)

    def _logged_in(self, user: sqlite3.Row) -> Principal:
        if user["locked"]:
            raise WrongCredentials(403, f"The user: '{user['name']}' is locked.")
        return Principal(user["name"], bool(user["admin"]), self._rules_of(user["name"]))

    def _user(self, name: str) -> Any:
        return self._db.execute("SELECT * FROM artifact_users WHERE name = ?", (name,)).fetchone()

    def _rules_of(self, name: str) -> tuple[Rule, ...]:
        user = self._user(name)
        if user is None:
            return ()
        rules = _rules(user["permissions"])
        for group in json.loads(user["groups"]):
            rules += self._rules_of_group(group)
        return tuple(rules)

    def _rules_of_group(self, name: str) -> list[Rule]:
        row = self._db.execute("SELECT permissions FROM artifact_groups WHERE name = ?", (name,)).fetchone()
        return _rules(row["permissions"]) if row else []


def _rules(permissions: str) -> list[Rule]:
    return [scopes.rule(text, actions) for text, actions in json.loads(permissions).items()]
