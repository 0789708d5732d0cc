# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server itself."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from ..routing import Route
from .call import Call
from .version import revision


async def ping(call: Call) -> Response:
    """GET /api/system/ping"""
    return PlainTextResponse("OK", headers={"Content-Type": "text/plain"})


async def version(call: Call) -> Response:
    """GET /api/system/version"""
    version = call.switch("version")
    addons = [] if call.is_oss else ["build", "docker", "properties"]
    license_text = "0" * 40 if addons else "Artifactory OSS"
    body = {"version": version, "revision": revision(version), "addons": addons, "license": license_text}
    if call.principal.anonymous:
        del body["license"]
    return call.vnd("system.Version", body)


ROUTES = (
    Route("GET", "/api/system/ping", ping, "ping"),
    Route("GET", "/api/system/version", version, "version"),
)
