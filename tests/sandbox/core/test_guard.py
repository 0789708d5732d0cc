# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the guard: the sandbox exits after a signal, and its temporary files and child processes are removed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import requests

from sandbox import client
from sandbox.runtime.state_directory import IN_USE, LOCK, TEMPORARY_PREFIX
from support.servers.process import wait_for
from support.wire.ci import CONFIG, TOKENS, XML
from support.wire.core import EXTENSIONS

EXIT_TIMEOUT = 120  # seconds
SLOW_XPATH = "//*[count(//*[count(//*[count(//*[count(//*[count(//*) > 0]) > 0]) > 0]) > 0]) > 0]"
# A process like a sandbox that executes native code, which neither threads nor signals interrupt
STUCK = """
import pathlib, re, signal, subprocess, sys
from sandbox.runtime.guard import Guard
guard = Guard(pathlib.Path(sys.argv[1]))
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda number, frame: None)
guard.watch_signals()
child = subprocess.Popen(["sleep", "1000"], process_group=guard.process_group)
print(guard.process_group, flush=True)
re.search("(a+)+$", "a" * 60 + "!")
"""


def start(temporary: Path, *arguments: str) -> tuple[subprocess.Popen[str], client.Sandbox]:
    """Start a sandbox with its temporary files in a directory of the test."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox", *arguments],
        cwd=EXTENSIONS,
        env={**os.environ, "TMPDIR": str(temporary), "SANDBOX_SECRET": "secret"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    url = next(line for line in process.stdout if line.startswith(client.READY)).split()[-1]
    return process, client.Sandbox(url, "secret", process.pid)


def children(pid: int) -> list[int]:
    listed = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for child in " ".join(listed).split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stuck_process_is_killed_when_it_gets_a_signal(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = [sys.executable, "-c", STUCK, str(folder)]
    with subprocess.Popen(command, cwd=EXTENSIONS, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        group = int(process.stdout.readline())
        process.send_signal(number)
        assert process.wait(EXIT_TIMEOUT) == -signal.SIGKILL
    wait_for(lambda: not folder.exists(), "the removal of the folder")
    wait_for(lambda: not _exists(group), "the end of the child processes")


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_everything_is_cleaned_up_when_the_sandbox_stops_during_an_evaluation(tmp_path: Path) -> None:
    process, sandbox = start(tmp_path)
    with process:
        admin = ("admin", TOKENS["admin"])
        for number in range(40):
            url = f"{sandbox.url}/ci/createItem?name=job-{number}"
            requests.post(url, CONFIG, auth=admin, headers=XML).raise_for_status()
        url = f"{sandbox.url}/ci/api/xml?depth=2&xpath={SLOW_XPATH}"
        slow = threading.Thread(target=_send_request, args=(url, admin))
        slow.start()
        wait_for(lambda: len(children(process.pid)) == 2, "the guard and the evaluation")
        others = children(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(EXIT_TIMEOUT) == 0
        slow.join()
    wait_for(lambda: not any(map(is_running, others)), "the end of the child processes")
    wait_for(lambda: not list(tmp_path.iterdir()), "the removal of the temporary folder")


def _send_request(url: str, auth: tuple[str, str]) -> None:
    with contextlib.suppress(requests.ConnectionError):
        assert not requests.get(url, auth=auth).ok


def test_everything_is_cleaned_up_when_the_sandbox_is_killed(tmp_path: Path) -> None:
    process, _sandbox = start(tmp_path)
    with process:
        (folder,) = tmp_path.glob(f"{TEMPORARY_PREFIX}*")
        (guard,) = children(process.pid)
        process.kill()
    wait_for(lambda: not folder.exists(), "the removal of the temporary folder")
    wait_for(lambda: not is_running(guard), "the end of the guard")


def test_temporary_directory_is_removed_at_the_next_start_when_the_guard_was_killed(tmp_path: Path) -> None:
    foreign, running = tmp_path / f"{TEMPORARY_PREFIX}mine", tmp_path / f"{TEMPORARY_PREFIX}marked"
    foreign.mkdir()
    running.mkdir()
    (running / LOCK).touch()
    process, _sandbox = start(tmp_path)
    with process:
        (folder,) = set(tmp_path.iterdir()) - {foreign, running}
        (guard,) = children(process.pid)
        os.kill(guard, signal.SIGKILL)
        process.kill()
    assert (folder / LOCK).read_bytes() == IN_USE
    process, _sandbox = start(tmp_path)
    with process:
        (second,) = set(tmp_path.iterdir()) - {foreign, running}
        third, _other = start(tmp_path)
        with third:
            assert len(set(tmp_path.iterdir()) - {foreign, running}) == 2
            third.terminate()
        assert second.exists()
        process.terminate()
    assert second != folder
    assert set(tmp_path.iterdir()) == {foreign, running}
