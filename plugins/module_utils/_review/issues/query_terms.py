# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parser for search queries. It refuses invalid queries to which Klocwork would respond with an empty result."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import STATES, STATUSES

_QUOTED = r""""[^"]*"|'[^']*'"""
_WORD = re.compile(rf"""(?:{_QUOTED}|[^\s"'])+""")
_TERM = re.compile(r"([-+]?)(?:([A-Za-z]\w*):)?(.*)", re.DOTALL)
_VALUE = re.compile(rf"(?:^|,)((?:{_QUOTED}|[^,])*)")
_OPERATOR = re.compile(r"and|or|not|.*[=<>&|!()].*", re.IGNORECASE)
_LEVELS = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")
_MOST_SEVERE, _LEAST_SEVERE = 1, 10
LEVELS = list(map(str, range(_MOST_SEVERE, _LEAST_SEVERE + 1)))
# Default labels, which a site can change
SEVERITY_LABELS = ["Critical", "Error", "Warning", "Review", *(f"Severity {level}" for level in range(5, 11))]
# Keywords of names, which never contain a wildcard, so that it is a mistake even in quotation marks
_NAME_KEYWORDS = ("category", "code", "file", "module", "owner", "reference", "taxonomy")


class Value(t.NamedTuple):
    """One of the alternatives of a term."""

    text: str
    is_exact: bool
    """Whether the value must match the whole name."""
    is_quoted: bool

    def matches(self, name: str) -> bool:
        """Return whether the value matches a name."""
        sought, name = self.text.casefold(), name.casefold()
        return sought == name if self.is_exact else sought in name

    def matches_any(self, names: t.Iterable[str]) -> bool:
        """Return whether the value matches one of the names."""
        return any(map(self.matches, names))

    def equals_any(self, names: t.Iterable[str]) -> bool:
        """Return whether the value equals one of the names."""
        return self._replace(is_exact=True).matches_any(names)


class Term(t.NamedTuple):
    """A keyword and its values. The keyword of a text is empty."""

    keyword: str
    values: list[Value]
    is_excluded: bool
    """Whether the term excludes the issues that it matches."""

    def matches(self, name: str) -> bool:
        """Return whether one of the values matches a name or a severity level."""
        if self.keyword != "severity":
            return any(value.matches(name) for value in self.values)
        # A site can assign a label to another level: the label may match each level, and must not exclude any
        return any(
            not self.is_excluded if _is_label(value) else int(name) in _parse_levels(value) for value in self.values
        )


def parse(query: str, option: str) -> list[Term]:
    """Return the terms of a query with keywords in lower case.

    :raises BadOption: for a mistake that can be detected without the server
    """
    if re.search("[\"']", re.sub(_QUOTED, "", query)):
        problem = "contains an unbalanced quotation mark. Quote a value that contains one with the other kind"
        raise BadOption(option, problem)
    terms = [_parse_term(word, option) for word in _WORD.findall(query)]
    for term in terms:
        for value in term.values:
            _check_value(term.keyword, value, option)
    return terms


def _parse_term(word: str, option: str) -> Term:
    sign, keyword, values = _TERM.fullmatch(word).groups()  # type: ignore[union-attr]  # it matches any text
    if not keyword:
        # C++ names can begin with two colons
        if re.match(",|:(?!:)", values):
            raise BadOption(option, f"contains a space before '{values}'. Remove it, as in state:New,Fixed")
        return Term("", [_parse_value(values)], sign == "-")
    if sign == "+":
        raise BadOption(option, f"contains a '+' before '{keyword}:'. Move it to the value, as in status:+Fix")
    return Term(keyword.lower(), [_parse_value(text) for text in _VALUE.findall(values)], sign == "-")


def _parse_value(text: str) -> Value:
    bare = text.lstrip("+")
    quoted = re.fullmatch(_QUOTED, bare)
    return Value(bare[1:-1] if quoted else bare, is_exact=bare != text, is_quoted=bool(quoted))


def _check_value(keyword: str, value: Value, option: str) -> None:
    if keyword and not value.text:
        raise BadOption(option, f"contains an empty value after '{keyword}:'. Remove the space, as in state:New,Fixed")
    wildcard = re.search("[*?]", value.text)
    # The name of the built-in module contains stars
    is_name = keyword == "module" and value.text.strip("*?")
    if wildcard and not is_name and (not value.is_quoted or keyword in _NAME_KEYWORDS):
        raise BadOption(
            option,
            f"contains the wildcard '{wildcard[0]}' in '{value.text}', which Klocwork treats as a literal character. "
            "Remove it: values match substrings, so code:ABV. finds ABV.GENERAL",
        )
    if not keyword and not value.is_quoted and _OPERATOR.fullmatch(value.text):
        raise BadOption(
            option,
            f"contains the operator '{value.text}', which Klocwork treats as a text. Separate terms that must all "
            "match by spaces, and alternatives by commas. Quote texts",
        )
    if not _is_valid(keyword, value):
        possible = {"state": STATES, "status": STATUSES}.get(keyword, ["1 to 10"])
        raise BadOption(option, f"contains the unknown {keyword} '{value.text}'. Use one of: {', '.join(possible)}")


def _is_valid(keyword: str, value: Value) -> bool:
    if keyword == "state":
        return value.equals_any(STATES)
    if keyword == "status":
        return value.matches_any(STATUSES)
    if keyword == "severity" and not _is_label(value):
        levels = _parse_levels(value)
        return bool(levels) and levels[0] >= _MOST_SEVERE and levels[-1] <= _LEAST_SEVERE
    return True


def _is_label(value: Value) -> bool:
    return not value.text[0].isdigit()


def _parse_levels(value: Value) -> range:
    """Return the severity levels of a value; none for a label."""
    levels = _LEVELS.fullmatch(value.text)
    return range(int(levels[1]), int(levels[2] or levels[1]) + 1) if levels else range(0)


def may_match(terms: t.Iterable[Term], keyword: str, name: str) -> bool:
    """Return whether the terms with a keyword allow issues with this name."""
    of_keyword = [term for term in terms if term.keyword == keyword]
    included = [term.matches(name) for term in of_keyword if not term.is_excluded]
    excluded = any(term.matches(name) for term in of_keyword if term.is_excluded)
    return (any(included) or not included) and not excluded
