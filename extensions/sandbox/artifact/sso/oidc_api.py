# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of OIDC providers and their identity mappings."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import ENTERPRISE_ONLY_MESSAGE, Call
from ..identities.platform_call import read_object
from ..projects.privileges import require_platform_admin, require_projects_exist
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from .oidc_rules import parse_mapping, parse_provider

FIXED = ("provider_type", "project_key")


async def list_providers(call: Call) -> Response:
    """Handle `GET /access/api/v1/oidc`."""
    _require_access(call)
    return json_response(call.sso.list_providers())


async def get_provider(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v1/oidc/{name}`."""
    _require_access(call)
    return json_response(require_provider(call, name))


async def create_provider(call: Call) -> Response:
    """Handle `POST /access/api/v1/oidc`."""
    _require_access(call)
    provider = parse_provider(await read_object(call), call.get_switch("oidc_requires_organization"))
    if "project_key" in provider:
        require_projects_exist(call, provider["project_key"])
    if call.sso.find_provider(provider["name"]) is not None:
        raise AccessError(409, f"OIDC provider with name {provider['name']} already exists")
    call.sso.save_provider(provider)
    return json_response(provider, 201)


async def replace_provider(call: Call, name: str) -> Response:
    """Handle `PUT /access/api/v1/oidc/{name}`. Missing members get their defaults."""
    _require_access(call)
    stored = require_provider(call, name)
    body = {"name": name, **await read_object(call)}
    provider = parse_provider(body, call.get_switch("oidc_requires_organization"))
    for member in ("name", *FIXED):
        if provider.get(member) != stored.get(member):
            raise AccessError(400, f"Invalid OIDC configuration: {member} cannot be changed")
    call.sso.save_provider(provider)
    return json_response(provider)


async def delete_provider(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v1/oidc/{name}`."""
    _require_access(call)
    require_provider(call, name)
    call.sso.delete_provider(name)
    return Response(status_code=204)


async def list_mappings(call: Call, provider: str) -> Response:
    """Handle `GET /access/api/v1/oidc/{provider}/identity_mappings`.

    Without `project_key`, the switch `oidc_lists_project_mappings` decides whether mappings of projects are listed.
    """
    _require_access(call)
    require_provider(call, provider)
    project = call.query.get("project_key", "")
    lists_all = not project and call.get_switch("oidc_lists_project_mappings")
    return json_response(call.sso.list_mappings(provider, None if lists_all else project))


async def get_mapping(call: Call, provider: str, name: str) -> Response:
    """Handle `GET /access/api/v1/oidc/{provider}/identity_mappings/{name}`."""
    _require_access(call)
    return json_response(_require_mapping(call, provider, name))


async def create_mapping(call: Call, provider: str) -> Response:
    """Handle `POST /access/api/v1/oidc/{provider}/identity_mappings`."""
    _require_access(call)
    require_provider(call, provider)
    mapping = await _read_mapping(call, provider, {})
    if call.sso.find_mapping(provider, mapping["name"]) is not None:
        raise AccessError(409, f"Identity mapping with name {mapping['name']} already exists")
    call.sso.save_mapping(provider, mapping)
    return json_response(mapping, 201)


async def replace_mapping(call: Call, provider: str, name: str) -> Response:
    """Handle `PUT /access/api/v1/oidc/{provider}/identity_mappings/{name}`. Missing members get their defaults."""
    _require_access(call)
    _require_mapping(call, provider, name)
    mapping = await _read_mapping(call, provider, {"name": name})
    if mapping["name"] != name:
        raise AccessError(400, "Invalid OIDC configuration: name cannot be changed")
    call.sso.save_mapping(provider, mapping)
    return json_response(mapping)


async def delete_mapping(call: Call, provider: str, name: str) -> Response:
    """Handle `DELETE /access/api/v1/oidc/{provider}/identity_mappings/{name}`."""
    _require_access(call)
    _require_mapping(call, provider, name)
    call.sso.delete_mapping(provider, name)
    return Response(status_code=204)


def _require_access(call: Call) -> None:
    """Fail unless the version and the edition have the API and the caller is an administrator."""
    if not call.supports(feature_versions.OIDC_PROVIDERS):
        raise AccessError(404, "HTTP 404 Not Found")
    require_platform_admin(call)
    require_edition(call)


def require_edition(call: Call) -> None:
    """Fail unless the edition has OIDC."""
    if call.get_switch("oidc_edition") == "enterprise" and call.get_switch("edition") != "enterprise":
        raise AccessError(403, ENTERPRISE_ONLY_MESSAGE)


def require_provider(call: Call, name: str) -> dict[str, Any]:
    """Return a provider, or fail if it does not exist."""
    provider = call.sso.find_provider(name)
    if provider is None:
        raise AccessError(404, f"OIDC provider with name {name} not found")
    return provider


def _require_mapping(call: Call, provider: str, name: str) -> dict[str, Any]:
    require_provider(call, provider)
    mapping = call.sso.find_mapping(provider, name)
    if mapping is None or mapping.get("project_key", "") != call.query.get("project_key", ""):
        raise AccessError(404, f"Identity mapping with name {name} not found")
    return mapping


async def _read_mapping(call: Call, provider: str, defaults: dict[str, Any]) -> dict[str, Any]:
    project = call.query.get("project_key", "")
    if project:
        require_projects_exist(call, project)
    body = {**defaults, **await read_object(call)}
    return parse_mapping(body, provider, project, call.get_switch("oidc_longest_lifetime"))


PROVIDERS = "/api/v1/oidc"
PROVIDER = f"{PROVIDERS}/{{name}}"
MAPPINGS = f"{PROVIDERS}/{{provider}}/identity_mappings"
ROUTES = (
    Route("GET", PROVIDERS, list_providers, "list_oidc_providers"),
    Route("POST", PROVIDERS, create_provider, "create_oidc_provider"),
    Route("GET", PROVIDER, get_provider, "get_oidc_provider"),
    Route("PUT", PROVIDER, replace_provider, "replace_oidc_provider"),
    Route("DELETE", PROVIDER, delete_provider, "delete_oidc_provider"),
    Route("GET", MAPPINGS, list_mappings, "list_oidc_mappings"),
    Route("POST", MAPPINGS, create_mapping, "create_oidc_mapping"),
    Route("GET", f"{MAPPINGS}/{{name}}", get_mapping, "get_oidc_mapping"),
    Route("PUT", f"{MAPPINGS}/{{name}}", replace_mapping, "replace_oidc_mapping"),
    Route("DELETE", f"{MAPPINGS}/{{name}}", delete_mapping, "delete_oidc_mapping"),
)
