# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the state directory."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import requests

from sandbox import client
from sandbox.runtime.state_directory import IN_USE, LOCK
from support.servers.process import wait_for
from support.wire.ci import Ci

EXTENSIONS = Path(client.__file__).parent.parent


def test_reset_removes_file_contents(tmp_path):
    with client.start(state=tmp_path) as sandbox:
        bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
        before = contents(tmp_path)
        for content in (b"one", b"two"):
            requests.put(f"{sandbox.url}/artifactory/generic-local/x", content, headers=bearer).raise_for_status()
        assert contents(tmp_path) > before
        sandbox.reset()
        assert contents(tmp_path) == before
        read = requests.get(f"{sandbox.url}/artifactory/generic-local/app/README.txt", headers=bearer)
        assert read.text == "Releases of app"


def contents(folder: Path) -> set[Path]:
    return {path for path in (folder / "files").rglob("*") if path.is_file()}


def test_state_is_restored(tmp_path):
    with client.start(state=tmp_path) as sandbox:
        token = sandbox.environment["JFROG_ACCESS_TOKEN"]
        bearer = {"Authorization": f"Bearer {token}"}
        requests.put(f"{sandbox.url}/artifactory/generic-local/kept.txt", b"kept", headers=bearer).raise_for_status()
        requests.delete(f"{sandbox.url}/artifactory/generic-local/app", headers=bearer).raise_for_status()
        sandbox.switch("artifact", anonymous=True)
        sandbox.clock(advance=1000)
    with client.start(state=tmp_path) as sandbox:
        assert sandbox.environment["JFROG_ACCESS_TOKEN"] == token
        assert requests.get(f"{sandbox.url}/artifactory/generic-local/kept.txt").content == b"kept"
        response = requests.get(f"{sandbox.url}/artifactory/api/storage/generic-local/app", headers=bearer)
        assert response.status_code == 404
        assert sandbox.clock()["offset"] == pytest.approx(1000, abs=1)


def test_start_fails_when_another_version_created_the_directory(tmp_path):
    with client.start(state=tmp_path):
        pass
    with contextlib.closing(sqlite3.connect(tmp_path / "sandbox.sqlite3")) as database:
        database.execute("PRAGMA user_version = 1")
    command = [sys.executable, "-m", "sandbox", "--state", str(tmp_path)]
    refused = subprocess.run(command, cwd=EXTENSIONS, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert re.fullmatch(
        r"The sandbox cannot start: .*another version of the sandbox\. Use another directory\.\n", refused.stderr
    )


def modes(folder: Path) -> dict[str, int]:
    """Return the modes of a directory and everything in it."""
    return {str(path): stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}


def test_files_are_private_when_the_umask_is_0(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "state"
    before = os.umask(0)
    try:
        with client.start(state=folder) as sandbox:
            put(sandbox, "generic-local/new.txt", b"new").raise_for_status()
            file_modes = modes(folder)
            assert {f"{folder}/sandbox.sqlite3{end}" for end in ("", "-wal", "-shm")} <= set(file_modes)
    finally:
        os.umask(before)
    assert {path: mode for path, mode in file_modes.items() if mode & 0o077} == {}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_permissions_are_revoked_when_the_directory_exists(tmp_path: Path) -> None:
    with client.start(state=tmp_path):
        pass
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    with client.start(state=tmp_path):
        top = {path: mode for path, mode in modes(tmp_path).items() if Path(path).parent in (tmp_path, tmp_path.parent)}
        assert {path: mode for path, mode in top.items() if mode & 0o077} == {}


def test_directory_keeps_its_mode_when_it_contains_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    tmp_path.chmod(0o755)
    with client.start(state=tmp_path):
        file_modes = modes(tmp_path)
    assert file_modes[str(tmp_path)] == 0o755
    assert file_modes[f"{tmp_path}/sandbox.sqlite3"] == 0o600
    assert file_modes[f"{tmp_path}/files"] == 0o700


def test_start_fails_when_the_directory_is_in_use(tmp_path: Path) -> None:
    with client.start(state=tmp_path) as sandbox:
        before = contents(tmp_path)
        command = [sys.executable, "-m", "sandbox", "--state", str(tmp_path)]
        refused = subprocess.run(command, cwd=EXTENSIONS, capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stdout) == (1, "")
        message = f"another sandbox uses the state directory {tmp_path}. Stop it or use another directory.\n"
        assert refused.stderr == f"The sandbox cannot start: {message}"
        assert contents(tmp_path) == before
        assert put(sandbox, "generic-local/new.txt", b"new").status_code == 201


def test_orphaned_files_are_removed_when_a_sandbox_was_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sandbox", "--state", str(tmp_path)], cwd=EXTENSIONS, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        variables = dict(
            line.removeprefix("export ").strip().split("=", 1) for line in read_until_ready(process.stdout)
        )
        sandbox = client.Sandbox(variables["SANDBOX_URL"], variables["SANDBOX_SECRET"])
        put(sandbox, "generic-local/kept.txt", b"kept").raise_for_status()
        before = contents(tmp_path)
        with begin_upload(sandbox):
            wait_for(lambda: contents(tmp_path) != before, "a file that is still arriving")
            process.send_signal(signal.SIGKILL)
            process.wait()
    orphaned = tmp_path / "files" / "ab" / ("ab" * 32)
    orphaned.parent.mkdir(exist_ok=True)
    orphaned.write_bytes(b"stored, and nothing else")
    assert list((tmp_path / "files" / ".incoming").iterdir())
    foreign = tmp_path / "files" / "ab" / "notes.txt"
    foreign.write_text("of somebody else")
    with client.start(state=tmp_path) as sandbox:
        assert contents(tmp_path) == before | {foreign}
        assert not list((tmp_path / "files" / ".incoming").iterdir())
        bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
        assert requests.get(f"{sandbox.url}/artifactory/generic-local/kept.txt", headers=bearer).content == b"kept"


def test_artifacts_of_builds_are_kept_when_a_sandbox_was_killed(tmp_path: Path) -> None:
    definition = "<hudson.model.FileParameterDefinition><name>F</name></hudson.model.FileParameterDefinition>"
    parameters = f"<parameterDefinitions>{definition}</parameterDefinitions>"
    property_ = "hudson.model.ParametersDefinitionProperty"
    config = f"<project><properties><{property_}>{parameters}</{property_}></properties></project>"
    with client.start(state=tmp_path) as sandbox:
        ci = Ci(sandbox)
        ci.create("takes-a-file", config)
        ci.post("/job/takes-a-file/buildWithParameters?delay=0sec", files={"F": ("a.txt", b"of a build")})
        sandbox.call("PUT", "ci/cli-jar", "of the command-line client")
        before = contents(tmp_path)
    (tmp_path / LOCK).write_bytes(IN_USE)
    with client.start(state=tmp_path):
        assert contents(tmp_path) == before


def put(sandbox: client.Sandbox, path: str, content: bytes) -> requests.Response:
    bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    return requests.put(f"{sandbox.url}/artifactory/{path}", content, headers=bearer)


def read_until_ready(lines: Iterable[str]) -> Iterator[str]:
    return itertools.takewhile(lambda line: line.startswith("export "), lines)


@contextlib.contextmanager
def begin_upload(sandbox: client.Sandbox) -> Iterator[None]:
    """Send a part of a file."""
    host, port = sandbox.url.removeprefix("http://").split(":")
    head = f"PUT /artifactory/generic-local/half.txt HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n"
    token = sandbox.environment["JFROG_ACCESS_TOKEN"]
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode() + b"x" * 100_000)
        yield
