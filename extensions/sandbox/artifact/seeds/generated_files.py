# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a seed generates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from ..items.tree import parent_path
from ..protocol.formats import seconds
from ..state import State
from .bulk_insert import located


def generate(state: State, repo: str, path: str, count: int, by: str = "admin", **facts: Any) -> None:
    """Many new files; `{n}` in path and properties is the number of each, from 0 on.

    With a `content` they all have that. Without one they have none, but sizes and checksums; times go evenly from the
    first to the last of two.
    """
    files = _Files(state, repo, path, count, by, facts)
    state.bulk_insert.folders(repo, (parent_path(path) or "" for path in files.each(path)), by)
    if facts.keys() <= {"content"}:
        stored = state.runtime.files.put_bytes(facts.get("content", "").encode())
        state.items.insert_files(repo, files.each(path), stored, by)
    else:
        files.plant()


class _Files:
    """Files that are nothing but rows: a million of them take seconds."""

    def __init__(self, state: State, repo: str, path: str, count: int, by: str, facts: dict[str, Any]) -> None:
        self._planting, self._repo, self._path, self._count, self._by = state.bulk_insert, repo, path, count, by
        self._size, self._properties = facts.get("size", 0), facts.get("properties", {})
        self._times: dict[str, tuple[float, float]] = {
            name: _span(facts[name]) for name in ("created", "modified", "downloaded") if name in facts
        }
        self._now = state.runtime.clock.now()

    def each(self, text: str) -> Iterator[str]:
        """The text for each file."""
        return (text.replace("{n}", str(number)) for number in range(self._count))

    def plant(self) -> None:
        """Add them, with their properties and downloads."""
        first = self._planting.next_id()
        self._planting.items(self._file(number, path) for number, path in enumerate(self.each(self._path)))
        for name, value in self._properties.items():
            self._planting.properties(first, name, self.each(str(value)))
        if "downloaded" in self._times:
            times = (self._time("downloaded", number) for number in range(self._count))
            self._planting.downloads(first, times, self._by)

    def _file(self, number: int, path: str) -> dict[str, Any]:
        content = f"{self._repo}/{path}".encode()
        modified = self._time("modified", number)
        return {
            **located(self._repo, path),
            "folder": False,
            "created": self._time("created", number),
            "created_by": self._by,
            "modified": modified,
            "modified_by": self._by,
            "updated": modified,
            "sha256": hashlib.sha256(content).hexdigest(),
            "sha1": hashlib.sha1(content).hexdigest(),
            "md5": hashlib.md5(content).hexdigest(),
            "size": self._size,
        }

    def _time(self, name: str, number: int) -> float:
        first, last = self._times.get(name, (self._now, self._now))
        return round(first + (last - first) * number / max(self._count - 1, 1), 3)


def _span(asked: Any) -> tuple[float, float]:
    """From when to when."""
    first, last = asked if isinstance(asked, list) else (asked, asked)
    return seconds(first), seconds(last)
