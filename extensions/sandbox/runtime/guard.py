# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard: a second process that cleans up after a sandbox that is killed.

It also kills a sandbox that does not exit after a signal because it executes native code. In that case, only the
interpreter's C signal handler runs. It writes the number of the signal to the wakeup descriptor, a pipe to the guard.
"""

from __future__ import annotations

import math
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time

KILL_TIMEOUT = 4  # seconds between a signal and SIGKILL
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Guard:
    """The guard process, from the perspective of the sandbox."""

    def __init__(self, directory: pathlib.Path | None) -> None:
        """Start the process.

        :arg directory: directory to remove at the end, if any
        """
        arguments = [str(os.getpid()), *([str(directory)] if directory else [])]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            process_group=0,
        )
        self._is_watching = False

    @property
    def process_group(self) -> int:
        """Process group for child processes. It is killed with the sandbox and receives no Ctrl-C of a terminal."""
        return self._process.pid

    def watch_signals(self) -> None:
        """Pass the number of each signal that has a Python handler to the guard."""
        assert self._process.stdin
        descriptor = self._process.stdin.fileno()
        os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
        self._is_watching = True

    def stop(self) -> None:
        """Stop the guard, which kills all remaining child processes."""
        assert self._process.stdin
        if self._is_watching:
            signal.set_wakeup_fd(-1)
        self._process.stdin.close()
        self._process.wait()


def main(sandbox: int, *directories: str) -> None:
    """Wait until the sandbox exits, then clean up. Kill it `KILL_TIMEOUT` seconds after a signal.

    :arg sandbox: process ID of the sandbox
    :arg directories: directories to remove
    """
    deadline = math.inf
    while True:
        remaining = max(0.0, deadline - time.monotonic())
        if not select.select([0], [], [], None if remaining == math.inf else remaining)[0]:
            if os.getppid() == sandbox:
                os.kill(sandbox, signal.SIGKILL)
            deadline = math.inf
            continue
        received = os.read(0, 4096)
        if not received:
            break
        if deadline == math.inf and any(number in received for number in SIGNALS):
            deadline = time.monotonic() + KILL_TIMEOUT
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
