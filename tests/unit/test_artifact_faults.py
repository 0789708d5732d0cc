# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of connections and servers, for each Artifactory module."""

from __future__ import annotations

import hashlib
import time
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run
from support.transport import closed_port

SECRET = "t0ken-of-mine"
ITEM = "/artifactory/api/storage/generic-local/a.txt"
TOKEN = {
    "token_id": "a",
    "subject": "jfac@01hx3c/users/ci",
    "issued_at": int(time.time()) - 60,
    "description": "build",
    "scope": "applied-permissions/user",
}
# by module: its options, its first request, and the answer to that with which there is nothing more to do
MODULES: dict[str, tuple[dict[str, Any], str, Any]] = {
    "access_token": (
        {"description": "build", "subject": "ci"},
        "/access/api/v1/tokens?description=build",
        {"tokens": [TOKEN]},
    ),
    "access_token_info": ({"subject": "ci"}, "/access/api/v1/tokens?username=ci", {"tokens": []}),
    "artifact_build": (
        {"build": "app", "number": "1", "state": "absent"},
        "/artifactory/api/build/app",
        {"buildsNumbers": []},
    ),
    "artifact_build_info": ({"build": "app"}, "/artifactory/api/build/app", {"buildsNumbers": []}),
    "artifact_file": (
        {"repo": "generic-local", "path": "a.txt", "content": ""},
        ITEM,
        {"repo": "generic-local", "path": "/a.txt", "size": "0", "checksums": {"md5": hashlib.md5(b"").hexdigest()}},
    ),
    "artifact_build_promotion": (
        {"build": "app", "number": "1", "status": "released"},
        "/artifactory/api/build/app/1",
        {
            "buildInfo": {
                "name": "app",
                "number": "1",
                "started": "2024-05-01T10:11:12.345+0000",
                "statuses": [{"status": "released"}],
            }
        },
    ),
    "artifact_build_retention": (
        {"build": "app", "count": 5},
        "/artifactory/api/build/app",
        {"buildsNumbers": [{"uri": "/1", "started": "2024-05-01T10:11:12.345+0000"}]},
    ),
    "artifact_image_info": (
        {"repo": "docker-local"},
        "/artifactory/api/docker/docker-local/v2/_catalog?n=1000",
        {"repositories": []},
    ),
    "artifact_properties": (
        {"repo": "generic-local", "path": "a.txt", "properties": {"k": "v"}},
        f"{ITEM}?properties",
        {"properties": {"k": ["v"]}, "uri": "…"},
    ),
    "artifact_properties_info": (
        {"repo": "generic-local", "path": "a.txt"},
        f"{ITEM}?properties",
        {"properties": {}, "uri": "…"},
    ),
    "artifact_repository_info": ({"type": "local"}, "/artifactory/api/repositories?type=local", []),
}
HTML = "<!DOCTYPE html><html><body>Sign in</body></html>"
HALF = {"Content-Length": "500"}


def attempt(module: str, *answers: dict[str, Any], **options: Any) -> tuple[dict[str, Any], str]:
    """Return the result of a module whose first request gets this response, and the request as in messages."""
    parameters, target, _good = MODULES[module]
    with conversation(*[call("GET", target, **answer) for answer in answers]) as server:
        result = run(module, url=server.url, token=SECRET, **parameters, **options)
    assert SECRET not in str(result)
    return result, f"GET {server.url}{target.partition('?')[0]}"


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> str:
    """Return each module."""
    return request.param


def test_one_request_is_sent_when_the_server_responds(module: str) -> None:
    result, _request = attempt(module, {"json": MODULES[module][2]})
    assert result["changed"] is False
    assert "failed" not in result
    assert "warnings" not in result


@pytest.mark.parametrize(
    "trouble",
    [
        {"drop": True},
        {"text": '{"toke', "headers": HALF},
        {"status": 429, "headers": {"Retry-After": "2"}},
        {"status": 502, "text": HTML},
        {"status": 503, "text": HTML},
        {"status": 504},
    ],
    ids=["reset", "truncated", "429", "502", "503", "504"],
)
def test_request_is_retried_when_the_error_is_temporary(
    module: str, trouble: dict[str, Any], delays: list[float]
) -> None:
    result, request = attempt(module, trouble, {"json": MODULES[module][2]})
    assert "failed" not in result
    assert result["warnings"][0].startswith(f"1 request(s) were retried: {request}: ")
    assert len(delays) == 1


