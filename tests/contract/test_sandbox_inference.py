# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference service on the wire: statuses, headers, error shapes and streams of the real API."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import requests

from sandbox.client import SandboxError
from sandbox.inference.limits import go_duration
from sandbox.inference.structured import document

SECRET = "sk-proj-sandbox0000000000000000000000000001"
SERVICE_ACCOUNT = "sk-svcacct-sandbox000000000000000000000002"
USER = "sk-sandbox00000000000000000000000000000003"
ADMIN = "sk-admin-sandbox00000000000000000000000004"
SESSION = "sess-sandbox000000000000000000000000000005"
RESTRICTED = "sk-proj-restricted00000000000000000000000006"
HELLO = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": "Hello!"}]

CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


class Api:
    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox
        self.url = f"{sandbox.url}/inference"

    def call(self, method: str, path: str, key: str | None = SECRET, **options: Any) -> requests.Response:
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **options.pop("headers", {})}
        return requests.request(method, self.url + path, headers=headers, timeout=10, **options)

    def get(self, path: str, key: str | None = SECRET, **headers: str) -> requests.Response:
        return self.call("GET", path, key, headers=headers)

    def chat(self, key: str | None = SECRET, **request: Any) -> requests.Response:
        return self.call("POST", "/v1/chat/completions", key, json={"model": "gpt-4o", "messages": HELLO, **request})

    def choice(self, **request: Any) -> dict[str, Any]:
        answer = self.chat(**request)
        assert answer.status_code == 200, answer.text
        return answer.json()["choices"][0]

    def script(self, *replies: dict[str, Any]) -> None:
        self.sandbox.call("POST", "inference/replies", list(replies))


@pytest.fixture
def api(sandbox: Any) -> Api:
    return Api(sandbox)


def error(answer: requests.Response) -> tuple[int, dict[str, Any]]:
    assert re.fullmatch("req_[0-9a-f]{32}", answer.headers["x-request-id"])
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()["error"]
    assert set(body) == {"message", "type", "param", "code"}
    return answer.status_code, body


# -- models


def test_model_list(api: Api) -> None:
    answer = api.get("/v1/models")
    assert answer.status_code == 200
    assert set(answer.json()) == {"object", "data"}
    models = {model["id"]: model for model in answer.json()["data"]}
    assert {"gpt-4o", "gpt-4o-mini", "text-embedding-3-small", "o4-mini"} <= set(models)
    assert models["gpt-4o"] == {
        "id": "gpt-4o",
        "object": "model",
        "created": 1715367049,
        "owned_by": "system",
        "shutdown_date": None,
    }
    created = [model["created"] for model in answer.json()["data"]]
    assert len(set(created)) == len(created)
    assert created != sorted(created, reverse=True)
    assert answer.headers["openai-version"] == "2020-10-01"
    assert answer.headers["openai-organization"] == "sandbox"
    assert answer.headers["openai-processing-ms"].isdigit()
    assert not [name for name in answer.headers if name.startswith("x-ratelimit")]


def test_one_model(api: Api) -> None:
    assert api.get("/v1/models/gpt-4o").json() in api.get("/v1/models").json()["data"]
    assert error(api.get("/v1/models/nope")) == (
        404,
        {
            "message": "The model 'nope' does not exist",
            "type": "invalid_request_error",
            "param": "model",
            "code": "model_not_found",
        },
    )


def test_only_fine_tuned_models_can_be_deleted(api: Api, sandbox: Any) -> None:
    tuned = "ft:gpt-4o-mini-2024-07-18:acme::abc123"
    sandbox.seed({"inference": {"models": [{"id": tuned, "created": 1730000000, "owned_by": "org-sandbox"}]}})
    assert api.call("DELETE", f"/v1/models/{tuned}").json() == {"id": tuned, "object": "model", "deleted": True}
    assert api.get(f"/v1/models/{tuned}").status_code == 404
    assert api.call("DELETE", "/v1/models/gpt-4o").status_code == 403
    assert api.get("/v1/models/gpt-4o").status_code == 200


def test_tuning_limits(api: Api) -> None:
    assert api.get("/v1/fine_tuning/model_limits").json()["data"][0] == {
        "id": "gpt-4o-mini-2024-07-18",
        "curr_pending_jobs": 0,
        "max_pending_jobs": 5,
        "jobs_so_far_today": 0,
        "max_jobs_per_day": 24,
    }


# -- keys


def test_no_key(api: Api) -> None:
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Token x"}):
        status, body = error(api.get("/v1/models", None, **headers))
        assert (status, body["type"], body["code"]) == (401, "invalid_request_error", None)
        assert body["message"].startswith("You didn't provide an API key.")
    assert api.get("/v1/models", None).headers["www-authenticate"] == 'Basic realm="OpenAI API"'


