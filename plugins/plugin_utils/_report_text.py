# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Order and size limits of the texts in a report."""

from __future__ import annotations

import functools
import re
import typing as t

Entry = t.TypeVar("Entry")
_DIGITS = re.compile(r"(\d+)")


@functools.cache
def natural_order(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts repo-2 before repo-10."""
    parts = _DIGITS.split(name)
    return [(int(part) if index % 2 else 0, part.lower()) for index, part in enumerate(parts)]


def fit(
    entries: t.Iterable[Entry],
    limit: int,
    render: t.Callable[[Entry], str],
    compact: t.Callable[[Entry], str] | None = None,
) -> tuple[list[str], int]:
    """Return the texts of the first entries whose total size is within a limit, and the number of omitted entries.

    :arg limit: size in bytes
    :arg render: returns the text of an entry
    :arg compact: returns a short text, for entries whose text does not fit
    """
    texts: list[str] = []
    omitted = 0
    for entry in entries:
        for form in (render, compact):
            text = form(entry) if form and not omitted else ""
            size = len(text.encode(errors="backslashreplace"))
            if text and size <= limit:
                texts.append(text)
                limit -= size
                break
        else:
            omitted += 1
    return texts, omitted
