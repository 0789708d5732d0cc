# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The token service API under /access, which has its own error format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ...http import bodies
from ...http.routing import Route, introduce
from ...parsing import globs
from ...parsing.documents import parse_json
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from . import scopes
from .accounts import InvalidCredentials, Principal
from .tokens import Claims, InvalidToken

MAX_LENGTHS = {"username": 255, "scope": 500, "description": 1024, "audience": 255}
MAX_BODY_SIZE = 65536  # bytes
SORT_KEYS: dict[str, Callable[[Claims], Any]] = {
    "created": lambda claims: claims.issued_at,
    "token_id": lambda claims: claims.token_id,
    "owner": lambda claims: claims.owner,
    "subject": lambda claims: claims.subject,
    "expiry": lambda claims: claims.expiry or float("inf"),
}


async def ping(_call: Call) -> Response:
    """Handle `GET /access/api/v1/system/ping`."""
    return PlainTextResponse("OK", headers={"Content-Type": "text/plain"})


async def get_version(call: Call) -> Response:
    """Handle `GET /access/api/v1/system/version`. The real service has versions of its own, close to Artifactory's."""
    require_caller(call)
    return json_response({"name": call.runtime.get_switch("artifact", "version")})


async def create_token(call: Call) -> Response:
    """Handle `POST /access/api/v1/tokens`."""
    fields = await _read_fields(call.request)
    grant_type = fields.get("grant_type") or "client_credentials"
    if grant_type == "refresh_token":
        return _refresh_token(call, fields)
    caller = require_caller(call)
    if caller.claims is None and not call.runtime.get_switch("artifact", "basic_creates_tokens"):
        raise AccessError(401, "Token generation with a password is not enabled")
    if grant_type != "client_credentials":
        raise AccessError(400, f"Unsupported grant type: {grant_type}")
    claim_fields = _validate_fields(call, fields, caller)
    lifetime = _parse_lifetime(call, fields, caller)
    claims = call.tokens.issue(
        lifetime=lifetime,
        forced=_parse_flag(call, fields, "force_revocable", feature_versions.FORCE_REVOCABLE),
        **claim_fields,
    )
    return _token_response(
        call, claims, _parse_flag(call, fields, "include_reference_token", feature_versions.REFERENCE_TOKENS)
    )


async def list_tokens(call: Call) -> Response:
    """Handle `GET /access/api/v1/tokens`."""
    caller = require_caller(call)
    query = call.query
    sort_key = query.get("order_by", "created")
    if sort_key not in SORT_KEYS:
        raise AccessError(400, f"Cannot order by: {sort_key}")
    tokens = [
        (claims, last_used)
        for claims, last_used in call.tokens.list_stored()
        if _is_visible(claims, caller)
        and globs.matches(query.get("description", "*"), claims.description or "")
        and query.get("username", claims.username) == claims.username
        and query.get("token_id", claims.token_id) == claims.token_id
        and query.get("refreshable", str(claims.refreshable)).lower() == str(claims.refreshable).lower()
    ]
    tokens.sort(key=lambda entry: SORT_KEYS[sort_key](entry[0]), reverse=query.get("descending_order") == "true")
    return json_response({"tokens": [_token_entry(call, claims, last_used) for claims, last_used in tokens]})


async def get_token(call: Call, token_id: str) -> Response:
    """Handle `GET /access/api/v1/tokens/{id}` and `GET /access/api/v1/tokens/me`."""
    caller = require_caller(call)
    if token_id == "me" and caller.claims is not None and call.supports(feature_versions.CURRENT_TOKEN):
        token_id = caller.claims.token_id
    token = call.tokens.find(token_id)
    if token is None or not _is_visible(token[0], caller):
        raise AccessError(404, f"Token with id {token_id} not found")
    return json_response(_token_entry(call, *token))


async def revoke_token(call: Call, token_id: str) -> Response:
    """Handle `DELETE /access/api/v1/tokens/{id}`."""
    caller = require_caller(call)
    token = call.tokens.find(token_id)
    if token is None:
        return Response(status_code=204)
    if not _is_visible(token[0], caller):
        raise AccessError(403, "Only an administrator may revoke the tokens of others")
    call.tokens.revoke(token_id)
    return Response(status_code=200)


async def revoke_by_value(call: Call) -> Response:
    """Handle `DELETE /access/api/v1/tokens/revoke`."""
    caller = require_caller(call)
    claims = call.tokens.read_claims(str((await _read_fields(call.request)).get("token", "")))
    if claims is None:
        raise AccessError(400, "Not a token of this server")
    if not _is_visible(claims, caller):
        raise AccessError(403, "Only an administrator may revoke the tokens of others")
    if not call.tokens.revoke(claims.token_id):
        raise AccessError(404, f"Token with id {claims.token_id} not found")
    return json_response({"revoked-token-id": claims.token_id})


