# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Patterns of repositories, folders and names: `*` is any run of characters, also of slashes, `?` is any one."""

from __future__ import annotations

import re
import typing as t

PATTERN: dict[str, t.Any] = dict(
    not_empty=True, one_line=True, matches=('[^"]*', "a pattern without double quotes, with * and ?")
)


class Patterns:
    """What has to match one of some patterns, and none of others.

    :arg wanted: without any, everything matches
    """

    def __init__(self, wanted: t.Sequence[str] | None, unwanted: t.Sequence[str] | None) -> None:
        self.wanted, self.unwanted = list(wanted or ()), list(unwanted or ())
        self._wanted = _compiled(self.wanted) if wanted else None
        self._unwanted = _compiled(unwanted) if unwanted else None

    def match(self, text: str) -> bool:
        if self._wanted and not self._wanted.fullmatch(text):
            return False
        return not (self._unwanted and self._unwanted.fullmatch(text))


def has_wildcard(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def _compiled(patterns: t.Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, patterns)), re.DOTALL)


def _expression(pattern: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in pattern)
