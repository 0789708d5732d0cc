# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exchange of OIDC tokens for access tokens.

The sandbox cannot get the public keys of providers. It verifies tokens with the key in the switch `oidc_signing_key`
(HS256), which stands for the keys of all providers. Without a key, the call is not implemented.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import read_object
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from .oidc_api import PROVIDERS, require_edition, require_provider
from .oidc_rules import GITHUB_TYPES

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
PLACEHOLDER = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
Members = dict[str, Any]


async def exchange_token(call: Call) -> Response:
    """Handle `POST /access/api/v1/oidc/token`, which requires no credentials."""
    if not call.supports(feature_versions.OIDC_PROVIDERS):
        raise AccessError(404, "HTTP 404 Not Found")
    require_edition(call)
    key = call.get_switch("oidc_signing_key")
    if not key:
        raise AccessError(501, "The sandbox verifies tokens only with the switch oidc_signing_key, which is not set")
    fields = await read_object(call)
    for name, expected in (("grant_type", GRANT_TYPE), ("subject_token_type", ID_TOKEN)):
        if fields.get(name) != expected:
            raise AccessError(400, f"{name} must be {expected}")
    provider = require_provider(call, str(fields.get("provider_name", "")))
    claims = _read_claims(str(fields.get("subject_token", "")), key)
    _check_claims(provider, claims, call.runtime.clock.now())
    mapping = _find_mapping(call, provider, claims, fields)
    spec = mapping["token_spec"]
    username, scope = _resolve_identity(provider, spec, claims)
    issued = call.tokens.issue(
        lifetime=spec["expires_in"], username=username, scope=scope, owner=username, audience=spec["audience"]
    )
    reference = (
        {"reference_token": call.tokens.create_reference(issued)} if fields.get("include_reference_token") else {}
    )
    return json_response(
        {
            "access_token": call.tokens.sign(issued),
            "issued_token_type": ACCESS_TOKEN,
            "token_type": "bearer",
            "expires_in": spec["expires_in"],
            "scope": scope,
            "username": username,
            **reference,
        }
    )


def _read_claims(token: str, key: str) -> Members:
    """Return the claims of a token with a valid signature."""
    signing_input, _dot, signature = token.rpartition(".")
    header, _dot, payload = signing_input.partition(".")
    try:
        algorithm = json.loads(_decode(header))["alg"]
        claims = json.loads(_decode(payload))
        is_valid = hmac.compare_digest(
            _decode(signature), hmac.digest(key.encode(), signing_input.encode(), hashlib.sha256)
        )
    except (ValueError, KeyError, TypeError):
        raise AccessError(401, "Invalid subject token") from None
    if algorithm != "HS256" or not is_valid or not isinstance(claims, dict):
        raise AccessError(401, "Invalid subject token")
    return claims


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _check_claims(provider: Members, claims: Members, now: float) -> None:
    if provider["issuer_url"].endswith("/"):  # the address of the keys then has two slashes
        raise AccessError(401, "Failed to get public key")
    issuer = str(provider.get("token_issuer") or provider["issuer_url"])
    if str(claims.get("iss", "")).rstrip("/") != issuer.rstrip("/"):
        raise AccessError(401, "The issuer of the subject token does not match the provider")
    expiry, audience = claims.get("exp"), claims.get("aud")
    if not isinstance(expiry, (int, float)) or expiry <= now:
        raise AccessError(401, "The subject token has expired")
    audiences = audience if isinstance(audience, list) else [audience]
    if provider.get("audience") and provider["audience"] not in audiences:
        raise AccessError(401, "The audience of the subject token does not match the provider")
    organization = provider.get("organization")
    is_limited = provider["provider_type"] in GITHUB_TYPES and not provider["enable_permissive_configuration"]
    if is_limited and organization and claims.get("repository_owner") != organization:
        raise AccessError(401, "The organization of the subject token does not match the provider")


def _find_mapping(call: Call, provider: Members, claims: Members, fields: Members) -> Members:
    """Return the matching mapping with the lowest priority. Those of a project precede global ones."""
    project, name = fields.get("project_key"), fields.get("identity_mapping_name")
    mappings = call.sso.list_mappings(provider["name"], "")
    mappings += call.sso.list_mappings(provider["name"], str(project)) if project else []
    mappings.sort(key=lambda mapping: ("project_key" not in mapping, mapping["priority"], mapping["name"]))
    for mapping in mappings:
        is_selected = name in (None, mapping["name"])
        if is_selected and all(_matches(value, claims.get(claim)) for claim, value in mapping["claims"].items()):
            return mapping
    raise AccessError(401, "No identity mapping matches the claims of the subject token")


def _matches(expected: Any, actual: Any) -> bool:
    """Return whether a claim has a value, or one of the values in a list."""
    if isinstance(expected, list):
        return any(_matches(entry, actual) for entry in expected)
    if isinstance(actual, list):
        return any(_matches(expected, entry) for entry in actual)
    if isinstance(expected, str) and isinstance(actual, str):
        return re.fullmatch(".*".join(map(re.escape, expected.split("*"))), actual, re.DOTALL) is not None
    return type(expected) is type(actual) and expected == actual


def _resolve_identity(provider: Members, spec: Members, claims: Members) -> tuple[str, str]:
    """Return user name and scope of the token. Without a user, the token is named after the actor or the subject."""
    fallback = f"token:{provider['name']}/{claims.get('actor', claims.get('sub', ''))}"
    username = spec.get("username") or _resolve(spec.get("username_pattern", ""), claims) or fallback
    scope = spec.get("scope") or "applied-permissions/user"
    if "groups_pattern" in spec:
        if "scope" in spec:
            raise AccessError(501, "The sandbox does not combine groups_pattern with a scope")
        scope = f'applied-permissions/groups:"{_resolve(spec["groups_pattern"], claims)}"'
    return username, scope


def _resolve(pattern: str, claims: Members) -> str:
    """Return a pattern with the values of claims.

    :raises AccessError: if a claim is missing, or the pattern has a replacement after `|`
    """
    if "|" in pattern:
        raise AccessError(501, "The sandbox does not support replacements in patterns")
    missing = [name for name in PLACEHOLDER.findall(pattern) if not isinstance(claims.get(name), str)]
    if missing:
        raise AccessError(401, f"The subject token does not have the claim {missing[0]}")
    return PLACEHOLDER.sub(lambda match: claims[match[1]], pattern)


ROUTES = (Route("POST", f"{PROVIDERS}/token", exchange_token, "exchange_oidc_token"),)
