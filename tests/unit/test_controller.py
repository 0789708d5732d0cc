# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process notices that the controller it works for was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _interruption

# The controller forks a worker, which starts a module through shells; each prints its PID
PROGRAM = """
import os, subprocess, sys, time
from ansible_collections.buildworks.toolchain.plugins.module_utils import _interruption

def work():
    controller = _interruption.Controller()
    print(os.getpid(), controller.is_gone, flush=True)
    is_gone = False
    while not is_gone and sys.stdin.readline():
        is_gone = controller.is_gone
        print(is_gone, flush=True)

how = sys.argv[1]
if how == "module":
    work()
elif os.fork():
    time.sleep(600)
elif how == "fork":
    work()
else:
    subprocess.run(f"/bin/sh -c '{sys.executable} {sys.argv[0]} module && sleep 0'", shell=True)
"""


def request(process: subprocess.Popen[str]) -> str:
    process.stdin.write("?\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.mark.parametrize("how", ["fork", "shells"])
@pytest.mark.parametrize("terminal", ["lives", "dies"])
def test_controller_is_gone_when_it_was_killed(how: str, terminal: str, tmp_path: Path) -> None:
    program = tmp_path / "controller.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shell = f"exec 3<&0; {sys.executable} {program} {how} <&3 & echo $!; wait"
    process = subprocess.Popen(
        ["/bin/sh", "-c", shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    with process:
        controller = int(process.stdout.readline())
        try:
            _worker, is_gone = process.stdout.readline().split()
            assert is_gone == "False"
            if terminal == "dies":
                process.kill()
                process.wait()
            assert request(process) == "False"
        finally:
            os.kill(controller, signal.SIGKILL)
        while (is_gone := request(process)) == "False":
            pass  # killing the process takes a moment
        assert is_gone == "True"


def test_only_the_parent_counts_when_other_processes_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_interruption, "open", _no_file, raising=False)
    controller = _interruption.Controller()
    assert not controller.is_gone
    monkeypatch.setattr(os, "getppid", lambda: 1)
    assert controller.is_gone


def _no_file(*_args: object) -> None:
    raise FileNotFoundError
