# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of clean-up policies for packages.

The sandbox stores the policies, but never deletes a package because of them.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import PRO_SCOPE, Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_object
from .policies import build_policy, delete_policy, find_policy, list_policies, save_policy
from .policy_call import read_enabled, require_feature


async def get_policies(call: Call) -> Response:
    """Handle `GET /api/cleanup/packages/policies[?projectKey=...]`."""
    _require_feature(call)
    project = call.query.get("projectKey")
    policies = list_policies(call.state)
    return json_response([policy for policy in policies if project in (None, policy.get("projectKey"))])


async def get_policy(call: Call, key: str) -> Response:
    """Handle `GET /api/cleanup/packages/policies/{key}`."""
    _require_feature(call)
    return json_response(_require_policy(call, key))


async def create_policy(call: Call, key: str) -> Response:
    """Handle `POST /api/cleanup/packages/policies/{key}`. New policies are disabled."""
    _require_feature(call)
    policy = await _read_policy(call, key)
    if policy["enabled"]:
        raise ArtifactError(400, "Invalid policy: enabled must be false for a new policy")
    if find_policy(call.state, key) is not None:
        raise ArtifactError(call.get_switch("cleanup_conflict_status"), f"Policy with key {key} already exists")
    save_policy(call.state, policy)
    return json_response(policy, 201)


async def replace_policy(call: Call, key: str) -> Response:
    """Handle `PUT /api/cleanup/packages/policies/{key}`. Missing fields get their defaults."""
    _require_feature(call)
    previous = _require_policy(call, key)
    _require_stopped(call, key)
    policy = await _read_policy(call, key)
    for name in ("enabled", "projectKey"):
        if policy.get(name) != previous.get(name):
            raise ArtifactError(400, f"Invalid policy: {name} cannot be changed by an update")
    save_policy(call.state, policy)
    return json_response(policy)


async def delete(call: Call, key: str) -> Response:
    """Handle `DELETE /api/cleanup/packages/policies/{key}`."""
    _require_feature(call)
    _require_policy(call, key)
    _require_stopped(call, key)
    delete_policy(call.state, key)
    return Response()


async def set_enablement(call: Call, key: str) -> Response:
    """Handle `POST /api/cleanup/packages/policies/{key}/enablement`."""
    _require_feature(call)
    policy = _require_policy(call, key)
    save_policy(call.state, {**policy, "enabled": await read_enabled(call)})
    return Response(status_code=200)


async def _read_policy(call: Call, key: str) -> dict[str, Any]:
    body = await read_json_object(call)
    if body.setdefault("key", key) != key:
        raise ArtifactError(400, "Invalid policy: key differs from the key in the path")
    return build_policy(body, call.state if call.get_switch("cleanup_checks_names") else None)


def _require_feature(call: Call) -> None:
    require_feature(call, feature_versions.CLEANUP_POLICIES)


def _require_policy(call: Call, key: str) -> dict[str, Any]:
    policy = find_policy(call.state, key)
    if policy is None:
        raise ArtifactError(404, f"Policy with key {key} does not exist")
    return policy


def _require_stopped(call: Call, key: str) -> None:
    if call.get_switch("cleanup_policies_run"):
        raise ArtifactError(400, f"Policy with key {key} is currently running and cannot be changed")


POLICIES = "/api/cleanup/packages/policies"
POLICY = f"{POLICIES}/{{key}}"
ROUTES = (
    Route("GET", POLICIES, get_policies, "list_cleanup_policies", scope=PRO_SCOPE),
    Route("GET", POLICY, get_policy, "get_cleanup_policy", scope=PRO_SCOPE),
    Route("POST", POLICY, create_policy, "create_cleanup_policy", scope=PRO_SCOPE),
    Route("PUT", POLICY, replace_policy, "replace_cleanup_policy", scope=PRO_SCOPE),
    Route("DELETE", POLICY, delete, "delete_cleanup_policy", scope=PRO_SCOPE),
    Route("POST", f"{POLICY}/enablement", set_enablement, "enable_cleanup_policy", scope=PRO_SCOPE),
)
