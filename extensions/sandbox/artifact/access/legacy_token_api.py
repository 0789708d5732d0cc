# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens as of old, of the repository service itself: made from forms, with an envelope of their own for errors."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import PRO_SCOPE, Call
from ..protocol.errors import ApiError
from ..protocol.formats import format_json
from . import scopes
from .tokens import Claims, InvalidToken

LIFETIME = 3600
FORM = "application/x-www-form-urlencoded"
GROUPS = "member-of-groups:"


class TokenError(ApiError):
    """The envelope of these calls: a word for the error, and what it is about."""

    def __init__(self, status: int, error: str, description: str) -> None:
        super().__init__(status)
        self._body = {"error": error, "error_description": description}

    def to_response(self) -> Response:
        return Response(format_json(self._body).encode(), self.status, {"Content-Type": "application/json"})


async def create(call: Call) -> Response:
    """POST /api/security/token"""
    form = await _form(call)
    if call.principal.anonymous:
        raise TokenError(401, "invalid_client", "Anonymous users cannot create tokens")
    grant = form.get("grant_type", "client_credentials")
    if grant == "refresh_token":
        return _granted(call, _refreshed(call, form))
    if grant != "client_credentials":
        raise TokenError(400, "unsupported_grant_type", f"Unsupported grant type: {grant}")
    return _granted(call, call.tokens.issue(**_wanted(call, form)))


async def listed(call: Call) -> Response:
    """GET /api/security/token"""
    call.require_login()
    entries = [_entry(claims) for claims, _used in call.tokens.list_stored() if _is_mine(call, claims)]
    return _json({"tokens": entries})


async def revoke(call: Call) -> Response:
    """POST /api/security/token/revoke"""
    form = await _form(call)
    call.require_login()
    if "token" not in form and "token_id" not in form:
        raise TokenError(400, "invalid_request", "The token or the token_id is required")
    claims = call.tokens.read_claims(form["token"]) if "token" in form else _stored(call, form["token_id"])
    if claims is not None and not _is_mine(call, claims):
        raise TokenError(403, "unauthorized_client", "Only an administrator may revoke the tokens of others")
    gone = claims is not None and call.tokens.revoke(claims.token_id)
    return PlainTextResponse("Token revoked" if gone else "Token not found", headers={"Content-Type": "text/plain"})


def _wanted(call: Call, form: dict[str, str]) -> dict[str, Any]:
    """What the form says about the token, if the caller may say so."""
    caller = call.principal
    username, scope = form.get("username") or caller.name, _as_now(form.get("scope", f"{GROUPS}*"))
    if not scopes.is_valid(scope):
        raise TokenError(400, "invalid_scope", f"Invalid scope: {form['scope']}")
    try:
        lifetime = int(form.get("expires_in", LIFETIME))
    except ValueError:
        raise TokenError(400, "invalid_request", f"Invalid expires_in: {form['expires_in']}") from None
    mine = username == caller.name and scope == "applied-permissions/user" and 0 < lifetime <= LIFETIME
    if lifetime < 0 or not (caller.admin or mine):
        problem = f"The user: '{caller.name}' can only create user token(s) for himself (requested: {username})"
        raise TokenError(400, "invalid_request", problem)
    return {
        "username": username,
        "scope": scope,
        "lifetime": lifetime,
        "owner": caller.name,
        "audience": form.get("audience") or "*@*",
        "refreshable": form.get("refreshable", "").lower() == "true",
    }


def _as_now(scope: str) -> str:
    """A scope as it is written today."""
    singles = (_single_as_now(single) for single in scopes.split(scope) if single != "api:*")
    return " ".join(singles) or "applied-permissions/user"


def _single_as_now(scope: str) -> str:
    if scope == f"{GROUPS}*":
        return "applied-permissions/user"
    if scope.startswith(GROUPS):
        return f"applied-permissions/groups:{scope.removeprefix(GROUPS)}"
    return "applied-permissions/admin" if scope.endswith(":admin") else scope


def _refreshed(call: Call, form: dict[str, str]) -> Claims:
    try:
        old = call.tokens.redeem(form.get("refresh_token", ""))
    except InvalidToken:
        raise TokenError(400, "invalid_grant", "Invalid refresh token") from None
    kept = {name: getattr(old, name) for name in ("username", "scope", "owner", "audience", "refreshable")}
    return call.tokens.issue(lifetime=(old.expiry - old.issued_at) if old.expiry is not None else 0, **kept)


def _granted(call: Call, claims: Claims) -> Response:
    return _json(
        {
            "scope": claims.scope,
            "access_token": call.tokens.sign(claims),
            "expires_in": claims.expiry - claims.issued_at if claims.expiry is not None else None,
            "refresh_token": call.tokens.create_refresh_token(claims) if claims.refreshable else None,
            "token_type": "Bearer",
        }
    )


def _stored(call: Call, token_id: str) -> Claims | None:
    found = call.tokens.find(token_id)
    return found[0] if found else None


def _is_mine(call: Call, claims: Claims) -> bool:
    return call.principal.admin or claims.username == call.principal.name


def _entry(claims: Claims) -> dict[str, Any]:
    return {
        "token_id": claims.token_id,
        "issuer": claims.subject.partition("/")[0],
        "subject": claims.subject,
        "expiry": claims.expiry,
        "refreshable": claims.refreshable,
        "issued_at": claims.issued_at,
    }


async def _form(call: Call) -> dict[str, str]:
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise TokenError(415, "invalid_request", "Unsupported Media Type")
    return dict(parse_qsl((await call.request.body()).decode("utf-8", "replace"), keep_blank_values=True))


def _json(value: dict[str, Any]) -> Response:
    return Response(format_json(value).encode(), 200, {"Content-Type": "application/json"})


TOKEN = "/api/security/token"
ROUTES = (
    Route("POST", TOKEN, create, "create_legacy_token", scope=PRO_SCOPE),
    Route("GET", TOKEN, listed, "list_legacy_tokens", scope=PRO_SCOPE),
    Route("POST", f"{TOKEN}/revoke", revoke, "revoke_legacy_token", scope=PRO_SCOPE),
)
