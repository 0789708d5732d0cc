# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start a server, wait until it is ready, and stop it with its child processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
import requests

Server = TypeVar("Server")
Fetched = TypeVar("Fetched")


class UnavailableError(Exception):
    """A requirement of a server is missing on this machine."""


def run_or_skip(server: contextlib.AbstractContextManager[Server]) -> Iterator[Server]:
    """Yield the running server, or skip the test if the machine cannot run it."""
    with contextlib.ExitStack() as stack:
        try:
            started = stack.enter_context(server)
        except UnavailableError as reason:
            pytest.skip(f"CANNOT RUN HERE: {reason}")
        yield started


def fetch_or_skip(fetch: Callable[[], Fetched]) -> Fetched:
    """Return the result of a download, or skip the test if it is not possible."""
    try:
        return fetch()
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def direct_session() -> requests.Session:
    """Return a session that ignores the user's proxy settings and netrc file."""
    session = requests.Session()
    session.trust_env = False
    return session


def is_ready(url: str) -> bool:
    """Return whether the server is ready, that is whether it returns no error of a starting server."""
    with direct_session() as session:
        try:
            return session.get(url, timeout=10, allow_redirects=False).status_code < 500
        except requests.RequestException:
            return False


def wait_for(condition: Callable[[], bool], what: str, timeout: float = 120) -> None:
    """Wait until a condition is true. After the timeout, fail with a description of the condition."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout:.0f} s in vain for {what}")
        time.sleep(0.1)


@contextlib.contextmanager
def run_server(
    command: Sequence[str], url: str, log: Path, timeout: float, env: Mapping[str, str] | None = None
) -> Iterator[int]:
    """Run a command for the duration of the block. Yield its process ID once the URL responds."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=log.parent,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ready() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
        return is_ready(url)

    try:
        try:
            wait_for(ready, f"an answer from {url}", timeout)
        except Exception as error:
            error.add_note(f"Its log:\n{log.read_text(errors='replace')}")
            raise
        yield process.pid
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the process group, because a server may have started other processes, such as builds."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
