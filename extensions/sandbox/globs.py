# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns in which `*` stands for anything, without regular expressions, which take very long for some of them."""

from __future__ import annotations

import functools
import re

_TOKEN = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
_CAN_BE_EMPTY = ("**/", "**", "*")


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


def matches_path(pattern: str, path: str) -> bool:
    """Return whether a path fits a pattern.

    `**` stands for anything, `**/` for any folders, `*` for anything without a slash, `?` for one such character.
    """
    tokens = _tokens(pattern)
    # Where the pattern can be: before the token at the place, or within folders that it stands for.
    places = _with_empty(tokens, {(0, False)})
    for character in path:
        places = _with_empty(tokens, {after for place in places for after in _after(tokens, place, character)})
    return (len(tokens), False) in places


@functools.lru_cache(maxsize=1024)
def _tokens(pattern: str) -> list[str]:
    return _TOKEN.findall(pattern)


def _with_empty(tokens: list[str], places: set[tuple[int, bool]]) -> set[tuple[int, bool]]:
    """Add the places behind tokens that stand for nothing."""
    found = set(places)
    for place, is_within in places:
        while not is_within and place < len(tokens) and tokens[place] in _CAN_BE_EMPTY:
            place += 1
            found.add((place, False))
    return found


def _after(tokens: list[str], place: tuple[int, bool], character: str) -> list[tuple[int, bool]]:
    """Return the places to which a character leads."""
    index, _is_within = place
    if index == len(tokens):
        return []
    token, following = tokens[index], (index + 1, False)
    if token == "**/":
        return [(index, True), following] if character == "/" else [(index, True)]
    if token == "**":
        return [(index, False)]
    if token == "*":
        return [] if character == "/" else [(index, False)]
    return [following] if (character != "/" if token == "?" else character == token) else []
