# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime
import email.utils
import socket
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    WriteInCheckMode,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import local
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import handle_signals
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c
from support.transport import closed_port, socket_server, transport, transport_and_task

TOKENS = "/access/api/v1/tokens"
HALF = {"Content-Length": "100"}
LOST = call("GET", "/x", drop=True)
OK = call("GET", "/x", json={"ok": True})
ANSWERED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


def busy(status: int = 503, method: str = "GET", **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return call(method, "/x", status, text="busy", headers=named)


# Sessions


def lists(**options: Any) -> Call:
    return call("GET", TOKENS, json={"tokens": []}, **options)


def test_runs_share_a_connection_when_the_credential_is_the_same() -> None:
    with conversation(lists(), lists()) as server:
        for _run in range(2):
            run("access_token_info", url=server.url, token="one")
        assert len(set(server.ports)) == 1


@pytest.mark.parametrize("other", [{"token": "two"}, {"token": "one", "use_proxy": False}])
def test_runs_share_no_session_when_their_connections_differ(other: dict[str, Any]) -> None:
    with conversation(lists(), lists()) as server:
        run("access_token_info", url=server.url, token="one")
        run("access_token_info", url=server.url, **other)
        assert len(set(server.ports)) == 2


def test_cached_values_live_with_the_session() -> None:
    with conversation() as server:
        assert transport(server.url).get_cached("crumb", lambda: "c") == "c"
        assert transport(server.url).get_cached("crumb", lambda: "d") == "c"
        other = transport(server.url, credential=Credential({"Authorization": "other"}))
        assert other.get_cached("crumb", lambda: "d") == "d"


def test_cached_value_is_renewed_once_when_it_is_stale() -> None:
    with conversation() as server:
        http = transport(server.url)
        old = http.get_cached("crumb", lambda: ["old"])
        assert http.get_cached("crumb", lambda: ["new"], invalid=old) == ["new"]
        assert http.get_cached("crumb", lambda: ["newer"], invalid=old) == ["new"]


def test_threads_get_the_same_value_when_they_ask_at_once() -> None:
    with conversation() as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        http = transport(server.url)
        together = threading.Barrier(8)

        def read_value(number: int) -> int:
            together.wait()
            return http.get_cached("crumb", lambda: number)

        assert len(set(pool.map(read_value, range(8)))) == 1


def test_write_succeeds_when_the_server_has_closed_the_connection() -> None:
    closing = call("GET", "/x", text="{}", headers={"Content-Length": "2"})
    with conversation(closing, call("POST", "/x")) as server:
        http = transport(server.url, retries=0)
        http.read("GET", "/x")
        assert server.closed.wait(60)
        http.write("POST", "/x")
        assert len(set(server.ports)) == 2


def test_user_agent_and_accept_headers_are_sent() -> None:
    sent = {"User-Agent": "buildworks.toolchain", "Accept": "application/json, */*;q=0.5"}
    with conversation(call("GET", "/x", sent_headers=sent)) as server:
        transport(server.url).read("GET", "/x")


def test_anonymous_request_has_no_credential() -> None:
    with conversation(call("GET", "/x", sent_without=["Authorization"])) as server:
        transport(server.url).read("GET", "/x", anonymous=True)


def test_netrc_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".netrc"
    file.write_text("machine 127.0.0.1 login somebody password else\n")
    file.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(file))
    with conversation(call("GET", "/x", sent_without=["Authorization"])) as server:
        transport(server.url, credential=Credential()).read("GET", "/x")


def test_message_names_the_interpreter_when_requests_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "requests", None)
    assert run("access_token_info", url="http://127.0.0.1:1") == {
        "changed": False,
        "failed": True,
        "msg": f"The Python package 'requests' is missing for {sys.executable}: "
        f"install it with '{sys.executable} -m pip install requests'.",
    }


# Requests


def test_query_is_percent_encoded() -> None:
    with conversation(call("GET", "/x?a%20b=c%2Fd%26%2B%C3%A9&bare")) as server:
        transport(server.url).read("GET", "/x", query={"a b": "c/d&+é", "bare": None})


