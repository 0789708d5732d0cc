# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.inference_server import ADMIN, KEY, SESSION, page
from support.running import run

SINCE = 1735689600
AT = "2025-01-01T00:00:00Z"
FIND = {"id": "proj_1", "object": "organization.project", "name": "Find", "created_at": SINCE, "archived_at": None}
OLD = {**FIND, "id": "proj_0", "archived_at": SINCE, "status": "archived"}
PROJECT = {
    "id": "proj_1",
    "name": "Find",
    "external_key_id": None,
    "status": "active",
    "created": SINCE,
    "created_at": AT,
    "archived": None,
    "archived_at": None,
}
LIMIT = {"object": "project.rate_limit", "id": "rl-gpt-4o", "model": "gpt-4o", "max_requests_per_1_minute": 600}
LIMIT["max_tokens_per_1_minute"] = 150000
NO_LIMITS = dict.fromkeys(
    (
        "max_requests_per_1_minute",
        "max_tokens_per_1_minute",
        "max_images_per_1_minute",
        "max_audio_megabytes_per_1_minute",
        "max_requests_per_1_day",
        "batch_1_day_max_input_tokens",
    )
)
BROWSER = {
    "Authorization": f"Bearer {SESSION}",
    "Origin": "https://platform.openai.com",
    "Referer": "https://platform.openai.com/",
    "Content-Type": "application/json",
}


def query(module: str, *calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run(module, **{"url": f"{server.url}/v1", "admin_key": ADMIN, **parameters})


def test_fine_tuning_limits_are_returned() -> None:
    row = {"curr_pending_jobs": 1, "max_pending_jobs": 3, "jobs_so_far_today": 0, "max_jobs_per_day": 8}
    answer = {"data": [{"id": "gpt-4o", **row}, {"id": "gpt-4", "max_pending_jobs": 2}]}
    sent = {"Authorization": f"Bearer {KEY}"}
    limits = call("GET", "/v1/fine_tuning/model_limits", json=answer, sent_headers=sent)
    assert query("inference_model_limit_info", limits, api_key=KEY) == {
        "changed": False,
        "model_limits": [
            {"id": "gpt-4", **dict.fromkeys(row), "max_pending_jobs": 2},
            {"id": "gpt-4o", **row},
        ],
    }


def test_rate_limits_of_a_project_are_returned() -> None:
    result = query("inference_rate_limit_info", page("/projects/proj_1/rate_limits", LIMIT), project_id="proj_1")
    numbers = {"max_requests_per_1_minute": 600, "max_tokens_per_1_minute": 150000}
    row = {"id": "rl-gpt-4o", "kind": "model", **NO_LIMITS, **numbers, "unlimited": []}
    assert result == {"changed": False, "rate_limits": {"gpt-4o": row}}


def test_project_is_found_by_name() -> None:
    calls = page("/projects", OLD | {"name": "x"}, FIND), page("/projects/proj_1/rate_limits", LIMIT)
    assert len(query("inference_rate_limit_info", *calls, project_name="Find")["rate_limits"]) == 1


@pytest.mark.parametrize(
    ("projects", "message"),
    [
        ([{**FIND, "name": "Seek"}], "Option 'project_name': no active project has the name 'Find'"),
        (
            [FIND, {**FIND, "id": "proj_2"}],
            "2 projects have the name 'Find'. Specify the ID of one of them: proj_1, proj_2.",
        ),
    ],
)
def test_task_fails_when_no_or_several_projects_have_the_name(projects: list[dict[str, Any]], message: str) -> None:
    result = query("inference_rate_limit_info", page("/projects", *projects), project_name="Find")
    assert result["msg"].rstrip(".") == message.rstrip(".")


def test_rate_limits_of_the_organization_are_returned() -> None:
    answer = {
        "whisper-1": {"max_requests_per_1_minute": 500.0, "max_tokens_per_1_minute": 0.0},
        "*": {"max_requests_per_1_minute": 2147483647.0, "max_images_per_1_minute": None},
        "ft:gpt-4o": {},
        "gpt-4.1-long-context": {"batch_1_day_max_input_tokens": 9.0},
    }
    request = call("GET", "/dashboard/rate_limits", json=answer, sent_headers=BROWSER)
    rows = query("inference_rate_limit_info", request, dashboard=True, session_token=SESSION)["rate_limits"]
    assert {model: (row["kind"], row["id"]) for model, row in rows.items()} == {
        "*": ("fallback", None),
        "ft:gpt-4o": ("fine_tuned", None),
        "gpt-4.1-long-context": ("long_context", None),
        "whisper-1": ("model", None),
    }
    assert {name: rows["*"][name] for name in NO_LIMITS} == {**NO_LIMITS, "max_requests_per_1_minute": 2147483647}
    assert rows["*"]["unlimited"] == ["max_requests_per_1_minute"]
    assert (rows["whisper-1"]["max_tokens_per_1_minute"], rows["whisper-1"]["unlimited"]) == (0, [])
    assert isinstance(rows["whisper-1"]["max_requests_per_1_minute"], int)


@pytest.mark.parametrize("options", [{}, {"dashboard": True, "project_id": "p"}, {"dashboard": False}])
def test_project_and_dashboard_are_mutually_exclusive(options: dict[str, Any]) -> None:
    assert query("inference_rate_limit_info", **options)["msg"].startswith("Option 'dashboard': must be true")


@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        ({"session_token": SESSION}, ADMIN),
        ({"admin_key": None, "session_token": SESSION}, SESSION),
    ],
)
def test_organizations_are_returned(keys: dict[str, Any], sent: str) -> None:
    answer = {"data": [{"id": "org-1", "title": "One", "projects": {"data": [{"id": "proj_1", "title": "Find"}]}}]}
    request = call("GET", "/v1/organizations", json=answer, sent_headers={"Authorization": f"Bearer {sent}"})
    assert query("inference_organization_info", request, **keys)["organizations"] == [
        {
            "id": "org-1",
            "title": "One",
            "name": None,
            "description": None,
            "created": None,
            "created_at": None,
            "projects": [{"id": "proj_1", "title": "Find"}],
        }
    ]


