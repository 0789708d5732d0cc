# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CLI commands with all three transports: HTTP, jenkins-cli.jar run with Java, and the real `ssh`."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox import client
from support.eventually import poll
from support.running import run
from support.servers.hudson import Hudson

CLIENT = Path(__file__).parent / "client" / "Client.java"
TRANSPORTS = ("http", "websocket")


def need(*programs: str) -> None:
    """Skip the test if a program is missing."""
    missing_programs = [program for program in programs if not shutil.which(program)]
    if missing_programs:
        pytest.skip(f"CANNOT RUN HERE: there is no {' and no '.join(missing_programs)} on the path")


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Isolate the tests from the cache, keys and credentials of the user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in list(os.environ):
        if variable.startswith("JENKINS_"):
            monkeypatch.delenv(variable)


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a minimal Java client of version 2.579."""
    need("java", "javac", "jar")
    folder = tmp_path_factory.mktemp("client")
    subprocess.run(["javac", "-d", str(folder), str(CLIENT)], check=True)
    manifest = folder / "manifest"
    manifest.write_text("Main-Class: Client\nJenkins-CLI-Version: 2.579\n")
    command = ["jar", "cfm", str(folder / "cli.jar"), str(manifest), "-C", str(folder), "."]
    subprocess.run(command, check=True)
    return (folder / "cli.jar").read_bytes()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a key pair."""
    need("ssh", "ssh-keygen")
    path = tmp_path_factory.mktemp("keys") / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


@pytest.fixture(scope="module")
def with_ssh() -> Iterator[client.Sandbox]:
    """Start a sandbox with an SSH server."""
    pytest.importorskip("asyncssh", reason="CANNOT RUN HERE: there is no asyncssh")
    with client.start(ssh_port=0) as sandbox:
        yield sandbox


@pytest.fixture
def server(with_ssh: client.Sandbox) -> client.Sandbox:
    """Reset the sandbox and set its URL."""
    with_ssh.reset()
    with_ssh.seed({"ci": {"url": f"{with_ssh.url}/ci"}})
    return with_ssh


@pytest.fixture
def with_jar(server: client.Sandbox, jar: bytes) -> client.Sandbox:
    """Make the sandbox serve the client."""
    request = urllib.request.Request(f"{server.url}/_sandbox/ci/cli-jar", jar, method="PUT")
    request.add_header("Authorization", f"Bearer {server.secret}")
    with urllib.request.urlopen(request, timeout=60):
        return server


@pytest.fixture
def over_ssh(server: client.Sandbox, key: Path, tmp_path: Path) -> dict[str, Any]:
    """Return the options to connect over SSH with a key that an account has."""
    public = key.with_suffix(".pub").read_text()
    account = {"name": "robot", "password": "r", "permissions": ["Overall/Administer"], "public_keys": [public]}
    server.seed({"ci": {"users": [account]}})
    known_hosts = tmp_path / "known hosts"
    known_hosts.write_text(server.environment["SANDBOX_SSH_KNOWN_HOST"] + "\n")
    return {
        "url": f"{server.url}/ci",
        "via": "ssh",
        "ssh_user": "robot",
        "identity_file": str(key),
        "known_hosts": str(known_hosts),
    }


def cli(sandbox: client.Sandbox, command: str, *arguments: str, **options: Any) -> dict[str, Any]:
    """Run a command as the administrator."""
    return run("ci_cli", command=command, arguments=list(arguments), **{**admin(sandbox), **options})


def admin(sandbox: client.Sandbox) -> dict[str, str]:
    """Return URL and credential of the administrator."""
    token = sandbox.environment["JENKINS_API_TOKEN"]
    return {"url": f"{sandbox.url}/ci", "username": "admin", "api_token": token}