def test_form_is_url_encoded() -> None:
    sent = {"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}
    with conversation(call("POST", "/x", sent_form={"a": "b c+ü", "d": ""}, sent_headers=sent)) as server:
        transport(server.url).write("POST", "/x", form={"a": "b c+ü", "d": ""})


def test_json_body_is_unchanged() -> None:
    sent = {"Content-Type": "application/json"}
    with conversation(call("POST", "/x", sent_body='{"a": "é", "b": []}'.encode(), sent_headers=sent)) as server:
        transport(server.url).write("POST", "/x", json={"a": "é", "b": []})


def test_upload_starts_over_when_it_is_repeated(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1024
    file = tmp_path / "file"
    file.write_bytes(content)
    sent: dict[str, Any] = {"sent_body": content, "sent_headers": {"Content-Length": str(len(content))}}
    data = local.LocalFile.from_path(str(file), lambda _sent: None)
    with conversation(call("PUT", "/x", 503, **sent), call("PUT", "/x", 201, **sent)) as server:
        transport(server.url).write("PUT", "/x", data=data, policy=IDEMPOTENT, accept=(201,))


# Retries


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_read_is_repeated_when_the_server_is_busy(status: int, delays: list[float]) -> None:
    with conversation(busy(status), busy(status), OK) as server:
        http, task = transport_and_task(server.url)
        assert http.read("GET", "/x").json() == {"ok": True}
    assert 0.25 <= delays[0] <= 0.5 <= delays[1] <= 1.0
    assert task.collect_warnings() == [f"2 request(s) were retried: GET {server.url}/x: {status} (2 times)"]


def test_read_fails_when_retries_are_used_up(delays: list[float]) -> None:
    with conversation(busy(), busy(), busy()) as server, pytest.raises(ServerRefusal, match="503 busy"):
        transport(server.url, retries=2).read("GET", "/x")
    assert len(delays) == 2


@pytest.mark.parametrize("options", [{"retries": 0}, {}])
def test_read_is_not_repeated_when_retries_are_disabled(options: dict[str, Any], delays: list[float]) -> None:
    with conversation(busy()) as server, pytest.raises(ServerRefusal):
        transport(server.url, **options).read("GET", "/x", no_retry=not options)
    assert not delays


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 500, 501])
def test_other_responses_are_not_repeated(status: int) -> None:
    with conversation(busy(status)) as server, pytest.raises(ServerRefusal) as refusal:
        transport(server.url).read("GET", "/x")
    assert refusal.value.status == status
    assert refusal.value.text == "busy"


@pytest.mark.parametrize("lost", [LOST, call("GET", "/x", text="{", headers=HALF)], ids=["reset", "truncated"])
def test_read_is_repeated_when_the_response_is_lost(lost: Call) -> None:
    with conversation(lost, OK) as server:
        assert transport(server.url).read("GET", "/x").json() == {"ok": True}


def test_read_fails_when_each_response_is_lost() -> None:
    with conversation(LOST, LOST) as server, pytest.raises(ServerUnreachable) as error:
        transport(server.url, retries=1).read("GET", "/x")
    assert str(error.value).startswith(f"GET {server.url}/x: ")
    assert str(error.value).endswith(". Check the URL, and that the server is running.")


def test_read_fails_when_each_response_is_truncated() -> None:
    half = call("GET", "/x", text="{", headers=HALF)
    with conversation(half) as server, pytest.raises(ServerUnreachable, match=r"^GET http://127\.0\.0\.1:\d+/x: "):
        transport(server.url, retries=0).read("GET", "/x")


@pytest.mark.parametrize("status", [502, 503, 504])
def test_write_is_not_repeated_when_the_server_is_busy(status: int, delays: list[float]) -> None:
    with conversation(busy(status, "POST")) as server, pytest.raises(ServerRefusal, match=f"{status} busy"):
        transport(server.url).write("POST", "/x")
    assert not delays


@pytest.mark.parametrize(
    "lost",
    [call("POST", "/x", drop=True), call("POST", "/x", text="{", headers=HALF)],
    ids=["reset", "truncated"],
)
def test_write_is_not_repeated_when_the_response_is_lost(lost: Call) -> None:
    with conversation(lost) as server, pytest.raises(OutcomeUnknown) as error:
        transport(server.url).write("POST", "/x")
    assert str(error.value).startswith(f"POST {server.url}/x: ")
    assert str(error.value).endswith("Whether the request had its effect is not known.")


