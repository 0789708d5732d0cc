# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AQL parser.

AQL resembles JSON, but members may repeat and strings have no escapes. The parser also reproduces how the real server
treats blanks and letter case.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from . import field_paths
from .dialects import Dialect
from .domains import DOMAINS, Domain
from .errors import QueryError, QueryFailure
from .field_paths import Path, UnknownName

BLANKS = " \t\r\n\f\v"
NUMBER_PATTERN = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?|NaN|Infinity)")
# Matches the longest domain name that precedes a dot.
DOMAIN_PATTERN = re.compile(
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
ACTIONS = {"items": "delete", "properties": "update"}  # by domain
UPDATED_FIELDS = ("key", "value", "item.repo", "item.path", "item.name")
MAX_COUNT = 2**31 - 1
Parsed = TypeVar("Parsed")


@dataclass(frozen=True)
class Condition:
    """A comparison of a field with a value. The value is a string regardless of the field's type, or null."""

    path: Path
    operator: str
    value: str | None


@dataclass(frozen=True)
class Group:
    """Conditions and groups combined by `and`, `or`, `msp` or `rf`."""

    kind: str
    members: tuple[Condition | Group, ...]


@dataclass
class Query:
    """A parsed query."""

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
    action: Action | None = None
    missing_fields: frozenset[tuple[str, str]] = frozenset()


@dataclass
class Action:
    """What a query does to its rows: it deletes the items, or sets the properties with certain keys to a value.

    :ivar is_trial: whether the server only lists the rows
    """

    name: str
    keys: tuple[str, ...] = ()
    new_value: str = ""
    is_trial: bool = True


def parse(text: str, dialect: Dialect | None = None) -> Query:
    """Parse a query in the dialect of a version, by default of the latest one.

    :raises QueryError: if the query is invalid
    :raises QueryFailure: if the real server fails on it
    """
    return _Parser(text, dialect or Dialect()).query()


class QuotedValue(NamedTuple):
    """A value in quotation marks."""

    text: str


class BareValue(NamedTuple):
    """A number as written, or null."""

    text: str | None


class _SyntaxError(Exception):
    """The query has a syntax error at the current position."""


class _Parser:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._position = 0
        self._furthest = 0

    def query(self) -> Query:
        if self._text.strip(BLANKS) in DOMAINS:
            raise QueryFailure
        try:
            return self._parse_query()
        except (_SyntaxError, RecursionError):
            rest = self._text[self._furthest :].strip()
            raise QueryError(
                f"{self._dialect.verb} to parse query: {self._text}, it looks like there is syntax error near the"
                f" following sub-query: {rest}"
            ) from None

    # --- Methods ------------------------------------------------------------------------------------------------------

    def _parse_query(self) -> Query:
        if self._text.startswith(" "):
            raise _SyntaxError
        query = Query(self._text, self._parse_domain(), missing_fields=self._dialect.missing_fields)
        if self._dialect.has_actions and self._parse_action(query):
            return query
        has_find = False
        if self._accept_method("find"):
            has_find = True
            query.criteria = self._parse_criteria(query.domain)
        methods = ("include", "sort", "offset", "limit", "distinct", "transitive")
        for method in methods if self._dialect.has_transitive else methods[:-1]:
            if self._accept_method(method):
                getattr(self, f"_{method}")(query)
        self._require_end()
        if not self._dialect.permits_limit(query.limit):
            raise QueryError("Failed to execute the following sql query")
        if not has_find:
            raise QueryError("No action was given in this query.")
        return query

    def _require_end(self) -> None:
        self._skip_blanks()
        if self._position < len(self._text):
            raise _SyntaxError

    def _parse_action(self, query: Query) -> bool:
        """Parse a query that acts, if it is one. By default, it is a trial."""
        name = ACTIONS.get(query.domain.name, "")
        if not name or not self._accept_method(name):
            return False
        query.criteria = self._parse_criteria(query.domain)
        query.action = Action(name)
        if name == "update":
            self._expect(".")
            self._expect("keys")
            self._expect("(")
            query.action.keys = tuple(self._parse_list(self._parse_quoted, ")"))
            self._expect(".")
            self._expect("newValue")
            self._expect("(")
            query.action.new_value = self._parse_quoted()
            self._expect(")")
            query.includes = [field_paths.resolve_in_include(query.domain, name) for name in UPDATED_FIELDS]
        if self._accept_method("dryRun"):
            query.action.is_trial = self._parse_quoted().lower() == "true"
            self._expect(")")
        self._require_end()
        return True

    def _parse_quoted(self) -> str:
        value = self._parse_value()
        if not isinstance(value, QuotedValue):
            raise _SyntaxError
        return value.text

    def _parse_domain(self) -> Domain:
        """Parse the domain. Blanks around its dots are permitted."""
        self._skip_blanks()
        match = DOMAIN_PATTERN.match(self._text, self._position)
        name = re.sub(f"[{BLANKS}]", "", match[1]) if match else ""
        if match is None or name in self._dialect.missing_domains:
            raise _SyntaxError
        self._advance(len(match[1]))
        return DOMAINS[name]

    def _accept_method(self, name: str) -> bool:
        start = self._position
        if self._accept(".") and self._accept(name) and self._accept("("):
            return True
        self._position = start
        return False

    def _parse_criteria(self, domain: Domain) -> Group:
        if self._accept(")"):
            return Group("and", ())
        return Group("and", tuple(chain.from_iterable(self._parse_list(lambda: self._parse_pairs(domain), ")"))))

    def _include(self, query: Query) -> None:
        query.includes = self._parse_list(lambda: self._parse_name(field_paths.resolve_in_include, query.domain), ")")

    def _sort(self, query: Query) -> None:
        self._expect("{")
        query.descending = self._parse_name(_parse_direction) == "desc"
        self._expect(":")
        self._expect("[")
        query.sort_by = self._parse_list(lambda: self._parse_name(field_paths.resolve_in_sort, query.domain), "]")
        self._expect("}")
        self._expect(")")

    def _offset(self, query: Query) -> None:
        query.offset = self._parse_count()

    def _limit(self, query: Query) -> None:
        query.limit = self._parse_count()

    def _distinct(self, query: Query) -> None:
        query.distinct = self._parse_word("true", "false") == "true"

    def _transitive(self, query: Query) -> None:
        query.transitive = True
        self._expect(")")

    def _parse_count(self) -> int:
        self._skip_blanks()
        number = self._parse_number()
        if number is None:
            raise _SyntaxError
        self._expect(")")
        return int(max(-MAX_COUNT - 1, min(float(number.rstrip("dDfF")), MAX_COUNT)))

    def _parse_word(self, *keywords: str) -> str:
        for word in keywords:
            if self._accept(word):
                self._expect(")")
                return word
        raise _SyntaxError

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _parse_pairs(self, domain: Domain) -> list[Condition | Group]:
        self._expect("{")
        return self._parse_list(lambda: self._parse_pair(domain), "}")

    def _parse_pair(self, domain: Domain) -> Condition | Group:
        target = self._parse_name(_group_or_path, domain)
        self._expect(":")
        if isinstance(target, str):
            self._expect("[")
            return Group(target, tuple(chain.from_iterable(self._parse_list(lambda: self._parse_pairs(domain), "]"))))
        if self._accept("{"):
            condition = self._parse_comparison(target)
            self._expect("}")
            return condition
        if target.key is not None and self._peek() != '"':
            raise _SyntaxError
        value = self._parse_value()
        return Condition(target, "eq", value.text)

    def _parse_comparison(self, path: Path) -> Condition:
        has_ages = path.key is None and self._dialect.has_ages
        operator = self._parse_name(_parse_operator if has_ages else _parse_comparator)
        self._expect(":")
        if operator in AGES and self._peek() != '"':
            raise _SyntaxError
        return Condition(path, operator, self._parse_value().text)

    def _parse_value(self) -> QuotedValue | BareValue:
        if self._accept('"'):
            text = self._text[self._position : self._find_closing_quote()]
            self._advance(len(text) + 1)
            return QuotedValue(text.lstrip())
        start = self._furthest
        null = next((null for null in ("null", "NULL") if self._accept(null)), None)
        number = None if null else self._parse_number()
        if not (null or number) or self._text[self._position : self._position + 1] == ",":
            self._furthest = self._furthest if self._dialect.reads_numbers else start
            raise _SyntaxError
        return BareValue(number)

    def _parse_number(self) -> str | None:
        match = NUMBER_PATTERN.match(self._text, self._position)
        if match is None:
            return None
        self._advance(len(match[0]))
        return match[0]

    # --- Tokens -------------------------------------------------------------------------------------------------------

    def _parse_list(self, element: Callable[[], Parsed], end: str) -> list[Parsed]:
        elements = [element()]
        while self._accept(","):
            elements.append(element())
        self._expect(end)
        return elements

    def _parse_name(self, parse_text: Callable[..., Parsed], *arguments: Domain) -> Parsed:
        """Parse a quoted name with `parse_text`. Leading blanks are ignored, trailing ones only outside of keys."""
        self._expect('"')
        name = self._text[self._position : self._find_closing_quote()]
        try:
            parsed = parse_text(*arguments, name.lstrip())
        except UnknownName as unknown:
            self._advance(len(name) - len(name.lstrip()) + unknown.known_length)
            raise _SyntaxError from None
        if isinstance(parsed, Path) and self._lacks(parsed):
            self._advance(name.rfind(".") + 1)
            raise _SyntaxError
        self._advance(len(name) + 1)
        return parsed

    def _lacks(self, path: Path) -> bool:
        """Return whether the version lacks the field or the domain of a path."""
        is_missing = (path.domain.name, path.field) in self._dialect.missing_fields
        return is_missing or path.domain.name in self._dialect.missing_domains

    def _find_closing_quote(self) -> int:
        end = self._text.find('"', self._position)
        if end < 0:
            raise _SyntaxError
        return end

    def _expect(self, word: str) -> None:
        if not self._accept(word):
            raise _SyntaxError

    def _accept(self, word: str) -> bool:
        self._skip_blanks()
        if not self._text.startswith(word, self._position):
            return False
        self._advance(len(word))
        return True

    def _peek(self) -> str:
        self._skip_blanks()
        return self._text[self._position : self._position + 1]

    def _advance(self, length: int) -> None:
        self._position += length
        self._furthest = max(self._furthest, self._position)

    def _skip_blanks(self) -> None:
        while self._position < len(self._text) and self._text[self._position] in BLANKS:
            self._position += 1


def _group_or_path(domain: Domain, name: str) -> str | Path:
    if name.startswith("$") and name[1:].rstrip() in GROUPS:
        return name[1:].rstrip()
    return field_paths.resolve_in_condition(domain, name)


def _parse_operator(name: str) -> str:
    return _parse_keyword(name, COMPARATORS, AGES)


def _parse_comparator(name: str) -> str:
    return _parse_keyword(name, COMPARATORS, ())


def _parse_direction(name: str) -> str:
    return _parse_keyword(name, (), DIRECTIONS)


def _parse_keyword(name: str, keywords: tuple[str, ...], exact_keywords: tuple[str, ...]) -> str:
    """Parse a keyword with a dollar sign. The real server fails on other spellings of `exact_keywords`."""
    name = name.rstrip()
    word = name[1:].lower()
    if not name.startswith("$") or word not in keywords + exact_keywords:
        prefixes = [f"${keyword}" for keyword in keywords + exact_keywords]
        raise UnknownName(max((len(prefix) for prefix in prefixes if name.lower().startswith(prefix)), default=0))
    if word in exact_keywords and name[1:] != word:
        raise QueryFailure
    return word