ALICE = {"object": "organization.user", "id": "user-1", "name": "A", "email": "Alice@x.y", "role": "owner"}
ALICE["added_at"] = SINCE  # type: ignore[assignment]
NOBODY = {"id": "user-2", "name": None, "email": None, "added_at": SINCE}
SHOWN = {"id": "user-1", "name": "A", "email": "Alice@x.y", "role": "owner", "added": SINCE, "added_at": AT}


def test_users_and_invitations_are_returned() -> None:
    users = query("inference_user_info", page("/users", ALICE, NOBODY))["users"]
    assert users == [
        SHOWN,
        {"id": "user-2", **dict.fromkeys(("name", "email", "role")), "added": SINCE, "added_at": AT},
    ]


def test_nested_user_fields_are_read() -> None:
    inside = {"object": "user", "id": "user-1", "name": "A", "email": "Alice@x.y", "picture": None}
    entry = {**ALICE, "name": None, "email": None, "user": inside}
    assert query("inference_user_info", page("/users", entry))["users"] == [SHOWN]


@pytest.mark.parametrize(("emails", "users"), [(["ALICE@X.Y"], [SHOWN]), (["bob@x.y"], []), ([], [])])
def test_users_are_filtered_by_email(emails: list[str], users: list[dict[str, Any]]) -> None:
    assert query("inference_user_info", page("/users", ALICE, NOBODY), emails=emails)["users"] == users


def test_users_of_a_project_are_returned() -> None:
    assert query("inference_user_info", page("/projects/a%2Fb/users", ALICE), project_id="a/b")["users"] == [SHOWN]


def key(name: str, **more: Any) -> dict[str, Any]:
    owner = {"type": "user", "object": "organization.user", "id": "user-1", "name": "A", "role": "owner"}
    return {
        "id": f"key_{name}",
        "name": name,
        "redacted_value": "sk-admin...x",
        "created_at": SINCE,
        "owner": owner,
        **more,
    }


def test_admin_keys_are_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: SINCE + 3.9 * 86400)
    result = query(
        "inference_admin_key_info", page("/admin_api_keys", key("main", expires_at=SINCE), key("other")), name="main"
    )
    assert result["admin_keys"] == [
        {
            "id": "key_main",
            "name": "main",
            "redacted_value": "sk-admin...x",
            "created": SINCE,
            "created_at": AT,
            "last_used": None,
            "last_used_at": None,
            "expires": SINCE,
            "expires_at": AT,
            "age_days": 3,
            "owner": {"type": "user", "id": "user-1", "name": "A", "email": None, "role": "owner"},
        }
    ]


def test_projects_are_returned() -> None:
    archived = {**PROJECT, "id": "proj_0", "status": "archived", "archived": SINCE, "archived_at": AT}
    assert query("inference_project_info", page("/projects", FIND))["projects"] == [PROJECT]
    result = query(
        "inference_project_info", page("/projects", OLD, FIND, include_archived="true"), include_archived=True
    )
    assert result["projects"] == [archived, PROJECT]
    assert query("inference_project_info", page("/projects", FIND), name="nope")["projects"] == []


def test_details_of_projects_are_returned() -> None:
    account = {"id": "svc_acct_1", "name": "robot", "role": "member", "created_at": SINCE}
    of_robot = key("k", owner={"type": "service_account", "service_account": account})
    calls = (
        page("/projects", OLD, FIND, include_archived="true"),
        page("/projects/proj_0/rate_limits"),
        page("/projects/proj_1/api_keys", of_robot),
        page("/projects/proj_1/service_accounts", account),
        page("/projects/proj_1/rate_limits"),
    )
    details = ["api_keys", "service_accounts", "rate_limits"]
    old, find = query("inference_project_info", *calls, include_archived=True, details=details)["projects"]
    assert {name: value for name, value in old.items() if name not in PROJECT} == {"rate_limits": {}}
    assert find["api_keys"][0]["owner"] == {
        "type": "service_account",
        "id": "svc_acct_1",
        "name": "robot",
        "email": None,
        "role": "member",
    }
    service_account = {"id": "svc_acct_1", "name": "robot", "role": "member", "created": SINCE, "created_at": AT}
    assert find["service_accounts"] == [service_account]
