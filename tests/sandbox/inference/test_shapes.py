# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas of all responses. `Api` validates the responses of all tests in this directory against them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from sandbox.inference import not_served
from support.certificates import Authority
from support.wire import inference_shapes as shapes
from support.wire.inference import ADMIN, SECRET, SESSION, Api, events

ORGANIZATION = "/v1/organization"
PROJECT = f"{ORGANIZATION}/projects/proj_sandbox"
USER = "sk-sandbox00000000000000000000000000000003"
TUNED = "ft:gpt-4o-mini-2024-07-18:acme::abc123"
ALERT = {
    "threshold_amount": 100,
    "currency": "USD",
    "interval": "month",
    "notification_channel": {"type": "email", "recipients": ["a@sandbox.example"]},
}


def create_and_delete(path: str, label: str, body: Any, change: Any, *inner: tuple[str, str, Any]) -> list[Any]:
    """Return the calls for an object, and others in between. Its id stands for the label in braces."""
    one = f"{path}/{{{label}}}"
    calls = [
        ("POST", path, body),
        ("GET", path, None),
        ("GET", one, None),
        ("POST", one, change),
        *inner,
        ("DELETE", one, None),
    ]
    return [(ADMIN, *call) for call in calls]


def assign(path: str, member: str, id: str, **body: str) -> list[tuple[str, str, Any]]:
    """Return the calls for a membership or an assignment."""
    one = f"{path}/{id}"
    return [("POST", path, {member: id, **body}), ("GET", path, None), ("GET", one, None), ("DELETE", one, None)]


