# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of access tokens, apart from how the token service speaks."""

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
# The clean-up job removes expired tokens once an hour.
LISTED_AFTER_EXPIRY = 3600


class InvalidToken(Exception):
    """A token that opens nothing."""


@dataclass(frozen=True)
class Claims:
    """What a token says of itself."""

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
        """The user, with the prefix of the service that issued the token."""
        return f"{ISSUER}/users/{self.username}"


class Tokens:
    """Issues, verifies, lists and revokes tokens; short-lived ones are known by nothing but their signature."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._db = runtime.db

    def add(self, token: dict[str, Any]) -> None:
        """Store a token whose text is given, so that clients can know it beforehand."""
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
        self._store(claims)
        self._keep_secret("reference", token["token"], claims)
        if token.get("exported"):
            self._remember("exported_token", token["token"])

    def get_exported(self) -> str | None:
        """The seed's token for clients."""
        return self._recall("exported_token")

    def issue(self, *, lifetime: int, forced: bool = False, **fields: Any) -> Claims:
        """A new token; it is stored only if it lives long enough, or if that is asked for."""
        now = int(self._runtime.clock.now())
        claims = Claims(
            token_id=str(uuid.uuid4()),
            issued_at=now,
            expiry=now + lifetime if lifetime else None,
            stored=forced or not lifetime or lifetime >= self._runtime.get_switch("artifact", "persistency_threshold"),
            **fields,
        )
        if claims.stored:
            self._store(claims)
        return claims

    def sign(self, claims: Claims) -> str:
        """The token itself."""
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
        signed = ".".join(_base64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, body))
        return f"{signed}.{_base64(self._signature(signed))}"

    def create_reference(self, claims: Claims) -> str:
        """A short text that stands for the token."""
        text = f"reftkn:01:{claims.expiry or 0:010d}:{secrets.token_urlsafe(21)[:27]}"
        reference = base64.b64encode(text.encode()).decode()
        self._keep_secret("reference", reference, claims)
        return reference

    def create_refresh_token(self, claims: Claims) -> str:
        """The secret with which the token can be exchanged for a fresh one."""
        refresh_token = str(uuid.uuid4())
        self._keep_secret("refresh", refresh_token, claims)
        return refresh_token

    def redeem(self, refresh_token: str) -> Claims:
        """The token that a refresh token was given with; neither is good for anything afterwards."""
        claims = self._by_secret("refresh", refresh_token)
        if claims is None or (claims.stored and self.find(claims.token_id) is None):
            raise InvalidToken("refresh token")
        self.revoke(claims.token_id)
        return claims

    def verify(self, token: str) -> Claims:
        """What a token or reference token says, if it is good; with `last_used` noted."""
        claims = self._by_secret("reference", token) or self._signed(token)
        now = int(self._runtime.clock.now())
        if claims.expiry is not None and claims.expiry <= now:
            raise InvalidToken("expired")
        if claims.stored:
            noted = self._db.execute(
                "UPDATE artifact_tokens SET last_used = ? WHERE token_id = ?", (now, claims.token_id)
            )
            if not noted.rowcount:
                raise InvalidToken("revoked")
        return claims

    def read_claims(self, token: str) -> Claims | None:
        """What a token says, good or not; None when it is not one of ours."""
        try:
            return self._by_secret("reference", token) or self._signed(token)
        except InvalidToken:
            return None

    def find(self, token_id: str) -> tuple[Claims, int | None] | None:
        """A stored token, and when it was used last."""
        return next(self._select("token_id = ?", token_id), None)

    def list_stored(self) -> list[tuple[Claims, int | None]]:
        """All stored tokens."""
        return list(self._select("TRUE"))

    def _select(self, condition: str, *values: str) -> Iterator[tuple[Claims, int | None]]:
        """Stored tokens, but for those that the clean-up job has removed."""
        oldest = self._runtime.clock.now() - LISTED_AFTER_EXPIRY
        for row in self._db.execute(f"SELECT * FROM artifact_tokens WHERE {condition} ORDER BY rowid", values):
            claims = _claims(row["claims"])
            if claims.expiry is None or claims.expiry > oldest:
                yield claims, row["last_used"]

    def revoke(self, token_id: str) -> bool:
        """End a stored token; False when there is none with this id."""
        self._db.execute("DELETE FROM artifact_token_secrets WHERE token_id = ? AND kind = 'refresh'", (token_id,))
        return bool(self._db.execute("DELETE FROM artifact_tokens WHERE token_id = ?", (token_id,)).rowcount)

    def _signed(self, token: str) -> Claims:
        try:
            header, body, signature = token.split(".")
            given = _unbase64(signature)
        except ValueError:
            raise InvalidToken("parse") from None
        if not hmac.compare_digest(given, self._signature(f"{header}.{body}")):
            raise InvalidToken("signature")
        return Claims(**json.loads(_unbase64(body))["claims"])

    def _signature(self, text: str) -> bytes:
        key = self._recall("signing_key") or self._remember("signing_key", secrets.token_hex(32))
        return hmac.digest(key.encode(), text.encode(), "sha256")

    def _store(self, claims: Claims) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_tokens (token_id, claims) VALUES (?, ?)",
            (claims.token_id, json.dumps(dataclasses.asdict(claims))),
        )

    def _keep_secret(self, kind: str, secret: str, claims: Claims) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO artifact_token_secrets VALUES (?, ?, ?, ?)",
            (_hash(secret), kind, claims.token_id, json.dumps(dataclasses.asdict(claims))),
        )

    def _by_secret(self, kind: str, secret: str) -> Claims | None:
        row = self._db.execute(
            "SELECT claims FROM artifact_token_secrets WHERE hash = ? AND kind = ?", (_hash(secret), kind)
        ).fetchone()
        return _claims(row["claims"]) if row else None

    def _remember(self, name: str, value: str) -> str:
        self._db.execute("INSERT OR REPLACE INTO artifact_settings VALUES (?, ?)", (name, value))
        return value

    def _recall(self, name: str) -> str | None:
        row = self._db.execute("SELECT value FROM artifact_settings WHERE name = ?", (name,)).fetchone()
        return row["value"] if row else None


def _claims(text: str) -> Claims:
    return Claims(**json.loads(text))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unbase64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
