# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The token service under /access, which speaks a dialect of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ...http import bodies
from ...http.routing import Route
from ...parsing import globs
from ...parsing.documents import parse_json
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.formats import format_json
from . import scopes
from .accounts import InvalidCredentials, Principal
from .tokens import Claims, InvalidToken

LONGEST = {"username": 255, "scope": 500, "description": 1024, "audience": 255}
LONGEST_BODY = 65536  # bytes
ORDERS: dict[str, Callable[[Claims], Any]] = {
    "created": lambda claims: claims.issued_at,
    "token_id": lambda claims: claims.token_id,
    "owner": lambda claims: claims.owner,
    "subject": lambda claims: claims.subject,
    "expiry": lambda claims: claims.expiry or float("inf"),
}


async def ping(call: Call) -> Response:
    """GET /access/api/v1/system/ping"""
    return PlainTextResponse("OK", headers={"Content-Type": "text/plain"})


async def create(call: Call) -> Response:
    """POST /access/api/v1/tokens"""
    given = await _fields(call.request)
    grant_type = given.get("grant_type") or "client_credentials"
    if grant_type == "refresh_token":
        return _refresh(call, given)
    caller = require_caller(call)
    if caller.claims is None and not call.runtime.get_switch("artifact", "basic_creates_tokens"):
        raise AccessError(401, "Token generation with a password is not enabled")
    if grant_type != "client_credentials":
        raise AccessError(400, f"Unsupported grant type: {grant_type}")
    fields = _checked(call, given, caller)
    lifetime = _lifetime(call, given, caller)
    claims = call.tokens.issue(
        lifetime=lifetime, forced=_truth(call, given, "force_revocable", feature_versions.FORCE_REVOCABLE), **fields
    )
    return _granted(call, claims, _truth(call, given, "include_reference_token", feature_versions.REFERENCE_TOKENS))


async def list_tokens(call: Call) -> Response:
    """GET /access/api/v1/tokens"""
    caller = require_caller(call)
    query = call.query
    order = query.get("order_by", "created")
    if order not in ORDERS:
        raise AccessError(400, f"Cannot order by: {order}")
    found = [
        (claims, used)
        for claims, used in call.tokens.list_stored()
        if _visible(call, claims, caller)
        and globs.matches(query.get("description", "*"), claims.description or "")
        and query.get("username", claims.username) == claims.username
        and query.get("token_id", claims.token_id) == claims.token_id
        and query.get("refreshable", str(claims.refreshable)).lower() == str(claims.refreshable).lower()
    ]
    found.sort(key=lambda entry: ORDERS[order](entry[0]), reverse=query.get("descending_order") == "true")
    return _json({"tokens": [_entry(call, claims, used) for claims, used in found]})


async def get(call: Call, token_id: str) -> Response:
    """GET /access/api/v1/tokens/{id}, or /me"""
    caller = require_caller(call)
    if token_id == "me" and caller.claims is not None and call.supports(feature_versions.CURRENT_TOKEN):
        token_id = caller.claims.token_id
    found = call.tokens.find(token_id)
    if found is None or not _visible(call, found[0], caller):
        raise AccessError(404, f"Token with id {token_id} not found")
    return _json(_entry(call, *found))


async def revoke(call: Call, token_id: str) -> Response:
    """DELETE /access/api/v1/tokens/{id}"""
    caller = require_caller(call)
    found = call.tokens.find(token_id)
    if found is None:
        return Response(status_code=204)
    if not _visible(call, found[0], caller):
        raise AccessError(403, "Only an administrator may revoke the tokens of others")
    call.tokens.revoke(token_id)
    return Response(status_code=200)


async def revoke_by_value(call: Call) -> Response:
    """DELETE /access/api/v1/tokens/revoke"""
    caller = require_caller(call)
    claims = call.tokens.read_claims(str((await _fields(call.request)).get("token", "")))
    if claims is None:
        raise AccessError(400, "Not a token of this server")
    if not _visible(call, claims, caller):
        raise AccessError(403, "Only an administrator may revoke the tokens of others")
    if not call.tokens.revoke(claims.token_id):
        raise AccessError(404, f"Token with id {claims.token_id} not found")
    return _json({"revoked-token-id": claims.token_id})


def require_caller(call: Call) -> Principal:
    """Return the account that calls.

    :raises AccessError: when the credentials are missing or wrong
    """
    try:
        caller = call.accounts.identify(call.request)
    except InvalidCredentials as error:
        raise AccessError(401 if error.status == 401 else 403, error.message) from None
    if caller is None:
        raise AccessError(401, "Authentication is required")
    return caller


