# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ctrl-C: whoever ends the process is heard before it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import typing as t

_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """Somebody ends the process with this signal."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextlib.contextmanager
def heard() -> t.Iterator[None]:
    """A signal that would end the process raises `Interrupted` in here; when all is cleaned up, it ends the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, _raise) for number in _INTERRUPTIONS}
    try:
        yield
    except Interrupted as interruption:
        _restore(handlers)
        os.kill(os.getpid(), interruption.signal_number)
        raise KeyboardInterrupt from None  # if the signal was ignored before
    finally:
        _restore(handlers)


def _raise(signal_number: int, _frame: t.Any) -> None:
    for number in _INTERRUPTIONS:
        signal.signal(number, signal.SIG_IGN)  # Ansible sends the second one right after the first
    raise Interrupted(signal_number)


def _restore(handlers: dict[signal.Signals, t.Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
