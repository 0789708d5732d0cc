# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from support.artifact_edition import OPEN_SOURCE
from support.conversation import call, conversation
from support.running import run

TOKENS = "/access/api/v1/tokens"
VERSION = "/artifactory/api/system/version"
OLDER = {
    "token_id": "5fe3a9c8",
    "subject": "jfac@01hx3c/users/ci",
    "expiry": 1746000000,
    "issued_at": 1714557600,
    "issuer": "jfac@01hx3c",
    "description": "ci token",
    "refreshable": False,
    "scope": "applied-permissions/user",
    "last_used": 1714600000,
}
# old servers return no scope, and tokens that never expire have no expiry
NEWER = {"token_id": "11aa", "subject": "jfac@01hx3c/users/admin", "issued_at": 1714557700, "issuer": "jfac@01hx3c"}


def test_long_list_is_read_completely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MAX_BODY_SIZE", 2**20)
    tokens = [{**NEWER, "token_id": f"{number:05}"} for number in range(20_000)]
    with conversation(call("GET", TOKENS, json={"tokens": tokens})) as server:
        result = run("access_token_info", url=server.url)
    assert [token["token_id"] for token in reversed(result["tokens"])] == [token["token_id"] for token in tokens]


@pytest.mark.parametrize("check_mode", [False, True])
def test_tokens_are_sorted_newest_first(check_mode: bool) -> None:
    answer = call(
        "GET", TOKENS, json={"tokens": [OLDER, NEWER]}, sent_headers={"Authorization": "Bearer t0ken-of-mine"}
    )
    with conversation(answer) as server:
        result = run("access_token_info", url=server.url, token="t0ken-of-mine", check_mode=check_mode)
    assert result == {
        "changed": False,
        "tokens": [
            {
                "token_id": "11aa",
                "description": None,
                "subject": "jfac@01hx3c/users/admin",
                "username": "admin",
                "scope": None,
                "issued_at": 1714557700,
                "expiry": None,
                "refreshable": None,
                "last_used": None,
            },
            {
                "token_id": "5fe3a9c8",
                "description": "ci token",
                "subject": "jfac@01hx3c/users/ci",
                "username": "ci",
                "scope": "applied-permissions/user",
                "issued_at": 1714557600,
                "expiry": 1746000000,
                "refreshable": False,
                "last_used": 1714600000,
            },
        ],
    }


@pytest.mark.parametrize(
    ("options", "query"),
    [
        ({"description": "web*"}, "description=web%2A"),
        ({"description": "a&b c"}, "description=a%26b%20c"),
        ({"subject": "ci"}, "username=ci"),
        ({"refreshable": True}, "refreshable=true"),
        ({"refreshable": False}, "refreshable=false"),
        ({"token_id": "5fe3a9c8"}, "token_id=5fe3a9c8"),
        ({"subject": "ci", "description": "web"}, "description=web&username=ci"),
    ],
)
def test_filters_are_sent_to_the_server(options: dict[str, Any], query: str) -> None:
    with conversation(call("GET", f"{TOKENS}?{query}", json={"tokens": []})) as server:
        assert run("access_token_info", url=server.url, **options) == {"changed": False, "tokens": []}


def test_error_contains_the_servers_message() -> None:
    refusal = {"errors": [{"code": "UNAUTHORIZED", "message": "Token failed verification: t0ken-of-mine"}]}
    with conversation(call("GET", TOKENS, 401, json=refusal)) as server:
        result = run("access_token_info", url=server.url, token="t0ken-of-mine\n")
    assert result == {
        "changed": False,
        "failed": True,
        "refused_credential": "token",
        "msg": f"GET {server.url}{TOKENS}: 401 Token failed verification: ********. "
        "The credential was not accepted: check 'token', or 'username' and 'password'.",
    }


def test_open_source_edition_is_named_when_it_has_no_api() -> None:
    version = call("GET", VERSION, json={"version": "7.161.5", "license": OPEN_SOURCE})
    with conversation(call("GET", TOKENS, 404), version) as server:
        result = run("access_token_info", url=server.url)
    assert (
        result["msg"]
        == "The API for access tokens requires Artifactory Pro, but the server is the open-source edition."
    )


@pytest.mark.parametrize(("status", "credential"), [(404, {}), (401, {"username": "admin", "password": "password"})])
def test_version_is_named_when_its_tokens_have_no_description(status: int, credential: dict[str, str]) -> None:
    version = call("GET", VERSION, json={"version": "5.4.6", "license": OPEN_SOURCE})
    with conversation(call("GET", TOKENS, status), version) as server:
        result = run("access_token_info", url=server.url, **credential)
    assert result["msg"] == (
        "Managing access tokens requires Artifactory 7.21.1 or later. Tokens of earlier versions have no description "
        "by which a task could find its token again. Create them with a POST request to "
        "/artifactory/api/security/token."
    )


# The payload is {"jti": "5fe3a9c8"}
OWN_TOKEN = "e30.eyJqdGkiOiAiNWZlM2E5YzgifQ.x"
REFERENCE = "cmVmdGtuOjAxOjE3NDYwMDAwMDA6" + "a" * 40


@pytest.mark.parametrize("own", [OWN_TOKEN, REFERENCE])
def test_own_token_and_tokens_with_its_identity_are_excluded(own: str) -> None:
    found = [
        OLDER,
        NEWER,
        {**OLDER, "token_id": "other"},
        {**OLDER, "token_id": "admin", "scope": "applied-permissions/admin"},
    ]
    calls = [call("GET", TOKENS, json={"tokens": found})]
    if own == REFERENCE:
        calls.append(call("GET", f"{TOKENS}/me", json=OLDER))
    with conversation(*calls) as server:
        result = run("access_token_info", url=server.url, token=own, exclude_own=True)
    assert sorted(token["token_id"] for token in result["tokens"]) == ["11aa", "admin"]


def test_task_fails_when_its_token_cannot_be_identified() -> None:
    with conversation(call("GET", TOKENS, json={"tokens": [OLDER]}), call("GET", f"{TOKENS}/me", 404)) as server:
        result = run("access_token_info", url=server.url, token=REFERENCE, exclude_own=True)
    assert result["msg"].startswith("Cannot identify the token of this task: it is a reference token")


def test_password_excludes_no_token() -> None:
    with conversation(call("GET", TOKENS, json={"tokens": [OLDER]})) as server:
        result = run("access_token_info", url=server.url, username="ci", password="s3cret-of-ci", exclude_own=True)
    assert len(result["tokens"]) == 1