def _checked(call: Call, given: dict[str, Any], caller: Principal) -> dict[str, Any]:
    """What the request says about the token, if the caller may say so."""
    for name, longest in LONGEST.items():
        if len(str(given.get(name) or "")) > longest:
            raise AccessError(400, f"The {name} is longer than {longest} characters")
    username = str(given.get("username") or caller.name)
    scope = str(given.get("scope") or "applied-permissions/user")
    if not scopes.is_valid(scope):
        raise AccessError(400, f"Invalid scope: {scope}")
    if not caller.admin and (username != caller.name or scopes.split(scope) != ["applied-permissions/user"]):
        raise AccessError(403, f"The user '{caller.name}' can only create tokens for itself with its own permissions")
    return {
        "username": username,
        "scope": scope,
        "owner": caller.name,
        "audience": str(given.get("audience") or "*@*"),
        "description": given.get("description") or None,
        "refreshable": _truth(call, given, "refreshable"),
        "project_key": given.get("project_key") or None,
    }


def _lifetime(call: Call, given: dict[str, Any], caller: Principal) -> int:
    longest: int = call.runtime.get_switch("artifact", "default_token_expiry")
    try:
        lifetime = int(given.get("expires_in", longest))
    except (TypeError, ValueError):
        raise AccessError(400, f"Invalid expires_in: {given['expires_in']}") from None
    if lifetime < 0:
        raise AccessError(400, f"Invalid expires_in: {lifetime}")
    if not caller.admin and (lifetime > longest or (longest and not lifetime)):
        raise AccessError(403, f"The user '{caller.name}' can only create tokens that expire within {longest} seconds")
    return lifetime


def _refresh(call: Call, given: dict[str, Any]) -> Response:
    try:
        old = call.tokens.redeem(str(given.get("refresh_token", "")))
    except InvalidToken:
        raise AccessError(401, "Invalid refresh token") from None
    lifetime = old.expiry - old.issued_at if old.expiry is not None else 0
    kept = ("username", "scope", "owner", "audience", "description", "refreshable", "project_key")
    claims = call.tokens.issue(lifetime=lifetime, **{name: getattr(old, name) for name in kept})
    return _granted(call, claims, _truth(call, given, "include_reference_token", feature_versions.REFERENCE_TOKENS))


def _granted(call: Call, claims: Claims, with_reference: bool) -> Response:
    lifetime = claims.expiry - claims.issued_at if claims.expiry is not None else None
    return _json(
        {
            "token_id": claims.token_id,
            "access_token": call.tokens.sign(claims),
            "refresh_token": call.tokens.create_refresh_token(claims) if claims.refreshable else None,
            "expires_in": lifetime,
            "scope": claims.scope,
            "token_type": "Bearer",
            "reference_token": call.tokens.create_reference(claims) if with_reference else None,
            "description": claims.description,
        }
    )


def _entry(call: Call, claims: Claims, used: int | None) -> dict[str, Any]:
    return {
        "token_id": claims.token_id,
        "subject": claims.subject,
        "expiry": claims.expiry,
        "issued_at": claims.issued_at,
        "issuer": claims.subject.partition("/")[0],
        "description": claims.description,
        "refreshable": claims.refreshable,
        "scope": claims.scope if call.supports(feature_versions.TOKEN_LIST_SCOPES) else None,
        "last_used": used if call.supports(feature_versions.TOKEN_LIST_LAST_USED) else None,
    }


def _visible(call: Call, claims: Claims, caller: Principal) -> bool:
    return caller.admin or claims.username == caller.name


def _truth(call: Call, given: dict[str, Any], name: str, version: str = "0") -> bool:
    return call.supports(version) and str(given.get(name, "false")).lower() == "true"


async def _fields(request: Request) -> dict[str, Any]:
    """The members of a JSON body, but for those that are null, or the fields of a form."""
    body = await bodies.read_body(request, LONGEST_BODY)  # a token is refreshed without other credentials
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        fields = parse_json(body)
    except ValueError:
        raise AccessError(400, "Failed to parse the request body") from None
    if not isinstance(fields, dict):
        raise AccessError(400, "Failed to parse the request body")
    return {name: value for name, value in fields.items() if value is not None}


def _json(value: dict[str, Any]) -> Response:
    return Response(format_json(value).encode(), 200, media_type="application/json")


TOKENS = "/api/v1/tokens"
ROUTES = (
    Route("GET", "/api/v1/system/ping", ping, "access_ping"),
    Route("POST", TOKENS, create, "create_token"),
    Route("GET", TOKENS, list_tokens, "list_tokens"),
    Route("DELETE", f"{TOKENS}/revoke", revoke_by_value, "revoke_token_by_value"),
    Route("GET", f"{TOKENS}/{{token_id}}", get, "get_token"),
    Route("DELETE", f"{TOKENS}/{{token_id}}", revoke, "revoke_token"),
)
