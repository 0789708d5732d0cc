# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the claims of an access token without a request to the server."""

from __future__ import annotations

import base64
import binascii
import json
import re
import typing as t

_REFERENCE = b"reftkn:"
_GROUPS_SCOPE = re.compile(r'applied-permissions/groups:((?:"[^"]*"|[^\s"])+)')
_GROUP = re.compile(r'"([^"]*)"|([^",]+)')


def token_id(secret: str) -> str | None:
    """Return the ID of the token, or `None` if the secret does not contain it."""
    return _claims(secret).get("jti")


def issuer(secret: str) -> str | None:
    """Return the ID of the service that issued the token, such as `jfac@01hx3c`, or `None` if the secret does not
    contain it.
    """
    return str(_claims(secret).get("iss") or "").partition("/")[0] or None


def username(secret: str) -> str | None:
    """Return the user of the token in lower case, or `None` if the secret does not contain it."""
    return parse_username(_claims(secret).get("sub"))


def parse_username(subject: t.Any) -> str | None:
    """Return the user in a subject such as `jfac@01hx3c/users/ci`, in lower case, or `None` if it has none."""
    return str(subject or "").partition("/users/")[2].lower() or None


def scope(secret: str) -> str:
    """Return the scope of the token, empty if the secret does not contain it."""
    return str(_claims(secret).get("scp") or "")


def has_admin_scope(secret: str) -> bool:
    """Return whether the token gives administrator permissions, as far as the secret contains its scope."""
    return "applied-permissions/admin" in scope(secret).split()


def parse_groups(text: str) -> list[str]:
    """Return the groups whose permissions a scope gives."""
    return [
        quoted or plain
        for names in _GROUPS_SCOPE.findall(text)
        for quoted, plain in _GROUP.findall(names)
        if quoted or plain
    ]


def is_token(secret: str) -> bool:
    """Return whether the secret is an access token or a reference token."""
    return token_id(secret) is not None or is_reference(secret)


def is_reference(secret: str) -> bool:
    """Return whether the secret is a reference token, whose claims only the server knows."""
    return _decode(secret).startswith(_REFERENCE)


def _claims(secret: str) -> dict[str, t.Any]:
    parts = secret.split(".")
    try:
        claims = json.loads(_decode(parts[1])) if len(parts) == 3 else None
    except ValueError:
        claims = None
    return claims if isinstance(claims, dict) else {}


def _decode(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
