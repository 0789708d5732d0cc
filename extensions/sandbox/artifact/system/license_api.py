# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of licenses, and the list of user plugins, which a server without a license refuses."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import parse_json_body
from . import licenses
from .system_api import NODE_NAME

UNUSED = "Not in use"
EXISTS = "License already exists."
SUMMARY = ("type", "validThrough", "licensedTo")


async def get_license(call: Call) -> Response:
    """Handle `GET /api/system/license`."""
    call.require_admin()
    return json_response(_summarize(call))


async def get_licenses(call: Call) -> Response:
    """Handle `GET /api/system/licenses`. Only a cluster returns a list, in the form of the switch `license_list`."""
    call.require_admin()
    if not call.get_switch("cluster"):
        return json_response(_summarize(call))
    entries = _describe_all(call)
    return json_response({"licenses": entries} if call.get_switch("license_list") == "object" else entries)


async def install_licenses(call: Call) -> Response:
    """Handle `POST /api/system/licenses`. A single node has one license, which is replaced."""
    call.require_admin()
    if call.is_oss:
        raise call.pro_only_error
    keys = await _read_keys(call)
    existing = {entry["licenseHash"] for entry in licenses.list_licenses(call.state)}
    hashes = {key: licenses.hash_key(key) for key in keys}
    new = {key: license_hash for key, license_hash in hashes.items() if license_hash not in existing}
    if not new:
        raise ArtifactError(400, EXISTS)
    try:
        parsed = {license_hash: licenses.parse_key(call.state, key) for key, license_hash in new.items()}
    except licenses.InvalidKey:
        raise ArtifactError(400, "License key is invalid.") from None
    is_cluster = call.get_switch("cluster")
    licenses.install(call.state, parsed, replaces=not is_cluster)
    if not is_cluster:
        return json_response({"status": 200, "message": "The license has been successfully installed."})
    return json_response({"status": 200, "messages": {key: "OK" if key in new else EXISTS for key in keys}})


async def delete_licenses(call: Call) -> Response:
    """Handle `DELETE /api/system/licenses?licenseHash=...`, with several hashes separated by commas."""
    call.require_admin()
    if not call.get_switch("cluster"):
        raise ArtifactError(400, "Licenses can be deleted only in a cluster.")
    hashes = [text for text in call.query.get("licenseHash", "").split(",") if text]
    existing = {entry["licenseHash"] for entry in licenses.list_licenses(call.state)}
    if not hashes or not existing.issuperset(hashes):
        raise ArtifactError(404, "License not found.")
    licenses.remove(call.state, hashes)
    return json_response({"status": 200, "messages": dict.fromkeys(hashes, "OK")})


async def get_plugins(call: Call) -> Response:
    """Handle `GET /api/plugins`. The sandbox has no user plugins."""
    call.require_login()
    call.require_pro()
    return json_response({})


async def _read_keys(call: Call) -> list[str]:
    body = await parse_json_body(call)
    entries = body if isinstance(body, list) else [body]
    keys = [entry.get("licenseKey") if isinstance(entry, dict) else None for entry in entries]
    texts = [key for key in keys if isinstance(key, str) and key]
    if not texts or len(texts) < len(keys):
        raise ArtifactError(400, "licenseKey is required")
    if len(texts) > 1 and not call.get_switch("cluster"):
        raise ArtifactError(400, "Only one license can be installed")
    return texts


def _describe_all(call: Call) -> list[dict[str, Any]]:
    """Return the licenses as a cluster with one node does, which uses the first valid one."""
    entries = licenses.list_licenses(call.state)
    used = next((entry["licenseHash"] for entry in entries if not entry["expired"]), None)
    return [
        {
            **{name: entry[name] for name in (*SUMMARY, "licenseHash")},
            "nodeId": NODE_NAME if entry["licenseHash"] == used else UNUSED,
            "nodeUrl": call.base if entry["licenseHash"] == used else UNUSED,
            "expired": entry["expired"],
        }
        for entry in entries
    ]


def _summarize(call: Call) -> dict[str, Any]:
    entries = licenses.list_licenses(call.state)
    if entries:
        return {name: entries[0][name] for name in SUMMARY}
    return {"type": "OSS" if call.is_oss else "N/A", "validThrough": "", "licensedTo": ""}


LICENSES = "/api/system/licenses"
ROUTES = (
    Route("GET", "/api/system/license", get_license, "get_license"),
    Route("GET", LICENSES, get_licenses, "list_licenses", since=feature_versions.LICENSES),
    Route("POST", LICENSES, install_licenses, "install_licenses", since=feature_versions.LICENSES),
    Route("DELETE", LICENSES, delete_licenses, "delete_licenses", since=feature_versions.LICENSES),
    Route("GET", "/api/plugins", get_plugins, "list_user_plugins"),
)