def test_write_is_repeated_when_the_server_did_not_accept_it() -> None:
    with conversation(busy(429, "POST"), call("POST", "/x")) as server:
        http, task = transport_and_task(server.url)
        http.write("POST", "/x")
    assert task.has_written


@pytest.mark.parametrize("failing", [call("PUT", "/x", drop=True), busy(503, "PUT")], ids=["reset", "503"])
def test_idempotent_write_is_repeated(failing: Call) -> None:
    with conversation(failing, call("PUT", "/x")) as server:
        transport(server.url).write("PUT", "/x", policy=IDEMPOTENT)


def test_outcome_is_unknown_when_a_refusal_follows_a_lost_response() -> None:
    with (
        conversation(call("PUT", "/x", drop=True), busy(503, "PUT")) as server,
        pytest.raises(OutcomeUnknown, match=r"503 busy\. Whether the request had its effect is not known"),
    ):
        transport(server.url, retries=1).write("PUT", "/x", policy=IDEMPOTENT)


def test_outcome_is_unknown_when_the_server_is_down_after_a_lost_response() -> None:
    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        connection.recv(65536)
        listener.close()
        connection.close()

    with socket_server(serve) as url, pytest.raises(OutcomeUnknown, match="Connection refused"):
        transport(url, retries=2).write("PUT", "/x", policy=IDEMPOTENT)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_request_is_repeated_when_the_server_is_unreachable(method: str, delays: list[float]) -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    http = transport(url)
    send: Callable[..., Any] = http.read if method == "GET" else http.write
    with pytest.raises(ServerUnreachable) as error:
        send(method, "/x")
    assert str(error.value) == (
        f"{method} {url}/x: Failed to establish a new connection: [Errno 111] Connection refused. "
        "Check the URL, and that the server is running."
    )
    assert len(delays) == 3


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_request_is_not_repeated_when_the_quota_is_used_up(method: str) -> None:
    body = {"error": {"code": "insufficient_quota"}}
    with conversation(call(method, "/x", 429, json=body)) as server, pytest.raises(ServerRefusal):
        http = transport(server.url)
        send: Callable[..., Any] = http.read if method == "GET" else http.write
        send(method, "/x")


def make_date(seconds: float) -> Callable[[], str]:
    """Return a function that returns the date a number of seconds after the start of the test."""

    def date() -> str:
        then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
        return email.utils.format_datetime(then, usegmt=True)

    return date


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry_After": "7"}, 7, 7.1),
        ({"Retry_After": "0"}, 0, 0.1),
        ({"Retry_After": "-5"}, 0, 0.1),
        ({"Retry_After": "60"}, 60, 60.1),
        ({"Retry_After": make_date(59)}, 1, 59.1),
        ({"Retry_After": make_date(-3600)}, 0, 0.1),
        ({"Retry_After": "Wed, 21 Oct 2015 07:28:00"}, 0, 0.1),
        ({"Retry_After_Ms": "1500", "Retry_After": "9"}, 1.5, 1.6),
        ({"Retry_After": "soon"}, 0.25, 0.5),
    ],
)
def test_delay_of_the_server_is_observed(
    headers: dict[str, str | Callable[[], str]], least: float, most: float, delays: list[float]
) -> None:
    sent_headers = {name: value if isinstance(value, str) else value() for name, value in headers.items()}
    with conversation(busy(429, **sent_headers), OK) as server:
        transport(server.url).read("GET", "/x")
    assert least <= delays[0] <= most


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "150"}, 150),
        ({"Retry_After_Ms": "90000", "Retry_After": "1"}, 90),
        ({"Retry_After": "1e9"}, 10**9),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_request_fails_when_the_delay_of_the_server_exceeds_the_task(
    headers: dict[str, str], seconds: int, status: int, delays: list[float]
) -> None:
    with conversation(busy(status, **headers)) as server, pytest.raises(ServerRefusal) as refusal:
        transport(server.url).read("GET", "/x")
    assert str(refusal.value).endswith(f"The server requests a delay of {seconds} s before the next attempt.")
    assert delays == []


