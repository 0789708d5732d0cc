# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ci_cli runs ssh or java with exact arguments. Both are replaced by a program that prints its arguments."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

ACCOUNT = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
ENDPOINT = call("GET", "/login", headers={"X-SSH-Endpoint": "ci.example.com:2222"})
CAREFUL = ["-T", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"]


def program(path: Path, *lines: str) -> Path:
    """Write a program that prints its arguments, one a line, and then runs more lines of shell."""
    path.write_text("\n".join(["#!/bin/sh", "printf '%s\\n' \"$@\"", *lines, ""]))
    path.chmod(0o755)
    return path


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set PATH to a directory that only contains ssh."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path / "ssh")
    return tmp_path


def cli(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("ci_cli", **{"url": server.url, "command": "version", **ACCOUNT, **parameters})


def over_ssh(*calls: Call, **parameters: Any) -> dict[str, Any]:
    return cli(*(calls or [ENDPOINT]), via="ssh", **parameters)


def test_ssh_runs_the_command_at_the_endpoint_of_the_server(ssh: Path) -> None:
    result = over_ssh(command="build", arguments=["my app", "-p", 'a="b\\"'])
    line = 'build "my app" -p "a=\\"b\\\\\\""'
    assert result["stdout_lines"] == [*CAREFUL, "-p", "2222", "-l", "admin", "--", "ci.example.com", line]
    assert (result["rc"], result["plan"]["via"]) == (0, "ssh")


def test_ssh_uses_only_the_specified_user_and_keys(ssh: Path) -> None:
    key, known_hosts = ssh / "key", ssh / "known hosts"
    key.touch()
    known_hosts.touch()
    result = over_ssh(ssh_user="deployer", identity_file=str(key), known_hosts=str(known_hosts))
    assert result["stdout_lines"] == [
        *CAREFUL,
        *("-i", str(key), "-o", "IdentitiesOnly=yes"),
        *("-o", f'UserKnownHostsFile="{known_hosts}"', "-o", "GlobalKnownHostsFile=/dev/null"),
        *("-p", "2222", "-l", "deployer", "--", "ci.example.com", "version"),
    ]


@pytest.mark.parametrize("option", ["identity_file", "known_hosts"])
def test_a_missing_file_is_refused_before_any_request(ssh: Path, option: str) -> None:
    with conversation() as server:
        result = run("ci_cli", url=server.url, command="version", via="ssh", **ACCOUNT, **{option: str(ssh / "none")})
    assert f"Option '{option}': '{ssh / 'none'}' cannot be read: it does not exist" in result["msg"]


def test_ssh_requires_a_user() -> None:
    with conversation() as server:
        result = run("ci_cli", url=server.url, command="version", via="ssh")
    assert "Option 'ssh_user': is required with 'via: ssh', unless 'username'" in result["msg"]


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "announces no SSH server"),
        ({"X-SSH-Endpoint": "-oProxyCommand=x:22"}, "is not a host and a port: '-oProxyCommand=x:22'"),
    ],
)
def test_an_unusable_endpoint_is_reported(ssh: Path, headers: dict[str, str], message: str) -> None:
    assert message in over_ssh(call("GET", "/login", headers=headers))["msg"]


def test_exit_code_of_ssh_is_returned(ssh: Path) -> None:
    program(ssh / "ssh", "echo careful >&2", "exit 3")
    result = over_ssh(accept=[0, 3])
    assert (result["rc"], result["stderr"]) == (3, "careful\n")
    assert over_ssh()["failed"]


def test_ssh_reads_the_input_of_the_command(ssh: Path) -> None:
    program(ssh / "ssh", "cat")
    assert over_ssh(stdin="<project/>")["stdout_lines"][-1] == "<project/>"


def test_program_is_terminated_on_timeout(ssh: Path) -> None:
    program(ssh / "ssh", "exec sleep 60")
    result = over_ssh(wait_timeout=0.1)
    assert "Waited 0.1 s, but the command 'version' is still running." in result["msg"]


@pytest.mark.parametrize(
    ("parameters", "options"),
    [
        ({}, ["-http"]),
        ({"jar_transport": "websocket"}, ["-webSocket"]),
        ({"validate_certs": False}, ["-http", "-noCertificateCheck"]),
    ],
)
def test_java_runs_the_client_of_the_server(tmp_path: Path, parameters: dict[str, Any], options: list[str]) -> None:
    client = io.BytesIO()
    with zipfile.ZipFile(client, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Jenkins-CLI-Version: 2.579\r\n")
    java = program(tmp_path / "java", 'echo "$JENKINS_USER_ID $JENKINS_API_TOKEN $JENKINS_URL"')
    path = "/jnlpJars/jenkins-cli.jar"
    calls = [
        call("GET", "/login", headers={"X-Jenkins": "2.579"}),
        Call("HEAD", path, 200, client.getvalue(), {"Content-Length": str(len(client.getvalue()))}),
        Call("GET", path, 200, client.getvalue()),
    ]
    with conversation(*calls) as server:
        arguments = {"java": str(java), "java_options": ["-Xmx64m"], "jar_cache": str(tmp_path / "cache"), **parameters}
        result = run("ci_cli", url=server.url, command="version", via="jar", **ACCOUNT, **arguments)
    (jar,) = tmp_path.glob("cache/*/jenkins-cli.jar")
    login = f"admin {ACCOUNT['api_token']} {server.url}"
    assert jar.read_bytes() == client.getvalue()
    assert [line.replace("********", ACCOUNT["api_token"]) for line in result["stdout_lines"]] == [
        *("-Xmx64m", "-jar", str(jar), *options, "version"),
        login,
    ]


def test_a_missing_program_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Option 'via': cannot be used: running 'ssh' failed: No such file or directory" in over_ssh()["msg"]
