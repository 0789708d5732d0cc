# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SQL conditions for the terms of a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..api.actions import STATUSES
from ..api.protocol import ActionError
from .query import BARE_WORD, Term, Value

STATES = ("New", "Existing", "Fixed")
SEVERITIES = ("Critical", "Error", "Warning", "Review", *(f"Severity {code}" for code in range(5, 11)))

_TEXT_COLUMNS = ("category", "code", "file", "owner", "reference")
# It is not known whether the real server supports these keywords.
_UNCONFIRMED_COLUMNS = {"message": "message", "method": "method", "taxonomy": "taxonomy", "title": "title"}
_FULL_TEXT_COLUMNS = ("method", "file", "comment", "code", "message", "owner", "bug_id")
# The limit of SQLite for the depth of expressions. That of the real server is not known.
MAX_VALUES = 900
# Longer numbers may exceed the integer type of SQLite.
_MAX_DIGITS = 19
_IGNORED_KEYWORDS = ("build", "diff", "grouping", "module")


class Condition(NamedTuple):
    """An SQL condition with the values of its placeholders."""

    sql: str
    arguments: Sequence[object] = ()


NEVER = Condition("0")

Conditions = Iterator[Condition]
ConditionFactory = Callable[[Value], Condition]


class ConditionBuilder:
    """Builds conditions from terms. `warnings` lists terms that are unknown or invalid.

    :arg extended_keywords: whether to support keywords that the real server may not have
    :arg module: function that returns the condition for the name of a module
    """

    def __init__(self, extended_keywords: bool, module: ConditionFactory) -> None:
        """Create a builder without warnings."""
        self.warnings: list[str] = []
        self._factories: dict[str, ConditionFactory] = {
            BARE_WORD: _match_full_text,
            **{name: _match_column(name) for name in _TEXT_COLUMNS},
            "bugid": lambda value: Condition("bug_id = ?", (value.text,)),
            "module": module,
            "severity": self._match_severity,
            "state": self._match_choice("state", STATES),
            "status": self._match_status,
        }
        if extended_keywords:
            self._factories.update({name: _match_column(column) for name, column in _UNCONFIRMED_COLUMNS.items()})
            self._factories["id"] = self._match_id

    def build(self, terms: Iterable[Term]) -> Conditions:
        """Yield conditions that must all be true. The values of one keyword are alternatives.

        :raises ActionError: if the query has too many values
        """
        alternatives: dict[str, list[Condition]] = {}
        values = 0
        for term in terms:
            values += len(term.values)
            if values > MAX_VALUES:
                raise ActionError(400, f"The query has more than {MAX_VALUES} values")
            factory = self._factories.get(term.keyword)
            if factory is None:
                self._warn_unknown(term.keyword)
            elif not any(value.text for value in term.values):
                self.warnings.append(f"Keyword without a value: {term.keyword}")
            elif term.keyword == BARE_WORD or term.excluded:
                condition = join_or(map(factory, term.values))
                yield Condition(f"NOT {condition.sql}", condition.arguments) if term.excluded else condition
            else:
                alternatives.setdefault(term.keyword, []).extend(map(factory, term.values))
        yield from map(join_or, alternatives.values())

    def _warn_unknown(self, keyword: str) -> None:
        if keyword not in _IGNORED_KEYWORDS:
            self.warnings.append(f"Unknown keyword: {keyword}")

    def _reject_value(self, keyword: str, value: Value) -> Condition:
        self.warnings.append(f"Invalid value for keyword {keyword}: {value.text}")
        return NEVER

    def _match_id(self, value: Value) -> Condition:
        if not value.text.isdecimal():
            return self._reject_value("id", value)
        return Condition("id = ?", (int(value.text),)) if len(value.text) < _MAX_DIGITS else NEVER

    def _match_severity(self, value: Value) -> Condition:
        """Match a level, a range of levels, or a label."""
        labels = [label.lower() for label in SEVERITIES]
        if value.text.lower() in labels:
            return Condition("severity = ?", (labels.index(value.text.lower()) + 1,))
        levels = re.fullmatch("([0-9]{1,2})(?:-([0-9]{1,2}))?", value.text)
        if levels is None or int(levels[1]) > int(levels[2] or levels[1]):
            return self._reject_value("severity", value)
        if not levels[2]:
            return Condition("severity = ?", (int(levels[1]),))
        # The unary plus prevents the use of the index on severity, which would require a sort by ID.
        return Condition("+severity BETWEEN ? AND ?", (int(levels[1]), int(levels[2])))

    def _match_status(self, value: Value) -> Condition:
        """Match statuses by their names, so that the index is used."""
        text = value.text.lower()
        matching = [name for name in STATUSES if text == name.lower() or (not value.exact and text in name.lower())]
        if not matching:
            return self._reject_value("status", value)
        return Condition(f"status IN ({', '.join('?' * len(matching))})", matching)

    def _match_choice(self, keyword: str, names: Sequence[str]) -> ConditionFactory:
        names_by_text = {name.lower(): name for name in names}

        def condition(value: Value) -> Condition:
            name = names_by_text.get(value.text.lower())
            return Condition(f"{keyword} = ?", (name,)) if name else self._reject_value(keyword, value)

        return condition


def join_or(conditions: Iterable[Condition]) -> Condition:
    """Return a condition that is true if any of the conditions is true."""
    alternatives = list(conditions) or [NEVER]
    return Condition(
        f"({' OR '.join(condition.sql for condition in alternatives)})",
        [argument for condition in alternatives for argument in condition.arguments],
    )


def text_condition(column: str, value: Value) -> Condition:
    """Return the condition that a column contains a value or, if it is exact, equals it. Case is ignored."""
    if value.exact:
        return Condition(f"lower({column}) = lower(?)", (value.text,))
    return Condition(f"instr(lower({column}), lower(?)) > 0", (value.text,))


def _match_column(column: str) -> ConditionFactory:
    return lambda value: text_condition(column, value)


def _match_full_text(value: Value) -> Condition:
    return join_or(text_condition(column, value) for column in _FULL_TEXT_COLUMNS)