def test_message_names_the_delay_of_the_server_when_retries_are_used_up() -> None:
    with (
        conversation(busy(503, Retry_After="7")) as server,
        pytest.raises(ServerRefusal, match="requests a delay of 7 s"),
    ):
        transport(server.url, retries=0).read("GET", "/x")


def test_server_decides_whether_to_retry() -> None:
    with conversation(busy(400, x_should_retry="true"), OK) as server:
        transport(server.url).read("GET", "/x")
    for status in (429, 503):
        with conversation(busy(status, x_should_retry="false")) as server, pytest.raises(ServerRefusal):
            transport(server.url).read("GET", "/x")
    write = call("PUT", "/x", 500, headers={"x-should-retry": "true"})
    with conversation(write) as server, pytest.raises(ServerRefusal):
        transport(server.url).write("PUT", "/x")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400"])
def test_invalid_delay_of_the_server_is_ignored(value: str, delays: list[float]) -> None:
    with conversation(busy(429, Retry_After=value), OK) as server:
        transport(server.url).read("GET", "/x")
    assert 0.25 <= delays[0] <= 0.5


# Responses


@pytest.mark.parametrize(
    ("text", "what"), [("<!DOCTYPE html><html>Log in", "HTML, not JSON"), ("OK", "not JSON"), ("", "not JSON")]
)
def test_request_fails_when_the_response_is_not_json(text: str, what: str) -> None:
    with conversation(call("GET", "/x?key=secret", text=text)) as server, pytest.raises(ToolchainError) as error:
        transport(server.url).read("GET", "/x", query={"key": "secret"}).json()
    assert str(error.value) == (
        f"GET {server.url}/x: 200, but the response is {what}. "
        "Check the URL, and whether a login page or a proxy responded instead."
    )


