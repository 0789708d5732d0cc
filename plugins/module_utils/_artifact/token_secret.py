# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the secret of an access token tells, without asking the server that made it."""

from __future__ import annotations

import base64
import binascii
import json
import typing as t

_REFERENCE = b"reftkn:"


def token_id(secret: str) -> str | None:
    """The id of the token, or `None` where the secret does not tell it."""
    return _claims(secret).get("jti")


def issuer(secret: str) -> str | None:
    """The service that made the token, such as `jfac@01hx3c`, or `None` where the secret does not tell it."""
    return str(_claims(secret).get("iss") or "").partition("/")[0] or None


def is_reference(secret: str) -> bool:
    """Whether it is the short text that only its server understands."""
    return _decoded(secret).startswith(_REFERENCE)


def _claims(secret: str) -> dict[str, t.Any]:
    parts = secret.split(".")
    try:
        claims = json.loads(_decoded(parts[1])) if len(parts) == 3 else None
    except ValueError:
        claims = None
    return claims if isinstance(claims, dict) else {}


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
