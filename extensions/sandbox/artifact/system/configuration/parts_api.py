# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls for parts of the central configuration: security, OAuth, base URL, web server, and policies of passwords."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ....http.routing import Route
from ...call import PRO_SCOPE, Call
from ...protocol.errors import ArtifactError
from ...protocol.json_conversion import to_boolean, to_integer
from ...protocol.json_response import json_response
from ...protocol.request_body import read_json_object
from .schema import REVERSE_PROXY
from .store import complete_document
from .values import ViolatesSchema, complete, drop_unknown

# Members of an OAuth provider in responses. Its secret is none of them.
OAUTH_PROVIDER = ("enabled", "providerType", "id", "apiUrl", "authUrl", "tokenUrl", "basicUrl", "domain")
DAYS = (1, 999)
MAX_ATTEMPTS = 100
# The type of a web server that is no reverse proxy.
DIRECT = "DIRECT"


async def get_security(call: Call) -> Response:
    """Handle `GET /api/securityconfig`."""
    call.require_admin()
    security = call.configuration.load_section("security")
    password_settings = security["passwordSettings"]
    policy = str(password_settings["encryptionPolicy"]).upper()
    return json_response({**security, "passwordSettings": {**password_settings, "encryptionPolicy": policy}})


async def get_oauth(call: Call) -> Response:
    """Handle `GET /api/oauth`."""
    call.require_admin()
    settings = call.configuration.load_section("security")["oauthSettings"]
    providers = [
        {"name": name, **{member: fields[member] for member in OAUTH_PROVIDER if member in fields}}
        for name, fields in settings["oauthProvidersSettings"].items()
    ]
    flags = {member: settings[member] for member in ("persistUsers", "allowUserToAccessProfile")}
    return json_response(
        {"enabled": settings["enableIntegration"], **flags, "availableTypes": [], "providers": providers}
    )


async def get_password_expiration(call: Call) -> Response:
    """Handle `GET /api/security/configuration/passwordExpirationPolicy`."""
    call.require_admin()
    return json_response(call.configuration.load_section("security")["passwordSettings"]["expirationPolicy"])


async def replace_password_expiration(call: Call) -> Response:
    """Handle `PUT /api/security/configuration/passwordExpirationPolicy`."""
    call.require_admin()
    converters = {"enabled": to_boolean, "passwordMaxAge": to_integer, "notifyByEmail": to_boolean}
    body = await read_json_object(call, **converters)
    security = call.configuration.load_section("security")
    policy = security["passwordSettings"]["expirationPolicy"]
    policy.update({name: body[name] for name in converters if name in body})
    if not DAYS[0] <= policy["passwordMaxAge"] <= DAYS[1]:
        raise ArtifactError(400, f"passwordMaxAge must be between {DAYS[0]} - {DAYS[1]}")
    _save(call, "security", security)
    return json_response(policy)


async def get_lock_policy(call: Call) -> Response:
    """Handle `GET /api/security/userLockPolicy`."""
    call.require_admin()
    return json_response(call.configuration.load_section("security")["userLockPolicy"])


async def replace_lock_policy(call: Call) -> Response:
    """Handle `PUT /api/security/userLockPolicy`."""
    call.require_admin()
    body = await read_json_object(call, enabled=to_boolean, loginAttempts=to_integer)
    defaults = call.configuration.load_section_of_new_server("security")["userLockPolicy"]
    policy = {name: body.get(name, default) for name, default in defaults.items()}
    if policy["enabled"] and not 1 <= policy["loginAttempts"] <= MAX_ATTEMPTS:
        raise ArtifactError(400, f"LoginAttempts must be between 1 - {MAX_ATTEMPTS}")
    _save(call, "security", {**call.configuration.load_section("security"), "userLockPolicy": policy})
    return PlainTextResponse("UserLockPolicy was successfully updated")


async def replace_base_url(call: Call) -> Response:
    """Handle `PUT /api/system/configuration/baseUrl`, whose body is the URL as text."""
    call.require_admin()
    url = (await call.request.body()).decode(errors="replace").strip()
    if not url.startswith(("http://", "https://")):
        raise ArtifactError(400, f"Invalid URL base: {url}")
    _save(call, "urlBase", url)
    return PlainTextResponse(f'URL base has been successfully updated to "{url}".')


async def get_web_server(call: Call) -> Response:
    """Handle `GET /api/system/configuration/webServer`: the settings of the reverse proxy."""
    call.require_admin()
    for key, fields in call.configuration.load_section("reverseProxies").items():
        return json_response({"key": key, **fields})
    return json_response({"key": DIRECT.lower(), **complete(REVERSE_PROXY, {"webServerType": DIRECT}, "")})


async def replace_web_server(call: Call) -> Response:
    """Handle `POST /api/system/configuration/webServer`."""
    call.require_admin()
    body = await read_json_object(call)
    key = str(body.get("key") or body.get("webServerType") or "").lower()
    fields = {name: value for name, value in drop_unknown(REVERSE_PROXY, body).items() if value != ""}
    _save(call, "reverseProxies", {key: fields})
    return await get_web_server(call)


def _save(call: Call, section: str, value: Any) -> None:
    try:
        completed = complete_document({**call.configuration.load(), section: value})
    except ViolatesSchema:
        raise ArtifactError(400) from None
    call.begin_descriptor_write()
    call.configuration.save(completed)


LOCK_POLICY = "/api/security/userLockPolicy"
PASSWORD_EXPIRATION = "/api/security/configuration/passwordExpirationPolicy"
ROUTES = (
    Route("GET", "/api/securityconfig", get_security, "security_settings"),
    Route("GET", "/api/oauth", get_oauth, "oauth_settings", scope=PRO_SCOPE),
    Route("GET", PASSWORD_EXPIRATION, get_password_expiration, "password_expiration"),
    Route("PUT", PASSWORD_EXPIRATION, replace_password_expiration, "replace_password_expiration"),
    Route("GET", LOCK_POLICY, get_lock_policy, "user_lock_policy"),
    Route("PUT", LOCK_POLICY, replace_lock_policy, "replace_user_lock_policy"),
    Route("GET", "/api/system/configuration/webServer", get_web_server, "web_server", scope=PRO_SCOPE),
    Route("POST", "/api/system/configuration/webServer", replace_web_server, "replace_web_server", scope=PRO_SCOPE),
    Route("PUT", "/api/system/configuration/baseUrl", replace_base_url, "replace_base_url"),
)
