# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal: which requests were served, without anything confidential in them."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

MAX_ENTRIES = 100_000
SECRET_PARAMETERS = ("token", "password", "secret", "crumb", "apikey", "api_key")


@dataclass(frozen=True)
class JournalEntry:
    """One request; `status` is None when the connection was dropped without an answer."""

    n: int
    time: float
    service: str
    method: str
    path: str
    query: str
    label: str | None
    effect: str
    status: int | None
    milliseconds: float


class Journal:
    """The latest requests, oldest first."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget them and count from 1 again."""
        self._entries: deque[JournalEntry] = deque(maxlen=MAX_ENTRIES)
        self._numbers = itertools.count(1)
        self.began = time.time()

    def page(self) -> Callable[..., None]:
        """What notes a request that arrives now, once it is answered; when all is forgotten by then, so is that one."""
        return partial(_append_entry, self._entries, self._numbers)

    def entries(self, service: str | None = None, after: int = 0, last: int = MAX_ENTRIES) -> list[dict[str, Any]]:
        """The requests of one service, or of all, after the one with this number: at most so many of the last."""
        newer = itertools.takewhile(lambda entry: entry.n > after, reversed(self._entries))
        found = itertools.islice((entry for entry in newer if service in (None, entry.service)), last)
        return [dict(vars(entry)) for entry in found][::-1]


def _append_entry(entries: deque[JournalEntry], numbers: Iterator[int], **fields: Any) -> None:
    """Values of confidential query arguments are left out."""
    if "=" in fields["query"]:
        fields["query"] = "&".join(map(_mask_secret, fields["query"].split("&")))
    entries.append(JournalEntry(n=next(numbers), **fields))


def _mask_secret(argument: str) -> str:
    name, equals, _unused = argument.partition("=")
    return f"{name}=***" if equals and name.lower().endswith(SECRET_PARAMETERS) else argument
