# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The query language for issues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

BARE_WORD = ""  # keyword of a word without keyword

_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\S)+""")
_PREFIX = re.compile(r"(-?)(?:([A-Za-z]\w*):)?")
_VALUE = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")
_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)


class Value(NamedTuple):
    """One of the alternative values of a term."""

    text: str
    exact: bool = False
    quoted: bool = False


class Term(NamedTuple):
    """A term `keyword:value,value`, or a bare word with the keyword `BARE_WORD`."""

    keyword: str
    values: tuple[Value, ...]
    excluded: bool


def parse_query(text: str) -> Iterator[Term]:
    """Yield the terms of a query, with keywords in lower case."""
    for word in _WORD.findall(text):
        _empty, excluded, keyword, values = _PREFIX.split(word, maxsplit=1)
        texts = _VALUE.findall(values) if keyword else [values]
        yield Term((keyword or BARE_WORD).lower(), tuple(_parse_value(value) for value in texts), bool(excluded))


def _parse_value(text: str) -> Value:
    exact = text.startswith("+")
    text = text[exact:]
    quoted = _QUOTED.fullmatch(text)
    return Value(quoted[2] if quoted else text, exact, bool(quoted))
