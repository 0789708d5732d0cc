# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a query, read.

It looks like JSON, but is none: members may repeat, texts know no escapes, and several of the server's own habits with
blanks and letter case are part of the language.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from . import field_paths
from .domains import DOMAINS, Domain
from .errors import QueryError, QueryFailure
from .field_paths import Path, UnknownName

BLANKS = " \t\r\n\f\v"
NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?|NaN|Infinity)")
# The longest domain that a dot follows
DOMAIN = re.compile(
    "({})[{blanks}]*[.]".format(
        "|".join(
            f"[{BLANKS}]*[.][{BLANKS}]*".join(map(re.escape, name.split(".")))
            for name in sorted(DOMAINS, key=len, reverse=True)
        ),
        blanks=BLANKS,
    )
)
COMPARATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "match", "nmatch", "eqic", "matchic")
AGES = ("last", "before")
GROUPS = ("and", "or", "msp", "rf")
DIRECTIONS = ("asc", "desc")
LARGEST = 2**31 - 1
Read = TypeVar("Read")


@dataclass(frozen=True)
class Condition:
    """A field compared with a value, which is a text whatever the field holds, or null."""

    path: Path
    operator: str
    value: str | None


@dataclass(frozen=True)
class Group:
    """Conditions and groups that belong together: `and`, `or`, `msp` or `rf`."""

    kind: str
    members: tuple[Condition | Group, ...]


@dataclass
class Query:
    """A whole query."""

    text: str
    domain: Domain
    criteria: Group = Group("and", ())
    includes: list[Path] = field(default_factory=list)
    sort_by: list[Path] = field(default_factory=list)
    descending: bool = False
    offset: int = 0
    limit: int | None = None
    distinct: bool = True
    transitive: bool = False


def read(text: str) -> Query:
    """The query that a text is.

    :raises QueryError: when it is none
    :raises QueryFailure: when the server fails over it
    """
    return _Reader(text).query()


class Quoted(NamedTuple):
    """A value in quotation marks."""

    text: str


class Bare(NamedTuple):
    """A number as it is written, or null."""

    text: str | None


