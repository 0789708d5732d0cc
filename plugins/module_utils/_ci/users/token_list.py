# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""API tokens as scripts list them, without their values."""

from __future__ import annotations

import datetime
import hashlib

from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# A Groovy closure. Jenkins stores a hash of the value, which identifies the token of a file without sending it
TOKENS_OF_USER = """
def tokensOf = { user ->
    def tokens = user.getProperty(jenkins.security.ApiTokenProperty)?.tokenStore?.tokenListSortedByName ?: []
    tokens.collect { token ->
        return [
            uuid: token.uuid,
            name: token.name,
            created: token.creationDate?.time,
            expires: token.hasProperty('expirationDate') ? token.expirationDate?.toString() : null,
            hash: token.@value.@hash,
        ]
    }
}
"""
_LENGTH = 34  # of a token with a version in its first two characters


def parse_token(token: Fields) -> Fields:
    """Return a listed token with its creation time in seconds. `expires` is its last day."""
    created = token["created"] and token["created"] // 1000
    return {**token, "created": created, "created_at": format_time(created)}


def to_state(token: Fields) -> Fields:
    """Return the token without the hash of its value."""
    return {name: token[name] for name in ("uuid", "name", "created", "created_at", "expires")}


def hash_token(secret: str) -> str:
    """Return the hash that Jenkins stores of an API token. Its version is not a part of it."""
    value = secret[2:] if len(secret) == _LENGTH else secret
    return hashlib.sha256(value.encode()).hexdigest()


def format_time(seconds: int | None) -> str | None:
    """Return a Unix timestamp in ISO 8601 format."""
    if seconds is None:
        return None
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
