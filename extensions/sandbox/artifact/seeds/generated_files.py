# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a seed generates in large numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from ..items.tree import parent_path
from ..protocol.formats import parse_seed_time
from ..state import State
from .bulk_insert import path_columns


def generate(state: State, repo: str, path: str, count: int, by: str = "admin", **fields: Any) -> None:
    """Generate `count` files; `{n}` in path and properties is the number of the file, beginning with 0.

    With `content`, all files share it. Otherwise they have no content, only size and checksums, and their times are
    distributed evenly over the given interval.
    """
    files = _FileRows(state, repo, path, count, by, fields)
    state.bulk_insert.add_folders(repo, (parent_path(path) or "" for path in files.expand(path)), by)
    if fields.keys() <= {"content"}:
        stored = state.runtime.files.put_bytes(fields.get("content", "").encode())
        state.items.insert_files(repo, files.expand(path), stored, by)
    else:
        files.insert()


class _FileRows:
    """Files without stored content: only rows, so that a million files take seconds."""

    def __init__(self, state: State, repo: str, path: str, count: int, by: str, fields: dict[str, Any]) -> None:
        """Create the rows."""
        self._bulk_insert, self._repo, self._path, self._count, self._by = state.bulk_insert, repo, path, count, by
        self._size, self._properties = fields.get("size", 0), fields.get("properties", {})
        self._times: dict[str, tuple[float, float]] = {
            name: _parse_interval(fields[name]) for name in ("created", "modified", "downloaded") if name in fields
        }
        self._now = state.runtime.clock.now()

    def expand(self, text: str) -> Iterator[str]:
        """Yield the text for each file."""
        return (text.replace("{n}", str(number)) for number in range(self._count))

    def insert(self) -> None:
        """Insert the files with their properties and downloads."""
        first = self._bulk_insert.next_id()
        self._bulk_insert.add_items(
            self._create_row(number, path) for number, path in enumerate(self.expand(self._path))
        )
        for name, value in self._properties.items():
            self._bulk_insert.add_properties(first, name, self.expand(str(value)))
        if "downloaded" in self._times:
            times = (self._interpolate_time("downloaded", number) for number in range(self._count))
            self._bulk_insert.add_downloads(first, times, self._by)

    def _create_row(self, number: int, path: str) -> dict[str, Any]:
        content = f"{self._repo}/{path}".encode()
        modified = self._interpolate_time("modified", number)
        return {
            **path_columns(self._repo, path),
            "folder": False,
            "created": self._interpolate_time("created", number),
            "created_by": self._by,
            "modified": modified,
            "modified_by": self._by,
            "updated": modified,
            "sha256": hashlib.sha256(content).hexdigest(),
            "sha1": hashlib.sha1(content).hexdigest(),
            "md5": hashlib.md5(content).hexdigest(),
            "size": self._size,
        }

    def _interpolate_time(self, name: str, number: int) -> float:
        first, last = self._times.get(name, (self._now, self._now))
        return round(first + (last - first) * number / max(self._count - 1, 1), 3)


def _parse_interval(value: Any) -> tuple[float, float]:
    """Return start and end of an interval, in seconds since the epoch."""
    first, last = value if isinstance(value, list) else (value, value)
    return parse_seed_time(first), parse_seed_time(last)