def test_a_wrong_key_is_echoed_masked(api: Api) -> None:
    status, body = error(api.get("/v1/models", "sk-proj-verysecretverysecretMxYA"))
    assert (status, body["code"]) == (401, "invalid_api_key")
    assert body["message"].startswith("Incorrect API key provided: sk-proj-****MxYA. ")
    assert "verysecret" not in body["message"]
    shown = {
        "sk-abcdeVERYSECRETwlmi": "sk-abcde****wlmi",
        "sk-admin-VERYSECRETwlmi": "sk-admin****wlmi",
        "sk-x": "sk-****",
    }
    for key, echo in shown.items():
        assert f"provided: {echo}. " in error(api.get("/v1/models", key))[1]["message"]


def test_a_key_can_be_the_password_of_a_blank_user(api: Api) -> None:
    assert requests.get(f"{api.url}/v1/models", auth=("", SECRET), timeout=10).status_code == 200
    assert requests.get(f"{api.url}/v1/models", auth=("x", SECRET), timeout=10).status_code == 401


@pytest.mark.parametrize("key", [SECRET, SERVICE_ACCOUNT, USER])
def test_secret_keys_serve_models_and_chat(api: Api, key: str) -> None:
    assert api.get("/v1/models", key).status_code == 200
    assert api.chat(key).status_code == 200


@pytest.mark.parametrize("key", [ADMIN, SESSION])
def test_the_classes_of_keys_do_not_overlap(api: Api, key: str) -> None:
    for answer, scope in ((api.get("/v1/models", key), "api.model.read"), (api.chat(key), "model.request")):
        status, body = error(answer)
        assert (status, body["type"], body["code"]) == (401, "invalid_request_error", None)
        assert f"Missing scopes: {scope}. " in body["message"]


def test_missing_scopes_can_come_as_a_bare_string(api: Api, sandbox: Any) -> None:
    sandbox.switch("inference", bare_scope_errors=True)
    answer = api.get("/v1/models", ADMIN)
    assert answer.status_code == 401
    assert answer.json()["error"].startswith("You have insufficient permissions for this operation. Missing scopes: ")


def test_restricted_keys(api: Api) -> None:
    assert api.get("/v1/models", RESTRICTED).status_code == 200
    assert "Missing scopes: model.request." in error(api.chat(RESTRICTED))[1]["message"]


def test_the_headers_must_match_the_key(api: Api) -> None:
    chosen = {"OpenAI-Organization": "org-sandbox", "OpenAI-Project": "proj_sandbox"}
    assert api.get("/v1/models", SECRET, **chosen).status_code == 200
    assert api.get("/v1/models", USER, **chosen).status_code == 200
    status, body = error(api.get("/v1/models", SECRET, **{"OpenAI-Organization": "org-other"}))
    assert (status, body["code"]) == (401, "mismatched_organization")
    for key in (SECRET, USER):
        status, body = error(api.get("/v1/models", key, **{"OpenAI-Project": "proj_other"}))
        assert (status, body["code"]) == (401, "mismatched_project")


def test_dashboards_want_a_session(api: Api) -> None:
    status, body = error(api.get("/dashboard/rate_limits"))
    assert (status, body["type"], body["code"]) == (403, "server_error", None)
    assert body["message"] == (
        "Your request to GET /dashboard/rate_limits must be made with a session key (that is, it can only be made "
        "from the browser). You made it with the following key type: secret."
    )


# -- what is not there


def test_unknown_urls(api: Api) -> None:
    for key in (SECRET, None):
        status, body = error(api.get("/v1/x?secret=1", key))
        assert (status, body["message"]) == (404, "Invalid URL (GET /v1/x)")
        assert (body["type"], body["param"], body["code"]) == ("invalid_request_error", None, None)
    for path in ("/v1/models/", "/v1/chat/completions/", "/v1//models", "/v1"):
        assert error(api.get(path))[1]["message"] == f"Invalid URL (GET {path})"


