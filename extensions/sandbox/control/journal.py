# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of served requests. Raw targets and recordings can contain secrets, which are masked for readers."""

from __future__ import annotations

import functools
import itertools
import re
import string
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .masking import Masker
from .recording import Recording

MAX_ENTRIES = 100_000
MAX_MEMORY = 64 * 1024 * 1024  # bytes, for targets, headers and bodies
MAX_TARGET_LENGTH = 4096  # characters of a path or query
CUT_MARK = "[...]"
MASKER = Masker([])
WORD_CHARACTERS = string.ascii_letters + string.digits + "_-.~%+"


@dataclass
class JournalEntry:
    """A request.

    :arg raw_path: path, encoded and cut if it is long; it may contain secrets, as `raw_query` may
    :arg status: null if the connection was closed without a response
    :arg recording: headers and bodies, until they are discarded to limit the memory
    """

    n: int
    time: float
    service: str
    method: str
    raw_path: str
    raw_query: str
    label: str | None
    effect: str
    status: int | None
    milliseconds: float
    recording: Recording | None

    @functools.cached_property
    def path(self) -> str:
        """The encoded path with masked secrets. Masking takes longer than recording, so it waits for a reader."""
        return MASKER.mask_text(self.raw_path)

    @functools.cached_property
    def query(self) -> str:
        """The encoded query with masked secrets."""
        return MASKER.mask_form(self.raw_query)

    @property
    def target(self) -> str:
        """Path and query, both encoded and with masked secrets."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def to_dict(self, masker: Masker) -> dict[str, Any]:
        """Return the public fields, without known secrets in path and query."""
        public = {name: getattr(self, name) for name in PUBLIC_FIELDS}
        return {**public, "path": masker.mask_known(self.path), "query": masker.mask_known(self.query)}


PUBLIC_FIELDS = ("n", "time", "service", "method", "path", "query", "label", "effect", "status", "milliseconds")


@dataclass(frozen=True)
class Filter:
    """Conditions for entries. Empty ones match all entries.

    :arg status: the status, its first digit, or `none` for requests without a response
    :arg text: text in path, query or label, in any case
    """

    service: str = ""
    method: str = ""
    status: str = ""
    effect: str = ""
    text: str = ""

    def check(self, services: Sequence[str]) -> None:
        """Verify the conditions.

        :raises ValueError: if no entry could meet one
        """
        if self.service not in ("", *services):
            raise ValueError(f"Unknown service {self.service!r}. Use one of: {', '.join(services)}.")
        if not re.fullmatch("[A-Z]*", self.method):
            raise ValueError("The argument 'method' must be an HTTP method in capital letters.")
        if not re.fullmatch("none|([1-5][0-9]{0,2})?", self.status):
            raise ValueError("The argument 'status' must be a status, its first digits, or 'none'.")
        if self.effect not in ("", "read", "write"):
            raise ValueError("The argument 'effect' must be 'read' or 'write'.")

    def matches(self, entry: JournalEntry) -> bool:
        """Return whether an entry meets all conditions."""
        return (
            self.service in ("", entry.service)
            and self.method in ("", entry.method)
            and self.effect in ("", entry.effect)
            and str(entry.status or "none").startswith(self.status)
            and self.text.lower() in f"{entry.target} {entry.label or ''}".lower()
        )


class RequestLog:
    """The latest requests since the journal was cleared, oldest first. Numbers begin with 1 and have no gaps."""

    def __init__(self) -> None:
        """Create an empty log."""
        self.began = time.time()
        self.entries: deque[JournalEntry] = deque(maxlen=MAX_ENTRIES)
        self._numbers = itertools.count(1)
        self._recorded: deque[tuple[JournalEntry, int]] = deque()
        self._memory = 0

    def append(self, path: str, query: str, **fields: Any) -> JournalEntry:
        """Add a request and return its entry. Path and query are cut if they are long."""
        entry = JournalEntry(n=next(self._numbers), raw_path=_cut(path), raw_query=_cut(query), **fields)
        self.entries.append(entry)
        return entry

    def finish(self, entry: JournalEntry) -> None:
        """Finish the recording of a request. If all recordings need too much memory, discard the oldest ones."""
        assert entry.recording
        size = entry.recording.finish()
        self._recorded.append((entry, size))
        self._memory += size
        while self._memory > MAX_MEMORY:
            oldest, size = self._recorded.popleft()
            oldest.recording = None
            self._memory -= size


class UnknownEntryError(LookupError):
    """The journal does not contain an entry with this number."""


class Journal:
    """The latest requests."""

    def __init__(self) -> None:
        """Create an empty journal."""
        self.clear()

    def clear(self) -> None:
        """Delete all entries. Requests that are being served are not recorded."""
        self.log = RequestLog()

    def find(self, number: int) -> JournalEntry:
        """Return the entry with a number.

        :raises UnknownEntryError: if it does not exist
        """
        entries = self.log.entries
        index = number - entries[0].n if entries else -1
        if not 0 <= index < len(entries):
            raise UnknownEntryError(f"The journal does not contain request {number}.")
        return entries[index]

    def entries(
        self, criteria: Filter, masker: Masker, after: int = 0, before: int | None = None, last: int = MAX_ENTRIES
    ) -> list[dict[str, Any]]:
        """Return entries as dictionaries, oldest first.

        :arg masker: masks known secrets in paths and queries
        :arg after: only those with a higher number
        :arg before: only those with a lower number
        :arg last: maximum number of entries; older ones are omitted
        """
        entries: Iterator[JournalEntry] = reversed(self.log.entries)
        if before is not None:
            entries = itertools.dropwhile(lambda entry: entry.n >= before, entries)
        newer = itertools.takewhile(lambda entry: entry.n > after, entries)
        selected = itertools.islice(filter(criteria.matches, newer), last)
        return [entry.to_dict(masker) for entry in selected][::-1]


def _cut(text: str) -> str:
    """Return the beginning of a long text, without the word at its end, which may be a part of a secret."""
    if len(text) <= MAX_TARGET_LENGTH:
        return text
    return text[:MAX_TARGET_LENGTH].rstrip(WORD_CHARACTERS) + CUT_MARK
