# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the process: command line, start and stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
import requests

from sandbox import client
from support.servers.process import wait_for
from support.wire.core import EXTENSIONS

TIMEOUT = 120  # seconds


def test_command_line_starts_the_sandbox(tmp_path, record_property):
    seed = tmp_path / "seed.yml"
    seed.write_text("artifact: {repositories: [{key: mine-local, rclass: local, packageType: generic}]}\n")
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "sandbox", "--port", "0", "--seed", str(seed)],
        cwd=EXTENSIONS,
        env={**os.environ, "SANDBOX_SECRET": "a 'quoted' secret"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("# sandbox ready at "):
                break
        took = time.perf_counter() - began
        record_property("startup_seconds", round(took, 3))
        print(f"start-up of the sandbox: {took:.3f} s")
        url = lines[-1].removeprefix("# sandbox ready at ")
        assert f"export SANDBOX_URL={url}" in lines
        assert lines[-2] == f"# console at {url}/_sandbox/console"
        assert "export SANDBOX_SECRET='a '\"'\"'quoted'\"'\"' secret'" in lines
        assert requests.get(f"{url}/_sandbox/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 0
        assert process.stderr.read() == ""


def test_message_has_one_line_when_the_sandbox_cannot_start(sandbox, tmp_path):
    seed, state = tmp_path / "seed.yml", tmp_path / "state"
    seed.write_text("artifact: {users: [{nam: admin}]}")
    state.mkdir()
    (state / "sandbox.sqlite3").write_text("not a database")
    for arguments, complaint in (
        (["--seed", str(tmp_path / "nothing.yml")], "nothing.yml"),
        (["--seed", str(seed)], "seed.artifact.users[0].nam is unknown"),
        (["--state", str(state)], "file is not a database"),
        (["--port", sandbox.url.rpartition(":")[2]], "Address already in use"),
    ):
        command = [sys.executable, "-m", "sandbox", *arguments]
        ended = subprocess.run(command, cwd=EXTENSIONS, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
        assert ended.stderr.startswith("The sandbox cannot start: ")
        assert complaint in ended.stderr


@pytest.mark.parametrize(("host", "url"), [("0.0.0.0", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
def test_sandbox_listens_on_the_given_address(host, url):
    command = [sys.executable, "-m", "sandbox", "--host", host]
    with subprocess.Popen(command, cwd=EXTENSIONS, stdout=subprocess.PIPE, text=True) as process:
        ready = next(line for line in process.stdout if line.startswith(client.READY))
        assert ready.removeprefix(client.READY).startswith(url)
        assert requests.get(ready.removeprefix(client.READY).strip() + "/_sandbox/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 0


def test_sandbox_exits_on_sigterm_when_a_request_is_running():
    with client.start() as sandbox:
        sandbox.fault(kind="latency", seconds=3600)
        with pytest.raises(requests.Timeout):
            requests.get(f"{sandbox.url}/artifactory/api/system/ping", timeout=0.2)
        wait_for(lambda: sandbox.faults()[0]["matched"] == 1, "the request")
