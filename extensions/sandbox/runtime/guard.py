# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process beside the sandbox that outlives it, and removes what a sandbox that was killed leaves behind.

It also ends a sandbox that does not end by itself after a signal, because it computes in native code. Only the signal
handler of the interpreter runs then, which is in native code too, and writes the number of the signal to the guard.
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

KILL_TIMEOUT = 4  # seconds between the signal and the end
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Guard:
    """The guard as the sandbox sees it."""

    def __init__(self, folder: pathlib.Path | None) -> None:
        """
        :arg folder: what to remove at the end, if anything
        """
        arguments = [str(os.getpid()), *([str(folder)] if folder else [])]
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
        """The group for child processes, which ends with the sandbox and gets no Ctrl-C of a terminal."""
        return self._process.pid

    def watch_signals(self) -> None:
        """Let the guard know of each signal that has a handler."""
        assert self._process.stdin
        descriptor = self._process.stdin.fileno()
        os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
        self._is_watching = True

    def end(self) -> None:
        """End the guard, and with it all child processes that are left."""
        assert self._process.stdin
        if self._is_watching:
            signal.set_wakeup_fd(-1)
        self._process.stdin.close()
        self._process.wait()


def main(sandbox: int, *folders: str) -> None:
    """Wait for the end of the sandbox, at most for `PATIENCE` seconds after a signal; then clean up."""
    deadline = math.inf
    while True:
        left = max(0.0, deadline - time.monotonic())
        if not select.select([0], [], [], None if left == math.inf else left)[0]:
            if os.getppid() == sandbox:
                os.kill(sandbox, signal.SIGKILL)
            deadline = math.inf
            continue
        received = os.read(0, 4096)
        if not received:
            break
        if deadline == math.inf and any(number in received for number in SIGNALS):
            deadline = time.monotonic() + KILL_TIMEOUT
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
