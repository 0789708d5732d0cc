# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of webhooks under /event: subscriptions, and the test of a subscription.

The sandbox sends no events and no test requests.
"""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

from starlette.responses import JSONResponse, Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..access.token_api import require_caller
from ..call import Call
from ..protocol.errors import AccessError
from .subscriptions import keep_secrets, parse_subscription, save_subscription

MASK = "********"


async def list_subscriptions(call: Call) -> Response:
    """Handle `GET /event/api/v1/subscriptions`."""
    _require_admin(call)
    rows = call.runtime.db.execute("SELECT subscription FROM artifact_webhooks ORDER BY id")
    return JSONResponse([_hide_secrets(call, json.loads(row["subscription"])) for row in rows])


async def get_subscription(call: Call, key: str) -> Response:
    """Handle `GET /event/api/v1/subscriptions/{key}`."""
    _require_admin(call)
    return JSONResponse(_hide_secrets(call, _require_subscription(call, key)))


async def create_subscription(call: Call) -> Response:
    """Handle `POST /event/api/v1/subscriptions`."""
    _require_admin(call)
    subscription = await _read_subscription(call)
    _check_names(call, subscription)
    if _find(call, subscription["key"]) is not None:
        status = call.get_switch("webhook_conflict_status")
        raise AccessError(status, f"Subscription with key {subscription['key']} already exists")
    save_subscription(call.state, subscription)
    return JSONResponse(_hide_secrets(call, subscription), 201)


async def replace_subscription(call: Call, key: str) -> Response:
    """Handle `PUT /event/api/v1/subscriptions/{key}`. Missing fields get their defaults."""
    _require_admin(call)
    previous = _require_subscription(call, key)
    subscription = await _read_subscription(call, {"key": key})
    for name in ("key", "project_key"):
        if subscription.get(name) != previous.get(name):
            raise AccessError(400, f"Invalid subscription: {name} cannot be changed")
    _check_names(call, subscription)
    keep_secrets(subscription, previous, lambda secret: _hide(call, secret))
    save_subscription(call.state, subscription)
    return Response(status_code=204)


async def delete_subscription(call: Call, key: str) -> Response:
    """Handle `DELETE /event/api/v1/subscriptions/{key}`."""
    _require_admin(call)
    _require_subscription(call, key)
    call.runtime.db.execute("DELETE FROM artifact_webhooks WHERE key = ?", (key,))
    return Response(status_code=204)


async def test_subscription(call: Call) -> Response:
    """Handle `POST /event/api/v1/subscriptions/test`. The switch `webhook_test_fails` decides on the result."""
    _require_admin(call)
    subscription = await _read_subscription(call)
    url = subscription["handlers"][0]["url"]
    if call.get_switch("webhook_test_fails"):
        return JSONResponse({"result": "failure", "message": f"{url} responded with status 503"})
    return JSONResponse({"result": "success", "message": f"{url} responded with status 200"})


def _require_admin(call: Call) -> None:
    """Fail unless the caller is an administrator with a token."""
    caller = require_caller(call)
    if caller.claims is None and not call.get_switch("events_accept_passwords"):
        raise AccessError(401, "Token validation failed")
    if not caller.admin:
        raise AccessError(403, "Forbidden")


async def _read_subscription(call: Call, defaults: dict[str, Any] | None = None) -> dict[str, Any]:
    try:
        body = parse_json(await call.request.body())
    except ValueError:
        raise AccessError(400, "Failed to parse the request body") from None
    if isinstance(body, dict):
        body = {**(defaults or {}), **body}
    return parse_subscription(body, call.descriptor.list_names("proxies"), not call.get_switch("url_strict_policy"))


def _check_names(call: Call, subscription: dict[str, Any]) -> None:
    """Fail if the project or a repository does not exist, unless the switch `webhook_checks_names` is off."""
    if not call.get_switch("webhook_checks_names"):
        return
    project = subscription.get("project_key")
    if project and call.projects.find(project) is None:
        raise AccessError(400, f"Invalid subscription: project {project} not found")
    for key in subscription["event_filter"]["criteria"].get("repoKeys") or ():
        if call.repositories.find(key) is None:
            raise AccessError(400, f"Invalid subscription: repository {key} not found")


def _require_subscription(call: Call, key: str) -> dict[str, Any]:
    subscription = _find(call, key)
    if subscription is None:
        raise AccessError(404, f"Subscription with key {key} not found")
    return subscription


def _find(call: Call, key: str) -> dict[str, Any] | None:
    row = call.runtime.db.execute("SELECT subscription FROM artifact_webhooks WHERE key = ?", (key,)).fetchone()
    return json.loads(row["subscription"]) if row else None


def _hide_secrets(call: Call, subscription: dict[str, Any]) -> dict[str, Any]:
    """Return a subscription as the server returns it."""
    shown = copy.deepcopy(subscription)
    for handler in shown["handlers"]:
        for fields, name in ((handler, "secret"), *((entry, "value") for entry in handler.get("secrets", ()))):
            if name in fields:
                hidden = _hide(call, fields.pop(name))
                fields.update({} if hidden is None else {name: hidden})
    return shown


def _hide(call: Call, secret: str) -> str | None:
    """Return a secret as the switch `webhook_secrets` says: as sent, masked, encrypted, or `None` to omit it."""
    mode = call.get_switch("webhook_secrets")
    if mode == "absent":
        return None
    if mode == "stored" or not secret:
        return secret
    return MASK if mode == "masked" else f"AM.{hashlib.sha256(secret.encode()).hexdigest()}"


SUBSCRIPTIONS = "/api/v1/subscriptions"
ROUTES = (
    Route("GET", SUBSCRIPTIONS, list_subscriptions, "list_webhooks"),
    Route("POST", SUBSCRIPTIONS, create_subscription, "create_webhook"),
    Route("POST", f"{SUBSCRIPTIONS}/test", test_subscription, "test_webhook", read_only=True),
    Route("GET", f"{SUBSCRIPTIONS}/{{key}}", get_subscription, "get_webhook"),
    Route("PUT", f"{SUBSCRIPTIONS}/{{key}}", replace_subscription, "replace_webhook"),
    Route("DELETE", f"{SUBSCRIPTIONS}/{{key}}", delete_subscription, "delete_webhook"),
)