# --- The client program


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_jar_runs_commands(with_jar: client.Sandbox, transport: str) -> None:
    how = {"via": "jar", "jar_transport": transport}
    result = cli(with_jar, "who-am-i", read_only=True, **how)
    assert result["stdout"] == "Authenticated as: admin\nAuthorities:\n  authenticated\n"
    assert (result["rc"], result["changed"]) == (0, False)
    lines: list[str] = []
    with_jar.seed({"ci": {"jobs": [{"name": "bad", "command": "exit 3"}]}})
    result = cli(with_jar, "build", "bad", "-s", "-v", display=lines.append, **how)
    assert result["rc"] == 2
    assert result["msg"] == "The command 'build bad -s -v' failed with exit code 2: Completed bad #1 : FAILURE."
    assert result["changed"]
    assert any("bad" in line for line in lines)
    refused = cli(with_jar, "list-plugins", "nosuch", **how)
    assert "exit code 3, an object does not exist: No plugin with the name 'nosuch' found" in refused["msg"]
    assert not refused["changed"]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_jar_reads_input(with_jar: client.Sandbox, transport: str, tmp_path: Path) -> None:
    script = "println '" + "x" * 200_000 + "'"
    (tmp_path / "script").write_text(script)
    with_jar.seed({"ci": {"scripts": [{"script": script, "output": "long\n"}]}})
    how = {"via": "jar", "jar_transport": transport, "stdin_file": str(tmp_path / "script")}
    assert cli(with_jar, "groovy", "=", **how)["stdout"] == "long\n"


def test_jar_is_cached_for_its_owner(with_jar: client.Sandbox, jar: bytes, tmp_path: Path) -> None:
    for _time in range(2):
        assert cli(with_jar, "version", via="jar", read_only=True, check_mode=True)["stdout"] == "2.579\n"
    (cached,) = (tmp_path / ".cache").rglob("*.jar")
    assert cached.read_bytes() == jar
    requested = [(entry["method"], entry["path"]) for entry in with_jar.journal("ci") if entry["path"].endswith(".jar")]
    assert requested.count(("GET", "/ci/jnlpJars/jenkins-cli.jar")) == 1
    assert requested.count(("HEAD", "/ci/jnlpJars/jenkins-cli.jar")) == 2
    with_jar.switch("ci", version="2.580")
    result = cli(with_jar, "version", via="jar", jar_cache=str(tmp_path / "another"))
    assert "it is version 2.579, but the server is version 2.580" in result["msg"]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_wrong_password_is_reported(with_jar: client.Sandbox, transport: str) -> None:
    how = {"via": "jar", "jar_transport": transport}
    cli(with_jar, "version", **how)
    # the jar is requested with the wrong password, too
    assert "401" in cli(with_jar, "version", api_token="wr0ng-secret", **how)["msg"]
    with_jar.fault(kind="status", status=401, service="ci", label="cli_download")
    with_jar.fault(kind="status", status=401, service="ci", label="cli_websocket")
    result = cli(with_jar, "quiet-down", **how)
    assert result["rc"] == {"http": 255, "websocket": 15}[transport]
    assert "Check the user name and the password or API token." in result["msg"]
    assert not result["changed"]


def test_websocket_is_refused_when_server_has_no_url(with_jar: client.Sandbox, jar: bytes) -> None:
    with_jar.seed({"ci": {"url": ""}})
    result = cli(with_jar, "version", via="jar", jar_transport="websocket")
    assert result["rc"] == 15
    assert "Jenkins URL is not configured" in result["msg"]


def test_no_secret_is_on_the_command_line(with_jar: client.Sandbox, tmp_path: Path) -> None:
    fake = tmp_path / "java"
    fake.write_text('#!/bin/sh\necho "$@"\nenv\n')
    fake.chmod(0o755)
    result = cli(with_jar, "version", via="jar", java=str(fake), java_options=["-Dx=y"])
    line, *environment = result["stdout_lines"]
    assert re.fullmatch(r"-Dx=y -jar \S+/jenkins-cli.jar -http version", line)
    assert f"JENKINS_URL={with_jar.url}/ci" in environment
    assert "JENKINS_USER_ID=admin" in environment
    assert "JENKINS_API_TOKEN=********" in environment


def test_outcome_is_unknown_when_connection_is_lost(with_jar: client.Sandbox) -> None:
    with_jar.fault(kind="reset_after", service="ci", label="cli_download")
    result = cli(with_jar, "quiet-down", via="jar")
    assert result["rc"] == 255
    assert "Whether the request had its effect is not known." in result["msg"]


