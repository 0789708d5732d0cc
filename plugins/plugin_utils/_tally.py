# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many requests each task sent: noted by the workers, read by the controller that forked them.

It is no member of results, which are to be the same whether somebody counts or not.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import tempfile
import typing as t

_notes: t.Any = None


def start() -> None:
    """Let the workers that are forked from now on write down what they send."""
    global _notes
    _notes = tempfile.TemporaryFile()  # noqa: SIM115


def note(task: str, host: str, requests: int) -> None:
    """Write down how many requests a task sent, if somebody wants to know.

    :arg task: its uuid
    """
    if _notes:
        with contextlib.suppress(OSError):  # a count is worth no task
            os.write(_notes.fileno(), f"{json.dumps([task, host, requests])}\n".encode())


def counted() -> dict[tuple[str, str], int]:
    """The requests of each task and host that noted any, by the task's uuid and the name of the host."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    if _notes:
        _notes.seek(0)
        for line in _notes:
            with contextlib.suppress(ValueError):  # a disk that is full takes half of a line
                task, host, requests = json.loads(line)
                counts[task, host] += requests
    return dict(counts)
