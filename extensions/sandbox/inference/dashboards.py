# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private endpoints of the dashboard, without a documented schema."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from ..http.routing import Route
from .call import Call
from .keys import get_key_class, redact_key
from .protocol.errors import ApiError
from .protocol.json_bodies import json_response
from .schema import LIMITS

BROWSER_HEADERS = ("User-Agent", "Origin", "Referer")


async def organizations(call: Call) -> Response:
    """Return the organization of the key with its projects. Admin keys are accepted as well."""
    row = call.runtime.db.execute(
        "SELECT * FROM inference_organizations WHERE id = ?", (call.caller.organization,)
    ).fetchone()
    projects = call.runtime.db.execute(
        "SELECT * FROM inference_projects WHERE organization = ? AND archived_at IS NULL ORDER BY rowid", (row["id"],)
    )
    organization = {
        "object": "organization",
        **{name: row[name] for name in ("id", "created", "title", "name", "description")},
        "projects": {
            "object": "list",
            "data": [{"id": project["id"], "title": project["name"]} for project in projects],
        },
    }
    return json_response({"object": "list", "data": [organization]})


async def rate_limits(call: Call) -> Response:
    """Return the limits by model, and those of pseudo models such as `*`. Numbers are floats."""
    _check_browser(call)
    rows = call.runtime.db.execute("SELECT * FROM inference_limits ORDER BY id")
    return json_response({row["id"]: limits for row in rows if (limits := _limits(row))})


async def subscription(call: Call) -> Response:
    """Return a pay-as-you-go plan. Amounts are in US dollars."""
    _check_browser(call)
    return json_response(
        {
            "object": "billing_subscription",
            "has_payment_method": True,
            "access_until": None,
            "soft_limit_usd": 80.0,
            "hard_limit_usd": 100.0,
            "system_hard_limit_usd": 120.0,
            "plan": {"title": "Pay-as-you-go", "id": "payg"},
            "primary": True,
            "account_name": call.caller.organization_name,
            "po_number": None,
            "billing_email": None,
            "tax_ids": None,
            "billing_address": None,
            "business_address": None,
            "billing_mechanism": "arrears",
        }
    )


async def user_keys(call: Call) -> Response:
    """List the keys without a project."""
    _check_browser(call)
    rows = call.runtime.db.execute(
        "SELECT * FROM inference_keys WHERE organization = ? AND project IS NULL AND listed ORDER BY rowid",
        (call.caller.organization,),
    )
    keys = [
        {
            "sensitive_id": redact_key(row["key"]),
            "object": "api_key",
            "name": row["name"],
            "created": row["created_at"],
            "last_use": row["last_used_at"],
        }
        for row in rows
        if get_key_class(row["key"]) == "secret"
    ]
    return json_response({"object": "list", "data": keys})


async def feature_flags(call: Call) -> Response:
    """Return the enabled features."""
    _check_browser(call)
    return json_response({"data": ["sandbox"]})


async def project_users(call: Call, o: str, p: str) -> Response:
    """List the users of a project."""
    _check_browser(call)
    rows = call.runtime.db.execute(
        """
        SELECT u.id, u.name, u.email, m.role, m.added_at
        FROM inference_members m JOIN inference_users u USING (id)
        WHERE m.project = ? AND u.organization = ? AND u.organization = ? ORDER BY m.rowid
        """,
        (p, o, call.caller.organization),
    )
    users = [
        {
            "object": "project.user",
            "role": row["role"],
            "added_at": row["added_at"],
            "user": {"object": "user", "id": row["id"], "name": row["name"], "email": row["email"], "picture": None},
        }
        for row in rows
    ]
    return json_response({"object": "list", "data": users})


def _check_browser(call: Call) -> None:
    if not call.runtime.get_switch("inference", "dashboards_want_browser"):
        return
    lacking = [name for name in BROWSER_HEADERS if not call.request.headers.get(name)]
    if lacking:
        raise ApiError(403, f"This request did not come from a browser: {', '.join(lacking)} missing.")


def _limits(row: sqlite3.Row) -> dict[str, Any]:
    return {wire: float(row[column]) for column, wire in LIMITS.items() if row[column] is not None}


def _private(path: str, handler: Any, label: str) -> Route:
    return Route("GET", path, handler, label, scope="session")


ROUTES = (
    Route("GET", "/v1/organizations", organizations, "organizations", scope="api.management.read"),
    _private("/v1/dashboard/organizations/{o}/projects/{p}/users", project_users, "dashboard_project_users"),
    _private("{:(/v1)?}/dashboard/rate_limits", rate_limits, "rate_limits"),
    _private("{:(/v1)?}/dashboard/billing/subscription", subscription, "subscription"),
    _private("{:(/v1)?}/dashboard/user/api_keys", user_keys, "user_api_keys"),
    _private("{:(/v1)?}/dashboard/feature_flags", feature_flags, "feature_flags"),
)
