# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.ci_server import AUTHENTICATION_REQUIRED, CRUMB_ISSUER, basic, crumb, engine_error, no_crumb_issuer, page
from support.conversation import Call, call, conversation
from support.running import run

ACCOUNT = {"username": "admin", "password": "s3cret-of-mine"}
AUTHORIZATION = {"Authorization": basic("admin", "s3cret-of-mine")}
STATE = "/api/json?tree=mode%2CnumExecutors%2CquietingDown%2CquietDownReason%2CuseCrumbs%2CuseSecurity"
WHO_AM_I = "/whoAmI/api/json?tree=anonymous%2Cauthorities%2Cname"
JENKINS = {"X-Hudson": "1.395", "X-Jenkins": "2.579", "X-Jenkins-Session": "5f0c9a3e"}
ROOT = {
    "_class": "hudson.model.Hudson",
    "mode": "NORMAL",
    "numExecutors": 2,
    "quietDownReason": None,
    "quietingDown": False,
    "useCrumbs": True,
    "useSecurity": True,
}
ADMIN = {
    "_class": "hudson.security.WhoAmI",
    "anonymous": False,
    "authorities": ["authenticated", "FACTOR_PASSWORD"],
    "name": "admin",
}
NOBODY = {"_class": "hudson.security.WhoAmI", "anonymous": True, "authorities": ["anonymous"], "name": "anonymous"}


def login(headers: dict[str, str]) -> Call:
    """Return the request for the login page."""
    text = page("Sign in", "Sign in")
    return call("GET", "/login", text=text, headers=headers, sent_without=["Authorization"])


def state(**members: Any) -> Call:
    return call("GET", STATE, json={**ROOT, **members}, headers=JENKINS, sent_headers=AUTHORIZATION)


def who_am_i(who: dict[str, Any] | None = None) -> Call:
    return call("GET", WHO_AM_I, json=who or ADMIN, headers=JENKINS)


def hudson() -> tuple[Call, Call, Call]:
    """Return the requests to Hudson 1.395, whose login page has no version."""
    document = '{"mode":"NORMAL","numExecutors":2,"useSecurity":true}'
    return (
        login({}),
        call("GET", "/", text=page("Dashboard [Hudson]", "Hudson"), headers={"X-Hudson": "1.395"}),
        call("GET", STATE, text=document, headers={"Content-Type": "application/javascript;charset=UTF-8"}),
    )


def no_who_am_i() -> Call:
    return call("GET", WHO_AM_I, 404, text=page("Error 404", "Not Found"))


def test_server_and_user_are_returned() -> None:
    with conversation(login(JENKINS), state(), who_am_i()) as server:
        result = run("ci_info", url=server.url, **ACCOUNT)
    assert result == {
        "changed": False,
        "server": {
            "product": "jenkins",
            "version": "2.579",
            "session_id": "5f0c9a3e",
            "mode": "NORMAL",
            "quieting_down": False,
            "quiet_down_reason": None,
            "csrf_protection": True,
            "security": True,
            "executors": 2,
            "ssh_endpoint": None,
            "java": [21, 25],
        },
        "user": {"name": "admin", "anonymous": False, "authorities": ["FACTOR_PASSWORD", "authenticated"]},
    }


def test_check_mode_returns_the_same() -> None:
    with conversation(login(JENKINS), state(), who_am_i()) as server:
        assert run("ci_info", url=server.url, check_mode=True, **ACCOUNT)["server"]["version"] == "2.579"


def test_quiet_down_reason_is_returned() -> None:
    with conversation(login(JENKINS), state(quietingDown=True, quietDownReason="backup"), who_am_i()) as server:
        server_state = run("ci_info", url=server.url, **ACCOUNT)["server"]
    assert (server_state["quieting_down"], server_state["quiet_down_reason"]) == (True, "backup")


def test_ssh_endpoint_is_returned() -> None:
    with conversation(login({**JENKINS, "X-SSH-Endpoint": "ci.example.com:38338"}), state(), who_am_i()) as server:
        assert run("ci_info", url=server.url, **ACCOUNT)["server"]["ssh_endpoint"] == "ci.example.com:38338"


