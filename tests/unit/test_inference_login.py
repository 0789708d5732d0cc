# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from unit.conversation import Call, call, conversation
from unit.inference_server import KEY, MISSING_SCOPES, NO_KEY, WRONG_KEY, error
from unit.running import run

NO_MODELS = {"object": "list", "data": []}
SELECTORS = ["OpenAI-Organization", "OpenAI-Project"]


def models(status: int = 200, **answer: Any) -> Call:
    if not {"json", "text"} & set(answer):
        answer["json"] = NO_MODELS
    return call("GET", "/v1/models", status, **answer)


def listed(url: str, **parameters: Any) -> dict[str, Any]:
    return run("inference_model_info", url=f"{url}/v1", **parameters)


def refused(answer: Call) -> str:
    """The message of a task that is answered like this."""
    with conversation(answer) as server:
        result = listed(server.url, api_key=KEY)
    assert result["failed"]
    return result["msg"].removeprefix(f"GET {server.url}/v1/models: ")


@pytest.mark.parametrize("key", [KEY, "sk-0123", "sk-svcacct-0123", "of-another-server"])
def test_the_key_is_sent_as_bearer(key: str) -> None:
    sent = {"sent_headers": {"Authorization": f"Bearer {key}"}, "sent_without": SELECTORS}
    with conversation(models(**sent)) as server:
        assert listed(server.url, api_key=key) == {"changed": False, "models": []}


def test_blanks_around_a_key_are_no_part_of_it() -> None:
    with conversation(models(sent_headers={"Authorization": f"Bearer {KEY}"})) as server:
        assert not listed(server.url, api_key=f" {KEY}\n").get("failed")


def test_organization_and_project_are_sent_along() -> None:
    sent = {"OpenAI-Organization": "org-mine", "OpenAI-Project": "proj_mine"}
    with conversation(models(sent_headers=sent)) as server:
        assert not listed(server.url, api_key=KEY, organization="org-mine", project="proj_mine").get("failed")


def test_the_other_keys_are_never_sent() -> None:
    with conversation(models(sent_without=["Authorization"])) as server:
        assert not listed(server.url, admin_key="sk-admin-0123", session_token="sess-0123").get("failed")


def test_all_of_it_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {"Authorization": f"Bearer {KEY}", "OpenAI-Organization": "org-env", "OpenAI-Project": "proj_env"}
    with conversation(models(sent_headers=sent)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1/")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-0123")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-env")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "proj_env")
        assert not run("inference_model_info").get("failed")


@pytest.mark.parametrize(
    ("key", "option"), [("sk-admin-0123456789", "admin_key"), ("sess-0123456789", "session_token")]
)
def test_a_key_of_another_class_fails_before_any_request(key: str, option: str) -> None:
    with conversation() as server:
        result = listed(server.url, api_key=key)
    assert result["failed"]
    assert result["msg"].endswith(f"belongs into '{option}'")
    assert key not in result["msg"]


@pytest.mark.parametrize("option", ["api_key", "organization", "project"])
@pytest.mark.parametrize("value", ["sk-ключ", "a\nb: c"])
def test_what_no_header_can_carry_fails_before_any_request(option: str, value: str) -> None:
    with conversation() as server:
        result = listed(server.url, **{option: value})
    assert result["msg"] == f"Option '{option}': has characters that cannot be sent in a header"


def test_without_a_key_the_server_decides() -> None:
    with conversation(models(401, json=error(NO_KEY), sent_without=["Authorization"])) as server:
        result = listed(server.url)
    assert result["failed"]
    assert f"401 {NO_KEY}. The key was not accepted: check 'api_key'." in result["msg"]


def test_a_wrong_key_is_told() -> None:
    message = refused(models(401, json=error(WRONG_KEY, code="invalid_api_key")))
    assert message == f"401 {WRONG_KEY} The key was not accepted: check 'api_key'."


@pytest.mark.parametrize("body", [error(MISSING_SCOPES), {"error": MISSING_SCOPES}], ids=["object", "text"])
def test_a_key_without_the_permission_is_not_called_wrong(body: dict[str, Any]) -> None:
    message = refused(models(401, json=body))
    assert message == f"401 {MISSING_SCOPES} The key is right, but was made without the permission for this."


def test_a_key_of_another_organization_is_not_called_wrong() -> None:
    text = "OpenAI-Organization header should match organization for API key"
    message = refused(models(401, json=error(text, code="mismatched_organization")))
    assert message == f"401 {text}. The key belongs to another organization: check 'organization'."


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
def test_each_shape_of_an_error_is_understood(status: int, answer: dict[str, Any], message: str) -> None:
    assert refused(models(status, **answer)) == message


def test_the_key_is_no_part_of_a_message() -> None:
    with conversation(models(401, json=error(f"Incorrect API key provided: {KEY}"))) as server:
        result = listed(server.url, api_key=f"{KEY}\n")
    assert "401 Incorrect API key provided: ********." in result["msg"]


def test_organization_and_project_are_no_secrets() -> None:
    tuned = {"id": "ft:gpt-4o:mine", "object": "model", "created": 1686935002, "owned_by": "org-mine"}
    with conversation(models(json={"object": "list", "data": [tuned]})) as server:
        result = listed(server.url, api_key=KEY, organization="org-mine")
    assert result["models"][0]["owned_by"] == "org-mine"
