# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a CLI command in a local process."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import (
    STDERR,
    STDOUT,
    Command,
    Events,
    Output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_READ_SIZE = 64 * 1024
_TERMINATION_TIMEOUT = 2.0


def execute(
    task: Task, command: Command, arguments: list[str], option: str, environment: t.Mapping[str, str]
) -> Events:
    """Run a local program that sends the command to the server; terminate it in any case.

    :arg arguments: program and arguments
    :arg option: the option that names the program
    :raises BadOption: if the program cannot be run
    """
    deadline = time.monotonic() + task.params["wait_timeout"]
    with command.open_input_file() as file:
        try:
            process = subprocess.Popen(
                arguments,
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            raise BadOption(option, f"cannot be used: running '{arguments[0]}' failed: {error.strerror}") from None
        with process:
            try:
                yield from _read_output(process, command, deadline)
                yield process.wait(max(_TERMINATION_TIMEOUT, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise command.timeout_error() from None
            finally:
                _terminate(process)


def _read_output(process: subprocess.Popen[bytes], command: Command, deadline: float) -> t.Iterator[Output]:
    with selectors.DefaultSelector() as selector:
        for pipe, stream in ((process.stdout, STDOUT), (process.stderr, STDERR)):
            if pipe:
                selector.register(pipe, selectors.EVENT_READ, stream)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise command.timeout_error()
            for key, _events in ready:
                chunk = os.read(key.fd, _READ_SIZE)
                if chunk:
                    yield Output(key.data, chunk)
                else:
                    selector.unregister(key.fileobj)


def _terminate(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_TERMINATION_TIMEOUT)
        process.kill()