def require_caller(call: Call) -> Principal:
    """Return the authenticated caller.

    :raises AccessError: if the credentials are missing or invalid
    """
    try:
        caller = call.accounts.identify(call.request)
    except InvalidCredentials as error:
        raise AccessError(401 if error.status == 401 else 403, error.message) from None
    if caller is None:
        raise AccessError(401, "Authentication is required")
    return caller


def _validate_fields(call: Call, fields: dict[str, Any], caller: Principal) -> dict[str, Any]:
    """Return the claims that the request asks for, if the caller may request them."""
    for name, max_length in MAX_LENGTHS.items():
        if len(str(fields.get(name) or "")) > max_length:
            raise AccessError(400, f"The {name} is longer than {max_length} characters")
    username = str(fields.get("username") or caller.name)
    scope = str(fields.get("scope") or "applied-permissions/user")
    if not scopes.is_valid(scope):
        raise AccessError(400, f"Invalid scope: {scope}")
    if not caller.admin and (username != caller.name or scopes.split_scopes(scope) != ["applied-permissions/user"]):
        raise AccessError(403, f"The user '{caller.name}' can only create tokens for itself with its own permissions")
    return {
        "username": username,
        "scope": scope,
        "owner": caller.name,
        "audience": str(fields.get("audience") or "*@*"),
        "description": fields.get("description") or None,
        "refreshable": _parse_flag(call, fields, "refreshable"),
        "project_key": fields.get("project_key") or None,
    }


def _parse_lifetime(call: Call, fields: dict[str, Any], caller: Principal) -> int:
    default_lifetime: int = call.runtime.get_switch("artifact", "default_token_expiry")
    try:
        lifetime = int(fields.get("expires_in", default_lifetime))
    except (TypeError, ValueError):
        raise AccessError(400, f"Invalid expires_in: {fields['expires_in']}") from None
    if lifetime < 0:
        raise AccessError(400, f"Invalid expires_in: {lifetime}")
    if not caller.admin and (lifetime > default_lifetime or (default_lifetime and not lifetime)):
        raise AccessError(
            403, f"The user '{caller.name}' can only create tokens that expire within {default_lifetime} seconds"
        )
    return lifetime


def _refresh_token(call: Call, fields: dict[str, Any]) -> Response:
    try:
        old = call.tokens.redeem(str(fields.get("refresh_token", "")))
    except InvalidToken:
        raise AccessError(401, "Invalid refresh token") from None
    lifetime = old.expiry - old.issued_at if old.expiry is not None else 0
    copied = ("username", "scope", "owner", "audience", "description", "refreshable", "project_key")
    claims = call.tokens.issue(lifetime=lifetime, **{name: getattr(old, name) for name in copied})
    return _token_response(
        call, claims, _parse_flag(call, fields, "include_reference_token", feature_versions.REFERENCE_TOKENS)
    )


def _token_response(call: Call, claims: Claims, with_reference: bool) -> Response:
    lifetime = claims.expiry - claims.issued_at if claims.expiry is not None else None
    return json_response(
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


def _token_entry(call: Call, claims: Claims, last_used: int | None) -> dict[str, Any]:
    return {
        "token_id": claims.token_id,
        "subject": claims.subject,
        "expiry": claims.expiry,
        "issued_at": claims.issued_at,
        "issuer": claims.subject.partition("/")[0],
        "description": claims.description,
        "refreshable": claims.refreshable,
        "scope": claims.scope if call.supports(feature_versions.TOKEN_LIST_SCOPES) else None,
        "last_used": last_used if call.supports(feature_versions.TOKEN_LIST_LAST_USED) else None,
    }


def _is_visible(claims: Claims, caller: Principal) -> bool:
    return caller.admin or claims.username == caller.name


def _parse_flag(call: Call, fields: dict[str, Any], name: str, version: str = "0") -> bool:
    return call.supports(version) and str(fields.get(name, "false")).lower() == "true"


async def _read_fields(request: Request) -> dict[str, Any]:
    """Return the fields of a JSON object, without null values, or of a form."""
    body = await bodies.read_body(
        request, MAX_BODY_SIZE
    )  # limited because refreshing a token requires no authentication
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        members = parse_json(body)
    except ValueError:
        raise AccessError(400, "Failed to parse the request body") from None
    if not isinstance(members, dict):
        raise AccessError(400, "Failed to parse the request body")
    return {name: value for name, value in members.items() if value is not None}


TOKENS = "/api/v1/tokens"
ROUTES = (
    Route("GET", "/api/v1/system/ping", ping, "access_ping"),
    Route("GET", "/api/v1/system/version", get_version, "access_version"),
    *introduce(
        feature_versions.TOKENS,
        Route("POST", TOKENS, create_token, "create_token"),
        Route("GET", TOKENS, list_tokens, "list_tokens"),
        Route("DELETE", f"{TOKENS}/revoke", revoke_by_value, "revoke_token_by_value"),
        Route("GET", f"{TOKENS}/{{token_id}}", get_token, "get_token"),
        Route("DELETE", f"{TOKENS}/{{token_id}}", revoke_token, "revoke_token"),
    ),
)