def test_other_methods(api: Api) -> None:
    answer = api.get("/v1/chat/completions")
    assert error(answer)[0] == 405
    assert error(answer)[1]["code"] == "method_not_supported"
    assert answer.headers["allow"] == "POST"
    assert api.call("POST", "/v1/models", json={}).headers["allow"] == "GET"


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/v1/organization/users", ADMIN),
        ("/v1/organization/admin_api_keys", ADMIN),
        ("/v1/organization/projects", ADMIN),
        ("/v1/organizations", ADMIN),
        ("/v1/organizations", SESSION),
        ("/v1/dashboard/organizations/org-sandbox/projects/proj_sandbox/users", SESSION),
        ("/dashboard/rate_limits", SESSION),
        ("/dashboard/billing/subscription", SESSION),
        ("/dashboard/user/api_keys", SESSION),
        ("/dashboard/feature_flags", SESSION),
    ],
)
def test_known_but_not_served_yet(api: Api, path: str, key: str) -> None:
    status, body = error(api.get(path, key))
    assert (status, body["code"]) == (501, "not_implemented")
    assert body["message"] == f"The sandbox does not serve this call yet: GET {path}"
    assert api.get(path, SECRET).status_code in (401, 403)


# -- chat


def test_a_completion(api: Api) -> None:
    answer = api.chat(temperature=0, seed=7)
    body = answer.json()
    assert re.fullmatch("chatcmpl-[0-9a-f]{32}", body.pop("id"))
    assert isinstance(body.pop("created"), int)
    assert body == {
        "object": "chat.completion",
        "model": "gpt-4o-2024-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_5a2db0c0de",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "You said: Hello!",
                    "refusal": None,
                    "annotations": [],
                },
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 19,
            "completion_tokens": 5,
            "total_tokens": 24,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
    }
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["openai-organization"] == "sandbox"


def test_the_same_request_has_the_same_reply(api: Api) -> None:
    assert api.choice(temperature=2, seed=1) == api.choice(temperature=0, seed=2)
    other = api.choice(messages=[{"role": "user", "content": [{"type": "text", "text": "Bye"}]}])
    assert other["message"]["content"] == "You said: Bye"


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_a_limit_cuts_the_reply(api: Api, limit: str) -> None:
    choice = api.choice(**{limit: 2})
    assert (choice["message"]["content"], choice["finish_reason"]) == ("You said", "length")
    assert api.choice(**{limit: 5})["finish_reason"] == "stop"
    assert api.chat(**{limit: 2}).json()["usage"]["completion_tokens"] == 2


