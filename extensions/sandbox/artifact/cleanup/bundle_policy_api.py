# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of clean-up policies for release bundles. The sandbox never deletes a release bundle because of them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.cron import is_cron_expression
from ..call import PRO_SCOPE, Call
from ..platform import store
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_object
from .policies import KEY
from .policy_call import read_enabled, require_feature

KIND = "bundle_policy"
ITEM_TYPE = "releaseBundle"


async def get_policies(call: Call) -> Response:
    """Handle `GET /api/cleanup/bundles/policies`."""
    _require_feature(call)
    return json_response(store.list_all(call.state, KIND))


async def get_policy(call: Call, key: str) -> Response:
    """Handle `GET /api/cleanup/bundles/policies/{key}`."""
    _require_feature(call)
    return json_response(_require_policy(call, key))


async def create_policy(call: Call, key: str) -> Response:
    """Handle `POST /api/cleanup/bundles/policies/{key}`. New policies are disabled."""
    _require_feature(call)
    if store.find(call.state, KIND, key) is not None:
        raise ArtifactError(call.get_switch("cleanup_conflict_status"), f"Policy with key {key} already exists")
    return await _save(call, key, enabled=False, status=201)


async def replace_policy(call: Call, key: str) -> Response:
    """Handle `PUT /api/cleanup/bundles/policies/{key}`. Missing fields get their defaults."""
    _require_feature(call)
    return await _save(call, key, enabled=_require_policy(call, key)["enabled"], status=200)


async def delete_policy(call: Call, key: str) -> Response:
    """Handle `DELETE /api/cleanup/bundles/policies/{key}`."""
    _require_feature(call)
    _require_policy(call, key)
    store.delete(call.state, KIND, key)
    return Response()


async def set_enablement(call: Call, key: str) -> Response:
    """Handle `POST /api/cleanup/bundles/policies/{key}/enablement`."""
    _require_feature(call)
    policy = _require_policy(call, key)
    store.save(call.state, KIND, key, {**policy, "enabled": await read_enabled(call)})
    return Response()


async def _save(call: Call, key: str, enabled: bool, status: int) -> Response:
    body = await read_json_object(call)
    criteria, cron = body.get("searchCriteria"), body.get("cronExp") or ""
    if body.get("key", key) != key or not KEY.fullmatch(key):
        raise ArtifactError(400, "Invalid policy: key must have at least 3 letters, digits, hyphens and underscores")
    if cron and (not isinstance(cron, str) or not is_cron_expression(cron)):
        raise ArtifactError(400, "Invalid policy: cronExp is not a valid cron expression")
    if not isinstance(criteria, dict) or not criteria.get("releaseBundles"):
        raise ArtifactError(400, "Invalid policy: searchCriteria.releaseBundles is required")
    policy: dict[str, Any] = {
        "key": key,
        "description": body.get("description") or "",
        "cronExp": cron,
        "itemType": body.get("itemType") or ITEM_TYPE,
        "durationInMinutes": body.get("durationInMinutes") or 0,
        "enabled": enabled,
        "searchCriteria": {name: value for name, value in criteria.items() if value is not None},
    }
    store.save(call.state, KIND, key, policy)
    return json_response(policy, status)


def _require_feature(call: Call) -> None:
    require_feature(call, feature_versions.BUNDLE_CLEANUP)


def _require_policy(call: Call, key: str) -> dict[str, Any]:
    policy = store.find(call.state, KIND, key)
    if policy is None:
        raise ArtifactError(404, f"Policy with key {key} does not exist")
    return policy


POLICIES = "/api/cleanup/bundles/policies"
POLICY = f"{POLICIES}/{{key}}"
ROUTES = (
    Route("GET", POLICIES, get_policies, "list_bundle_cleanup_policies", scope=PRO_SCOPE),
    Route("GET", POLICY, get_policy, "get_bundle_cleanup_policy", scope=PRO_SCOPE),
    Route("POST", POLICY, create_policy, "create_bundle_cleanup_policy", scope=PRO_SCOPE),
    Route("PUT", POLICY, replace_policy, "replace_bundle_cleanup_policy", scope=PRO_SCOPE),
    Route("DELETE", POLICY, delete_policy, "delete_bundle_cleanup_policy", scope=PRO_SCOPE),
    Route("POST", f"{POLICY}/enablement", set_enablement, "enable_bundle_cleanup_policy", scope=PRO_SCOPE),
)
