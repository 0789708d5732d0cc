# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The licenses of the server. Without an installed license, the server has one of its edition."""

from __future__ import annotations

import datetime
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.json_response import json_response
from .system_api import LICENSE_HASH, NODE_NAME

# Types of licenses by edition
TYPES = {"oss": "OSS", "pro": "Commercial", "enterprise": "Enterprise"}
LIFETIME = datetime.timedelta(days=365)
OWNER = "Sandbox"


async def get_license(call: Call) -> Response:
    """Handle `GET /api/system/license`."""
    call.require_admin()
    return json_response(_summarize(list_licenses(call)[0]))


async def get_licenses(call: Call) -> Response:
    """Handle `GET /api/system/licenses`. Only a cluster returns a list."""
    call.require_admin()
    licenses = list_licenses(call)
    return json_response({"licenses": licenses} if call.get_switch("cluster") else _summarize(licenses[0]))


def list_licenses(call: Call) -> list[dict[str, Any]]:
    """Return the licenses as a cluster does."""
    edition = call.get_switch("edition")
    now = datetime.datetime.fromtimestamp(call.runtime.clock.now(), datetime.UTC)
    has_license = edition != "oss"
    return [
        {
            "type": TYPES[edition],
            "validThrough": format_date((now + LIFETIME).date()) if has_license else "",
            "licensedTo": OWNER if has_license else "",
            "licenseHash": LICENSE_HASH if has_license else "",
            "nodeId": NODE_NAME,
            "nodeUrl": call.base,
            "expired": False,
        }
    ]


def format_date(date: datetime.date) -> str:
    """Return a date like `Dec 7, 2027`."""
    return f"{date:%b} {date.day}, {date.year}"


def _summarize(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in ("type", "validThrough", "licensedTo")}


ROUTES = (
    Route("GET", "/api/system/license", get_license, "get_license"),
    Route("GET", "/api/system/licenses", get_licenses, "list_licenses"),
)