def test_stop_and_n(api: Api) -> None:
    assert api.choice(stop=["Hel", ":"])["message"]["content"] == "You said"
    choices = api.chat(n=3).json()["choices"]
    assert [choice["index"] for choice in choices] == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"model": None}, None, None),
        ({"messages": None}, "messages", "missing_required_parameter"),
        ({"messages": []}, "messages", "empty_array"),
        ({"messages": "hi"}, "messages", "invalid_type"),
        ({"messages": ["hi"]}, "messages[0]", "invalid_type"),
        ({"messages": [{"role": "robot", "content": ""}]}, "messages[0].role", "invalid_value"),
        ({"messages": [{"role": "user"}]}, "messages.[0].content", None),
        ({"messages": [{"role": "assistant", "content": None}]}, "messages.[0].content", None),
        ({"messages": [{"role": "developer"}]}, "messages[0].content", "missing_required_parameter"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content", "invalid_type"),
        ({"messages": [{"role": "user"}, {"role": "robot", "content": ""}]}, "messages[1].role", "invalid_value"),
        ({"messages": [{"content": "x"}]}, "messages[0].role", "missing_required_parameter"),
        (
            {"messages": [{"role": "user", "content": [{"type": "text"}]}]},
            "messages[0].content[0].text",
            "missing_required_parameter",
        ),
        ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "c"}]}, "messages.[0].role", None),
        ({"messages": [{"role": "assistant", "tool_calls": []}]}, "messages[0].tool_calls", "empty_array"),
        ({"messages": [{"role": "assistant", "tool_calls": [CALL]}]}, "messages.[1].role", None),
        ({"messages": [{"role": "tool", "content": ""}]}, "messages[0].tool_call_id", "missing_required_parameter"),
        (
            {"messages": [{"role": "user", "content": [{"type": "x"}]}]},
            "messages[0].content[0].type",
            "invalid_value",
        ),
        ({"temperature": 3}, "temperature", "decimal_above_max_value"),
        ({"temperature": -1}, "temperature", "decimal_below_min_value"),
        ({"temperature": "1"}, "temperature", "invalid_type"),
        ({"temperature": True}, "temperature", "invalid_type"),
        ({"top_p": 1.5}, "top_p", "decimal_above_max_value"),
        ({"n": 129}, "n", "integer_above_max_value"),
        ({"max_tokens": 0}, "max_tokens", "integer_below_min_value"),
        ({"max_tokens": 1.5}, "max_tokens", "invalid_type"),
        ({"stop": ["a", "b", "c", "d", "e"]}, "stop", "array_above_max_length"),
        ({"stream_options": {"include_usage": True}}, "stream_options", None),
        ({"stream": True, "stream_options": {"usage": True}}, "stream_options.usage", "unknown_parameter"),
        ({"top_logprobs": 2}, "top_logprobs", None),
        ({"metadata": {"a": "b"}}, "metadata", None),
        ({"metadata": {"a": 1}, "store": True}, "metadata.a", "invalid_type"),
        ({"metadata": {str(key): "" for key in range(17)}}, "metadata", "object_above_max_properties"),
        ({"max_tokens": 5, "max_completion_tokens": 5}, "max_tokens", "invalid_parameter_combination"),
        ({"service_tier": "x"}, "service_tier", "invalid_value"),
        ({"verbosity": 1}, "verbosity", "invalid_type"),
        ({"n": "2", "messages": "hi"}, "messages", "invalid_type"),
        ({"temperature": "hot", "n": 0}, "n", "integer_below_min_value"),
        ({"response_format": {}}, "response_format.type", "missing_required_parameter"),
        ({"response_format": {"type": "yaml"}}, "response_format.type", "invalid_value"),
        ({"response_format": {"type": "json_object"}}, "messages", None),
        (
            {"response_format": {"type": "json_schema", "json_schema": {}}},
            "response_format.json_schema.name",
            "missing_required_parameter",
        ),
        ({"model": "o4-mini", "max_tokens": 5}, "max_tokens", "unsupported_parameter"),
        ({"model": "o4-mini", "temperature": 0}, "temperature", "unsupported_value"),
        ({"model": "o4-mini", "stop": "x"}, "stop", "unsupported_parameter"),
        ({"model": "o4-mini", "top_p": 0.5}, "top_p", "unsupported_parameter"),
        ({"model": "o4-mini", "presence_penalty": 0.5}, "presence_penalty", "unsupported_parameter"),
        ({"model": "o4-mini", "logprobs": True}, "logprobs", "unsupported_parameter"),
        ({"model": "o4-mini", "reasoning_effort": "max"}, "reasoning_effort", "unsupported_value"),
        ({"reasoning_effort": "low"}, None, None),
        ({"temprature": 1}, None, None),
        ({"temprature": 1, "messages": None}, "messages", "missing_required_parameter"),
        ({"temprature": 1, "n": "x"}, None, None),
    ],
)
def test_bad_parameters(api: Api, change: dict[str, Any], param: str | None, code: str | None) -> None:
    status, body = error(api.chat(**change))
    assert (status, body["type"], body["param"], body["code"]) == (400, "invalid_request_error", param, code)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"max_tokens": 1, "max_completion_tokens": 1},
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ),
        ({"seed": 1.5}, "Invalid type for 'seed': expected an integer, but got a decimal number instead."),
        ({"messages": "hi"}, "Invalid type for 'messages': expected an array of objects, but got a string instead."),
        (
            {"messages": [{"role": "user", "content": None}]},
            "Invalid value for 'content': expected a string, got null.",
        ),
        (
            {"stop": list("abcde")},
            "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 "
            "instead.",
        ),
        (
            {"service_tier": {}},
            "Invalid type for 'service_tier': expected one of 'auto', 'default', 'fast', 'flex', or 'priority', but "
            "got an object instead.",
        ),
        ({"verbosity": "x"}, "Invalid value: 'x'. Supported values are: 'low', 'medium', and 'high'."),
        (
            {"messages": [{"role": "x", "content": ""}]},
            "Invalid value: 'x'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'.",
        ),
        ({"x": 1}, "Unrecognized request argument supplied: x"),
        ({"x": 1, "y": 1}, "Unrecognized request arguments supplied: x, y"),
        ({"top_logprobs": 1}, "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."),
        (
            {"model": "o4-mini", "reasoning_effort": "max"},
            "Unsupported value: 'reasoning_effort' does not support 'max' with this model. Supported values are: "
            "'low', 'medium', and 'high'.",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [CALL]}]},
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
        ),
    ],
)
def test_words_of_refusals(api: Api, change: dict[str, Any], message: str) -> None:
    assert error(api.chat(**change))[1]["message"] == message


def test_other_content_types(api: Api) -> None:
    declared = "application/x-www-form-urlencoded"
    status, body = error(api.call("POST", "/v1/chat/completions", data={"model": "gpt-4o"}))
    assert (status, body["param"], body["code"]) == (400, None, "unsupported_content_type")
    assert body["message"].startswith(f"Unsupported content type: '{declared}'. ")
    headers = {"Content-Type": "application/JSON; charset=utf-8"}
    data = json.dumps({"model": "gpt-4o", "messages": HELLO})
    assert api.call("POST", "/v1/chat/completions", data=data, headers=headers).status_code == 200


