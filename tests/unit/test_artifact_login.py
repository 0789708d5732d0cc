# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

TOKENS = "/access/api/v1/tokens"
PASSWORD = "pass:wörd"
BASIC = f"Basic {base64.b64encode(f'admin:{PASSWORD}'.encode()).decode()}"
USER: dict[str, Any] = {"username": "admin", "password": PASSWORD}


def lists(target: str = TOKENS, **sent: Any) -> Call:
    return call("GET", target, json={"tokens": []}, **sent)


@pytest.mark.parametrize(
    ("credential", "headers", "without"),
    [
        (USER, {"Authorization": BASIC}, ["X-JFrog-Art-Api"]),
        ({"api_key": "AKCp5key"}, {"X-JFrog-Art-Api": "AKCp5key"}, ["Authorization"]),
        ({"token": "t0ken-of-mine"}, {"Authorization": "Bearer t0ken-of-mine"}, ["X-JFrog-Art-Api"]),
        ({}, {}, ["Authorization", "X-JFrog-Art-Api"]),
        ({"token": " t0ken-of-mine\n"}, {"Authorization": "Bearer t0ken-of-mine"}, []),
        ({**USER, "api_key": "AKCp5key", "token": "t0ken"}, {"Authorization": BASIC}, ["X-JFrog-Art-Api"]),
        ({"api_key": "AKCp5key", "token": "t0ken"}, {"X-JFrog-Art-Api": "AKCp5key"}, ["Authorization"]),
    ],
    ids=["basic", "API key", "bearer", "none", "blanks around", "basic first", "then API key"],
)
def test_each_request_has_the_credential(
    credential: dict[str, Any], headers: dict[str, Any], without: list[str]
) -> None:
    with conversation(lists(sent_headers=headers, sent_without=without)) as server:
        assert run("access_token_info", url=server.url, **credential) == {"changed": False, "tokens": []}


@pytest.mark.parametrize(
    ("end", "target"),
    [
        ("", TOKENS),
        ("/", TOKENS),
        ("/artifactory", TOKENS),
        ("/artifactory/", TOKENS),
        ("/below/artifactory", f"/below{TOKENS}"),
        ("/below", f"/below{TOKENS}"),
    ],
)
def test_url_may_end_with_artifactory(end: str, target: str) -> None:
    with conversation(lists(target)) as server:
        assert not run("access_token_info", url=server.url + end).get("failed")


def test_address_and_token_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation(lists(sent_headers={"Authorization": "Bearer from-environment"})) as server:
        monkeypatch.setenv("JFROG_URL", f"{server.url}/artifactory")
        monkeypatch.setenv("JFROG_ACCESS_TOKEN", "from-environment")
        assert not run("access_token_info").get("failed")


def test_options_take_precedence_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JFROG_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("JFROG_ACCESS_TOKEN", "from-environment")
    with conversation(lists(sent_headers={"Authorization": BASIC})) as server:
        assert not run("access_token_info", url=server.url, **USER).get("failed")


def test_token_from_the_environment_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JFROG_ACCESS_TOKEN", "from-environment")
    refusal = {"errors": [{"code": "UNAUTHORIZED", "message": "Not valid: from-environment"}]}
    with conversation(call("GET", TOKENS, 401, json=refusal)) as server:
        assert "401 Not valid: ********." in run("access_token_info", url=server.url)["msg"]


def test_encoded_password_is_masked() -> None:
    refused = call("GET", TOKENS, 401, text=f"Bad header: {BASIC} for {PASSWORD}")
    with conversation(refused, call("GET", "/artifactory/api/system/version", 401)) as server:
        message = run("access_token_info", url=server.url, **USER)["msg"]
    assert "401 Bad header: Basic ******** for ********." in message


def test_task_fails_when_the_api_key_is_wrong() -> None:
    refusal = {"errors": [{"status": 403, "message": "Bad props auth token: apiKey=…"}]}
    with conversation(call("GET", TOKENS, 403, json=refusal)) as server:
        message = run("access_token_info", url=server.url, api_key="AKCp5key")["msg"]
    assert "403 Bad props auth token" in message
    assert "its credential is wrong or locked" in message


@pytest.mark.parametrize(
    "url",
    [
        "http://admin:secret-word@127.0.0.1:1",
        "http://127.0.0.1:1/?token=secret-word",
        "http://127.0.0.1:1/#secret-word",
        "admin:secret-word@127.0.0.1:1",
        "127.0.0.1:8082",
        "ftp://127.0.0.1",
        "http://",
        "http://127.0.0.1:99999",
        "http://[::1",
    ],
)
def test_url_is_refused_and_not_repeated_when_it_is_invalid(url: str) -> None:
    result = run("access_token_info", url=url)
    assert result["msg"].startswith("Option 'url': must be a URL ")
    assert "secret-word" not in result["msg"]


@pytest.mark.parametrize("url", [{}, {"url": ""}])
def test_error_names_the_sources_when_the_url_is_missing(url: dict[str, Any]) -> None:
    assert run("access_token_info", **url)["msg"] == (
        "Option 'url': is required: set it in the task, in module_defaults, as a host variable, or in the environment."
    )


@pytest.mark.parametrize("alone", [{"username": "admin"}, {"password": PASSWORD}])
def test_task_fails_when_the_password_or_user_name_is_missing(alone: dict[str, Any]) -> None:
    with conversation() as server:
        result = run("access_token_info", url=server.url, **alone)
    assert result["msg"] == "Option 'username': is required together with 'password', and vice versa."


@pytest.mark.parametrize("credential", [{"token": "a\nb"}, {"api_key": "a\r\nX-Other: b"}, {"token": "ünïcode"}])
def test_credential_is_refused_when_a_header_cannot_contain_it(credential: dict[str, Any]) -> None:
    with conversation() as server:
        result = run("access_token_info", url=server.url, **credential)
    assert (
        result["msg"]
        == f"Option '{next(iter(credential))}': contains characters that cannot be sent in an HTTP header."
    )
