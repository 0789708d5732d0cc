# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Test cases for the OpenAI modules."""

from __future__ import annotations

from support.cases.form import FILES, Case, Operation, Query, Resource, Service, Write

_SESSION = "sess-sandbox000000000000000000000000000005"
_LIMITS = {"model": "gpt-4o", "max_requests_per_1_minute": 100, "max_tokens_per_1_minute": 1000}
# Initial limits of the project
_AS_BEFORE = {"model": "gpt-4o", "max_requests_per_1_minute": 500, "max_tokens_per_1_minute": 30000}

_ANSWERS = FILES / "answers.jsonl"
_ROBOT = {"project_name": "Sandbox", "name": "robot; a/b"}

CASES: dict[str, Case] = {
    "inference_chat": Operation(
        {"model": "gpt-4o-mini", "prompt": "Hello"},
        write=Write("chat", repeatable=True, repeated_after=(500, 503)),
        patience="response_timeout",
        changes=False,
        reads=False,
    ),
    "inference_admin_key": Resource(
        create={"name": "audit", "expires_in": 10000},
        update={"name": "audit", "expires_in": 90000, "rotate_before": 30000, "surplus": "remove"},
        absent={"name": "audit", "state": "absent"},
        write=Write("create_admin_key", undone=True),
        look=("inference_admin_key_info", {}),
        secret_file="key_file",
        login="admin_key",
    ),
    "inference_admin_key_info": Query({}),
    "inference_dashboard_info": Query({"subject": "subscription", "session_token": _SESSION}),
    "inference_dashboard_info of a project": Query(
        {
            "subject": "project_users",
            "organization": "org-sandbox",
            "project": "proj_sandbox",
            "session_token": _SESSION,
        }
    ),
    "inference_chat stream": Operation(
        {"model": "gpt-4o-mini", "prompt": "Hello", "stream": True, "n": 2},
        write=Write("chat", repeatable=True, repeated_after=(500, 503)),
        patience="response_timeout",
        changes=False,
        reads=False,
    ),
    "inference_chat_batch": Operation(
        {"model": "gpt-4o-mini", "prompts": [{"id": "greeting", "prompt": "Hello"}], "to_file": str(_ANSWERS)},
        write=Write("chat", repeatable=True, repeated_after=(500, 503)),
        patience="response_timeout",
        lasting=True,
        reads=False,
        file=_ANSWERS,
    ),
    "inference_cost_info": Query({"group_by": ["line_item"]}),
    "inference_drift_info": Query(
        {
            "projects": [{"name": "Sandbox", "limits": [_LIMITS]}],
            "users": [{"email": "alice@sandbox.example", "projects": [{"name": "Sandbox"}]}],
            "max_key_age_days": 1,
        }
    ),
    "inference_model_info": Query({"pattern": "gpt-4o*"}),
    "inference_model_limit_info": Query({}),
    "inference_organization_info": Query({}),
    "inference_project": Resource(
        create={"name": "Search & find", "residency": "GLOBAL"},
        update={"name": "Search & find", "external_key_id": "ext_1"},
        absent={"name": "Search & find", "state": "absent"},
        write=Write("create_project"),
        look=("inference_project_info", {"name": "Search & find"}),
    ),
    "inference_project_info": Query({"details": ["rate_limits", "users", "service_accounts", "api_keys"]}),
    "inference_rate_limit": Resource(
        create={"project_id": "proj_sandbox", "limits": [_LIMITS]},
        update={
            "project_id": "proj_sandbox",
            "limits": [{**_LIMITS, "max_tokens_per_1_minute": 2000}, {"model": "gpt-4", "max_requests_per_1_day": 9}],
        },
        absent={"project_id": "proj_sandbox", "limits": [_AS_BEFORE]},
        write=Write("update_project_limit", repeatable=True),
        look=("inference_rate_limit_info", {"project_id": "proj_sandbox"}),
    ),
    "inference_rate_limit_info": Query({"project_name": "Sandbox"}),
    "inference_rate_limit_info of the dashboard": Query({"dashboard": True, "session_token": _SESSION}),
    "inference_service_account": Resource(
        create={**_ROBOT},
        update={**_ROBOT, "role": "owner"},
        absent={**_ROBOT, "state": "absent"},
        write=Write("create_service_account", undone=True),
        look=("inference_project_info", {"name": "Sandbox", "details": ["service_accounts", "api_keys"]}),
        secret_file="key_file",
        login="api_key",
        opens="inference_model_info",
    ),
    "inference_usage_info": Query({"group_by": ["model", "project_id"]}),
    "inference_user": Resource(
        create={"email": "dora@sandbox.example", "projects": []},
        update={"email": "Dora@sandbox.example", "role": "owner", "projects": [{"name": "Sandbox"}]},
        absent={"email": "dora@sandbox.example", "state": "absent"},
        write=Write("create_invite"),
        look=("inference_user_info", {"invites": True}),
    ),
    "inference_user of projects": Resource(
        create={"email": "BOB@sandbox.example", "projects": [{"name": "Sandbox"}]},
        update={"email": "BOB@sandbox.example", "projects": [{"id": "proj_sandbox", "role": "owner"}]},
        absent={"email": "BOB@sandbox.example", "state": "absent"},
        write=Write("create_project_user"),
        look=("inference_project_info", {"details": ["users"]}),
    ),
    "inference_user_info": Query({"project_name": "Sandbox", "emails": ["ALICE@sandbox.example"]}),
}

SERVICE = Service(CASES, credentials={"api_key": "OPENAI_API_KEY", "admin_key": "OPENAI_ADMIN_KEY"})
