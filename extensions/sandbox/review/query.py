# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The query language of issues: terms, read from a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

TEXT = ""  # the keyword of a bare word

_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\S)+""")
_BEGINNING = re.compile(r"(-?)(?:([A-Za-z]\w*):)?")
_VALUE = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")
_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)


class Value(NamedTuple):
    """One of the alternatives of a term."""

    text: str
    exact: bool = False
    quoted: bool = False


class Term(NamedTuple):
    """`keyword:a,b`, or a bare word, which has the keyword `TEXT`."""

    keyword: str
    values: tuple[Value, ...]
    excluded: bool


def terms_of(text: str) -> Iterator[Term]:
    """The terms of a query; keywords in small letters."""
    for word in _WORD.findall(text):
        _before, excluded, keyword, values = _BEGINNING.split(word, maxsplit=1)
        found = _VALUE.findall(values) if keyword else [values]
        yield Term((keyword or TEXT).lower(), tuple(_value(value) for value in found), bool(excluded))


def _value(text: str) -> Value:
    exact = text.startswith("+")
    text = text[exact:]
    quoted = _QUOTED.fullmatch(text)
    return Value(quoted[2] if quoted else text, exact, bool(quoted))
