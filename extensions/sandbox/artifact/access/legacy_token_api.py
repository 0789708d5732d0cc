# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The deprecated token API `/api/security/token`, which takes forms and has its own error format."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions, methods
from ..protocol.errors import ApiError, ArtifactError
from ..protocol.json_response import json_response
from . import scopes
from .tokens import Claims, InvalidToken

DEFAULT_LIFETIME = 3600
FORM = "application/x-www-form-urlencoded"
GROUPS = "member-of-groups:"


class TokenError(ApiError):
    """An error in the OAuth 2.0 format: code and description."""

    def __init__(self, status: int, error: str, description: str) -> None:
        """Create the error."""
        super().__init__(status)
        self._body = {"error": error, "error_description": description}

    def to_response(self) -> Response:
        """Return the HTTP response."""
        return json_response(self._body, self.status)


async def create_token(call: Call) -> Response:
    """Handle `POST /api/security/token`."""
    _require_tokens(call)
    form = await _read_form(call)
    if call.principal.anonymous:
        raise TokenError(401, "invalid_client", "Anonymous users cannot create tokens")
    grant = form.get("grant_type", "client_credentials")
    if grant == "refresh_token":
        return _token_response(call, _redeem_refresh_token(call, form))
    if grant != "client_credentials":
        raise TokenError(400, "unsupported_grant_type", f"Unsupported grant type: {grant}")
    return _token_response(call, call.tokens.issue(**_read_claims(call, form)))


async def list_tokens(call: Call) -> Response:
    """Handle `GET /api/security/token`."""
    _require_tokens(call)
    call.require_login()
    entries = [
        _token_entry(call, claims) for claims, _last_used in call.tokens.list_stored() if _is_visible(call, claims)
    ]
    return json_response({"tokens": entries})


async def revoke_token(call: Call) -> Response:
    """Handle `POST /api/security/token/revoke`."""
    _require_tokens(call)
    form = await _read_form(call)
    call.require_login()
    if "token" not in form and "token_id" not in form:
        raise TokenError(400, "invalid_request", "The token or the token_id is required")
    claims = call.tokens.read_claims(form["token"]) if "token" in form else _find_claims(call, form["token_id"])
    if claims is not None and not _is_visible(call, claims):
        raise TokenError(403, "unauthorized_client", "Only an administrator may revoke the tokens of others")
    is_revoked = claims is not None and call.tokens.revoke(claims.token_id)
    return PlainTextResponse(
        "Token revoked" if is_revoked else "Token not found", headers={"Content-Type": "text/plain"}
    )


def _require_tokens(call: Call) -> None:
    """Fail if the version or edition has no tokens. Version 4 takes `token` for a kind of account."""
    if not call.supports(feature_versions.LEGACY_TOKENS):
        if call.request.method == "POST":
            raise methods.method_not_allowed_error([ROUTES[1]])
        call.require_pro()
        raise ArtifactError(404)
    if call.is_oss and not call.supports(feature_versions.OPEN_SOURCE_TOKENS):
        raise ArtifactError(404)


def _read_claims(call: Call, form: dict[str, str]) -> dict[str, Any]:
    """Return the claims that the form asks for, if the caller may request them."""
    caller = call.principal
    username, scope = form.get("username") or caller.name, _convert_scope(form.get("scope", f"{GROUPS}*"))
    if not scopes.is_valid(scope):
        raise TokenError(400, "invalid_scope", f"Invalid scope: {form['scope']}")
    try:
        lifetime = int(form.get("expires_in", DEFAULT_LIFETIME))
    except ValueError:
        raise TokenError(400, "invalid_request", f"Invalid expires_in: {form['expires_in']}") from None
    is_own = username == caller.name and scope == "applied-permissions/user" and 0 < lifetime <= DEFAULT_LIFETIME
    if lifetime < 0 or not (caller.admin or is_own):
        message = f"The user: '{caller.name}' can only create user token(s) for himself (requested: {username})"
        raise TokenError(400, "invalid_request", message)
    return {
        "username": username,
        "scope": scope,
        "lifetime": lifetime,
        "owner": caller.name,
        "audience": form.get("audience") or "*@*",
        "refreshable": form.get("refreshable", "").lower() == "true",
    }


def _convert_scope(scope: str) -> str:
    """Return a legacy scope in the syntax of the token service."""
    singles = (_convert_single_scope(single) for single in scopes.split_scopes(scope) if single != "api:*")
    return " ".join(singles) or "applied-permissions/user"


def _convert_single_scope(scope: str) -> str:
    if scope == f"{GROUPS}*":
        return "applied-permissions/user"
    if scope.startswith(GROUPS):
        return f"applied-permissions/groups:{scope.removeprefix(GROUPS)}"
    return "applied-permissions/admin" if scope.endswith(":admin") else scope


def _redeem_refresh_token(call: Call, form: dict[str, str]) -> Claims:
    try:
        old = call.tokens.redeem(form.get("refresh_token", ""))
    except InvalidToken:
        raise TokenError(400, "invalid_grant", "Invalid refresh token") from None
    fields = {name: getattr(old, name) for name in ("username", "scope", "owner", "audience", "refreshable")}
    return call.tokens.issue(lifetime=(old.expiry - old.issued_at) if old.expiry is not None else 0, **fields)


def _token_response(call: Call, claims: Claims) -> Response:
    return json_response(
        {
            "scope": claims.scope,
            "access_token": call.tokens.sign(claims),
            "expires_in": claims.expiry - claims.issued_at if claims.expiry is not None else None,
            "refresh_token": call.tokens.create_refresh_token(claims) if claims.refreshable else None,
            "token_type": "Bearer",
        }
    )


def _find_claims(call: Call, token_id: str) -> Claims | None:
    token = call.tokens.find(token_id)
    return token[0] if token else None


def _is_visible(call: Call, claims: Claims) -> bool:
    return call.principal.admin or claims.username == call.principal.name


def _token_entry(call: Call, claims: Claims) -> dict[str, Any]:
    subject = claims.subject
    if not call.supports(feature_versions.ACCESS_SERVICE_ISSUES_TOKENS):
        subject = subject.replace("jfac@", "jfrt@", 1)
    return {
        "token_id": claims.token_id,
        "issuer": subject.partition("/")[0],
        "subject": subject,
        "expiry": claims.expiry,
        "refreshable": claims.refreshable,
        "issued_at": claims.issued_at,
    }


async def _read_form(call: Call) -> dict[str, str]:
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        if not call.supports(feature_versions.ACCESS_SERVICE_ISSUES_TOKENS):
            raise ArtifactError(415)
        raise TokenError(415, "invalid_request", "Unsupported Media Type")
    return dict(parse_qsl((await call.request.body()).decode("utf-8", "replace"), keep_blank_values=True))


TOKEN = "/api/security/token"
ROUTES = (
    Route("POST", TOKEN, create_token, "create_legacy_token"),
    Route("GET", TOKEN, list_tokens, "list_legacy_tokens"),
    Route("POST", f"{TOKEN}/revoke", revoke_token, "revoke_legacy_token"),
)