def test_bad_bodies(api: Api) -> None:
    for data in ("{", "[]", b"\xff", "", '{"temperature": NaN}', "[" * 100_000):
        status, body = error(api.call("POST", "/v1/chat/completions", data=data))
        assert (status, body["param"], body["code"]) == (400, None, None)
        assert body["message"].startswith("We could not parse the JSON body of your request.")


def test_models_that_do_not_chat(api: Api) -> None:
    assert error(api.chat(model="nope"))[1]["code"] == "model_not_found"
    assert error(api.chat(model="text-embedding-3-small"))[0] == 404


def test_unserved_parameters_say_so(api: Api) -> None:
    assert error(api.chat(functions=[{"name": "f"}]))[0] == 501
    assert error(api.chat(audio={"voice": "alloy"}))[0] == 501


def test_the_tier_that_served(api: Api) -> None:
    for asked, serving in (("auto", "default"), ("flex", "flex"), ("fast", "priority")):
        assert api.chat(service_tier=asked).json()["service_tier"] == serving


def test_log_probabilities(api: Api) -> None:
    [first, *rest] = api.choice(logprobs=True, top_logprobs=2)["logprobs"]["content"]
    entry = {"token": "You", "logprob": 0.0, "bytes": [89, 111, 117]}
    assert first == {**entry, "top_logprobs": [entry]}
    assert len(rest) == 4
    assert api.choice(logprobs=True)["logprobs"]["refusal"] is None
    assert api.choice(logprobs=True)["logprobs"]["content"][0]["top_logprobs"] == []
    assert api.choice(logprobs=False)["logprobs"] is None
    chunks = events(api.chat(logprobs=True, stream=True))[:-1]
    told = [chunk["choices"][0]["logprobs"] for chunk in chunks[:-1]]
    assert [[token["token"] for token in logprobs["content"]] for logprobs in told] == [
        [],
        ["You"],
        [" said"],
        [":"],
        [" Hello"],
        ["!"],
    ]
    assert chunks[-1]["choices"][0]["logprobs"] is None


def test_members_come_in_the_order_of_the_real_api(api: Api) -> None:
    head = ["id", "object", "created", "model"]
    service = ["service_tier", "system_fingerprint"]
    assert list(api.chat().json()) == [*head, "choices", "usage", *service]
    chunk = events(api.chat(stream=True, stream_options={"include_usage": True}))[0]
    assert list(chunk) == [*head, *service, "choices", "usage"]


# -- tools


def tool(name: str = "weather", **function: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"type": "function", "function": {"name": name, "parameters": schema, **function}}


def test_a_tool_is_called_where_the_request_leaves_no_choice(api: Api) -> None:
    assert api.choice(tools=[tool()])["finish_reason"] == "stop"
    assert api.choice(tools=[tool()], tool_choice="none")["message"]["content"] == "You said: Hello!"
    called = api.choice(tools=[tool(), tool("other")], tool_choice="required")
    assert called["finish_reason"] == "tool_calls"
    assert called["message"]["content"] is None
    [call] = called["message"]["tool_calls"]
    assert (call["type"], call["function"]) == ("function", {"name": "weather", "arguments": '{"city": "city"}'})
    named = api.choice(tools=[tool(), tool("other")], tool_choice={"type": "function", "function": {"name": "other"}})
    assert named["finish_reason"] == "stop"
    assert named["message"]["tool_calls"][0]["function"]["name"] == "other"


def test_a_tool_may_answer_a_call(api: Api) -> None:
    messages = [*HELLO, {"role": "assistant", "tool_calls": [CALL]}]
    answered = [*messages, {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    assert api.chat(messages=answered).status_code == 200
    twice = [*answered, {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    assert error(api.chat(messages=twice))[1]["param"] == "messages.[4].role"


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"tools": "x"}, "tools", "invalid_type"),
        ({"tools": []}, "tools", "empty_array"),
        ({"tools": [{}]}, "tools[0].type", "missing_required_parameter"),
        ({"tools": [{"type": "x"}]}, "tools[0].type", "invalid_value"),
        ({"tools": [{"type": "function"}]}, "tools[0].function", "missing_required_parameter"),
        (
            {"tools": [{"type": "function", "function": {}}]},
            "tools[0].function.name",
            "missing_required_parameter",
        ),
        ({"tools": [tool("")]}, "tools[0].function.name", "empty_string"),
        ({"tools": [tool("a b")]}, "tools[0].function.name", "invalid_value"),
        (
            {"tools": [tool(parameters={"type": "array"})]},
            "tools[0].function.parameters",
            "invalid_function_parameters",
        ),
        ({"tools": [tool(strict=True)]}, "tools[0].function.parameters", "invalid_function_parameters"),
        ({"tool_choice": "auto"}, "tool_choice", None),
        ({"parallel_tool_calls": False}, "parallel_tool_calls", None),
        ({"tools": [tool()], "tool_choice": "x"}, "tool_choice", "invalid_value"),
        ({"tools": [tool()], "tool_choice": 7}, "tool_choice", "invalid_type"),
        ({"tools": [tool()], "tool_choice": {}}, "tool_choice.function", "missing_required_parameter"),
        (
            {"tools": [tool()], "tool_choice": {"type": "function", "function": {"name": "x"}}},
            "function_call",
            None,
        ),
    ],
)
def test_bad_tools(api: Api, change: dict[str, Any], param: str, code: str | None) -> None:
    status, body = error(api.chat(**change))
    assert (status, body["type"], body["param"], body["code"]) == (400, "invalid_request_error", param, code)


