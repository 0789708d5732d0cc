# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts of Jenkins' own user database: passwords and API tokens, independent of requests."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from datetime import UTC, datetime
from typing import Any

from ..state import State
from ..storage import Storage, Token, User

OWN_DATABASE = "hudson.security.HudsonPrivateSecurityRealm"
NO_REALM = "hudson.security.SecurityRealm$None"
TOKEN_LENGTH = 34


def find_realm(state: State) -> str:
    """Return the class of the security realm."""
    return str(state.switch("security_realm")) if state.switch("security") else NO_REALM


def find_account(storage: Storage, name: str) -> User | None:
    """Return the user with an account and a name, in any case."""
    user = storage.user(name)
    return user if user and user.password is not None else None


def list_accounts(storage: Storage) -> list[User]:
    """Return all users with an account, by name."""
    return sorted((user for user in storage.users() if user.password is not None), key=lambda user: user.name.lower())


def create_account(storage: Storage, name: str, password: str, full_name: str = "", email: str | None = None) -> User:
    """Create an account. A user without an account keeps its name, description and tokens."""
    user = storage.user(name) or User(name, None, name, [], [])
    user.password, user.full_name, user.email = password, full_name or user.full_name, email or user.email
    storage.put_user(user)
    return user


def set_password(storage: Storage, user: User, password: str) -> None:
    """Set the password of a user, who thereby has an account. The API tokens remain valid."""
    user.password = password
    storage.put_user(user)


def set_tokens(storage: Storage, user: User, tokens: list[Token]) -> None:
    """Replace the API tokens of a user."""
    user.tokens = tokens
    storage.put_user(user)


def new_token(name: str, now: float, value: str | None = None, expires: str | None = None) -> Token:
    """Return a new API token, with a random value if none is given."""
    return Token(value or "11" + secrets.token_hex(16), name, str(uuid.uuid4()), now, expires)


def read_token(entry: Any, now: float) -> Token:
    """Return the token of a seed, a value or a mapping."""
    described = {"value": entry} if isinstance(entry, str) else entry
    value = described["value"]
    created = described.get("created")
    return Token(
        value,
        described.get("name", "sandbox"),
        described.get("uuid") or str(uuid.uuid5(uuid.NAMESPACE_OID, value)),
        datetime.fromisoformat(created).timestamp() if created else now,
        described.get("expires"),
    )


def hash_token(token: Token) -> str:
    """Return the hash that Jenkins stores of an API token, without its version."""
    value = token.value[2:] if len(token.value) == TOKEN_LENGTH else token.value
    return hashlib.sha256(value.encode()).hexdigest()


def find_token(user: User, value: str, now: float) -> Token | None:
    """Return the valid API token with a value."""
    today = datetime.fromtimestamp(now, UTC).date().isoformat()
    return next(
        (token for token in user.tokens if token.value == value and (token.expires is None or token.expires >= today)),
        None,
    )
