# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The terms of a query for issues, and the mistakes that Klocwork answers with an empty result."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issue_query import STATES, STATUSES

_QUOTED = r""""[^"]*"|'[^']*'"""
_WORD = re.compile(rf"""(?:{_QUOTED}|[^\s"'])+""")
_TERM = re.compile(r"[-+]?(?:([A-Za-z]\w*):)?(.*)", re.DOTALL)
_VALUE = re.compile(rf"(?:{_QUOTED}|[^,])+")
_LEVELS = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_MOST_SEVERE, _LEAST_SEVERE = 1, 10


class Value(t.NamedTuple):
    """One of the alternatives of a term."""

    text: str
    is_exact: bool
    """Whether only the whole name counts, not a part of it."""
    is_quoted: bool

    def matches(self, name: str) -> bool:
        """Return whether the server finds a name by this value."""
        sought, name = self.text.casefold(), name.casefold()
        return sought == name if self.is_exact else sought in name

    def matches_any(self, names: t.Iterable[str]) -> bool:
        """Return whether the server finds one of the names by this value."""
        return any(map(self.matches, names))


class Term(t.NamedTuple):
    """A keyword and its values; the keyword of a bare text is empty."""

    keyword: str
    values: list[Value]


def parse(query: str, option: str) -> list[Term]:
    """Return the terms of a query, keywords in lower case.

    :raises BadOption: for a mistake that can be recognized without the server
    """
    if re.search("[\"']", re.sub(_QUOTED, "", query)):
        problem = "has a quotation mark without its counterpart. Put a value that contains one into the other kind"
        raise BadOption(option, problem)
    terms = [_term(word) for word in _WORD.findall(query)]
    for term in terms:
        _check(term, option)
    return terms


def _term(word: str) -> Term:
    keyword, values = _TERM.fullmatch(word).groups()  # type: ignore[union-attr]  # it matches any text
    return Term((keyword or "").lower(), [_value(text) for text in _VALUE.findall(values)])


def _value(text: str) -> Value:
    bare = text.lstrip("+")
    quoted = re.fullmatch(_QUOTED, bare)
    return Value(bare[1:-1] if quoted else bare, is_exact=bare != text, is_quoted=bool(quoted))


def _check(term: Term, option: str) -> None:
    if term.keyword and not all(value.text for value in term.values or [Value("", False, False)]):
        raise BadOption(option, f"has no value after '{term.keyword}:'. Write it without a blank, as in state:New")
    for value in term.values:
        # The default module has stars in its name
        if "*" in value.text and not value.is_quoted and term.keyword != "module":
            raise BadOption(
                option,
                f"has the wildcard '*' in '{value.text}', which Klocwork takes for a character. "
                "A value finds what contains it: code:ABV. finds ABV.GENERAL",
            )
        if not _is_possible(term.keyword, value):
            raise BadOption(option, f"takes no '{value.text}' after '{term.keyword}:'")


def _is_possible(keyword: str, value: Value) -> bool:
    if keyword == "state":
        return value.text.casefold() in map(str.casefold, STATES)
    if keyword == "status":
        return value.matches_any(STATUSES)
    if keyword == "severity" and (levels := _LEVELS.fullmatch(value.text)):
        return _MOST_SEVERE <= int(levels[1]) <= int(levels[2] or levels[1]) <= _LEAST_SEVERE
    return True