def test_request_fails_when_json_without_a_length_is_truncated() -> None:
    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        connection.recv(65536)
        connection.sendall(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"a": [1, ')
        connection.close()

    with socket_server(serve) as url, pytest.raises(ToolchainError, match="the response is not JSON"):
        transport(url).read("GET", "/x").json()


EARLY_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [EARLY_HINTS, ANSWERED],
        [b"HTTP/1.1 102 Processing\r\n\r\n" + ANSWERED],
        [b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + EARLY_HINTS, ANSWERED[:9], ANSWERED[9:40], ANSWERED[40:]],
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_interim_responses_are_skipped(method: str, pieces: list[bytes]) -> None:
    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        with connection:
            connection.recv(65536)
            for piece in pieces:
                connection.sendall(piece)

    with socket_server(serve) as url:
        http = transport(url, retries=0)
        send: Callable[..., Any] = http.read if method == "GET" else http.write
        assert send(method, "/x").json() == {}


@pytest.mark.parametrize("interim", [EARLY_HINTS, b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_outcome_is_unknown_when_only_interim_responses_arrive(interim: bytes) -> None:
    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        with connection, contextlib.suppress(ConnectionError):
            connection.recv(65536)
            while True:
                connection.sendall(interim * 100)

    with socket_server(serve) as url, pytest.raises(OutcomeUnknown, match="more than 100 interim responses"):
        transport(url, retries=0).write("POST", "/x")


def test_request_fails_when_the_response_is_huge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MAX_BODY_SIZE", 2**20)
    with (
        conversation(call("GET", "/x", text="x" * 2**21)) as server,
        pytest.raises(ToolchainError, match="/x: the response is larger than 1 MiB"),
    ):
        transport(server.url).read("GET", "/x")


@pytest.mark.parametrize("text", ["<html>a page</html>", "x" * 501, ""])
def test_message_does_not_contain_html_pages(text: str) -> None:
    with conversation(call("GET", "/x", 500, text=text)) as server, pytest.raises(ServerRefusal) as error:
        transport(server.url).read("GET", "/x")
    assert str(error.value) == f"GET {server.url}/x: 500 Internal Server Error."


def test_read_fails_when_the_server_exceeds_the_timeout() -> None:
    slow = call("GET", "/x", held=True)
    with conversation(slow) as server, pytest.raises(ServerUnreachable) as error:
        transport(server.url, timeout=0.1, retries=0).read("GET", "/x")
    assert str(error.value) == (
        f"GET {server.url}/x: no response within 'timeout'. Check the URL, and that the server is running."
    )


def test_write_is_not_repeated_when_the_server_exceeds_the_timeout() -> None:
    slow = call("POST", "/x", held=True)
    with conversation(slow) as server, pytest.raises(OutcomeUnknown, match="no response within 'timeout'"):
        transport(server.url, timeout=0.1).write("POST", "/x")


def test_read_fails_when_the_response_stalls() -> None:
    given_up = threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        given_up.wait(60)
        connection.close()

    with socket_server(serve) as url:
        try:
            with pytest.raises(ServerUnreachable, match="/x: the response is too slow for 'timeout'"):
                transport(url, timeout=0.1, retries=0).read("GET", "/x")
        finally:
            given_up.set()


# Streams


def test_memory_is_constant_when_lines_are_read() -> None:
    lines = 100_000
    body = "a line of sixty bytes or so, which is what records look like\n" * lines
    with conversation(call("GET", "/x", text=body)) as server:
        answer = transport(server.url).read("GET", "/x", stream=True)
        tracemalloc.start()
        try:
            assert sum(1 for _line in answer.lines()) == lines
            _now, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 1_000_000 < len(body)


def test_lines_are_complete_when_chunks_end_within_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MAX_BUFFERED_SIZE", 2)
    monkeypatch.setattr(session, "_CHUNK", 3)
    with conversation(call("GET", "/x", text="one\n\nzwölf\nlast")) as server:
        assert list(transport(server.url).read("GET", "/x", stream=True).lines()) == ["one", "", "zwölf", "last"]


def test_short_stream_is_repeated_when_it_breaks_off() -> None:
    broken = call("GET", "/x", text="one\ntw", headers=HALF)
    with conversation(broken, call("GET", "/x", text="one\ntwo")) as server:
        assert list(transport(server.url).read("GET", "/x", stream=True).lines()) == ["one", "two"]


def test_long_stream_fails_when_it_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MAX_BUFFERED_SIZE", 2)
    monkeypatch.setattr(session, "_CHUNK", 3)
    with conversation(call("GET", "/x", text="one\ntw", headers=HALF)) as server:
        lines = transport(server.url).read("GET", "/x", stream=True).lines()
        with pytest.raises(ToolchainError, match="/x: the response is incomplete"):
            list(lines)


def test_stream_fails_when_the_server_refuses_it() -> None:
    with conversation(busy(403)) as server, pytest.raises(ServerRefusal, match="403 busy"):
        transport(server.url).read("GET", "/x", stream=True)


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("relative", [True, False])
def test_read_follows_redirects_within_the_origin(status: int, relative: bool) -> None:
    target = call("GET", "/y?z=1", json={"ok": True}, sent_headers={"Authorization": "Bearer t0ken-of-mine"})
    moved = call("GET", "/x", status)
    with conversation(moved, target) as server:
        moved.headers["Location"] = "/y?z=1" if relative else f"{server.url}/y?z=1"
        assert transport(server.url).read("GET", "/x").json() == {"ok": True}


def test_read_follows_no_redirect_to_another_origin() -> None:
    moved = call("GET", "/x", 302)
    with conversation() as other, conversation(moved) as server, pytest.raises(ServerRefusal) as error:
        moved.headers["Location"] = other.url.replace("//", "//user:secret-word@") + "/y?key=secret-word#secret-word"
        transport(server.url).read("GET", "/x")
    assert str(error.value) == (
        f"GET {server.url}/x: 302, redirected to {other.url}/y, which is not followed. "
        "Set the URL that the server itself uses."
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_write_follows_no_redirect(status: int) -> None:
    moved = call("POST", "/x", status, headers={"Location": "/y"})
    with conversation(moved) as server, pytest.raises(ServerRefusal, match=f"{status}, redirected to .*/y, which"):
        transport(server.url).write("POST", "/x")


@pytest.mark.parametrize("location", ["http://[::1", "http://127.0.0.1:99999/", ""])
def test_request_fails_when_the_target_of_a_redirect_is_invalid(location: str) -> None:
    moved = call("GET", "/x", 302, headers={"Location": location})
    with conversation(moved) as server, pytest.raises(ServerRefusal, match="redirected to an invalid URL"):
        transport(server.url).read("GET", "/x")


def test_request_fails_when_redirects_form_a_loop() -> None:
    moved = call("GET", "/x", 302, headers={"Location": "/x"})
    with conversation(*[moved] * 6) as server, pytest.raises(ToolchainError, match="redirected more than 5 times"):
        transport(server.url).read("GET", "/x")


# The read-only guard


def test_write_is_refused_in_check_mode() -> None:
    with conversation() as server:
        http, task = transport_and_task(server.url, check_mode=True)
        with pytest.raises(WriteInCheckMode, match="POST /x would write in check mode"):
            http.write("POST", "/x")
    assert not task.has_written


def test_read_by_post_is_sent_in_check_mode() -> None:
    with conversation(call("POST", "/x", sent_form={"action": "views"})) as server:
        http, task = transport_and_task(server.url, check_mode=True)
        http.read("POST", "/x", form={"action": "views"})
    assert not task.has_written


def test_outcome_is_unknown_when_a_write_is_interrupted() -> None:
    lines: list[str] = []
    interrupted = call("POST", "/x", held=True, meanwhile=send_ctrl_c)
    with conversation(interrupted) as server, pytest.raises(KeyboardInterrupt):
        http, task = transport_and_task(server.url, display_interruption=lines.append)
        with handle_signals():
            http.write("POST", "/x")
    assert lines == ["interrupted during this: POST /x. Whether it had its effect is not known."]
    assert not task.has_written


def test_refused_write_is_no_change() -> None:
    with conversation(busy(403, "POST")) as server:
        http, task = transport_and_task(server.url)
        with pytest.raises(ServerRefusal):
            http.write("POST", "/x")
    assert not task.has_written


# Proxies


def test_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation(call("GET", "http://repo.invalid:8082/x", json={"ok": True})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert transport("http://repo.invalid:8082").read("GET", "/x").json() == {"ok": True}


def test_proxy_is_not_used_when_it_is_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation() as proxy, conversation(OK) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        transport(server.url, use_proxy=False).read("GET", "/x")


@pytest.mark.parametrize("exempt", ["127.0.0.1", "127.0.0.0/8", "*"])
def test_proxy_is_not_used_when_the_host_is_exempt(exempt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation() as proxy, conversation(OK) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", f"example.com,{exempt}" if exempt != "*" else exempt)
        transport(server.url).read("GET", "/x")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_write_is_not_sent_when_the_proxy_is_unreachable(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{scheme}_proxy", f"http://somebody:secret-word@127.0.0.1:{closed_port()}")
    with pytest.raises(ServerUnreachable) as error:
        transport(f"{scheme}://repo.invalid").write("POST", "/x")
    assert "proxy" in str(error.value)
    assert "secret-word" not in str(error.value)


# Options


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ca_path": "/none"}, "Option 'ca_path': '/none' does not exist, or is not a file."),
        ({"client_cert": "/none"}, "Option 'client_cert': '/none' does not exist, or is not a file."),
        ({"client_key": __file__}, "Option 'client_key': requires 'client_cert'."),
    ],
)
def test_invalid_option_is_refused_before_any_request(options: dict[str, Any], complaint: str) -> None:
    with conversation() as server, pytest.raises(BadOption) as error:
        transport(server.url, **options)
    assert str(error.value) == complaint


def test_messages_contain_no_headers_queries_or_credentials() -> None:
    with conversation(call("GET", "/x?key=secret-word", 500)) as server, pytest.raises(ServerRefusal) as error:
        transport(server.url).read("GET", "/x", query={"key": "secret-word"}, headers={"X-Secret": "secret-word"})
    assert str(error.value) == f"GET {server.url}/x: 500 Internal Server Error."


def test_requests_go_to_the_sandbox_only_in_a_rehearsal(monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation(OK) as server:
        monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", f"{server.url}/sandbox")
        assert transport(server.url).read("GET", "/x").json() == {"ok": True}
        for other in (server.url.replace("http:", "https:"), f"http://127.0.0.1:{closed_port()}", "http://ci.example"):
            with pytest.raises(ToolchainError, match=f"This is a rehearsal, so no request is sent to {other}"):
                transport(other).read("GET", "/x")