def test_anonymous_user_is_returned() -> None:
    open_to_all = call("GET", STATE, json=ROOT, sent_without=["Authorization"])
    with conversation(login(JENKINS), open_to_all, who_am_i(NOBODY)) as server:
        result = run("ci_info", url=server.url)
    assert result["user"] == {"name": "anonymous", "anonymous": True, "authorities": ["anonymous"]}


@pytest.mark.parametrize(("issuer", "protected"), [(crumb("abc", ".crumb"), True), (no_crumb_issuer(), False)])
def test_missing_information_of_hudson_is_read_elsewhere(issuer: Call, protected: bool) -> None:
    with conversation(*hudson(), issuer, no_who_am_i()) as server:
        result = run("ci_info", url=server.url, **ACCOUNT)
    assert result["server"] == {
        "product": "hudson",
        "version": "1.395",
        "session_id": None,
        "mode": "NORMAL",
        "quieting_down": None,
        "quiet_down_reason": None,
        "csrf_protection": protected,
        "security": True,
        "executors": 2,
        "ssh_endpoint": None,
        "java": [],
    }
    assert result["user"] is None


def test_task_fails_when_server_is_not_jenkins() -> None:
    with conversation(login({}), call("GET", "/", text=page("Welcome", "It works"))) as server:
        result = run("ci_info", url=server.url, **ACCOUNT)
    assert result["failed"]
    assert result["msg"] == f"{server.url} is not a Jenkins server: the response contains no version. Check 'url'."


def test_wrong_password_is_reported() -> None:
    answer = call("GET", STATE, 401, json=engine_error(401, "Unauthorized", "/api/json"))
    with conversation(login(JENKINS), answer) as server:
        result = run("ci_info", url=server.url, **ACCOUNT)
    assert result["msg"] == (
        f"GET {server.url}/api/json: 401 Unauthorized. Check the user name and the password or API token."
    )


def test_forbidden_crumb_issuer_is_reported() -> None:
    with conversation(*hudson(), call("GET", CRUMB_ISSUER, 403, text=AUTHENTICATION_REQUIRED)) as server:
        result = run("ci_info", url=server.url, **ACCOUNT)
    assert "/crumbIssuer/api/json: 403 Authentication required." in result["msg"]


@pytest.mark.parametrize(
    ("version", "java"),
    [
        ("1.395", []),
        ("2.0", [8, 11]),
        ("2.346.3", [8, 11]),
        ("2.356", [8, 11]),
        ("2.357", [11, 17]),
        ("2.361.1", [11, 17]),
        ("2.414.3", [11, 17]),
        ("2.418", [11, 17]),
        ("2.419", [11, 17, 21]),
        ("2.426.1", [11, 17, 21]),
        ("2.462.3", [11, 17, 21]),
        ("2.463", [17, 21]),
        ("2.479.1", [17, 21]),
        ("2.533", [17, 21]),
        ("2.534", [17, 21, 25]),
        ("2.541.1", [17, 21, 25]),
        ("2.544", [17, 21, 25]),
        ("2.545", [21, 25]),
        ("2.555.1", [21, 25]),
        ("2.580-SNAPSHOT", [21, 25]),
        ("?", []),
    ],
)
def test_supported_java_releases(version: str, java: list[int]) -> None:
    with conversation(login({**JENKINS, "X-Jenkins": version}), state(), who_am_i()) as server:
        assert run("ci_info", url=server.url, **ACCOUNT)["server"]["java"] == java


@pytest.mark.parametrize("status", [401, 403, 404])
def test_wrong_path_is_not_reported_as_missing_credential(status: int) -> None:
    with conversation(call("GET", "/login", status, text=page("Jenkins", "Authentication required"))) as server:
        result = run("ci_info", url=server.url, **ACCOUNT)
    assert result["msg"].endswith(
        f"/login: {status} Authentication required. "
        "This page is public, so the request is sent without credentials. Check the path in 'url'."
    )
