# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SAML settings: the rules of a request body, and the API."""

from __future__ import annotations

import textwrap
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import read_object
from ..projects.privileges import require_platform_admin
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from ..protocol.versions import is_at_least
from ..state import State

REQUIRED = ("login_url", "logout_url", "service_provider_name", "certificate")
FLAGS = {
    "enable_integration": True,
    "verify_audience_restriction": True,
    "use_encrypted_assertion": False,
    "auto_user_creation": True,
    "allow_user_to_access_profile": False,
    "auto_redirect": False,
    "sync_groups": False,
}
TEXTS = ("group_attribute", "email_attribute", "name_id_attribute")
LDAP_GROUPS = "ldap_group_settings"
FIELDS = ("name", *REQUIRED, *FLAGS, *TEXTS, LDAP_GROUPS)
URLS = ("login_url", "logout_url")
URL_PREFIXES = ("http://", "https://", "{baseUrl}")


async def list_settings(call: Call) -> Response:
    """Handle `GET /access/api/v1/saml`."""
    _require_access(call)
    return json_response([_show(call, setting) for setting in call.sso.list_saml()])


async def get_setting(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v1/saml/{name}`."""
    _require_access(call)
    return json_response(_show(call, _require_setting(call, name)))


async def create_setting(call: Call) -> Response:
    """Handle `POST /access/api/v1/saml`."""
    _require_access(call)
    setting = parse_setting(await read_object(call))
    if call.sso.find_saml(setting["name"]) is not None:
        raise AccessError(409, f"SAML setting with name {setting['name']} already exists")
    _save(call.state, setting)
    return json_response(_show(call, setting), 201)


async def replace_setting(call: Call, name: str) -> Response:
    """Handle `PUT /access/api/v1/saml/{name}`. Missing members get their defaults."""
    _require_access(call)
    _require_setting(call, name)
    setting = parse_setting({"name": name, **await read_object(call)})
    if setting["name"] != name:
        raise AccessError(400, "Invalid SAML setting: name cannot be changed")
    _save(call.state, setting)
    return json_response(_show(call, setting))


async def delete_setting(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v1/saml/{name}`."""
    _require_access(call)
    _require_setting(call, name)
    call.sso.delete_saml(name)
    return Response(status_code=204)


def parse_setting(body: dict[str, Any]) -> dict[str, Any]:
    """Return the setting in a request body with all defaults.

    :raises AccessError: if the server would refuse it
    """
    for member in ("name", *REQUIRED):
        if not isinstance(body.get(member), str) or not body[member]:
            raise _refusal(f"{member} is required")
    for member in URLS:
        if not body[member].startswith(URL_PREFIXES):
            raise _refusal(f"{member} must be a URL")
    flags = {member: default if body.get(member) is None else body[member] for member, default in FLAGS.items()}
    texts = {member: body.get(member) or "" for member in TEXTS}
    groups = body.get(LDAP_GROUPS) or []
    if not all(isinstance(value, bool) for value in flags.values()):
        raise _refusal("flags must be true or false")
    if not all(isinstance(value, str) for value in texts.values()):
        raise _refusal("attributes must be texts")
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise _refusal(f"{LDAP_GROUPS} must be a list of names")
    required = {member: body[member] for member in REQUIRED}
    return {"name": body["name"], **required, **flags, **texts, LDAP_GROUPS: groups}


def _save(state: State, setting: dict[str, Any]) -> None:
    if not state.supports(feature_versions.SAML_LDAP_GROUPS):
        setting = {**setting, LDAP_GROUPS: []}
    state.sso.save_saml(setting)


def _show(call: Call, setting: dict[str, Any]) -> dict[str, Any]:
    """Return a setting as the server returns it: the switch `saml_certificates` decides on its certificate."""
    certificate, form = setting["certificate"], call.get_switch("saml_certificates")
    content = "".join(line for line in certificate.splitlines() if not line.startswith("-----")).replace(" ", "")
    if form == "one_line":
        certificate = content
    elif form == "pem":
        lines = "\n".join(textwrap.wrap(content, 64))
        certificate = f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"
    shown = {**setting, "certificate": certificate}
    if not call.supports(feature_versions.SAML_LDAP_GROUPS):
        del shown[LDAP_GROUPS]
    return shown


def _require_access(call: Call) -> None:
    """Fail unless the version has the API and the caller is an administrator."""
    if not is_at_least(call.get_switch("version"), call.get_switch("saml_since")):
        raise AccessError(404, "HTTP 404 Not Found")
    require_platform_admin(call)


def _require_setting(call: Call, name: str) -> dict[str, Any]:
    setting = call.sso.find_saml(name)
    if setting is None:
        raise AccessError(404, f"SAML setting with name {name} not found")
    return setting


def _refusal(problem: str) -> AccessError:
    return AccessError(400, f"Invalid SAML setting: {problem}")


SETTINGS = "/api/v1/saml"
ROUTES = (
    Route("GET", SETTINGS, list_settings, "list_saml_settings"),
    Route("POST", SETTINGS, create_setting, "create_saml_setting"),
    Route("GET", f"{SETTINGS}/{{name}}", get_setting, "get_saml_setting"),
    Route("PUT", f"{SETTINGS}/{{name}}", replace_setting, "replace_saml_setting"),
    Route("DELETE", f"{SETTINGS}/{{name}}", delete_setting, "delete_saml_setting"),
)