@pytest.mark.usefixtures("reported_version")
@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ({"drop": True}, "Check the URL, and that the server is running."),
        ({"text": '{"toke', "headers": HALF}, "Check the URL, and that the server is running."),
        ({"held": True}, "no response within 'timeout'. Check the URL, and that the server is running."),
        ({"text": HTML}, "200, but the response is HTML, not JSON. Check the URL"),
        ({"text": '{"toke'}, "200, but the response is not JSON. Check the URL"),
        ({"status": 401, "json": {"errors": [{"message": f"Bad {SECRET}"}]}}, "401 Bad ********. The credential was"),
        ({"status": 403, "json": {"errors": [{"message": "Forbidden"}]}}, "403 Forbidden. The account lacks a"),
        ({"status": 429}, "429 Too Many Requests."),
        ({"status": 500, "text": HTML}, "500 Internal Server Error."),
        ({"status": 503, "text": HTML}, "503 Service Unavailable."),
    ],
    ids=["reset", "truncated", "slow", "HTML", "half of JSON", "401", "403", "429", "500", "503"],
)
def test_task_fails_when_the_error_is_permanent(module: str, trouble: dict[str, Any], message: str) -> None:
    patience = {"timeout": 0.15} if trouble.get("held") else {}
    result, request = attempt(module, trouble, retries=0, **patience)
    assert result["failed"]
    assert result["changed"] is False
    assert result["msg"].startswith(f"{request}: ")
    assert message in result["msg"]


def test_task_fails_when_the_server_is_down(module: str) -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    result = run(module, url=url, token=SECRET, retries=0, **MODULES[module][0])
    assert "Connection refused. Check the URL, and that the server is running." in result["msg"]


def test_task_fails_when_the_path_in_the_url_is_wrong(module: str) -> None:
    parameters, target, _good = MODULES[module]
    not_found = [call("GET", target, 404, text=HTML)]
    if module.startswith("artifact_properties"):
        not_found.append(call("GET", ITEM, 404, text=HTML))
    if module.startswith(("access_token", "artifact_image_info")):
        not_found.append(call("GET", "/artifactory/api/system/version", 404, text=HTML))
    with conversation(*not_found) as server:
        result = run(module, url=server.url, token=SECRET, **parameters)
    assert result["failed"]
    assert "404" in result["msg"] or "does not exist" in result["msg"]


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        ({"text": HTML}, "404 Not Found. Check the path in 'url'. It may also be hidden from this account."),
        ({"json": {"errors": [{"message": "Not here"}]}}, "404 Not here. It may also be hidden from this account."),
    ],
    ids=["a page", "its own words"],
)
def test_error_suggests_the_path_when_a_404_is_not_from_artifactory(answer: dict[str, Any], advice: str) -> None:
    targets = ("/access/api/v1/tokens", "/artifactory/api/system/version")
    with conversation(*(call("GET", target, 404, **answer) for target in targets)) as server:
        result = run("access_token_info", url=server.url, token=SECRET)
    assert result["msg"].endswith(advice)


@pytest.mark.parametrize("repo", [".", ".."])
def test_error_names_the_option_when_a_repository_key_is_invalid(repo: str) -> None:
    with conversation() as server:
        result = run("artifact_properties_info", url=server.url, repo=repo, path="a")
    assert result["msg"] == f"Option 'repo': must be a name without '/', other than '.' and '..', not '{repo}'."


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("application/json;charset=ISO-8859-1", "iso-8859-1"),
        ('application/json; Charset="ISO-8859-1"', "iso-8859-1"),
        ("application/json;charset=ISO-8859-1", "utf-8"),
        ("application/json;charset=no-such-one", "utf-8"),
    ],
)
def test_message_is_decoded_when_the_server_uses_another_charset(content_type: str, charset: str) -> None:
    body = '{"errors": [{"status": 403, "message": "Not for you, Jürgen"}]}'.encode(charset)
    refused = Call("GET", "/access/api/v1/tokens", 403, body, {"Content-Type": content_type})
    with conversation(refused) as server:
        result = run("access_token_info", url=server.url, token=SECRET)
    assert ": 403 Not for you, Jürgen." in result["msg"]
