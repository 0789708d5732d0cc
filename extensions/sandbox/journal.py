# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal: which requests were served, without anything confidential in them."""

from __future__ import annotations

import itertools
import re
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

LENGTH = 100_000
CONFIDENTIAL = re.compile(r"(?i)(^|[_.-])(\w*token|password|secret|crumb|api_?key)$")


@dataclass(frozen=True)
class Entry:
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
        self._entries: deque[Entry] = deque(maxlen=LENGTH)
        self._numbers = itertools.count(1)

    def add(self, **fields: Any) -> None:
        """Note a request; values of confidential query arguments are left out."""
        fields["query"] = "&".join(map(_without_secret, fields["query"].split("&")))
        self._entries.append(Entry(n=next(self._numbers), **fields))

    def entries(self, service: str | None = None) -> list[dict[str, Any]]:
        """The requests of one service, or of all."""
        return [asdict(entry) for entry in self._entries if service in (None, entry.service)]


def _without_secret(argument: str) -> str:
    name, equals, _unused = argument.partition("=")
    return f"{name}=***" if equals and CONFIDENTIAL.search(name) else argument
