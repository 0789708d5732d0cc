# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command-line interface over HTTP; exit codes and texts were measured on Jenkins 2.579."""

from __future__ import annotations

import base64
import socket
import struct
import threading
import urllib.parse
import uuid
from typing import Any

import pytest
import requests
import urllib3

from support.wire import ci_cli as cli_wire
from support.wire.ci import CONFIG, TOKENS, Ci, oops
from support.wire.ci_cli import Client


def client(ci: Ci, user: str | None = "admin") -> Client:
    return Client(ci.url, (user, TOKENS[user]) if user else None)


@pytest.mark.parametrize(
    ("arguments", "code", "out", "error"),
    [
        (["version"], 0, "2.579\n", ""),
        (["who-am-i"], 0, "Authenticated as: admin\nAuthorities:\n  authenticated\n", ""),
        (["list-jobs"], 0, "app\ndeploy\nnightly\n", ""),
        (["list-plugins", "git"], 0, "git Git plugin 5.2.1\n", ""),
        (["list-plugins", "nosuch"], 3, "", "\nERROR: No plugin with the name 'nosuch' found\n"),
        (["nosuch-command"], 2, "", "No such command nosuch-command\n"),
        (["build", "apq"], 3, "", "\nERROR: No such job 'apq'; perhaps you meant 'app'?\n"),
        (
            ["version", "extra"],
            2,
            "",
            "\nERROR: No argument is allowed: extra\njava -jar jenkins-cli.jar version\nOutputs the current version.\n",
        ),
        (["get-job", "nosuch"], 3, "", "\nERROR: No such job 'nosuch'; perhaps you meant 'nightly'?\n"),
        (["console", "app", "999"], 3, "", "\nERROR: No such build #999\n"),
        (["help", "version"], 0, "", "java -jar jenkins-cli.jar version\nOutputs the current version.\n"),
    ],
)
def test_reading_commands_print_their_output(ci: Ci, arguments: list[str], code: int, out: str, error: str) -> None:
    ended = client(ci).run(*arguments)
    assert (ended.code, ended.out, ended.error, ended.upload) == (code, out, error, 200)
    assert ended.headers["Hudson-Duplex"] == "true"


def test_chunk_is_closed_with_the_next_one(ci: Ci) -> None:
    """Jetty 12 behaves like this: a client that waits for the CRLF of the first chunk never starts."""
    session = str(uuid.uuid4())
    with open_session(ci, session, "download") as download, open_session(ci, session, "upload") as upload:
        begin(download, "Content-Length: 0")
        received = receive_until(download, b"\r\n\r\n1\r\n\0")
        assert received.endswith(b"\r\n\r\n1\r\n\0")
        ci.get("/login")  # the output of the first chunk has arrived when this responds
        download.setblocking(False)
        with pytest.raises(BlockingIOError):
            download.recv(1)
        download.setblocking(True)
        begin(upload, "Transfer-Encoding: chunked")
        command = cli_wire.start("version") + cli_wire.frame(cli_wire.END_STDIN)
        upload.sendall(b"%x\r\n%b\r\n" % (len(command), command))
        upload.sendall(b"0\r\n\r\n")
        frames = cli_wire.frame(cli_wire.STDOUT, b"2.579\n"), cli_wire.frame(cli_wire.EXIT, bytes(4))
        chunks = b"".join(b"\r\n%x\r\n%b" % (len(frame), frame) for frame in frames)
        assert receive_until(download, b"0\r\n\r\n") == chunks + b"\r\n0\r\n\r\n"


def open_session(ci: Ci, session: str, side: str) -> socket.socket:
    address = urllib.parse.urlsplit(ci.url)
    connection = socket.create_connection((address.hostname, address.port), timeout=60)
    token = base64.b64encode(f"admin:{TOKENS['admin']}".encode()).decode()
    head = f"POST {address.path}/cli?remoting=false HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Basic {token}"
    connection.sendall(f"{head}\r\nSession: {session}\r\nSide: {side}\r\n".encode())
    return connection


def begin(connection: socket.socket, header: str) -> None:
    """Send the last header in a second packet."""
    connection.sendall(f"{header}\r\n\r\n".encode())


def receive_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        piece = connection.recv(65536)
        assert piece, received
        received += piece
    return received


def test_page_lists_the_commands(ci: Ci) -> None:
    answer = ci.get("/cli/")
    assert answer.status_code == 200
    assert "<li>who-am-i</li>" in answer.text


