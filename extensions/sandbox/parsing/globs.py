# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns in which `*` stands for anything, without regular expressions, which take very long for some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable


class Wildcard(str):
    """A part of a pattern that is no text, as a regular expression."""


ANY, IN_FOLDER = Wildcard(".*"), Wildcard("[^/]*")
ONE, ONE_IN_FOLDER = Wildcard("."), Wildcard("[^/]")
FOLDERS, BELOW = Wildcard("(?:.*/)?"), Wildcard("(?:/.*)?")
CAN_BE_EMPTY = (ANY, IN_FOLDER, FOLDERS, BELOW)
# For so many of those, and a text of so many characters, a regular expression never takes long, and is faster.
MAX_REGEX_WILDCARDS = 3
MAX_REGEX_TEXT = 200

# A place in a pattern: before the part with this index, or within the text that it stands for
Position = tuple[int, bool]


class Glob:
    """A pattern of texts and wildcards, which is compared in a time in proportion to its length and that of a text."""

    def __init__(self, parts: Iterable[str]) -> None:
        parts = list(parts)
        self._parts = [piece for part in parts for piece in ([part] if isinstance(part, Wildcard) else part)]
        expression = "".join(part if isinstance(part, Wildcard) else re.escape(part) for part in parts)
        self._expression = re.compile(expression, re.DOTALL)
        self._is_simple = sum(part in CAN_BE_EMPTY for part in parts) <= MAX_REGEX_WILDCARDS

    def fullmatch(self, text: str) -> bool:
        """Return whether a text as a whole fits the pattern."""
        if self._is_simple and len(text) <= MAX_REGEX_TEXT:
            return self._expression.fullmatch(text) is not None
        return self.matches_slowly(text)

    def matches_slowly(self, text: str) -> bool:
        """Return the same for any pattern and text."""
        places = self._with_empty({(0, False)})
        for character in text:
            places = self._with_empty({after for place in places for after in self._after(place, character)})
        return (len(self._parts), False) in places

    def _with_empty(self, places: set[Position]) -> set[Position]:
        """Add the places behind parts that can stand for nothing, or for nothing more."""
        found = set(places)
        for index, is_within in places:
            if is_within and self._parts[index] != BELOW:
                continue
            place = index + is_within
            found.add((place, False))
            while place < len(self._parts) and self._is_wildcard(place, CAN_BE_EMPTY):
                place += 1
                found.add((place, False))
        return found

    def _is_wildcard(self, index: int, wildcards: tuple[Wildcard, ...]) -> bool:
        return isinstance(self._parts[index], Wildcard) and self._parts[index] in wildcards

    def _after(self, place: Position, character: str) -> list[Position]:
        """Return the places to which a character leads."""
        index, is_within = place
        if index == len(self._parts):
            return []
        part, following = self._parts[index], (index + 1, False)
        if not isinstance(part, Wildcard):
            return [following] if character == part else []
        is_slash = character == "/"
        if part == FOLDERS:
            return [(index, True), following] if is_slash else [(index, True)]
        if part == BELOW:
            return [(index, True)] if is_within or is_slash else []
        if part in (ANY, IN_FOLDER):
            return [] if is_slash and part == IN_FOLDER else [place]
        return [] if is_slash and part == ONE_IN_FOLDER else [following]


def matches(pattern: str, text: str) -> bool:
    """Return whether a text fits a pattern in which only `*` means something."""
    first, *others = pattern.split("*")
    if not others:
        return text == first
    *middle, last = others
    if not text.startswith(first):
        return False
    position = len(first)
    for part in middle:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return len(text) - len(last) >= position and text.endswith(last)
