# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The terms of a query as conditions in SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from .catalogue import STATUSES
from .protocol import ActionError
from .query import TEXT, Term, Value

STATES = ("New", "Existing", "Fixed")
SEVERITIES = ("Critical", "Error", "Warning", "Review", *(f"Severity {code}" for code in range(5, 11)))

_TEXTS = ("category", "code", "file", "owner", "reference")
# Whether the real server has these is not known
_MORE_TEXTS = {"message": "message", "method": "method", "taxonomy": "taxonomy", "title": "title"}
_FULL_TEXT = ("method", "file", "comment", "code", "message", "owner", "bug_id")
# The database takes no longer conditions. How many values the real server takes is not known.
MOST_VALUES = 900
# For a number that the database takes
_TOO_LONG = 19
_ELSEWHERE = ("build", "diff", "grouping", "module")


class Condition(NamedTuple):
    """A condition of a row, and what its question marks stand for."""

    sql: str
    arguments: Sequence[object] = ()


NEVER = Condition("0")

Conditions = Iterator[Condition]
OfValue = Callable[[Value], Condition]


class Reader:
    """Makes conditions of terms, and notes what it cannot make any of.

    :arg more_keywords: know also the keywords of which it is not known whether the server has them
    :arg module: the condition for a module's name
    """

    def __init__(self, more_keywords: bool, module: OfValue) -> None:
        self.warnings: list[str] = []
        self._known: dict[str, OfValue] = {
            TEXT: _full_text,
            **{name: _text_of(name) for name in _TEXTS},
            "bugid": lambda value: Condition("bug_id = ?", (value.text,)),
            "module": module,
            "severity": self._severity,
            "state": self._one_of("state", STATES),
            "status": self._status,
        }
        if more_keywords:
            self._known.update({name: _text_of(column) for name, column in _MORE_TEXTS.items()})
            self._known["id"] = self._id

    def conditions(self, terms: Iterable[Term]) -> Conditions:
        """All that must hold: of one keyword's values any, and none of the excluded ones."""
        wanted: dict[str, list[Condition]] = {}
        values = 0
        for term in terms:
            values += len(term.values)
            if values > MOST_VALUES:
                raise ActionError(400, f"The query has more than {MOST_VALUES} values")
            find = self._known.get(term.keyword)
            if find is None:
                self._note_unknown(term.keyword)
            elif not any(value.text for value in term.values):
                self.warnings.append(f"Keyword without a value: {term.keyword}")
            elif term.keyword == TEXT or term.excluded:
                found = either(map(find, term.values))
                yield Condition(f"NOT {found.sql}", found.arguments) if term.excluded else found
            else:
                wanted.setdefault(term.keyword, []).extend(map(find, term.values))
        yield from map(either, wanted.values())

    def _note_unknown(self, keyword: str) -> None:
        if keyword not in _ELSEWHERE:
            self.warnings.append(f"Unknown keyword: {keyword}")

    def _bad(self, keyword: str, value: Value) -> Condition:
        self.warnings.append(f"Invalid value for keyword {keyword}: {value.text}")
        return NEVER

    def _id(self, value: Value) -> Condition:
        if not value.text.isdecimal():
            return self._bad("id", value)
        return Condition("id = ?", (int(value.text),)) if len(value.text) < _TOO_LONG else NEVER

    def _severity(self, value: Value) -> Condition:
        """A level, a range of them, or a label."""
        labels = [label.lower() for label in SEVERITIES]
        if value.text.lower() in labels:
            return Condition("severity = ?", (labels.index(value.text.lower()) + 1,))
        levels = re.fullmatch("([0-9]{1,2})(?:-([0-9]{1,2}))?", value.text)
        if levels is None or int(levels[1]) > int(levels[2] or levels[1]):
            return self._bad("severity", value)
        if not levels[2]:
            return Condition("severity = ?", (int(levels[1]),))
        # Without its index, in which those of a range are not in the order of their ids
        return Condition("+severity BETWEEN ? AND ?", (int(levels[1]), int(levels[2])))

    def _status(self, value: Value) -> Condition:
        """Written out as names, for which there is an index."""
        sought = value.text.lower()
        found = [name for name in STATUSES if sought == name.lower() or (not value.exact and sought in name.lower())]
        if not found:
            return self._bad("status", value)
        return Condition(f"status IN ({', '.join('?' * len(found))})", found)

    def _one_of(self, keyword: str, names: Sequence[str]) -> OfValue:
        known = {name.lower(): name for name in names}

        def condition(value: Value) -> Condition:
            name = known.get(value.text.lower())
            return Condition(f"{keyword} = ?", (name,)) if name else self._bad(keyword, value)

        return condition


def either(conditions: Iterable[Condition]) -> Condition:
    """Any of them."""
    found = list(conditions) or [NEVER]
    return Condition(
        f"({' OR '.join(condition.sql for condition in found)})",
        [argument for condition in found for argument in condition.arguments],
    )


def text_condition(column: str, value: Value) -> Condition:
    """A text has the value in it, or is just that; capitals do not count."""
    if value.exact:
        return Condition(f"lower({column}) = lower(?)", (value.text,))
    return Condition(f"instr(lower({column}), lower(?)) > 0", (value.text,))


def _text_of(column: str) -> OfValue:
    return lambda value: text_condition(column, value)


def _full_text(value: Value) -> Condition:
    return either(text_condition(column, value) for column in _FULL_TEXT)