ROLE = {"role_name": "readers", "permissions": ["api.groups.read"], "description": "Read"}
GROUP = f"{ORGANIZATION}/groups/{{create_group}}"
OBJECTS: list[tuple[str, str, str, Any]] = [
    *create_and_delete(
        f"{ORGANIZATION}/groups",
        "create_group",
        {"name": "team"},
        {"name": "teams"},
        *assign(f"{GROUP}/users", "user_id", "user-sandbox-bob"),
        *assign(f"{PROJECT}/groups", "group_id", "{create_group}", role="role-api-project-member"),
        ("POST", f"{ORGANIZATION}/roles", ROLE),
        *assign(f"{GROUP}/roles", "role_id", "{create_role}"),
        *assign(f"{ORGANIZATION}/users/user-sandbox-bob/roles", "role_id", "{create_role}"),
    ),
    *create_and_delete("/v1/projects/proj_sandbox/roles", "create_role", ROLE, {"description": "All"}),
    *create_and_delete(f"{ORGANIZATION}/spend_alerts", "create_spend_alert", ALERT, {"threshold_amount": 9}),
    *create_and_delete(
        f"{ORGANIZATION}/certificates", "create_certificate", {"certificate": "{pem}", "name": "a"}, {"name": "b"}
    ),
    (ADMIN, "POST", f"{ORGANIZATION}/data_retention", {"retention_type": "zero_data_retention"}),
    (ADMIN, "GET", f"{ORGANIZATION}/data_retention", None),
    (ADMIN, "POST", f"{PROJECT}/data_retention", {"retention_type": "none"}),
    (ADMIN, "GET", f"{PROJECT}/hosted_tool_permissions", None),
    (ADMIN, "POST", f"{PROJECT}/hosted_tool_permissions", {"mcp": {"enabled": False}}),
    (ADMIN, "POST", f"{PROJECT}/model_permissions", {"mode": "allow_list", "model_ids": ["gpt-4o"]}),
    (ADMIN, "GET", f"{PROJECT}/model_permissions", None),
    (ADMIN, "DELETE", f"{PROJECT}/model_permissions", None),
    (
        ADMIN,
        "POST",
        f"{PROJECT}/spend_limit",
        {name: ALERT[name] for name in ("threshold_amount", "currency", "interval")},
    ),
    (ADMIN, "GET", f"{PROJECT}/spend_limit", None),
    (ADMIN, "DELETE", f"{PROJECT}/spend_limit", None),
]
# In this order: what is deleted is deleted last
CALLS: list[tuple[str, str, str, Any]] = [
    (SECRET, "GET", "/v1/models", None),
    (SECRET, "GET", "/v1/models/gpt-4o", None),
    (SECRET, "DELETE", f"/v1/models/{TUNED}", None),
    (SECRET, "GET", "/v1/fine_tuning/model_limits", None),
    (SESSION, "GET", "/v1/organizations", None),
    (SESSION, "GET", "/dashboard/rate_limits", None),
    (SESSION, "GET", "/dashboard/billing/subscription", None),
    (SESSION, "GET", "/dashboard/user/api_keys", None),
    (SESSION, "GET", "/dashboard/feature_flags", None),
    (SESSION, "GET", "/v1/dashboard/organizations/org-sandbox/projects/proj_sandbox/users", None),
    (ADMIN, "GET", f"{ORGANIZATION}/users", None),
    (ADMIN, "GET", f"{ORGANIZATION}/users/user-unnamed", None),
    (ADMIN, "POST", f"{ORGANIZATION}/users/user-unnamed", {"role": "owner"}),
    (ADMIN, "GET", f"{ORGANIZATION}/invites", None),
    (ADMIN, "GET", f"{ORGANIZATION}/invites/invite-sandbox-carol", None),
    (ADMIN, "POST", f"{ORGANIZATION}/invites", {"email": "dora@sandbox.example", "role": "reader"}),
    (ADMIN, "DELETE", f"{ORGANIZATION}/invites/invite-sandbox-carol", None),
    (ADMIN, "GET", f"{ORGANIZATION}/projects?include_archived=true", None),
    (ADMIN, "POST", f"{ORGANIZATION}/projects", {"name": "New", "residency": "JP_STORAGE"}),
    (ADMIN, "GET", f"{ORGANIZATION}/projects/proj_old", None),
    (ADMIN, "GET", f"{PROJECT}/users", None),
    (ADMIN, "POST", f"{PROJECT}/users", {"user_id": "user-sandbox-bob", "role": "member"}),
    (ADMIN, "GET", f"{PROJECT}/users/user-sandbox-bob", None),
    (ADMIN, "POST", f"{PROJECT}/users/user-sandbox-bob", {"role": "owner"}),
    (ADMIN, "DELETE", f"{PROJECT}/users/user-sandbox-bob", None),
    (ADMIN, "GET", f"{PROJECT}/service_accounts", None),
    (ADMIN, "POST", f"{PROJECT}/service_accounts", {"name": "robot"}),
    (ADMIN, "POST", f"{PROJECT}/service_accounts", {"name": "none", "create_service_account_only": True}),
    (ADMIN, "GET", f"{PROJECT}/service_accounts/svc_acct_sandbox", None),
    (ADMIN, "POST", f"{PROJECT}/service_accounts/svc_acct_sandbox", {"role": "owner"}),
    (ADMIN, "POST", f"{PROJECT}/service_accounts/svc_acct_sandbox/api_keys", {"name": "more"}),
    (ADMIN, "GET", f"{PROJECT}/api_keys", None),
    (ADMIN, "GET", f"{PROJECT}/api_keys/key_alice", None),
    (ADMIN, "DELETE", f"{PROJECT}/api_keys/key_alice", None),
    (ADMIN, "DELETE", f"{PROJECT}/service_accounts/svc_acct_sandbox", None),
    (ADMIN, "GET", f"{PROJECT}/rate_limits", None),
    (ADMIN, "POST", f"{PROJECT}/rate_limits/rl-gpt-4o", {"max_requests_per_1_minute": 9}),
    (ADMIN, "POST", PROJECT, {"name": "Renamed"}),
    (ADMIN, "POST", f"{PROJECT}/archive", None),
    (ADMIN, "GET", f"{ORGANIZATION}/admin_api_keys", None),
    (ADMIN, "POST", f"{ORGANIZATION}/admin_api_keys", {"name": "short", "expires_in_seconds": 60}),
    (ADMIN, "GET", f"{ORGANIZATION}/admin_api_keys/key_unnamed", None),
    (ADMIN, "DELETE", f"{ORGANIZATION}/admin_api_keys/key_unnamed", None),
    (ADMIN, "DELETE", f"{ORGANIZATION}/users/user-unnamed", None),
    (ADMIN, "GET", f"{ORGANIZATION}/usage/completions?start_time=1735689600", None),
    (ADMIN, "GET", f"{ORGANIZATION}/costs?start_time=1735689600&limit=1", None),
]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
COMPLETION_OPTIONS: list[dict[str, Any]] = [
    {},
    {"n": 2, "max_completion_tokens": 1},
    {"logprobs": True, "top_logprobs": 2},
    {"tools": [TOOL], "tool_choice": "required"},
    {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}, "service_tier": "flex"},
]
# Who has no name, and whose keys
UNNAMED = {
    "organizations": [
        {"id": "org-sandbox", "name": "sandbox", "users": [{"id": "user-unnamed", "email": "u@sandbox.example"}]}
    ],
    "keys": [
        {"key": "sk-admin-unnamed", "id": "key_unnamed", "organization": "org-sandbox", "owner": "user-unnamed"},
        {"key": "sk-proj-unnamed", "organization": "org-sandbox", "project": "proj_sandbox", "owner": "user-unnamed"},
    ],
    "models": [{"id": TUNED, "created": 1730000000}],
}