def test_list_plugins_has_columns(ci: Ci) -> None:
    first, *others = client(ci).run("list-plugins").out.splitlines()
    assert first.split("  ")[0] == "git"
    assert first.endswith("Git plugin                           5.2.1")
    assert len(others) == len(ci.json("/pluginManager", depth="1")["plugins"]) - 1


def test_journal_distinguishes_reads_from_writes(ci: Ci) -> None:
    client(ci).run("version")
    client(ci).run("quiet-down")
    entries = [(entry["label"], entry["effect"]) for entry in ci.sandbox.journal("ci")]
    assert sorted(entries) == [
        ("cli_download", "read"),
        ("cli_download", "read"),
        ("cli_upload", "read"),
        ("cli_upload", "write"),
    ]


@pytest.mark.parametrize(
    ("user", "arguments", "permission"),
    [
        ("reader", ["build", "app"], "Job/Build"),
        ("reader", ["list-plugins"], "Overall/Administer"),
        ("reader", ["quiet-down"], "Overall/Manage"),
        ("builder", ["cancel-quiet-down"], "Overall/Manage"),
        ("builder", ["safe-restart"], "Overall/Manage"),
        ("reader", ["create-job", "x"], "Job/Create"),
        ("reader", ["disable-job", "app"], "Job/Configure"),
        ("reader", ["delete-job", "app"], "Job/Delete"),
        (None, ["session-id"], "Overall/Read"),
        (None, ["list-jobs"], "Overall/Read"),
    ],
)
def test_command_fails_when_permission_is_missing(
    ci: Ci, user: str | None, arguments: list[str], permission: str
) -> None:
    ended = client(ci, user).run(*arguments)
    name = user or "anonymous"
    assert (ended.code, ended.error) == (6, f"\nERROR: {name} is missing the {permission} permission\n")


def test_jobs_are_created_disabled_enabled_and_deleted(ci: Ci) -> None:
    cli = client(ci)
    assert cli.run("create-job", "made", stdin=CONFIG.encode()).code == 0
    assert "<command>sleep 10</command>" in cli.run("get-job", "made").out
    assert ci.json("/job/made")["buildable"]
    assert cli.run("disable-job", "made").code == 0
    assert not ci.json("/job/made")["buildable"]
    assert cli.run("enable-job", "made").code == 0
    assert ci.json("/job/made")["buildable"]
    assert cli.run("delete-job", "made", "app").code == 0
    assert ci.get("/job/made/").status_code == 404


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "error"),
    [
        (["create-job", "app"], CONFIG, 4, "\nERROR: Job 'app' already exists\n"),
        (["create-job", "no/x"], CONFIG, 3, "\nERROR: Unknown ItemGroup no\n"),
        (
            ["create-job", "app/x"],
            CONFIG,
            4,
            "\nERROR: Can't create job from CLI in class hudson.model.FreeStyleProject\n",
        ),
        (
            ["create-job", "a?b"],
            CONFIG,
            1,
            "\nERROR: Unexpected exception occurred while performing create-job command.\n",
        ),
        (
            ["create-job", "x"],
            "<pro",
            1,
            "\nERROR: Unexpected exception occurred while performing create-job command.\n",
        ),
        (["create-job"], "", 2, '\nERROR: Argument "NAME" is required\njava -jar jenkins-cli.jar create-job NAME\n'),
        (
            ["disable-job", "apq"],
            "",
            2,
            "\nERROR: No such job \u2018apq\u2019 exists. Perhaps you meant \u2018app\u2019?\n",
        ),
        (["delete-job", "nosuch"], "", 3, "\nERROR: No such job 'nosuch'\n"),
        (
            ["delete-job", "nosuch", "app"],
            "",
            5,
            "nosuch: No such job 'nosuch'\n\nERROR: Error occurred while performing this command, see previous stderr",
        ),
    ],
)
def test_job_command_fails_when_arguments_are_invalid(
    ci: Ci, arguments: list[str], stdin: str, code: int, error: str
) -> None:
    ended = client(ci).run(*arguments, stdin=stdin.encode())
    assert ended.code == code
    assert ended.error.startswith(error)


def test_session_id_matches_the_headers(ci: Ci) -> None:
    assert client(ci).run("session-id").out == ci.get("/login").headers["X-Jenkins-Session"] + "\n"
    assert client(ci).run("help", "session-id").error == (
        "java -jar jenkins-cli.jar session-id\nOutputs the session ID, which changes every time Jenkins restarts.\n"
    )


