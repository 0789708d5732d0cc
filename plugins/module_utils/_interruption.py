# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Early ends of a task: SIGINT, SIGTERM, and a killed controller process."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import typing as t

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MAX_ANCESTORS = 8
_unhandled: list[int] = []  # received signals whose exception nothing has caught


class Interrupted(BaseException):
    """A signal that terminates the process."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextlib.contextmanager
def handle_signals() -> t.Iterator[None]:
    """Raise `Interrupted` inside the context on SIGINT and SIGTERM. After the clean-up, terminate the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, _raise) for number in _SIGNALS}
    try:
        yield
    except Interrupted as interruption:
        _restore(handlers)
        mark_handled()
        os.kill(os.getpid(), interruption.signal_number)
        raise KeyboardInterrupt from None  # if the signal was ignored before
    finally:
        _restore(handlers)


def _raise(signal_number: int, _frame: t.Any) -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # Ansible sends the second one right after the first
    _unhandled.append(signal_number)
    raise Interrupted(signal_number)


def raise_unhandled() -> None:
    """Raise `Interrupted` again if nothing has caught it: Python discards exceptions in destructors, for example."""
    if _unhandled and threading.current_thread() is threading.main_thread():
        raise Interrupted(_unhandled[0])


def mark_handled() -> None:
    """Record that `Interrupted` was caught."""
    _unhandled.clear()


def _restore(handlers: dict[signal.Signals, t.Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)


class Controller:
    """The process that runs Ansible, seen from one of its descendants.

    If it is killed, its descendants receive no signal: a worker gets another parent, a module keeps its shell.
    """

    def __init__(self) -> None:
        self._parents = _parents_up_to_controller(os.getpid())

    @property
    def is_gone(self) -> bool:
        """Return whether a process between this one and the controller has lost its parent."""
        return any(_parent(pid) != parent for pid, parent in self._parents.items())


def _parents_up_to_controller(pid: int) -> dict[int, int | None]:
    """Return the parents of a process and of its ancestors, up to the controller.

    A worker is a fork of the controller, so both have the same command line. The parent of the controller is ignored,
    because the controller may outlive its terminal. Without such a pair, or without `/proc`, only the parent of the
    process is returned.
    """
    parents: dict[int, int | None] = {}
    child = pid
    while len(parents) < _MAX_ANCESTORS and (parent := _parent(child)):
        parents[child] = parent
        if (command := _command(child)) and command == _command(parent):
            return parents
        child = parent
    return {pid: _parent(pid)}


def _parent(pid: int) -> int | None:
    """Return the parent of a process, `None` if there is no such process or it cannot be known."""
    if pid == os.getpid():
        return os.getppid()
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
