# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.ci_server import (
    AUTHENTICATION_REQUIRED,
    COMPUTERS,
    CRUMB_ISSUER,
    NO_CRUMB,
    bad_crumb,
    basic,
    computers,
    crumb,
    deny_permission,
    engine_error,
    engine_page,
    no_crumb_issuer,
    page,
    restart,
)
from support.conversation import Call, call, conversation
from support.running import run
from support.work import run_within

PASSWORD = {"username": "admin", "password": "s3cret-of-mine"}
TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
COOKIE = "JSESSIONID.5f0c9a3e=node01abcdefgh0.node0"


def request_restart(url: str, **parameters: Any) -> dict[str, Any]:
    """Run the shortest task that sends a POST request."""
    return run("ci_safe_restart", url=url, wait=False, **parameters)


def get_failure(answer: Call, **parameters: Any) -> str:
    """Return the message of a task with this response to its first read."""
    with conversation(answer) as server:
        result = request_restart(server.url, **(parameters or PASSWORD))
    assert result["failed"]
    assert not result["changed"]
    return result["msg"].removeprefix(f"GET {server.url}")


def test_crumb_and_cookie_are_cached_in_the_process() -> None:
    authorization = {"Authorization": basic("admin", "s3cret-of-mine")}
    with_crumb = {**authorization, "Jenkins-Crumb": "abc123", "Cookie": COOKIE}
    with conversation(
        computers(sent_headers=authorization),
        crumb("abc123", cookie=COOKIE, sent_headers=authorization),
        restart(sent_headers=with_crumb),
        computers(sent_headers=authorization),
        restart(sent_headers=with_crumb),
    ) as server:
        assert request_restart(server.url, **PASSWORD)["changed"]
        assert request_restart(server.url, **PASSWORD)["changed"]


def test_crumb_is_not_shared_between_accounts() -> None:
    with conversation(
        computers(),
        crumb("of-admin", cookie=COOKIE),
        restart(sent_headers={"Jenkins-Crumb": "of-admin"}),
        computers(sent_without=["Cookie"]),
        crumb("of-other"),
        restart(sent_headers={"Jenkins-Crumb": "of-other"}, sent_without=["Cookie"]),
    ) as server:
        request_restart(server.url, **PASSWORD)
        assert request_restart(server.url, username="other", password="another-secret")["changed"]


def test_expired_crumb_is_renewed() -> None:
    renewed = "JSESSIONID.77aa01bc=node01newsession0.node0"
    with conversation(
        computers(),
        crumb("old", cookie=COOKIE),
        restart(),
        computers(),
        bad_crumb(sent_headers={"Jenkins-Crumb": "old"}),
        crumb("new", cookie=renewed),
        restart(sent_headers={"Jenkins-Crumb": "new", "Cookie": f"{COOKIE}; {renewed}"}),
        computers(),
        restart(sent_headers={"Jenkins-Crumb": "new"}),
    ) as server:
        for _run in range(3):
            assert request_restart(server.url, **PASSWORD)["changed"]


def test_crumb_is_renewed_only_once() -> None:
    with conversation(computers(), crumb("one"), bad_crumb(), crumb("two"), bad_crumb()) as server:
        result = request_restart(server.url, **PASSWORD)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"] == (
        f"POST {server.url}/safeRestart: 403 {NO_CRUMB}. "
        "Check whether a proxy removes the session cookie or the header with the crumb."
    )


def test_crumb_error_page_is_recognized() -> None:
    refusal = restart(403, text=engine_page(403, NO_CRUMB))
    with conversation(computers(), crumb("old"), refusal, crumb("new"), restart()) as server:
        assert request_restart(server.url, **PASSWORD)["changed"]


def test_missing_crumb_issuer_is_cached() -> None:
    with conversation(
        computers(),
        no_crumb_issuer(),
        restart(sent_without=["Jenkins-Crumb", ".crumb"]),
        computers(),
        restart(sent_without=["Jenkins-Crumb", ".crumb"]),
    ) as server:
        assert request_restart(server.url, **PASSWORD)["changed"]
        assert request_restart(server.url, **PASSWORD)["changed"]