def test_help_requires_read_permission_and_who_am_i_does_not(ci: Ci) -> None:
    assert client(ci, None).run("who-am-i").out == "Authenticated as: anonymous\nAuthorities:\n  anonymous\n"
    ended = client(ci, None).run("help")
    assert ended.code == 6
    assert ended.error.startswith("\nERROR: You must authenticate to access this Jenkins.\nJenkins CLI\nUsage: ")
    help_text = client(ci).run("help").error
    assert "  build\n    Builds a job, and optionally waits until its completion." in help_text


def test_build_command_waits_according_to_its_options(ci: Ci) -> None:
    ci.sandbox.clock(frozen=False)
    ci.sandbox.seed({"ci": {"jobs": [{"name": "bad", "command": "exit 3"}, {"name": "off", "disabled": True}]}})
    ended = client(ci).run("build", "bad", "-s", "-v")
    assert ended.code == 2
    assert ended.out.startswith("Started bad #1\nStarted from command line by ")
    assert ended.out.endswith("Finished: FAILURE\nCompleted bad #1 : FAILURE\n")
    assert client(ci).run("build", "off").error == "\nERROR: Cannot build off because it is disabled.\n"
    assert client(ci).run("build", "off").code == 4
    assert ci.json("/job/bad/1")["actions"][0]["causes"][0]["_class"] == "hudson.cli.BuildCommand$CLICause"


def test_build_command_passes_parameters(ci: Ci) -> None:
    ci.sandbox.clock(frozen=False)
    assert client(ci).run("build", "deploy", "-w", "-p", "VERSION=2", "-p", "TARGET=production").code == 0
    values = {p["name"]: p.get("value") for p in ci.json("/job/deploy/1")["actions"][0]["parameters"]}
    assert (values["VERSION"], values["TARGET"], values["DRY_RUN"]) == ("2", "production", False)
    ended = client(ci).run("build", "deploy", "-p", "NOSUCH=1")
    assert ended.code == 2
    assert "ERROR: 'NOSUCH' is not a valid parameter. Did you mean " in ended.error
    ended = client(ci).run("build", "app", "-p", "A=1")
    assert (ended.code, "is not parameterized but the -p option was specified" in ended.error) == (4, True)


@pytest.mark.parametrize(("option", "result"), [("-s", "ABORTED"), ("-f", "SUCCESS")])
def test_command_is_interrupted_when_client_disconnects(ci: Ci, option: str, result: str) -> None:
    ci.sandbox.clock(frozen=False)
    hang_up = threading.Event()
    ended = client(ci).run("build", "app", option, hang_up=hang_up, heard=hang_up.set)
    assert ended.code == {"-s": 5, "-f": 125}[option]
    ci.later(10)
    assert ci.json("/job/app/3")["result"] == result


def test_groovy_prints_output_without_the_value(ci: Ci) -> None:
    table = [
        {"script": "println 6 * 7; 5", "output": "42\n", "value": 5},
        {"script": "boom", "output": "so far\n", "error": {"type": "java.lang.RuntimeException", "message": "boom"}},
    ]
    ci.sandbox.seed({"ci": {"scripts": table}})
    assert client(ci).run("groovy", "=", "an argument", stdin=b"println 6 * 7; 5\n").out == "42\n"
    ended = client(ci).run("groovy", "=", stdin=b"boom")
    assert (ended.code, ended.out) == (1, "so far\n")
    assert ended.error.startswith("\nERROR: Unexpected exception occurred while performing groovy command.\n")
    assert "java.lang.RuntimeException: boom\n\tat " in ended.error
    assert client(ci).run("groovy").code == 2
    assert client(ci, "reader").run("groovy", "=").code == 6


def test_console_command_prints_the_log(ci: Ci) -> None:
    assert client(ci).run("console", "app").out.endswith("Finished: SUCCESS\n")
    assert client(ci).run("console", "app", "1", "-n", "1").out == "Finished: FAILURE\n"
    assert client(ci).run("console", "app", "lastFailedBuild").out.endswith("Finished: FAILURE\n")
    assert client(ci).run("console", "app", "lastUnstableBuild").code == 4
    assert 'Did you mean "lastBuild"?' in client(ci).run("console", "app", "lastBild").error


def test_quiet_down_is_started_and_cancelled(ci: Ci) -> None:
    assert client(ci).run("quiet-down", "-reason", "for a while").code == 0
    state = ci.members("", "quietingDown,quietDownReason")
    assert state == {"quietingDown": True, "quietDownReason": "for a while"}
    assert client(ci).run("cancel-quiet-down").code == 0
    assert not ci.members("", "quietingDown")["quietingDown"]