@pytest.fixture(scope="module")
def answers(running_sandbox: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a response of each call by label."""
    running_sandbox.reset()
    running_sandbox.seed({"inference": UNNAMED})
    certificate, _key = Authority(tmp_path_factory.mktemp("authority"), "CA").sign("mirror")
    api, responses = Api(running_sandbox), {}
    names = {"pem": certificate.read_text()}
    for key, method, template, contents in OBJECTS:
        path = template.format(**names)
        body = contents and {
            name: value.format(**names) if isinstance(value, str) else value for name, value in contents.items()
        }
        answer = api.call(method, path, key, json=body)
        assert answer.status_code == 200, f"{method} {path}: {answer.text}"
        label = shapes.label(method, path)
        responses[label] = answer.json()
        names[label] = responses[label].get("id", "")
    for key, method, path, body in CALLS:
        answer = api.call(method, path, key, json=body)
        assert answer.status_code == 200, f"{method} {path}: {answer.text}"
        responses[shapes.label(method, path)] = answer.json()
    responses["chat"] = api.chat(USER, store=True).json()
    stored = f"/v1/chat/completions/{responses['chat']['id']}"
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/messages"), ("DELETE", "")):
        if method == "DELETE":
            responses["list_completions"] = api.get("/v1/chat/completions", USER).json()
        answer = api.call(method, stored + path, USER, json={"metadata": {"team": "a"}})
        responses[shapes.label(method, stored + path)] = answer.json()
    return responses


def test_schemas_are_valid() -> None:
    for schema in (*shapes.SHAPES.values(), shapes.CHUNK, shapes.REFUSAL):
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_served_call_has_a_schema_and_a_response(answers: dict[str, Any]) -> None:
    served = shapes.ROUTES.labels - {route.label for route in not_served.ROUTES}
    assert set(answers) == set(shapes.SHAPES) == served


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("options", COMPLETION_OPTIONS, ids=lambda options: "-".join(options) or "plain")
def test_completions_are_valid(api: Api, options: dict[str, Any], stream: bool) -> None:
    usage = {"stream_options": {"include_usage": True}} if stream else {}
    answer = api.chat(stream=stream, **usage, **options)
    assert answer.status_code == 200, answer.text
    if stream:
        assert len(events(answer)) > 2


@pytest.mark.parametrize("reply", [{"refusal": "No."}, {"content": "Half", "stream_error": "server_error"}])
def test_scripted_streams_are_valid(api: Api, reply: dict[str, Any]) -> None:
    api.script(reply)
    assert len(events(api.chat(stream=True))) > 2


def test_damaged_responses_are_detected(answers: dict[str, Any]) -> None:
    for label in shapes.SHAPES.keys() - {"rate_limits", "subscription", "feature_flags"}:
        for broken in damage_response(answers[label]):
            with pytest.raises(jsonschema.ValidationError):
                shapes.validate(broken, shapes.SHAPES[label])


def damage_response(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the response, or its first entry, with one defect each."""
    yield {**answer, "invented": 1}
    yield {name: value for name, value in answer.items() if name != "object"} if "object" in answer else {}
    for name, value in answer.items():
        yield {**answer, name: {"a": ["surprise"]}}
        if name == "data":
            for entry in damage_response(value[0]):
                yield {**copy.deepcopy(answer), "data": [entry]}


def test_only_errors_match_the_error_schema(api: Api, sandbox: Any) -> None:
    plain = api.get(f"{ORGANIZATION}/projects/nope", ADMIN).json()
    sandbox.switch("inference", bare_admin_errors=True, bare_scope_errors=True)
    bare = api.get(f"{ORGANIZATION}/projects/nope", ADMIN).json()
    text = api.get("/v1/models", ADMIN).json()
    assert [sorted(plain), sorted(bare), type(text["error"])] == [["error"], ["code", "message"], str]
    for broken in ({}, {"error": {}}, {"error": {**plain["error"], "more": 1}}, {"message": "x"}, json.dumps(plain)):
        with pytest.raises(jsonschema.ValidationError):
            shapes.validate(broken, shapes.REFUSAL)