def restart_when_it_runs(sandbox: client.Sandbox) -> None:
    """Restart the server as soon as a build is running."""
    while not run("ci_restart", check_mode=True, kill_builds=True, **admin(sandbox))["plan"]["running_builds"]:
        time.sleep(0.1)
    assert run("ci_restart", wait=False, kill_builds=True, **admin(sandbox))["changed"]


@pytest.mark.parametrize("how", [{}, *({"via": "jar", "jar_transport": transport} for transport in TRANSPORTS)])
def test_outcome_is_unknown_when_server_restarts(with_jar: client.Sandbox, how: dict[str, str]) -> None:
    with_jar.switch("ci", restart_seconds=2.0)
    with_jar.seed({"ci": {"jobs": [{"name": "long", "seconds": 3600, "quiet_period": 0}]}})
    thread = threading.Thread(target=restart_when_it_runs, args=(with_jar,))
    thread.start()
    result = cli(with_jar, "build", "long", "-s", **how)
    thread.join()
    assert "Whether the request had its effect is not known." in result["msg"]
    assert result["stdout"] == "Started long #1\n"


def test_missing_java_is_reported(with_jar: client.Sandbox) -> None:
    result = cli(with_jar, "version", via="jar", java="/nothing/java")
    assert result["msg"] == "Option 'java': cannot be used: running '/nothing/java' failed: No such file or directory."


# --- SSH


def test_ssh_runs_commands(over_ssh: dict[str, Any]) -> None:
    result = run("ci_cli", command="who-am-i", read_only=True, **over_ssh)
    assert result["stdout"] == "Authenticated as: robot\nAuthorities:\n  authenticated\n", result
    assert not result["changed"]
    refused = run("ci_cli", command="build", arguments=["no such job"], **over_ssh)
    assert refused["rc"] == 3
    assert "an object does not exist: No such job 'no such job'" in refused["msg"]


@pytest.mark.parametrize(
    "word", ["a b", "", "it's", 'say "hi"', "back\\slash", "$HOME;`id`", "ü\u2192", "a\nb", "'", "\\'"]
)
def test_arguments_arrive_over_ssh(over_ssh: dict[str, Any], word: str) -> None:
    refused = run("ci_cli", command="list-plugins", arguments=[word or "x", *([] if word else [""])], **over_ssh)
    if word:
        assert refused["stderr"] == f"\nERROR: No plugin with the name '{word}' found\n"
    else:
        assert "No argument is allowed: \n" in refused["stderr"]


def test_ssh_reads_input(server: client.Sandbox, over_ssh: dict[str, Any]) -> None:
    server.seed({"ci": {"scripts": [{"script": "println 1", "output": "1\n"}]}})
    assert run("ci_cli", command="groovy", arguments=["="], stdin="println 1\n", **over_ssh)["stdout"] == "1\n"


def test_unknown_host_key_is_rejected(over_ssh: dict[str, Any], key: Path, tmp_path: Path) -> None:
    unknown = tmp_path / "empty"
    unknown.write_text("")
    result = run("ci_cli", command="quiet-down", **{**over_ssh, "known_hosts": str(unknown)})
    assert result["rc"] == 255
    assert "Host key verification failed." in result["msg"]
    assert not result["changed"]


def test_unknown_key_is_rejected(over_ssh: dict[str, Any]) -> None:
    result = run("ci_cli", command="quiet-down", **{**over_ssh, "ssh_user": "reader"})
    assert result["rc"] == 255
    assert "Permission denied (publickey)" in result["msg"]
    assert not result["changed"]


def test_ssh_command_is_stopped_on_timeout(server: client.Sandbox, over_ssh: dict[str, Any]) -> None:
    result = run("ci_cli", command="build", arguments=["app", "-s"], wait_timeout=1, **over_ssh)
    assert "Waited 1 s, but the command 'build app -s' is still running." in result["msg"]


