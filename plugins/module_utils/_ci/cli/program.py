# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A command by a program of this machine: what it writes as it comes, its exit code, and its end in any case."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import (
    ERROR,
    OUT,
    Command,
    Course,
    Written,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_READ_AT_ONCE = 64 * 1024
_SECONDS_TO_END = 2.0


def course(task: Task, command: Command, words: list[str], option: str, environment: t.Mapping[str, str]) -> Course:
    """Run a program that carries the command to the server.

    :arg option: the option that names the program
    :raises BadOption: when there is no such program
    """
    deadline = time.monotonic() + task.params["wait_timeout"]
    with command.input_file() as file:
        try:
            process = subprocess.Popen(
                words,
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            raise BadOption(option, f"cannot run '{words[0]}': {error.strerror}") from None
        with process:
            try:
                yield from _written(process, command, deadline)
                yield process.wait(max(_SECONDS_TO_END, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise command.goes_on() from None
            finally:
                _end(process)


def _written(process: subprocess.Popen[bytes], command: Command, deadline: float) -> t.Iterator[Written]:
    with selectors.DefaultSelector() as selector:
        for pipe, where in ((process.stdout, OUT), (process.stderr, ERROR)):
            if pipe:
                selector.register(pipe, selectors.EVENT_READ, where)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise command.goes_on()
            for key, _events in ready:
                piece = os.read(key.fd, _READ_AT_ONCE)
                if piece:
                    yield Written(key.data, piece)
                else:
                    selector.unregister(key.fileobj)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS_TO_END)
        process.kill()
