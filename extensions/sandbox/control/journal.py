# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of served requests. It contains no secrets."""

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
    """A request. `status` is null if the connection was closed without a response."""

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
        """Create an empty journal."""
        self.clear()

    def clear(self) -> None:
        """Delete all entries. The next one has number 1."""
        self._entries: deque[JournalEntry] = deque(maxlen=MAX_ENTRIES)
        self._numbers = itertools.count(1)
        self.began = time.time()

    def start_entry(self) -> Callable[..., None]:
        """Return a callback that records this request on completion, unless the journal was cleared in between."""
        return partial(_append_entry, self._entries, self._numbers)

    def entries(self, service: str | None = None, after: int = 0, last: int = MAX_ENTRIES) -> list[dict[str, Any]]:
        """Return entries as dictionaries.

        :arg service: only those of this service
        :arg after: only those with a higher number
        :arg last: maximum number of entries; older ones are omitted
        """
        newer = itertools.takewhile(lambda entry: entry.n > after, reversed(self._entries))
        selected = itertools.islice((entry for entry in newer if service in (None, entry.service)), last)
        return [dict(vars(entry)) for entry in selected][::-1]


def _append_entry(entries: deque[JournalEntry], numbers: Iterator[int], **fields: Any) -> None:
    if "=" in fields["query"]:
        fields["query"] = "&".join(map(_mask_secret, fields["query"].split("&")))
    entries.append(JournalEntry(n=next(numbers), **fields))


def _mask_secret(argument: str) -> str:
    name, equals, _value = argument.partition("=")
    return f"{name}=***" if equals and name.lower().endswith(SECRET_PARAMETERS) else argument