def test_ssh_provides_no_shell(over_ssh: dict[str, Any], server: client.Sandbox) -> None:
    endpoint = urllib.request.urlopen(f"{server.url}/ci/login", timeout=60).headers["X-SSH-Endpoint"]
    host, _colon, port = endpoint.rpartition(":")
    options = ["-T", "-p", port, "-i", over_ssh["identity_file"], "-o", "BatchMode=yes"]
    options += ["-o", f'UserKnownHostsFile="{over_ssh["known_hosts"]}"']
    done = subprocess.run(["ssh", *options, f"robot@{host}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "There is no shell here" in done.stderr


def test_disabled_ssh_server_is_reported(sandbox: client.Sandbox) -> None:
    result = cli(sandbox, "version", via="ssh", ssh_user="robot")
    assert "announces no SSH server" in result["msg"]
    sandbox.switch("ci", ssh_endpoint="-oProxyCommand=id:22")
    assert "is not a host and a port" in cli(sandbox, "version", via="ssh")["msg"]


# --- The examples that need one of these


def test_examples_run(with_jar: client.Sandbox, over_ssh: dict[str, Any]) -> None:
    module = importlib.import_module("ansible_collections.buildworks.toolchain.plugins.modules.ci_cli")
    examples = [task["buildworks.toolchain.ci_cli"] for task in yaml.safe_load(module.EXAMPLES)]
    (by_jar,) = (options for options in examples if options.get("via") == "jar")
    assert cli(with_jar, by_jar.pop("command"), **by_jar)["rc"] == 0
    (by_ssh,) = (options for options in examples if options.get("via") == "ssh")
    assert run("ci_cli", **{**by_ssh, **over_ssh})["rc"] == 0


# --- Hudson 1.395 and its own client


def on_hudson(hudson: Hudson, command: str, *arguments: str, **options: Any) -> dict[str, Any]:
    return run("ci_cli", url=hudson.url, command=command, arguments=list(arguments), wait_timeout=300, **options)


def retry_without_output(hudson: Hudson, command: str, *arguments: str, **options: Any) -> dict[str, Any]:
    """Run a command with Hudson's client until it prints: on a busy machine it may exit before its output arrives."""

    def has_output() -> dict[str, Any] | None:
        result = on_hudson(hudson, command, *arguments, via="jar", **options)
        return result if result["stdout"] or result["stderr"] else None

    return poll(has_output)


def test_hudson_client_runs_commands(open_hudson: Hudson, tmp_path: Path) -> None:
    result = retry_without_output(open_hudson, "version", read_only=True)
    assert (result["rc"], result["stdout"].strip()) == (0, "1.395")
    assert retry_without_output(open_hudson, "groovy", "=", stdin="println 6 * 7\n")["stdout"].strip() == "42"
    refused = retry_without_output(open_hudson, "build", "nothing")
    assert refused["msg"].startswith("The command 'build nothing' failed with exit code 255: No such job 'nothing'")
    assert not refused["changed"]
    downloaded = run("ci_cli_jar", url=open_hudson.url, dest=str(tmp_path / "cli.jar"))
    assert (downloaded["changed"], downloaded["jar"]["version"]) == (True, None)
    assert not run("ci_cli_jar", url=open_hudson.url, dest=str(tmp_path / "cli.jar"))["changed"]


def test_hudson_client_gets_credential_from_environment(open_hudson: Hudson, tmp_path: Path) -> None:
    """The client cannot use it with Java 9 or newer."""
    fake = tmp_path / "java"
    fake.write_text('#!/bin/sh\necho "$@"\nenv\n')
    fake.chmod(0o755)
    login = {"username": "admin", "password": "s3cret-password", "java": str(fake), "via": "jar"}
    line, *environment = on_hudson(open_hudson, "version", **login)["stdout_lines"]
    assert line.endswith("hudson-cli.jar version")
    assert f"HUDSON_URL={open_hudson.url.replace('//', '//admin:********@')}" in environment
    assert "must not contain / @ ? # %" in on_hudson(open_hudson, "version", **{**login, "password": "a/b"})["msg"]


def test_hudson_does_not_support_http_transport(open_hudson: Hudson) -> None:
    result = on_hudson(open_hudson, "version", retries=0)
    assert "For older servers, use 'via: jar'." in result["msg"]
