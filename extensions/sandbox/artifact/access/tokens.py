# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access tokens: issue, verify, refresh, revoke."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import hmac
import json
import secrets
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...runtime.runtime import Runtime

ISSUER = "jfac@01jcsandbox0000000000000000"
# Seconds for which an expired token is still listed. The server cleans up once an hour.
CLEANUP_INTERVAL = 3600


class InvalidToken(Exception):
    """The token is malformed, expired, revoked or has a wrong signature."""


@dataclass(frozen=True)
class Claims:
    """The claims of a token."""

    token_id: str
    username: str
    scope: str
    issued_at: int
    expiry: int | None
    stored: bool
    owner: str
    audience: str = "*@*"
    description: str | None = None
    refreshable: bool = False
    project_key: str | None = None

    @property
    def subject(self) -> str:
        """The user with the id of the issuing service."""
        return f"{ISSUER}/users/{self.username}"


class Tokens:
    """The tokens. Short-lived tokens are not stored and only verified by their signature."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the token store."""
        self._runtime = runtime
        self._db = runtime.db

    def add(self, token: dict[str, Any]) -> None:
        """Store a token of a seed, which defines the token's value."""
        lifetime = token.get("expires_in", 0)
        now = int(self._runtime.clock.now())
        claims = Claims(
            token_id=token.get("token_id") or str(uuid.uuid5(uuid.NAMESPACE_OID, token["token"])),
            username=token["username"],
            scope=token.get("scope", "applied-permissions/user"),
            issued_at=token.get("issued_at", now),
            expiry=now + lifetime if lifetime else token.get("expiry"),
            stored=True,
            owner=token["username"],
            description=token.get("description"),
            refreshable=token.get("refreshable", False),
        )
        self._save_claims(claims)
        self._save_secret("reference", token["token"], claims)
        if token.get("exported"):
            self._save_setting("exported_token", token["token"])

    def get_exported(self) -> str | None:
        """Return the seed's token for clients."""
        return self._load_setting("exported_token")

    def issue(self, *, lifetime: int, forced: bool = False, **fields: Any) -> Claims:
        """Issue a token. It is stored if it lives long enough or if `forced` is set.

        `lifetime` is in seconds; 0 means that the token never expires.
        """
        now = int(self._runtime.clock.now())
        claims = Claims(
            token_id=str(uuid.uuid4()),
            issued_at=now,
            expiry=now + lifetime if lifetime else None,
            stored=forced or not lifetime or lifetime >= self._runtime.get_switch("artifact", "persistency_threshold"),
            **fields,
        )
        if claims.stored:
            self._save_claims(claims)
        return claims

    def sign(self, claims: Claims) -> str:
        """Return the signed token."""
        header = {"ver": "2", "typ": "JWT", "alg": "HS256", "kid": "sandbox"}
        body = {
            "ext": json.dumps({"revocable": str(claims.stored).lower()}),
            "sub": claims.subject,
            "scp": claims.scope,
            "aud": claims.audience,
            "iss": ISSUER,
            "exp": claims.expiry,
            "iat": claims.issued_at,
            "jti": claims.token_id,
            "claims": dataclasses.asdict(claims),
        }
        signing_input = ".".join(
            _encode_base64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, body)
        )
        return f"{signing_input}.{_encode_base64(self._compute_signature(signing_input))}"

    def create_reference(self, claims: Claims) -> str:
        """Create a reference token: a short value that stands for the token."""
        text = f"reftkn:01:{claims.expiry or 0:010d}:{secrets.token_urlsafe(21)[:27]}"
        reference = base64.b64encode(text.encode()).decode()
        self._save_secret("reference", reference, claims)
        return reference

    def create_refresh_token(self, claims: Claims) -> str:
        """Create a refresh token."""
        refresh_token = str(uuid.uuid4())
        self._save_secret("refresh", refresh_token, claims)
        return refresh_token

    def redeem(self, refresh_token: str) -> Claims:
        """Consume a refresh token: revoke its token and return the claims.

        :raises InvalidToken: if the refresh token or its token is not valid
        """
        claims = self._find_by_secret("refresh", refresh_token)
        if claims is None or (claims.stored and self.find(claims.token_id) is None):
            raise InvalidToken("refresh token")
        self.revoke(claims.token_id)
        return claims

    def verify(self, token: str) -> Claims:
        """Return the claims of a valid token or reference token, and record its use.

        :raises InvalidToken: if the token is not valid
        """
        claims = self._find_by_secret("reference", token) or self._verify_signature(token)
        now = int(self._runtime.clock.now())
        if claims.expiry is not None and claims.expiry <= now:
            raise InvalidToken("expired")
        if claims.stored:
            updated = self._db.execute(
                "UPDATE artifact_tokens SET last_used = ? WHERE token_id = ?", (now, claims.token_id)
            )
            if not updated.rowcount:
                raise InvalidToken("revoked")
        return claims

    def read_claims(self, token: str) -> Claims | None:
        """Return the claims of a token regardless of its validity, or `None` if this server did not issue it."""
        try:
            return self._find_by_secret("reference", token) or self._verify_signature(token)
        except InvalidToken:
            return None

    def find(self, token_id: str) -> tuple[Claims, int | None] | None:
        """Return the claims of a stored token and the time of its last use."""
        return next(self._select("token_id = ?", token_id), None)

    def list_stored(self) -> list[tuple[Claims, int | None]]:
        """Return the claims and the times of the last use of all stored tokens."""
        return list(self._select("TRUE"))

    def _select(self, condition: str, *values: str) -> Iterator[tuple[Claims, int | None]]:
        """Yield stored tokens, except expired ones that the server has cleaned up."""
        oldest = self._runtime.clock.now() - CLEANUP_INTERVAL
        for row in self._db.execute(f"SELECT * FROM artifact_tokens WHERE {condition} ORDER BY rowid", values):
            claims = _parse_claims(row["claims"])
            if claims.expiry is None or claims.expiry > oldest:
                yield claims, row["last_used"]

    def revoke(self, token_id: str) -> bool:
        """Revoke a stored token and return whether it existed."""
        self._db.execute("DELETE FROM artifact_token_secrets WHERE token_id = ? AND kind = 'refresh'", (token_id,))
        return bool(self._db.execute("DELETE FROM artifact_tokens WHERE token_id = ?", (token_id,)).rowcount)

    def _verify_signature(self, token: str) -> Claims:
        try:
            header, body, signature = token.split(".")
            decoded_signature = _decode_base64(signature)
        except ValueError:
            raise InvalidToken("parse") from None
        if not hmac.compare_digest(decoded_signature, self._compute_signature(f"{header}.{body}")):
            raise InvalidToken("signature")
        return Claims(**json.loads(_decode_base64(body))["claims"])

    def _compute_signature(self, text: str) -> bytes:
        key = self._load_setting("signing_key") or self._save_setting("signing_key", secrets.token_hex(32))
        return hmac.digest(key.encode(), text.encode(), "sha256")

    def _save_claims(self, claims: Claims) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_tokens (token_id, claims) VALUES (?, ?)",
            (claims.token_id, json.dumps(dataclasses.asdict(claims))),
        )

    def _save_secret(self, kind: str, secret: str, claims: Claims) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_token_secrets VALUES (?, ?, ?, ?)",
            (_hash(secret), kind, claims.token_id, json.dumps(dataclasses.asdict(claims))),
        )

    def _find_by_secret(self, kind: str, secret: str) -> Claims | None:
        row = self._db.execute(
            "SELECT claims FROM artifact_token_secrets WHERE hash = ? AND kind = ?", (_hash(secret), kind)
        ).fetchone()
        return _parse_claims(row["claims"]) if row else None

    def _save_setting(self, name: str, value: str) -> str:
        self._db.execute("INSERT OR REPLACE INTO artifact_settings VALUES (?, ?)", (name, value))
        return value

    def _load_setting(self, name: str) -> str | None:
        row = self._db.execute("SELECT value FROM artifact_settings WHERE name = ?", (name,)).fetchone()
        return row["value"] if row else None


def _parse_claims(text: str) -> Claims:
    return Claims(**json.loads(text))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _encode_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode_base64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
