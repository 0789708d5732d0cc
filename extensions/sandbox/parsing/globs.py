# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wildcard patterns, matched in linear time. Regular expressions take exponential time for some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable


class Wildcard(str):
    """A wildcard in a pattern, as a regular expression."""


ANY, IN_FOLDER = Wildcard(".*"), Wildcard("[^/]*")
ONE, ONE_IN_FOLDER = Wildcard("."), Wildcard("[^/]")
FOLDERS, BELOW = Wildcard("(?:.*/)?"), Wildcard("(?:/.*)?")
CAN_BE_EMPTY = (ANY, IN_FOLDER, FOLDERS, BELOW)
# Up to these limits, a regular expression is faster and its time is acceptable.
MAX_REGEX_WILDCARDS = 3
MAX_REGEX_TEXT = 200

# A position in a pattern: the index of a part, and whether the part has already matched some text
Position = tuple[int, bool]


class Glob:
    """A pattern of literal text and wildcards. Matching takes time proportional to the lengths of pattern and text."""

    def __init__(self, parts: Iterable[str]) -> None:
        """Create a pattern from literal texts and wildcards."""
        parts = list(parts)
        self._parts = [piece for part in parts for piece in ([part] if isinstance(part, Wildcard) else part)]
        expression = "".join(part if isinstance(part, Wildcard) else re.escape(part) for part in parts)
        self._expression = re.compile(expression, re.DOTALL)
        self._is_simple = sum(part in CAN_BE_EMPTY for part in parts) <= MAX_REGEX_WILDCARDS

    def fullmatch(self, text: str) -> bool:
        """Return whether the pattern matches all of a text."""
        if self._is_simple and len(text) <= MAX_REGEX_TEXT:
            return self._expression.fullmatch(text) is not None
        return self.match_by_positions(text)

    def match_by_positions(self, text: str) -> bool:
        """Return whether the pattern matches all of a text, without a regular expression."""
        positions = self._skip_empty({(0, False)})
        for character in text:
            positions = self._skip_empty(
                {following for position in positions for following in self._advance(position, character)}
            )
        return (len(self._parts), False) in positions

    def _skip_empty(self, positions: set[Position]) -> set[Position]:
        """Add the positions after wildcards that may match no further text."""
        reachable = set(positions)
        for index, is_within in positions:
            if is_within and self._parts[index] != BELOW:
                continue
            following = index + is_within
            reachable.add((following, False))
            while following < len(self._parts) and self._is_wildcard(following, CAN_BE_EMPTY):
                following += 1
                reachable.add((following, False))
        return reachable

    def _is_wildcard(self, index: int, wildcards: tuple[Wildcard, ...]) -> bool:
        return isinstance(self._parts[index], Wildcard) and self._parts[index] in wildcards

    def _advance(self, position: Position, character: str) -> list[Position]:
        """Return the positions after a character."""
        index, is_within = position
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
            return [] if is_slash and part == IN_FOLDER else [position]
        return [] if is_slash and part == ONE_IN_FOLDER else [following]


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches all of a text. `*` is the only wildcard."""
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
