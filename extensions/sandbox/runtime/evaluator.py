# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluation of regular expressions and XPaths from users, with a time limit.

Such an expression cannot be stopped while a thread evaluates it. Expressions that may take long are therefore evaluated
in child processes, which are killed after a timeout. Simple expressions are evaluated in the current thread.
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

START_TIMEOUT = 60.0  # seconds
TIMEOUT = 5.0  # seconds, for an expression that blocks only its own request
BLOCKING_TIMEOUT = 0.5  # seconds, for an expression that blocks all requests
MAX_PROCESSES = 2
READ_SIZE = 65536
# Regular expressions that take at most quadratic time because they have no nested repetition
_LITERAL = r"[\w\s/:;,=@%&~<>!#'\"-]|\\\W|\.(?![*+?{])"
_REPETITION = r"(?:\.|\[\^?[\w/.-]+\]|\\[dw])[*+]"
_SIMPLE = re.compile(rf"\^?(?:{_LITERAL})*(?:{_REPETITION}(?:{_LITERAL})*)?\$?")
SHORT_TEXT = 1000  # characters, for which quadratic time is acceptable


class EvaluationError(Exception):
    """An expression was not evaluated: it took too long, or the evaluation failed."""


class Evaluator:
    """A pool of child processes. They are started on demand and end with the sandbox."""

    def __init__(self, guard: Guard) -> None:
        """Create an empty pool.

        :arg guard: process whose process group the child processes join
        """
        self._guard = guard
        self._idle: list[subprocess.Popen[bytes]] = []
        self._running: set[subprocess.Popen[bytes]] = set()
        self._slots = asyncio.Semaphore(MAX_PROCESSES)

    async def call(self, file: str, function: str, *arguments: Any) -> Any:
        """Call a function of a Python file in a child process. Arguments and result are converted to JSON.

        :raises EvaluationError: if it takes longer than `TIMEOUT`, or fails
        """
        async with self._slots:
            return await run_in_threadpool(self._call, TIMEOUT, file, function, *arguments)

    async def search(self, patterns: list[str], text: str) -> list[bool]:
        """Return for each regular expression whether it matches anywhere in a text.

        :raises EvaluationError: if it takes longer than `TIMEOUT`
        """
        if all(is_simple(pattern, text) for pattern in patterns):
            return worker.search(patterns, text)
        matches: list[bool] = await self.call(worker.__file__, worker.search.__name__, patterns, text)
        return matches

    def fullmatch(self, pattern: str, texts: list[str]) -> list[bool]:
        """Return for each text whether a regular expression matches all of it. This blocks the event loop.

        :raises EvaluationError: if it takes longer than `BLOCKING_TIMEOUT`
        """
        if all(is_simple(pattern, text) for text in texts):
            return worker.fullmatch(pattern, texts)
        matches: list[bool] = self._call(BLOCKING_TIMEOUT, worker.__file__, worker.fullmatch.__name__, pattern, texts)
        return matches

    def stop(self) -> None:
        """Kill the child processes."""
        for process in list(self._running):
            process.kill()

    def _call(self, timeout: float, *call: Any) -> Any:
        process = self._find_idle() or self._start()
        try:
            line = _send_call(process, _encode_call(*call), timeout)
        except BaseException:
            self._kill(process)
            raise
        self._idle.append(process)
        return json.loads(line)

    def _find_idle(self) -> subprocess.Popen[bytes] | None:
        """Return an idle child process, or null if all were killed or are in use by other threads."""
        with contextlib.suppress(IndexError):
            while (process := self._idle.pop()).poll() is not None:
                self._kill(process)
            return process
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # Without -P, modules in the directory of the file would hide those of the standard library.
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
            self._kill(process)
            raise
        return process

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        self._running.discard(process)
        process.kill()
        process.communicate()


def _encode_call(file: str, function: str, *arguments: Any) -> bytes:
    return json.dumps([file, function, arguments]).encode() + b"\n"


def _send_call(process: subprocess.Popen[bytes], line: bytes, timeout: float) -> bytes:
    """Send a line and return the response line.

    :arg timeout: in seconds
    :raises EvaluationError: if there is no response in time, or the process exits
    """
    assert process.stdin and process.stdout
    deadline = time.monotonic() + timeout
    try:
        process.stdin.write(line)
        process.stdin.flush()
    except BrokenPipeError:
        raise EvaluationError("the evaluation failed") from None
    output = select.poll()  # select.select does not accept descriptors above 1023.
    output.register(process.stdout, select.POLLIN)
    received: list[bytes] = []
    while not received or not received[-1].endswith(b"\n"):
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not output.poll(remaining * 1000):
            raise EvaluationError(f"the evaluation took longer than {timeout:g} seconds")
        received.append(os.read(process.stdout.fileno(), READ_SIZE))
        if not received[-1]:
            raise EvaluationError("the evaluation failed")
    return b"".join(received)


def is_simple(pattern: str, text: str) -> bool:
    """Return whether the evaluation of a regular expression for a text is certain to be fast."""
    return len(text) <= SHORT_TEXT and _is_simple(pattern)


@functools.lru_cache(maxsize=1024)
def _is_simple(pattern: str) -> bool:
    return len(pattern) <= SHORT_TEXT and _SIMPLE.fullmatch(pattern) is not None