def test_safe_restart_command_restarts_jenkins(ci: Ci) -> None:
    before = ci.get("/login").headers["X-Jenkins-Session"]
    assert client(ci).run("safe-restart").code == 0
    assert ci.get("/login").status_code == 503
    ci.later(20)
    assert ci.get("/login").headers["X-Jenkins-Session"] != before


def test_connection_ends_when_jenkins_restarts(ci: Ci) -> None:
    ci.sandbox.clock(frozen=False)
    ci.sandbox.switch("ci", restart_seconds=2.0)
    ci.sandbox.seed({"ci": {"jobs": [{"name": "long", "seconds": 3600, "quiet_period": 0}]}})
    ended = client(ci).run("build", "long", "-s", heard=lambda: ci.post("/restart"))
    assert ended.code is None
    assert ended.out == "Started long #1\n"


def test_command_fails_when_it_is_unknown(ci: Ci) -> None:
    one = client(ci)
    nothing = one.run()
    assert (nothing.code, nothing.error) == (2, "Connection closed before arguments received\n")
    assert oops(one.side("upload", str(uuid.uuid4()), data=b"x"))
    assert oops(one.side("download", "no uuid"))
    assert requests.post(f"{ci.url}/cli", auth=one.auth, timeout=60).status_code == 403
    assert one.side("download", str(uuid.uuid4()), stream=True).raw.read(1) == b"\0"


def test_download_is_aborted_when_upload_is_missing(ci: Ci) -> None:
    ci.sandbox.switch("ci", cli_upload_seconds=0.2)
    with client(ci).side("download", str(uuid.uuid4()), stream=True) as download:
        assert download.raw.read(1) == b"\0"
        with pytest.raises(urllib3.exceptions.ProtocolError):
            download.raw.read(1)


@pytest.mark.parametrize("side", ["download", "upload"])
def test_request_is_refused_when_password_is_wrong(ci: Ci, side: str) -> None:
    answer = Client(ci.url, ("admin", "wrong")).side(side, str(uuid.uuid4()))
    assert answer.status_code == 401


def test_command_is_ignored_when_stream_is_incomplete(ci: Ci) -> None:
    ci.sandbox.fault(kind="truncate", service="ci", label="cli_download")
    assert client(ci).run("who-am-i").code is None


def test_pings_and_unknown_operations_are_ignored(ci: Ci) -> None:
    session, one = str(uuid.uuid4()), client(ci)
    with one.side("download", session, stream=True) as download:
        frames = cli_wire.frame(77, b"?") + cli_wire.start("version") + cli_wire.frame(cli_wire.ENCODING, b"\0\5UTF-8")
        done = threading.Event()

        def body() -> Any:
            yield frames
            done.wait(cli_wire.PATIENCE)

        thread = threading.Thread(target=lambda: one.side("upload", session, data=body()))
        thread.start()
        download.raw.read(1)
        assert download.raw.read(11)[5:] == b"2.579\n"
        assert download.raw.read(9) == cli_wire.frame(cli_wire.EXIT, struct.pack(">i", 0))
        done.set()
        thread.join()


def test_command_is_not_run_when_it_is_incomplete(ci: Ci) -> None:
    ci.create("kept")
    session = str(uuid.uuid4())
    with client(ci).side("download", session, stream=True) as download:
        sent = cli_wire.frame(cli_wire.ARG, cli_wire.utf("delete-job")) + cli_wire.frame(
            cli_wire.ARG, cli_wire.utf("kept")
        )
        assert client(ci).side("upload", session, data=sent).status_code == 200
        assert download.content.endswith(cli_wire.frame(cli_wire.EXIT, b"\0\0\0\1"))
    assert ci.get("/job/kept/api/json").status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        cli_wire.frame(cli_wire.ARG, cli_wire.utf("x" * 60_000)) * 18,
        struct.pack(">IB", 2**24 + 1, cli_wire.STDIN) + b"x",
    ],
)
def test_command_ends_when_the_client_sends_too_much(ci: Ci, sent: bytes) -> None:
    session = str(uuid.uuid4())
    with client(ci, None).side("download", session, stream=True) as download:
        assert client(ci, None).side("upload", session, data=sent).status_code == 200
        assert download.content.endswith(cli_wire.frame(cli_wire.EXIT, b"\0\0\0\1"))
