# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

import generate
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import (
    ADMIN_KEY,
    API_KEY,
    INFERENCE,
    KEY_CLASSES,
    SESSION_TOKEN,
    InferenceService,
    KeyClass,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation
from support.inference_server import KEY, MISSING_SCOPES, NO_KEY, WRONG_KEY, error
from support.running import run

MODULES: dict[str, tuple[KeyClass, dict[str, Any]]] = {
    "inference_chat": (API_KEY, {"model": "gpt-4o", "prompt": "Hello"}),
    "inference_chat_batch": (API_KEY, {"model": "gpt-4o", "prompts": [{"prompt": "Hello"}], "to_file": "answers"}),
    "inference_model_info": (API_KEY, {}),
    "inference_model_limit_info": (API_KEY, {}),
    "inference_admin_key": (ADMIN_KEY, {"name": "audit"}),
    "inference_admin_key_info": (ADMIN_KEY, {}),
    "inference_dashboard_info": (SESSION_TOKEN, {"subject": "subscription"}),
    "inference_cost_info": (ADMIN_KEY, {}),
    "inference_drift_info": (ADMIN_KEY, {"max_key_age_days": 30}),
    "inference_organization_info": (ADMIN_KEY, {}),
    "inference_project": (ADMIN_KEY, {"name": "Search"}),
    "inference_project_info": (ADMIN_KEY, {}),
    "inference_rate_limit": (
        ADMIN_KEY,
        {"project_id": "proj_1", "limits": [{"model": "gpt-4o", "max_requests_per_1_minute": 1}]},
    ),
    "inference_rate_limit_info": (ADMIN_KEY, {"project_id": "proj_1"}),
    "inference_service_account": (ADMIN_KEY, {"name": "robot", "project_id": "proj_1"}),
    "inference_usage_info": (ADMIN_KEY, {}),
    "inference_user": (ADMIN_KEY, {"email": "dora@sandbox.example"}),
    "inference_user_info": (ADMIN_KEY, {}),
}
NO_MODELS = {"object": "list", "data": []}
SELECTORS = ["OpenAI-Organization", "OpenAI-Project", "OpenAI-User", "OpenAI-Group"]


def models(status: int = 200, **answer: Any) -> Call:
    if not {"json", "text"} & set(answer):
        answer["json"] = NO_MODELS
    return call("GET", "/v1/models", status, **answer)


def list_models(url: str, **parameters: Any) -> dict[str, Any]:
    return run("inference_model_info", url=f"{url}/v1", **parameters)


def read_error(answer: Call) -> str:
    """Return the message of a task with this response."""
    with conversation(answer) as server:
        result = list_models(server.url, api_key=KEY)
    assert result["failed"]
    return result["msg"].removeprefix(f"GET {server.url}/v1/models: ")


@pytest.mark.parametrize("key", [KEY, "sk-0123", "sk-svcacct-0123", "of-another-server"])
def test_key_is_sent_as_bearer_token(key: str) -> None:
    sent = {"sent_headers": {"Authorization": f"Bearer {key}"}, "sent_without": SELECTORS}
    with conversation(models(**sent)) as server:
        assert list_models(server.url, api_key=key) == {"changed": False, "models": []}


def test_blanks_around_a_key_are_removed() -> None:
    with conversation(models(sent_headers={"Authorization": f"Bearer {KEY}"})) as server:
        assert not list_models(server.url, api_key=f" {KEY}\n").get("failed")


def test_organization_and_project_are_sent() -> None:
    sent = {"OpenAI-Organization": "org-mine", "OpenAI-Project": "proj_mine"}
    with conversation(models(sent_headers=sent)) as server:
        assert not list_models(server.url, api_key=KEY, organization="org-mine", project="proj_mine").get("failed")


def test_user_and_group_are_sent_when_set() -> None:
    sent = {"OpenAI-User": "user-me", "OpenAI-Group": "proj_mine"}
    with conversation(models(sent_headers=sent, sent_without=SELECTORS[:2])) as server:
        assert not list_models(server.url, api_key=KEY, user_id="user-me", group_id="proj_mine").get("failed")


def test_other_keys_are_never_sent() -> None:
    with conversation(models(sent_without=["Authorization"])) as server:
        assert not list_models(server.url, admin_key="sk-admin-0123", session_token="sess-0123").get("failed")


def test_options_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {"Authorization": f"Bearer {KEY}", "OpenAI-Organization": "org-env", "OpenAI-Project": "proj_env"}
    with conversation(models(sent_headers=sent)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1/")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-0123")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-env")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "proj_env")
        assert not run("inference_model_info").get("failed")


def read_models(key_class: KeyClass, url: str, **keys: str) -> Response:
    """Return the response to a read with a key of a class."""
    spec = ArgumentSpecValidator(**INFERENCE.to_keywords())
    task = Task(spec.validate({"url": f"{url}/v1", **keys}).validated_parameters)
    return InferenceService(task).create_client(key_class).read("GET", "/models")


ALL_KEYS = {"api_key": KEY, "admin_key": "sk-admin-0123456789", "session_token": "sess-0123456789"}


@pytest.mark.parametrize("key_class", KEY_CLASSES, ids=lambda key_class: key_class.option)
def test_only_the_key_of_the_required_class_is_sent(key_class: KeyClass) -> None:
    with conversation(models(sent_headers={"Authorization": f"Bearer {ALL_KEYS[key_class.option]}"})) as server:
        assert read_models(key_class, server.url, **ALL_KEYS).status == 200


@pytest.mark.parametrize("key_class", KEY_CLASSES, ids=lambda key_class: key_class.option)
def test_message_names_the_option_when_the_key_is_rejected_or_missing(key_class: KeyClass) -> None:
    option = key_class.option
    refusal = models(401, json=error(WRONG_KEY, code="invalid_api_key"))
    with (
        conversation(refusal) as server,
        pytest.raises(ServerRefusal, match=rf"The key was rejected\. Check '{option}'\.$"),
    ):
        read_models(key_class, server.url, **ALL_KEYS)
    with (
        conversation(models(401, json=error(NO_KEY))) as server,
        pytest.raises(ServerRefusal, match=rf"No key was sent\. Set '{option}'\.$"),
    ):
        read_models(key_class, server.url)


@pytest.mark.parametrize(
    ("key_class", "key", "message"),
    [
        (
            API_KEY,
            "sk-admin-0123456789",
            "Option 'api_key': must be a key for models and completions. Keys that start with sk-admin- are for the "
            "administration of an organization; set them as 'admin_key'",
        ),
        (
            API_KEY,
            "sess-0123456789",
            "Option 'api_key': must be a key for models and completions. Keys that start with sess- are for the "
            "private endpoints of the dashboard; set them as 'session_token'",
        ),
        (
            ADMIN_KEY,
            KEY,
            "Option 'admin_key': must be a key for the administration of an organization. Keys that start with sk- "
            "are for models and completions; set them as 'api_key'",
        ),
        (
            SESSION_TOKEN,
            KEY,
            "set them as 'api_key'",
        ),
    ],
)
def test_key_of_another_class_fails_before_any_request(key_class: KeyClass, key: str, message: str) -> None:
    with conversation() as server, pytest.raises(BadOption) as refusal:
        read_models(key_class, server.url, **{key_class.option: key})
    assert str(refusal.value).endswith(f"{message}.")
    assert key not in str(refusal.value)


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("module", MODULES)
def test_module_requires_its_key_class(module: str, check_mode: bool) -> None:
    key_class, options = MODULES[module]
    keys = {**ALL_KEYS, key_class.option: next(key for name, key in ALL_KEYS.items() if name != key_class.option)}
    with conversation() as server:
        result = run(module, check_mode=check_mode, url=f"{server.url}/v1", **keys, **options)
    assert result["msg"].startswith(f"Option '{key_class.option}': must be a key for {key_class.purpose}. Keys")


def test_all_modules_have_a_key_class() -> None:
    assert {name for name in generate.list_modules() if name.startswith("inference_")} == set(MODULES)


@pytest.mark.parametrize("option", ["api_key", "organization", "project", "user_id", "group_id"])
@pytest.mark.parametrize("value", ["sk-ключ", "a\nb: c"])
def test_value_fails_before_any_request_when_headers_cannot_contain_it(option: str, value: str) -> None:
    with conversation() as server:
        result = list_models(server.url, **{option: value})
    assert result["msg"] == f"Option '{option}': contains characters that cannot be sent in an HTTP header."


def test_request_is_sent_without_a_key_when_none_is_set() -> None:
    with conversation(models(401, json=error(NO_KEY), sent_without=["Authorization"])) as server:
        result = list_models(server.url)
    assert result["failed"]
    assert result["msg"].endswith(f"401 {NO_KEY}. No key was sent. Set 'api_key'.")


def test_message_names_other_keys_when_the_required_key_is_missing() -> None:
    with conversation(models(401, json=error(NO_KEY))) as server:
        result = list_models(server.url, admin_key="sk-admin-0123")
    remedy = "Set 'api_key'. 'admin_key' is only for the administration of an organization."
    assert result["msg"].endswith(f"No key was sent. {remedy}")


def test_message_names_the_option_when_the_key_is_invalid() -> None:
    message = read_error(models(401, json=error(WRONG_KEY, code="invalid_api_key")))
    assert message == f"401 {WRONG_KEY} The key was rejected. Check 'api_key'."


@pytest.mark.parametrize("body", [error(MISSING_SCOPES), {"error": MISSING_SCOPES}], ids=["object", "text"])
def test_message_names_the_permission_when_the_key_lacks_it(body: dict[str, Any]) -> None:
    message = read_error(models(401, json=body))
    assert message == f"401 {MISSING_SCOPES} The key is valid, but lacks the permission for this request."


@pytest.mark.parametrize(("option", "name"), [("organization", "Organization"), ("project", "Project")])
@pytest.mark.parametrize("coded", [True, False])
def test_message_names_the_organization_or_project_when_the_key_belongs_to_another(
    option: str, name: str, coded: bool
) -> None:
    text = f"OpenAI-{name} header should match {option} for API key"
    message = read_error(models(401, json=error(text, code=f"mismatched_{option}" if coded else None)))
    assert message == f"401 {text}. The key belongs to another {option}. Check '{option}'."


@pytest.mark.parametrize("body", [error("No"), {"data": [{}]}, []], ids=["an error", "no model", "another form"])
@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
def test_message_contains_the_request_id_when_a_request_fails(status: int, body: Any) -> None:
    answer = models(status, json=body, headers={"x-request-id": "req_0f5c2e"})
    with conversation(answer) as server:
        result = list_models(server.url, api_key=KEY, retries=0)
    assert result["msg"].endswith(" Request ID: req_0f5c2e.")


@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (400, {"json": error("Bad parameter", param="model")}, "400 Bad parameter."),
        (400, {"json": {"error": "Bad parameter"}}, "400 Bad parameter."),
        (400, {"json": {"code": 400, "message": "Project old is archived"}}, "400 Project old is archived."),
        (400, {"text": "upstream says no"}, "400 upstream says no."),
        (400, {"text": "<html><h1>400</h1></html>"}, "400 Bad Request."),
        (400, {"json": []}, "400 []."),
        (400, {"text": ""}, "400 Bad Request."),
    ],
    ids=["object", "text", "no-envelope", "plain", "html", "list", "empty"],
)
def test_each_error_format_is_understood(status: int, answer: dict[str, Any], message: str) -> None:
    assert read_error(models(status, **answer)) == message


def test_key_is_masked_in_messages() -> None:
    with conversation(models(401, json=error(f"Incorrect API key provided: {KEY}"))) as server:
        result = list_models(server.url, api_key=f"{KEY}\n")
    assert "401 Incorrect API key provided: ********." in result["msg"]


def test_organization_and_project_are_not_masked() -> None:
    tuned = {"id": "ft:gpt-4o:mine", "object": "model", "created": 1686935002, "owned_by": "org-mine"}
    with conversation(models(json={"object": "list", "data": [tuned]})) as server:
        result = list_models(server.url, api_key=KEY, organization="org-mine")
    assert result["models"][0]["owned_by"] == "org-mine"
