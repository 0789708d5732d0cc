# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import queue
import re
import struct
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import urllib3
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import http_transport
from sandbox.ci.cli import frames as of_server
from support.ci_server import basic
from support.cli_server import (
    ARG,
    ENCODING,
    END_STDIN,
    LOCALE,
    START,
    STDERR,
    STDIN,
    STDOUT,
    CommandLine,
    command_line,
    end,
    frame,
)
from support.running import run, send_ctrl_c

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}


def out(text: str) -> bytes:
    return frame(STDOUT, text.encode())


def error(text: str) -> bytes:
    return frame(STDERR, text.encode())


def cli(server: CommandLine, command: str, *arguments: str, **parameters: Any) -> dict[str, Any]:
    return run("ci_cli", url=server.url, command=command, arguments=list(arguments), **{**TOKEN, **parameters})


def test_command_uses_two_requests_of_one_session() -> None:
    with command_line(answer=out("git Git ") + error("careful\n") + out("5.2.1\n") + end(0)) as server:
        result = cli(server, "list-plugins", "git")
    assert result == {
        "changed": True,
        "plan": {"command": ["list-plugins", "git"], "via": "http"},
        "rc": 0,
        "stdout": "git Git 5.2.1\n",
        "stdout_lines": ["git Git 5.2.1"],
        "stderr": "careful\n",
        "stderr_lines": ["careful"],
    }
    assert server.came == [
        (ARG, b"\0\x0clist-plugins"),
        (ARG, b"\0\x03git"),
        (ENCODING, b"\0\5UTF-8"),
        (LOCALE, b"\0\5en_US"),
        (START, b""),
        (END_STDIN, b""),
    ]
    download, upload = server.requests
    assert (download["Side"], upload["Side"]) == ("download", "upload")
    assert download["Session"] == upload["Session"]
    assert download["target"] == upload["target"] == "/cli?remoting=false"
    assert download["Authorization"] == upload["Authorization"] == basic("admin", TOKEN["api_token"])
    assert upload["Transfer-Encoding"] == "chunked"
    assert not any(name.lower().endswith("crumb") for name in upload)


def test_check_mode_runs_only_read_only_commands() -> None:
    with command_line(answer=out("2.579\n") + end(0)) as server:
        result = cli(server, "version", check_mode=True)
        assert result["changed"]
        assert (result["rc"], result["stdout"]) == (None, None)
        assert not server.requests
        result = cli(server, "version", check_mode=True, read_only=True)
    assert not result["changed"]
    assert result["stdout"] == "2.579\n"


@pytest.mark.parametrize("command", ["groovy", "build", "safe-restart", "delete-job", "command-of-a-plugin"])
def test_command_is_not_run_in_check_mode_when_it_may_act(command: str) -> None:
    with command_line() as server:
        result = cli(server, command, "x", check_mode=True, read_only=True)
        assert not server.requests
    assert (result["changed"], result["rc"]) == (False, None)
    with command_line() as server:
        assert not cli(server, command, "x", read_only=True)["changed"]
        assert server.requests


def test_input_is_read_from_string_or_file(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(range(256)) * 1000)
    with command_line() as server:
        cli(server, "groovy", "=", stdin="println 'ä'\n")
        assert server.input == "println 'ä'\n".encode()
    with command_line() as server:
        cli(server, "groovy", "=", stdin_file=str(tmp_path / "big"))
    assert server.input == bytes(range(256)) * 1000
    assert max(len(data) for operation, data in server.came if operation == STDIN) <= 60_000


@pytest.mark.parametrize(
    ("code", "stderr", "words", "changed"),
    [
        (
            2,
            "No such command nope\n",
            "exit code 2, invalid command or arguments: No such command nope.",
            False,
        ),
        (3, "\nERROR: No such job 'x'\n", "exit code 3, an object does not exist: No such job 'x'.", False),
        (
            4,
            "\nERROR: Cannot build x because it is disabled.\n",
            "exit code 4, an object is in an invalid state: Cannot",
            False,
        ),
        (6, "\nERROR: r is missing the Job/Build permission\n", "exit code 6, the account lacks a permission", False),
        (5, "\nERROR: null\n", "exit code 5, the command was aborted: null.", True),
        (
            1,
            "\nERROR: Unexpected exception occurred while performing groovy command.\nX: boom\n\tat a.b(c)\n",
            "exit code 1, an exception on the server: X: boom.",
            True,
        ),
        (4, "", "exit code 4: Completed app #3 : ABORTED.", True),
        (16, "", "exit code 16: Completed app #3 : ABORTED.", True),
    ],
)
def test_exit_codes_are_explained(code: int, stderr: str, words: str, changed: bool) -> None:
    with command_line(answer=out("Completed app #3 : ABORTED\n") + error(stderr) + end(code)) as server:
        result = cli(server, "build", "app")
    assert result["failed"]
    assert re.search(f"^The command 'build app' failed with {words}", result["msg"])
    assert result["changed"] is changed
    assert (result["rc"], result["stderr"]) == (code, stderr)


