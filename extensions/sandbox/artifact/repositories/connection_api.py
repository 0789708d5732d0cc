# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection test of remote repositories, a call of the user interface that also accepts tokens.

The sandbox connects to no other server. The switch `remote_connection_failure` determines the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_package_type
from ..protocol.json_response import json_response
from ..protocol.request_body import parse_json_body
from .configurations import encrypt

BASIC_MEMBERS = ("includesPattern", "excludesPattern", "url", "offline")
NETWORK_MEMBERS = ("username", "proxy", "localAddress", "socketTimeoutMillis")
# Required sections of the form, and the message if one is missing.
REQUIRED_SECTIONS = {
    "advanced": "Network details was not sent.",
    "basic": "Remote Url was not sent.",
    "typeSpecific": "Package type was not sent.",
}


async def get_form(call: Call, key: str) -> Response:
    """Handle `GET /api/admin/repositories/remote/{key}`: the members that a connection test uses."""
    _require(call)
    repository = call.repositories.find(key)
    if repository is None or repository.rclass != "remote":
        raise ArtifactError(404, f"Repository '{key}' does not exists.")
    configuration = repository.configuration
    network = {name: configuration[name] for name in NETWORK_MEMBERS}
    form = {
        "type": "remoteRepoConfig",
        "general": {"repoKey": key},
        "basic": {name: configuration[name] for name in BASIC_MEMBERS},
        "advanced": {
            "network": {**network, "url": configuration["url"], "password": encrypt(configuration["password"]) or ""},
            "queryParams": configuration["queryParams"],
        },
        "typeSpecific": {"repoType": format_package_type(repository.package_type)},
    }
    return json_response(form)


async def test_connection(call: Call) -> Response:
    """Handle `POST /api/admin/repositories/testremote`."""
    _require(call)
    form = await parse_json_body(call)
    for name, message in REQUIRED_SECTIONS.items():
        section = form.get(name) if isinstance(form, Mapping) else None
        if not isinstance(section, Mapping) or (name == "basic" and not section.get("url")):
            return _respond(400, error=message)
    failure = call.get_switch("remote_connection_failure")
    if failure:
        return _respond(400, error=f"Connection failed: {failure}")
    return _respond(200, info="Successfully connected to server")


def _require(call: Call) -> None:
    call.require_pro()
    if not call.supports(feature_versions.ADMIN_CALLS):
        raise ArtifactError(404)
    call.require_admin()


def _respond(status: int, **message: Any) -> Response:
    return json_response(message, status)


ROUTES = (
    Route("GET", "/api/admin/repositories/remote/{key}", get_form, "remote_repository_form"),
    Route(
        "POST",
        "/api/admin/repositories/testremote",
        test_connection,
        "test_remote_repository",
        read_only=True,
    ),
)