def test_crumb_is_requested_when_protection_was_enabled_later() -> None:
    with conversation(
        computers(),
        no_crumb_issuer(),
        restart(),
        computers(),
        bad_crumb(),
        crumb("abc"),
        restart(sent_headers={"Jenkins-Crumb": "abc"}),
    ) as server:
        request_restart(server.url, **PASSWORD)
        assert request_restart(server.url, **PASSWORD)["changed"]


@pytest.mark.parametrize("field", ["Jenkins-Crumb", ".crumb", "X-Crumb-Of-Ours"])
def test_crumb_header_name_comes_from_server(field: str) -> None:
    with conversation(computers(), crumb("abc", field), restart(sent_headers={field: "abc"})) as server:
        assert request_restart(server.url, **PASSWORD)["changed"]


def test_api_token_does_not_need_a_crumb() -> None:
    authorization = {"Authorization": basic("admin", TOKEN["api_token"])}
    post = restart(sent_headers=authorization, sent_without=["Jenkins-Crumb"])
    with conversation(computers(sent_headers=authorization), post) as server:
        assert request_restart(server.url, **TOKEN)["changed"]


def test_crumb_is_sent_with_api_token_when_server_requires_it() -> None:
    with conversation(computers(), bad_crumb(), crumb("abc"), restart(sent_headers={"Jenkins-Crumb": "abc"})) as server:
        assert request_restart(server.url, **TOKEN)["changed"]


def test_password_takes_precedence_over_api_token() -> None:
    authorization = {"Authorization": basic("admin", "s3cret-of-mine")}
    with conversation(computers(sent_headers=authorization), crumb("abc"), restart()) as server:
        assert request_restart(server.url, **PASSWORD, api_token=TOKEN["api_token"])["changed"]


def test_anonymous_request_needs_a_crumb() -> None:
    nobody = {"sent_without": ["Authorization"]}
    with conversation(computers(**nobody), crumb("abc", **nobody), restart(**nobody)) as server:
        assert request_restart(server.url)["changed"]


def test_connection_settings_are_read_from_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    authorization = {"sent_headers": {"Authorization": basic("env-user", "env-token")}}
    with conversation(computers(**authorization), restart(**authorization)) as server:
        monkeypatch.setenv("JENKINS_URL", f"{server.url}/")
        monkeypatch.setenv("JENKINS_USER_ID", "env-user")
        monkeypatch.setenv("JENKINS_API_TOKEN", "env-token")
        assert run("ci_safe_restart", wait=False)["changed"]


@pytest.mark.parametrize("credential", [{"username": "admin"}, {"password": "s3cret"}, {"api_token": "t0ken"}])
def test_incomplete_credential_is_rejected(credential: dict[str, str]) -> None:
    with conversation() as server:
        result = request_restart(server.url, **credential)
    assert result["failed"]
    assert "Option 'username': is required together with 'password' or 'api_token'" in result["msg"]


def test_incomplete_credential_in_environment_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JENKINS_USER_ID", "env-user")
    with conversation() as server:
        assert "Option 'username'" in request_restart(server.url)["msg"]


def test_url_is_required() -> None:
    result = run("ci_safe_restart", wait=False)
    assert result["msg"].startswith("Option 'url': is required")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"json": engine_error(401, "Unauthorized", "/computer/api/json")}, "Unauthorized"),
        ({"text": engine_page(401, "Unauthorized")}, "Error 401 Unauthorized"),
    ],
)
def test_wrong_password_is_reported(answer: dict[str, Any], message: str) -> None:
    headers = {"WWW-Authenticate": 'Basic realm="Jenkins", charset="UTF-8"'}
    assert get_failure(call("GET", COMPUTERS, 401, headers=headers, **answer)) == (
        f"/computer/api/json: 401 {message}. Check the user name and the password or API token."
    )


def test_missing_permission_is_reported() -> None:
    answer = call("GET", COMPUTERS, 403, text=deny_permission("admin", "Overall/Read"))
    assert get_failure(answer) == (
        "/computer/api/json: 403 admin is missing the Overall/Read permission. "
        "The account lacks the required permission."
    )


def test_missing_permission_of_anonymous_is_reported() -> None:
    answer = call("GET", COMPUTERS, 403, text=AUTHENTICATION_REQUIRED)
    assert get_failure(answer, username=None).startswith("/computer/api/json: 403 Authentication required. ")