@pytest.mark.parametrize(
    ("code", "stderr", "unknown"),
    [(255, "", True), (255, "\nERROR: No such job 'x'\n", False), (5, "\nERROR: null\n", False), (16, "", False)],
)
def test_outcome_is_unknown_only_when_client_was_lost(code: int, stderr: str, unknown: bool) -> None:
    with command_line(answer=error(stderr) + end(code)) as server:
        result = cli(server, "build", "app")
    assert ("Whether the request had its effect is not known." in result["msg"]) is unknown
    assert not (unknown and result["changed"])


def test_other_exit_codes_can_be_accepted() -> None:
    with command_line(answer=end(1)) as server:
        result = cli(server, "build", "app", "-s", accept=[0, 1])
    assert result["rc"] == 1
    assert "failed" not in result


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"download": [401]}, "401 Unauthorized. Check the user name and the password or API token."),
        ({"download": [403]}, "403 Forbidden. The account lacks the required permission"),
        ({"download": [404]}, "404 Not Found. Check the path in 'url'."),
        ({"upload": 401}, "401 Unauthorized"),
        ({"upload": 403}, "403 Forbidden"),
        ({"upload": 503}, "503 Service Unavailable"),
        ({"headers": {}}, "does not support the protocol of current CLI clients"),
        ({"first": b"<===[HUDSON REMOTING CAPACITY]===>"}, "does not support the protocol"),
    ],
)
def test_refused_command_is_explained(what: dict[str, Any], words: str) -> None:
    with command_line(**what) as server:
        result = cli(server, "quiet-down")
    assert words in result["msg"]
    assert not result["changed"]
    assert "first" in what or not any(operation == START for operation, _data in server.came)


