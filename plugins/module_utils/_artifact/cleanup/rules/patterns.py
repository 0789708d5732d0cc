# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Patterns of repositories, folders and names, with `*` for any text, including slashes, and `?` for one character."""

from __future__ import annotations

import re
import typing as t

PATTERN: dict[str, t.Any] = dict(
    not_empty=True, one_line=True, matches=('[^"]*', "a pattern without double quotes, with * and ?")
)


class Patterns:
    """Patterns of which a text must match one, and patterns of which it must match none.

    :arg included: if empty, every text matches
    """

    def __init__(self, included: t.Sequence[str] | None, excluded: t.Sequence[str] | None) -> None:
        self.included, self.excluded = list(included or ()), list(excluded or ())
        self._included = _compile(self.included) if included else None
        self._excluded = _compile(excluded) if excluded else None

    def match(self, text: str) -> bool:
        if self._included and not self._included.fullmatch(text):
            return False
        return not (self._excluded and self._excluded.fullmatch(text))


def has_wildcard(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def _compile(patterns: t.Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, patterns)), re.DOTALL)


def _expression(pattern: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in pattern)