# -- structured output


def schema_format(schema: dict[str, Any], strict: bool = True) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": strict}}


STRICT = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["city", "people"],
    "additionalProperties": False,
}


def test_a_schema_is_satisfied(api: Api) -> None:
    choice = api.choice(response_format=schema_format(STRICT))
    assert json.loads(choice["message"]["content"]) == {"city": "city", "people": 1}
    cut = api.choice(response_format=schema_format(STRICT), max_tokens=3)
    assert cut["finish_reason"] == "length"
    with pytest.raises(ValueError, match=r"Unterminated|delimiter"):
        json.loads(cut["message"]["content"])


def test_json_objects(api: Api) -> None:
    messages = [{"role": "user", "content": "Answer in JSON"}]
    choice = api.choice(messages=messages, response_format={"type": "json_object"})
    assert json.loads(choice["message"]["content"]) == {"answer": "You said: Answer in JSON"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {key: value for key, value in STRICT.items() if key != "additionalProperties"},
        {**STRICT, "required": ["city"]},
        {**STRICT, "properties": {**STRICT["properties"], "people": {"oneOf": [{"type": "integer"}]}}},
    ],
)
def test_strict_mode_is_strict(api: Api, schema: dict[str, Any]) -> None:
    status, body = error(api.chat(response_format=schema_format(schema)))
    assert (status, body["param"], body["code"]) == (400, "response_format", None)
    assert re.match(
        "Invalid schema for response_format 'answer': (In context=|schema must be a JSON Schema of 'type: \"object\"')",
        body["message"],
    )


def test_schemas_that_are_none(api: Api) -> None:
    for schema in ({"type": "object", "properties": ["a"]}, {"enum": []}, {"anyOf": 1}, {"items": {"type": 1}}):
        for strict in (True, False):
            status, body = error(api.chat(response_format=schema_format(schema, strict)))
            assert (status in (400, 501), body["param"]) == (True, "response_format")


def test_what_cannot_be_made_up_is_refused(api: Api) -> None:
    format_ = schema_format({"type": "object", "properties": {"a": {"type": "string", "pattern": "x+"}}}, strict=False)
    status, body = error(api.chat(response_format=format_))
    assert (status, body["param"]) == (501, "response_format")
    api.script({"content": '{"a": "xx"}'})
    assert api.choice(response_format=format_)["message"]["content"] == '{"a": "xx"}'


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "value"),
        ({"const": 3}, 3),
        ({"enum": ["b", "a"]}, "b"),
        ({"type": ["string", "null"], "maxLength": 3}, "val"),
        ({"type": "string", "minLength": 7}, "value.."),
        ({"type": "string", "format": "date"}, "2026-01-02"),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "integer", "maximum": -2}, -2),
        ({"type": "integer", "exclusiveMaximum": 4, "multipleOf": 2}, 2),
        ({"type": "integer", "minimum": 7, "multipleOf": 5}, 10),
        ({"type": "number", "minimum": 0, "maximum": 1}, 0.5),
        ({"type": "number", "exclusiveMinimum": 2}, 3),
        ({"type": "number", "maximum": -2}, -3),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [True, True]),
        ({"type": "array", "maxItems": 0}, []),
        ({"anyOf": [{"type": "null"}, {"type": "string"}], "title": "x"}, None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}, True),
        ({"type": "object", "required": ["x"]}, {"x": "x"}),
    ],
)
def test_documents(schema: dict[str, Any], expected: Any) -> None:
    assert document(schema) == expected