class _NoQuery(Exception):
    """The text goes on otherwise than a query can."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._furthest = 0

    def query(self) -> Query:
        if self._text.strip(BLANKS) in DOMAINS:
            raise QueryFailure
        try:
            return self._query()
        except (_NoQuery, RecursionError):
            rest = self._text[self._furthest :].strip()
            raise QueryError(
                f"Failed to parse query: {self._text}, it looks like there is syntax error near the following "
                f"sub-query: {rest}"
            ) from None

    # --- The parts of a query -----------------------------------------------------------------------------------------

    def _query(self) -> Query:
        if self._text.startswith(" "):
            raise _NoQuery
        query = Query(self._text, self._domain())
        found = False
        if self._method("find"):
            found = True
            query.criteria = self._criteria(query.domain)
        for method in ("include", "sort", "offset", "limit", "distinct", "transitive"):
            if self._method(method):
                getattr(self, f"_{method}")(query)
        self._blanks()
        if self._at < len(self._text):
            raise _NoQuery
        if not found:
            raise QueryError("No action was given in this query.")
        return query

    def _domain(self) -> Domain:
        """The domain, whose words may have blanks around their dots."""
        self._blanks()
        found = DOMAIN.match(self._text, self._at)
        if found is None:
            raise _NoQuery
        self._step(len(found[1]))
        return DOMAINS[re.sub(f"[{BLANKS}]", "", found[1])]

    def _method(self, name: str) -> bool:
        start = self._at
        if self._takes(".") and self._takes(name) and self._takes("("):
            return True
        self._at = start
        return False

    def _criteria(self, domain: Domain) -> Group:
        if self._takes(")"):
            return Group("and", ())
        return Group("and", tuple(chain.from_iterable(self._list(lambda: self._pairs(domain), ")"))))

    def _include(self, query: Query) -> None:
        query.includes = self._list(lambda: self._name(field_paths.in_include, query.domain), ")")

    def _sort(self, query: Query) -> None:
        self._expect("{")
        query.descending = self._name(_direction) == "desc"
        self._expect(":")
        self._expect("[")
        query.sort_by = self._list(lambda: self._name(field_paths.in_sort, query.domain), "]")
        self._expect("}")
        self._expect(")")

    def _offset(self, query: Query) -> None:
        query.offset = self._count()

    def _limit(self, query: Query) -> None:
        query.limit = self._count()

    def _distinct(self, query: Query) -> None:
        query.distinct = self._word("true", "false") == "true"

    def _transitive(self, query: Query) -> None:
        query.transitive = True
        self._expect(")")

    def _count(self) -> int:
        self._blanks()
        number = self._number()
        if number is None:
            raise _NoQuery
        self._expect(")")
        return int(max(-LARGEST - 1, min(float(number.rstrip("dDfF")), LARGEST)))

    def _word(self, *words: str) -> str:
        for word in words:
            if self._takes(word):
                self._expect(")")
                return word
        raise _NoQuery

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _pairs(self, domain: Domain) -> list[Condition | Group]:
        self._expect("{")
        return self._list(lambda: self._pair(domain), "}")

    def _pair(self, domain: Domain) -> Condition | Group:
        found = self._name(_group_or_path, domain)
        self._expect(":")
        if isinstance(found, str):
            self._expect("[")
            return Group(found, tuple(chain.from_iterable(self._list(lambda: self._pairs(domain), "]"))))
        if self._takes("{"):
            condition = self._compared(found)
            self._expect("}")
            return condition
        if found.key is not None and self._peek() != '"':
            raise _NoQuery
        value = self._value()
        return Condition(found, "eq", value.text)

    def _compared(self, path: Path) -> Condition:
        operator = self._name(_operator if path.key is None else _comparator)
        self._expect(":")
        if operator in AGES and self._peek() != '"':
            raise _NoQuery
        return Condition(path, operator, self._value().text)

    def _value(self) -> Quoted | Bare:
        if self._takes('"'):
            text = self._text[self._at : self._closing_quote()]
            self._step(len(text) + 1)
            return Quoted(text.lstrip())
        null = next((null for null in ("null", "NULL") if self._takes(null)), None)
        number = None if null else self._number()
        if not (null or number) or self._text[self._at : self._at + 1] == ",":
            raise _NoQuery
        return Bare(number)

    def _number(self) -> str | None:
        found = NUMBER.match(self._text, self._at)
        if found is None:
            return None
        self._step(len(found[0]))
        return found[0]

    # --- Words --------------------------------------------------------------------------------------------------------

    def _list(self, element: Callable[[], Read], end: str) -> list[Read]:
        elements = [element()]
        while self._takes(","):
            elements.append(element())
        self._expect(end)
        return elements

    def _name(self, meaning: Callable[..., Read], *of: Domain) -> Read:
        """What a name in quotation marks means; blanks before it do not count, nor behind it unless it is a key."""
        self._expect('"')
        name = self._text[self._at : self._closing_quote()]
        try:
            meant = meaning(*of, name.lstrip())
        except UnknownName as unknown:
            self._step(len(name) - len(name.lstrip()) + unknown.known)
            raise _NoQuery from None
        self._step(len(name) + 1)
        return meant

    def _closing_quote(self) -> int:
        end = self._text.find('"', self._at)
        if end < 0:
            raise _NoQuery
        return end

    def _expect(self, word: str) -> None:
        if not self._takes(word):
            raise _NoQuery

    def _takes(self, word: str) -> bool:
        self._blanks()
        if not self._text.startswith(word, self._at):
            return False
        self._step(len(word))
        return True

    def _peek(self) -> str:
        self._blanks()
        return self._text[self._at : self._at + 1]

    def _step(self, length: int) -> None:
        self._at += length
        self._furthest = max(self._furthest, self._at)

    def _blanks(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in BLANKS:
            self._at += 1


def _group_or_path(domain: Domain, name: str) -> str | Path:
    if name.startswith("$") and name[1:].rstrip() in GROUPS:
        return name[1:].rstrip()
    return field_paths.in_condition(domain, name)


def _operator(name: str) -> str:
    return _keyword(name, COMPARATORS, AGES)


def _comparator(name: str) -> str:
    return _keyword(name, COMPARATORS, ())


def _direction(name: str) -> str:
    return _keyword(name, (), DIRECTIONS)


def _keyword(name: str, words: tuple[str, ...], exact_words: tuple[str, ...]) -> str:
    """What stands behind a dollar sign; with other letters of some words the server fails over it."""
    name = name.rstrip()
    word = name[1:].lower()
    if not name.startswith("$") or word not in words + exact_words:
        known = [known for known in words + exact_words if name.lower().startswith(f"${known}")]
        raise UnknownName(max((len(known) + 1 for known in known), default=0))
    if word in exact_words and name[1:] != word:
        raise QueryFailure
    return word
