# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers of requests by task, written by workers and read by the controller that forked them.

They are not part of results, which do not depend on the report.
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
    """Start counting in workers that are forked from now on."""
    global _notes
    _notes = tempfile.TemporaryFile()  # noqa: SIM115


def note(task: str, host: str, requests: int) -> None:
    """Record the number of requests of a task, if counting was started.

    :arg task: UUID of the task
    """
    if _notes:
        with contextlib.suppress(OSError):  # a missing count must not fail the task
            os.write(_notes.fileno(), f"{json.dumps([task, host, requests])}\n".encode())


def read_counts() -> dict[tuple[str, str], int]:
    """Return the numbers of requests by task UUID and host name."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    if _notes:
        _notes.seek(0)
        for line in _notes:
            with contextlib.suppress(ValueError):  # an incomplete line on a full disk
                task, host, requests = json.loads(line)
                counts[task, host] += requests
    return dict(counts)
