# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluates expressions of users with a time limit.

Neither a regular expression nor an XPath can be stopped in a thread. So those that can take long are evaluated in child
processes, which are killed when the time is over. The others are evaluated at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time
from typing import Any

from starlette.concurrency import run_in_threadpool

from . import worker
from .guard import Guard

START_TIMEOUT = 60.0
TIMEOUT = 5.0  # for an expression of a request that waits alone
BLOCKING_TIMEOUT = 0.5  # for one that all requests wait for
MAX_PROCESSES = 2  # expressions that are evaluated side by side
READ_SIZE = 65536
# Of a regular expression that takes a time in proportion to the square of the text: one repetition at most.
_LITERAL = r"[\w\s/:;,=@%&~<>!#'\"-]|\\\W|\.(?![*+?{])"
_REPETITION = r"(?:\.|\[\^?[\w/.-]+\]|\\[dw])[*+]"
_SIMPLE = re.compile(rf"\^?(?:{_LITERAL})*(?:{_REPETITION}(?:{_LITERAL})*)?\$?")
SHORT_TEXT = 1000  # characters of a text for which that is no time


class EvaluationError(Exception):
    """An expression was not evaluated; the message says why."""


class Evaluator:
    """The child processes. They start when they are needed, and end with the sandbox."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._idle: list[subprocess.Popen[bytes]] = []
        self._running: set[subprocess.Popen[bytes]] = set()
        self._turns = asyncio.Semaphore(MAX_PROCESSES)

    async def call(self, file: str, function: str, *arguments: Any) -> Any:
        """Call a function of a file in a child process.

        :raises EvaluationError: if it takes longer than `SECONDS`, or fails
        """
        async with self._turns:
            return await run_in_threadpool(self._call, TIMEOUT, file, function, *arguments)

    async def search(self, patterns: list[str], text: str) -> list[bool]:
        """Return which of the regular expressions are found in a text.

        :raises EvaluationError: if it takes longer than `SECONDS`
        """
        if all(is_simple(pattern, text) for pattern in patterns):
            return worker.search(patterns, text)
        found: list[bool] = await self.call(worker.__file__, worker.search.__name__, patterns, text)
        return found

    def fullmatch(self, pattern: str, texts: list[str]) -> list[bool]:
        """Return which of the texts a regular expression matches as a whole; all other requests wait meanwhile.

        :raises EvaluationError: if it takes longer than `BRIEF_SECONDS`
        """
        if all(is_simple(pattern, text) for text in texts):
            return worker.fullmatch(pattern, texts)
        matching: list[bool] = self._call(BLOCKING_TIMEOUT, worker.__file__, worker.fullmatch.__name__, pattern, texts)
        return matching

    def stop(self) -> None:
        """Kill the child processes."""
        for process in list(self._running):
            process.kill()

    def _call(self, seconds: float, *call: Any) -> Any:
        process = self._find_idle() or self._start()
        try:
            line = _send_call(process, _encode_call(*call), seconds)
        except BaseException:
            self._end(process)
            raise
        self._idle.append(process)
        return json.loads(line)

    def _find_idle(self) -> subprocess.Popen[bytes] | None:
        """Return a child process that waits for work; null if all were killed, or other threads took them."""
        with contextlib.suppress(IndexError):
            while (process := self._idle.pop()).poll() is not None:
                self._end(process)
            return process
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # Without -P, the modules beside the file would take the place of those of the standard library.
            [sys.executable, "-P", str(pathlib.Path(worker.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=self._guard.process_group,
        )
        self._running.add(process)
        try:
            _send_call(process, _encode_call(worker.__file__, worker.search.__name__, [], ""), START_TIMEOUT)
        except BaseException:
            self._end(process)
            raise
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._running.discard(process)
        process.kill()
        process.communicate()


def _encode_call(file: str, function: str, *arguments: Any) -> bytes:
    return json.dumps([file, function, arguments]).encode() + b"\n"


def _send_call(process: subprocess.Popen[bytes], line: bytes, seconds: float) -> bytes:
    """Send a line, and return the line that comes back in time."""
    assert process.stdin and process.stdout
    deadline = time.monotonic() + seconds
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except BrokenPipeError:
        raise EvaluationError("the evaluation failed") from None
    output = select.poll()  # `select` takes no descriptor above 1,023
    output.register(process.stdout, select.POLLIN)
    received: list[bytes] = []
    while not received or not received[-1].endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not output.poll(left * 1000):
            raise EvaluationError(f"the evaluation took longer than {seconds:g} seconds")
        received.append(os.read(process.stdout.fileno(), READ_SIZE))
        if not received[-1]:
            raise EvaluationError("the evaluation failed")
    return b"".join(received)


def is_simple(pattern: str, text: str) -> bool:
    """Return whether a regular expression certainly takes no time for a text."""
    return len(text) <= SHORT_TEXT and _is_simple(pattern)


@functools.lru_cache(maxsize=1024)
def _is_simple(pattern: str) -> bool:
    return len(pattern) <= SHORT_TEXT and _SIMPLE.fullmatch(pattern) is not None