def hide_read1(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make responses behave as in urllib3 before 2.1."""

    def refuse(_response: object) -> None:
        raise AttributeError

    monkeypatch.setattr(urllib3.response.HTTPResponse, "read1", property(refuse), raising=False)


@pytest.mark.parametrize("old", [False, True], ids=["urllib3", "urllib3 before 2.1"])
@pytest.mark.parametrize("connection", ["keep-alive", "close"])
def test_a_command_runs_when_chunks_are_closed_late(
    old: bool, connection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if old:
        hide_read1(monkeypatch)
    headers = {"Hudson-Duplex": "true", "Connection": connection}
    with command_line(headers=headers, answer=out("2.579\n") + end(0)) as server:
        result = cli(server, "version", timeout=60, retries=0)
    assert (result["rc"], result["stdout"]) == (0, "2.579\n")


def test_output_is_shown_before_its_chunk_ends() -> None:
    lines: list[str] = []
    with command_line(answer=out("Started app #3\n"), cut=True) as server:
        result = cli(server, "build", "app", "-s", display=lines.append)
    assert lines == ["Started app #3"]
    assert "Whether the request had its effect is not known." in result["msg"]


def test_exit_code_counts_when_connection_is_lost_after_it() -> None:
    with command_line(answer=out("restarting\n") + end(0), cut=True) as server:
        assert cli(server, "restart")["rc"] == 0


def test_silent_command_can_run_longer_than_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    hide_read1(monkeypatch)
    with command_line(patient=True) as server:
        result = cli(server, "build", "app", "-s", timeout=0.2, wait_timeout=1)
    assert "Waited 1 s, but the command 'build app -s' is still running." in result["msg"]


def test_download_is_retried() -> None:
    with command_line(download=[503, 503, 200]) as server:
        result = cli(server, "version")
    assert result["rc"] == 0
    assert [request["Side"] for request in server.requests] == ["download"] * 3 + ["upload"]
    assert "2 request(s) were retried" in result["warnings"][0]


@pytest.mark.parametrize(
    ("command", "reads", "words", "requests"),
    [
        ("build", False, "Whether the request had its effect is not known.", 2),
        ("build", True, "Whether the request had its effect is not known.", 2),
        ("console", False, "Whether the request had its effect is not known.", 2),
        ("console", True, "Try again.", 4),
    ],
)
@pytest.mark.parametrize("cut", [True, False])
def test_outcome_is_unknown_when_stream_ends_early(
    cut: bool, command: str, reads: bool, words: str, requests: int
) -> None:
    with command_line(answer=out("Started app #3\n") + b"\0\0\0\4", cut=cut) as server:
        result = cli(server, command, "app", "-s", read_only=reads, retries=1)
    assert len(server.requests) == requests
    assert result["msg"].startswith(f"The connection was lost while '{command} app -s' was running")
    assert result["msg"].endswith(words)
    assert not result["changed"]


def test_connection_is_closed_on_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    with command_line(patient=True) as server:

        class Overdue(queue.Queue[Any]):
            def get(self, block: bool = True, timeout: float | None = None) -> Any:
                assert timeout and timeout <= 30
                server.fed.wait()
                raise queue.Empty

        monkeypatch.setattr(http_transport.queue, "Queue", Overdue)
        result = cli(server, "build", "app", "-s", wait_timeout=30)
        assert server.hung_up.wait(60)
    assert "Waited 30 s, but the command 'build app -s' is still running. Jenkins interrupts" in result["msg"]


def test_timeout_is_reported_when_command_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(queue.Queue[Any]):
        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            return super().get()

    monkeypatch.setattr(http_transport.queue, "Queue", Late)
    with command_line(patient=True) as server:
        result = cli(server, "build", "app", "-s", wait_timeout=1)
    assert "Waited 1 s, but the command 'build app -s' is still running." in result["msg"]


def interrupt_when(event: threading.Event) -> None:
    event.wait()
    send_ctrl_c()


def test_interruption_closes_connection_and_reports_unknown_outcome() -> None:
    lines: list[str] = []
    with command_line(patient=True) as server:
        threading.Thread(target=interrupt_when, args=(server.fed,)).start()
        with pytest.raises(KeyboardInterrupt):
            cli(server, "build", "app", "-s", display_interruption=lines.append)
        assert server.hung_up.wait(60)
    doubt = "interrupted during this: the command 'build app -s'. Whether it had its effect is not known."
    assert lines[-1] == doubt


def test_command_can_end_without_reading_its_input(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(20_000_000))
    with command_line(reads_input=False, answer=error("\nERROR: no right\n") + end(6)) as server:
        result = cli(server, "groovy", "=", stdin_file=str(tmp_path / "big"))
    assert result["rc"] == 6


def test_file_is_replaced_only_when_command_succeeds(tmp_path: Path) -> None:
    target = tmp_path / "app.xml"
    with command_line(answer=out("<project/>") + end(0)) as server:
        assert cli(server, "get-job", "app", read_only=True, to_file=str(target), check_mode=True)["rc"] == 0
        assert not target.exists()
    with command_line(answer=out("<project/>") + end(0)) as server:
        result = cli(server, "get-job", "app", read_only=True, to_file=str(target))
    assert (result["changed"], result["stdout"], target.read_text()) == (False, "", "<project/>")
    assert target.stat().st_mode & 0o777 == 0o600
    with command_line(answer=out("<bro") + error("\nERROR: gone\n") + end(3)) as server:
        result = cli(server, "get-job", "app", read_only=True, to_file=str(target))
    assert (result["rc"], result["stdout"], target.read_text()) == (3, "<bro", "<project/>")


def test_large_output_uses_little_memory(tmp_path: Path) -> None:
    piece = frame(STDOUT, b"x" * 1023 + b"\n") * 1000
    with command_line(answer=piece * 60 + end(0)) as server:
        tracemalloc.start()
        result = cli(server, "console", "app", read_only=True)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(result["stdout"]) == 4 * 1024 * 1024
    assert "has 61440000 bytes. The result contains only the last 4194304" in result["warnings"][0]
    assert peak < 100_000_000  # 60 of them are the server's


def test_progress_shows_last_line_without_annotations() -> None:
    lines: list[str] = []
    note = "\x1b[8mha:////abc\x1b[0m"
    with command_line(answer=out(f"Started by {note}admin\n\n") + end(0)) as server:
        cli(server, "console", "app", display=lines.append)
    assert lines == ["Started by admin"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"command": ""}, "Option 'command': must not be empty"),
        ({"command": "-s"}, "Option 'command': must be a name that does not start with '-'"),
        ({"arguments": ["a\0b"]}, r"Option 'arguments\[0\]': must be a string without NUL characters"),
        ({"arguments": ["é" * 32768]}, r"Option 'arguments\[0\]': must have at most 65535 bytes"),
        ({"stdin": "a", "stdin_file": "/etc/hosts"}, "mutually exclusive"),
        ({"stdin_file": "/nothing/there"}, "Option 'stdin_file': '/nothing/there' cannot be read"),
        ({"to_file": "/nothing/there"}, "Option 'to_file': '/nothing/there' cannot be written"),
        ({"accept": [-1]}, r"Option 'accept\[0\]': must be 0 to 2,147,483,647"),
        ({"wait_timeout": 0}, "Option 'wait_timeout': must be 0.1 to 2,592,000"),
    ],
)
def test_invalid_options_are_rejected_before_the_first_request(parameters: dict[str, Any], words: str) -> None:
    with command_line() as server:
        result = run("ci_cli", **{"url": server.url, "command": "version", **TOKEN, **parameters})
    assert re.search(words, result["msg"])
    assert not server.requests


@given(st.text(max_size=60))
def test_text_is_encoded_like_java_utf(text: str) -> None:
    sent = http_transport.to_java_utf(text)
    assert struct.unpack(">H", sent[:2])[0] == len(sent) - 2
    assert b"\0" not in sent[2:]
    assert of_server.decode_text(sent) == text


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=40))), st.integers(1, 7))
def test_frames_are_parsed_from_any_chunks(sent: list[tuple[int, bytes]], size: int) -> None:
    stream = b"".join(http_transport.to_frame(operation, data) for operation, data in sent)
    pieces = [stream[place : place + size] for place in range(0, len(stream), size)]
    assert list(http_transport.parse_frames(pieces)) == sent
    assert list(http_transport.parse_frames([*pieces, b"\0\0\0\2\7a"])) == sent