def test_recursive_schemas_come_to_an_end() -> None:
    node = {
        "type": "object",
        "properties": {
            "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
            "all": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["next", "all"],
    }
    made = document(node)
    assert set(made) == {"next", "all"}
    assert '"next": null' in json.dumps(made)
    assert '"all": []' in json.dumps(made)


# -- scripted replies


def test_scripted_replies_come_in_order(api: Api, sandbox: Any) -> None:
    calls = [{"function": {"name": "weather", "arguments": '{"city": "Kyiv"}'}}]
    api.script(
        {"content": "One two three"},
        {"refusal": "I can't."},
        {"tool_calls": calls},
        {"content": "cut", "finish_reason": "length", "headers": {"x-extra": "1"}},
    )
    assert len(sandbox.call("GET", "inference/replies")["replies"]) == 4
    assert api.choice(max_tokens=2)["message"]["content"] == "One two"
    refused = api.choice()
    assert (refused["message"]["content"], refused["message"]["refusal"]) == (None, "I can't.")
    called = api.choice()
    assert called["finish_reason"] == "tool_calls"
    assert called["message"]["content"] is None
    assert called["message"]["tool_calls"] == [{"id": "call_0", "type": "function", **calls[0]}]
    last = api.chat()
    assert (last.json()["choices"][0]["finish_reason"], last.headers["x-extra"]) == ("length", "1")
    assert api.choice()["message"]["content"] == "You said: Hello!"


def test_requests_that_are_refused_consume_no_reply(api: Api, sandbox: Any) -> None:
    api.script({"content": "x"})
    api.chat(temperature=9)
    api.chat(key=ADMIN)
    assert sandbox.call("GET", "inference/replies") == {"replies": [{"content": "x"}]}
    assert sandbox.call("DELETE", "inference/replies") == {"replies": []}


def test_scripts_are_checked(api: Api) -> None:
    for reply in (
        {},
        {"text": "x"},
        {"content": 1},
        {"error": "oops"},
        {"finish_reason": "tired"},
        {"tool_calls": [{}]},
    ):
        with pytest.raises(SandboxError, match="400"):
            api.script({"content": "good"}, reply)
    assert api.sandbox.call("GET", "inference/replies") == {"replies": []}


@pytest.mark.parametrize(
    ("name", "status", "type_", "code", "retry_after"),
    [
        ("rate_limit_exceeded", 429, "requests", "rate_limit_exceeded", "1"),
        ("slow_down", 429, "rate_limit_error", "slow_down", "1"),
        ("insufficient_quota", 429, "insufficient_quota", "insufficient_quota", None),
        ("spend_limit_reached", 429, "insufficient_quota", "billing_hard_limit_reached", None),
        (
            "unsupported_country_region_territory",
            403,
            "request_forbidden",
            "unsupported_country_region_territory",
            None,
        ),
        ("server_error", 500, "server_error", None, None),
        ("server_is_overloaded", 503, "service_unavailable_error", "server_is_overloaded", "1"),
    ],
)
def test_failures_by_name(
    api: Api, sandbox: Any, name: str, status: int, type_: str, code: str, retry_after: str
) -> None:
    api.script({"error": name})
    sandbox.switch("inference", chat_failure="")
    for _unused in range(2):
        answer = api.chat()
        assert (error(answer)[0], error(answer)[1]["type"], error(answer)[1]["code"]) == (status, type_, code)
        assert answer.headers.get("Retry-After") == retry_after
        assert "x-ratelimit-limit-requests" in answer.headers
        sandbox.switch("inference", chat_failure=name)
    sandbox.switch("inference", chat_failure="")
    assert api.chat().status_code == 200


@pytest.mark.parametrize("advice", ["150", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_the_advice_of_failures_can_be_another(api: Api, sandbox: Any, advice: str) -> None:
    sandbox.switch(
        "inference",
        chat_failure="rate_limit_exceeded",
        chat_failure_headers={"Retry-After": advice, "X-Should-Retry": "true"},
    )
    answer = api.chat()
    assert (answer.headers["retry-after"], answer.headers["x-should-retry"]) == (advice, "true")


def test_failures_in_full(api: Api) -> None:
    api.script({"error": {"status": 409, "message": "busy"}, "headers": {"x-should-retry": "false"}})
    answer = api.chat()
    assert error(answer) == (
        409,
        {"message": "busy", "type": "invalid_request_error", "param": None, "code": None},
    )
    assert answer.headers["x-should-retry"] == "false"


# -- streams


def events(answer: requests.Response) -> list[Any]:
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.text.endswith("\n\n")
    lines = answer.text.removesuffix("\n\n").split("\n\n")
    assert all(line.startswith("data: ") for line in lines)
    return [line[6:] if line == "data: [DONE]" else json.loads(line[6:]) for line in lines]


def test_a_stream(api: Api) -> None:
    answer = api.chat(stream=True)
    *chunks, done = events(answer)
    assert done == "[DONE]"
    assert len({(chunk["id"], chunk["created"], chunk["object"]) for chunk in chunks}) == 1
    assert chunks[0]["object"] == "chat.completion.chunk"
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert [chunk["choices"][0]["delta"].get("content") for chunk in chunks[1:-1]] == [
        "You",
        " said",
        ":",
        " Hello",
        "!",
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * 6 + ["stop"]
    assert all("usage" not in chunk for chunk in chunks)
    assert answer.headers["x-request-id"].startswith("req_")
    assert "x-ratelimit-remaining-requests" in answer.headers


def test_a_stream_with_usage(api: Api) -> None:
    *chunks, last, done = events(api.chat(stream=True, stream_options={"include_usage": True}))
    assert done == "[DONE]"
    assert all(chunk["usage"] is None for chunk in chunks)
    assert last["choices"] == []
    assert last["usage"] == api.chat().json()["usage"]


def test_a_stream_that_breaks(api: Api) -> None:
    api.script({"content": "Half of", "stream_error": "server_error"})
    *chunks, last = events(api.chat(stream=True))
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == "Half of"
    assert last["error"]["type"] == "server_error"


def test_a_stream_of_tool_calls(api: Api) -> None:
    api.script({"tool_calls": [{"id": "call_x", "function": {"name": "f", "arguments": '{"a":1}'}}]})
    deltas = [chunk["choices"][0]["delta"] for chunk in events(api.chat(stream=True))[:-1]]
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert calls[0] == {"index": 0, "id": "call_x", "type": "function", "function": {"name": "f", "arguments": ""}}
    assert "".join(call["function"]["arguments"] for call in calls) == '{"a":1}'


# -- rate limits


def test_rate_limit_headers(api: Api, sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    for left in ("499", "498"):
        headers = api.chat(max_tokens=100).headers
        assert headers["x-ratelimit-limit-requests"] == "500"
        assert headers["x-ratelimit-limit-tokens"] == "30000"
        assert headers["x-ratelimit-remaining-requests"] == left
    assert headers["x-ratelimit-remaining-tokens"] == "29800"
    assert headers["x-ratelimit-reset-requests"] == "240ms"
    assert headers["x-ratelimit-reset-tokens"] == "400ms"
    sandbox.clock(advance=60)
    assert api.chat().headers["x-ratelimit-remaining-requests"] == "499"


def test_rate_limits_bite_where_they_are_enforced(api: Api, sandbox: Any) -> None:
    slow = {"id": "slow", "created": 1, "requests_per_minute": 2, "tokens_per_minute": 100}
    sandbox.seed({"inference": {"models": [slow]}})
    sandbox.clock(frozen=True)
    assert [api.chat(model="slow").status_code for _unused in range(3)] == [200, 200, 200]
    sandbox.switch("inference", enforce_rate_limits=True)
    answer = api.chat(model="slow")
    assert error(answer)[1]["type"] == "requests"
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "30")
    assert answer.headers["x-ratelimit-remaining-requests"] == "0"
    sandbox.clock(advance=30)
    assert error(api.chat(model="slow", max_tokens=99))[1]["type"] == "tokens"
    assert error(api.chat(model="slow"))[1]["type"] == "requests"  # a refused request has counted
    sandbox.clock(advance=30)
    assert api.chat(model="slow").status_code == 200


def test_a_new_limit_holds_at_once(api: Api, sandbox: Any) -> None:
    api.chat()
    sandbox.seed({"inference": {"models": [{"id": "gpt-4o", "created": 1, "requests_per_minute": 60}]}})
    headers = api.chat().headers
    assert (headers["x-ratelimit-limit-requests"], headers["x-ratelimit-remaining-requests"]) == ("60", "59")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (0.12, "120ms"), (1, "1s"), (8.64, "8.64s"), (360, "6m0s"), (3723.5, "1h2m3.5s"), (0.0057, "6ms")],
)
def test_go_durations(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text


# -- journal, exports


def test_the_journal_knows_what_costs_money(api: Api, sandbox: Any) -> None:
    api.get("/v1/models")
    api.chat()
    api.get("/v1/x")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("inference")]
    assert entries == [("list_models", "read", 200), ("chat", "write", 200), (None, "read", 404)]


def test_exports(sandbox: Any) -> None:
    environment = sandbox.environment
    assert environment["OPENAI_BASE_URL"] == f"{sandbox.url}/inference/v1"
    assert (environment["OPENAI_API_KEY"], environment["OPENAI_ADMIN_KEY"]) == (SECRET, ADMIN)
