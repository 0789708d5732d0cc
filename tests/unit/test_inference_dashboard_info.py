# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.inference_server import ADMIN, KEY, SESSION, error
from support.running import run

BROWSER = {
    "Authorization": f"Bearer {SESSION}",
    "Origin": "https://platform.openai.com",
    "Referer": "https://platform.openai.com/",
    "User-Agent": "Mozilla/5.0 (buildworks.toolchain)",
    "Content-Type": "application/json",
}


def query(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        options = {"url": f"{server.url}/v1", "session_token": SESSION, **parameters}
        return run("inference_dashboard_info", **options)


def respond(path: str, answer: Any) -> Call:
    return call("GET", path, json=answer, sent_headers=BROWSER)


def test_amounts_have_currency_and_unit() -> None:
    plan = {"plan": {"id": "payg"}, "hard_limit_usd": 100.0, "soft_limit_usd": None, "new_in_2027": [1]}
    result = query(respond("/dashboard/billing/subscription", plan), subject="subscription")
    assert result == {
        "changed": False,
        "response": plan,
        "amounts": {"hard_limit_usd": {"amount": 100.0, "currency": "USD", "unit": "dollar"}},
    }


@pytest.mark.parametrize("answer", [{"data": ["a"]}, ["a"], {}, []])
def test_response_is_returned_unchanged(answer: Any) -> None:
    assert query(respond("/dashboard/feature_flags", answer), subject="feature_flags")["response"] == answer


def test_users_of_a_project_are_returned() -> None:
    path = "/v1/dashboard/organizations/org%2F1/projects/proj_1/users"
    result = query(respond(path, {"data": []}), subject="project_users", organization="org/1", project="proj_1")
    assert result["response"] == {"data": []}


def test_complete_keys_are_masked() -> None:
    keys = {"data": [{"sensitive_id": "sk-...abcd"}, {"sensitive_id": KEY, "name": f"was {KEY}"}]}
    result = query(respond("/dashboard/user/api_keys", keys), subject="user_keys")
    assert KEY not in json.dumps(result)
    assert result["response"]["data"][0]["sensitive_id"] == "sk-...abcd"


@pytest.mark.parametrize("key", [KEY, ADMIN])
def test_key_of_another_class_fails_before_any_request(key: str) -> None:
    message = query(subject="subscription", session_token=key)["msg"]
    assert message.startswith("Option 'session_token': must be a key for the private endpoints of the dashboard")


def test_project_users_require_organization_and_project() -> None:
    assert "organization" in query(subject="project_users", project="proj_1")["msg"]


def test_message_contains_the_message_of_the_server() -> None:
    words = "Your request to GET /dashboard/feature_flags must be made with a session key"
    refused = call("GET", "/dashboard/feature_flags", 403, json=error(words, "server_error"))
    assert f"403 {words}" in query(refused, subject="feature_flags")["msg"]
