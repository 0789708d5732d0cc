# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The system API."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_body
from ..protocol.versions import build_revision
from .licenses import INITIAL_HASH

NODE_NAME = "sandbox"
SERVICE_ID = "jfrt@01jcsandbox0000000000000000"


async def ping(_call: Call) -> Response:
    """Handle `GET /api/system/ping`."""
    return PlainTextResponse("OK", headers={"Content-Type": "text/plain"})


async def get_version(call: Call) -> Response:
    """Handle `GET /api/system/version`."""
    version = call.get_switch("version")
    addons = [] if call.is_oss else ["build", "docker", "properties"]
    license_text = INITIAL_HASH if addons else "Artifactory OSS"
    body = {"version": version, "revision": build_revision(version), "addons": addons, "license": license_text}
    if call.principal.anonymous:
        del body["license"]
    return call.vendor_json("system.Version", body)


async def get_service_id(call: Call) -> Response:
    """Handle `GET /api/system/service_id`."""
    call.require_admin()
    return PlainTextResponse(SERVICE_ID, headers={"Content-Type": "text/plain"})


async def get_status(call: Call) -> Response:
    """Handle `GET /api/system/status`."""
    call.require_admin()
    node = {"id": NODE_NAME, "state": "RUNNING", "version": call.get_switch("version")}
    if not call.is_oss:
        node["licenceHash"] = INITIAL_HASH
    return json_response({"isHa": False, "nodes": [node]})


async def report_usage(call: Call) -> Response:
    """Handle `POST /api/system/usage`. The usage report of the client is ignored."""
    await read_json_body(call, dict)
    return Response(status_code=200)


ROUTES = (
    Route("GET", "/api/system/ping", ping, "ping"),
    Route("GET", "/api/system/version", get_version, "version"),
    Route("GET", "/api/system/service_id", get_service_id, "service_id", since=feature_versions.SERVICE_ID),
    Route("GET", "/api/system/status", get_status, "status"),
    Route("POST", "/api/system/usage", report_usage, "report_usage", read_only=True),
)