@pytest.mark.parametrize(
    ("status", "heading", "text", "message"),
    [
        (404, "Oops! Not Found", "This page may not exist", "404 Oops! Not Found. Check the path in 'url'."),
        (
            500,
            "Oops!",
            "<script>1</script>A problem occurred while\nprocessing the request</p><p> Logging ID=6b4f-21",
            "500 Oops! A problem occurred while processing the request Logging ID=6b4f-21.",
        ),
    ],
)
def test_message_of_error_page_is_reported(status: int, heading: str, text: str, message: str) -> None:
    answer = call("GET", COMPUTERS, status, text=page("Jenkins", heading, text))
    assert get_failure(answer) == f"/computer/api/json: {message}"


def test_request_is_retried_when_server_is_unavailable() -> None:
    busy = call("GET", COMPUTERS, 503, text=page("Service Unavailable", "No server is available"))
    progress: list[str] = []
    with conversation(*[busy] * 5) as server:
        result = request_restart(server.url, display=progress.append, **PASSWORD)
    assert progress[0].endswith("/computer/api/json: 503, retry 1 of 4")
    assert "503 No server is available. The server is starting" in result["msg"]
    assert "4 request(s) were retried" in result["warnings"][0]


def test_messages_contain_no_secrets() -> None:
    encoded = basic("admin", "s3cret-of-mine").removeprefix("Basic ")
    message = get_failure(
        call("GET", COMPUTERS, 401, json=engine_error(401, f"not s3cret-of-mine nor {encoded}", "/computer/api/json"))
    )
    assert message.startswith("/computer/api/json: 401 not ******** nor ********.")


def test_html_page_is_not_used_as_crumb() -> None:
    with conversation(computers(), call("GET", CRUMB_ISSUER, text=page("Login", "Sign in"))) as server:
        result = request_restart(server.url, **PASSWORD)
    assert result["failed"]
    assert "the response is HTML, not JSON" in result["msg"]


@pytest.mark.parametrize("piece", ["x", "[", "<", "<a ", "Oops!"])
def test_long_error_page_is_parsed_quickly(piece: str) -> None:
    def get_message() -> str:
        with conversation(call("GET", "/login", 500, text=piece * 500_000)) as server:
            return str(run("ci_info", url=server.url, retries=0, **TOKEN)["msg"])

    assert "500 Internal Server Error." in run_within(2, get_message)


def xml_view(status: int = 200, text: str = "Jenkins-Crumb:abc123", **sent: Any) -> Call:
    """Return the request for the XML of the crumb issuer."""
    target = "/crumbIssuer/api/xml?xpath=concat%28%2F%2FcrumbRequestField%2C%22%3A%22%2C%2F%2Fcrumb%29"
    return call("GET", target, status, text=text, **sent)


@pytest.mark.parametrize("status", [403, 405, 406, 410, 501])
def test_crumb_is_read_from_xml_when_json_is_blocked(status: int) -> None:
    closed = call("GET", CRUMB_ISSUER, status, text="<html><title>No JSON here</title></html>")
    with conversation(computers(), closed, xml_view(), restart(sent_headers={"Jenkins-Crumb": "abc123"})) as server:
        assert request_restart(server.url, **PASSWORD)["changed"]


def test_hidden_json_view_is_not_mistaken_for_disabled_protection() -> None:
    with conversation(
        computers(),
        no_crumb_issuer(),
        bad_crumb(sent_without=["Jenkins-Crumb"]),
        no_crumb_issuer(),
        xml_view(),
        restart(sent_headers={"Jenkins-Crumb": "abc123"}),
    ) as server:
        assert request_restart(server.url, **PASSWORD)["changed"]


@pytest.mark.parametrize(("status", "text"), [(403, "no"), (404, "no"), (200, "<html>log in</html>"), (200, "")])
def test_json_error_is_reported_when_xml_is_blocked_too(status: int, text: str) -> None:
    closed = call("GET", CRUMB_ISSUER, 403, text="<html><title>No JSON here</title></html>")
    with conversation(computers(), closed, xml_view(status, text)) as server:
        result = request_restart(server.url, **PASSWORD)
    assert result["msg"].startswith(f"GET {server.url}/crumbIssuer/api/json: 403 No JSON here.")
