# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer to a query: rows of tables as nested records, in the server's own text."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..protocol.formats import format_json
from .compiler import Statement
from .domains import (
    DOMAINS,
    Domain,
    Field,
    Kind,
)

Record = dict[str, Any]


class Rows:
    """The records of a statement, one after the other as its rows come.

    Rows that follow each other and look alike are one record.
    """

    def __init__(self, statement: Statement, virtual: Mapping[str, Sequence[str]]) -> None:
        self._columns = statement.columns
        self._identified = statement.identified
        self._virtual = virtual
        self._main = statement.query.domain
        self._places = _places(statement)
        self._shown = [self._spelling(column.field.kind) for column in statement.columns]
        self._members = [
            None if column.field.hidden else f"{column.domain.prefix}{column.field.name}"
            for column in statement.columns
        ]

    def records(self, rows: Iterable[Sequence[Any]]) -> Iterator[Record]:
        """The records that rows of the tables make."""
        return self._nested(rows) if self._identified else self._flat(rows)

    def _flat(self, rows: Iterable[Sequence[Any]]) -> Iterator[Record]:
        last: list[Any] | None = None
        for row in rows:
            looks = [shown(value) if shown else value for shown, value in zip(self._shown, row, strict=True)]
            if looks != last:
                named = zip(self._members, looks, strict=True)
                yield {name: value for name, value in named if name is not None and value is not None}
            last = looks

    def _nested(self, rows: Iterable[Sequence[Any]]) -> Iterator[Record]:
        """What hangs on rows that look alike is each there once."""
        last: _Part | None = None
        for row in rows:
            part = self._part(row)
            if last is not None and last.identity == part.identity:
                last.take(part)
                continue
            if last is not None:
                yield last.record()
            last = part
        if last is not None:
            yield last.record()

    def _part(self, row: Sequence[Any]) -> _Part:
        main = _Part(self._main)
        main.hidden.append(row[0])
        for column, shown, member, value in zip(self._columns, self._shown, self._members, row[1:], strict=True):
            spelling = shown(value) if shown and member else value
            for steps in self._places[column.domain.name]:
                main.at(steps).put(column.field, member, spelling)
        return main

    def _spelling(self, kind: Kind) -> Callable[[Any], Any] | None:
        if kind is Kind.VIRTUAL_REPOS:
            return lambda repo: [key for key, members in self._virtual.items() if repo in members] if repo else None
        return SPELLINGS.get(kind)


def _places(statement: Statement) -> dict[str, list[tuple[str, ...]]]:
    """Return the ways to each domain: where the same one comes twice, both rows have the fields of both."""
    places: dict[str, list[tuple[str, ...]]] = {statement.query.domain.name: [()]}
    for way in dict.fromkeys(
        column.steps[:end] for column in statement.columns for end in range(len(column.steps) + 1)
    ):
        domain = statement.query.domain
        for step in way:
            domain = DOMAINS[domain.links[step].domain]
        if way:
            places.setdefault(domain.name, []).append(way)
    return places


class _Part:
    """A record in the making: the fields of one domain, and what hangs on it; `counts` shows it even when empty."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.fields: Record = {}
        self.hidden: list[Any] = []
        self.counts = False
        self._parts: dict[str, dict[Any, _Part]] = {}

    @property
    def identity(self) -> Any:
        """What tells it from the part before it."""
        return json.dumps([self.hidden, self.fields], sort_keys=True)

    def at(self, steps: tuple[str, ...]) -> _Part:
        """The part at the end of a way, while there is just one of each."""
        if not steps:
            return self
        there = DOMAINS[self.domain.links[steps[0]].domain]
        found = self._parts.setdefault(there.member or there.name, {})
        part = found.setdefault(None, _Part(there))
        return part.at(steps[1:])

    def put(self, field: Field, member: str | None, value: Any) -> None:
        """Have a value of a field, which is hidden if it has no member."""
        if member is None:
            self.hidden.append(value)
            self.counts |= field.counts
        elif value is not None:
            self.fields[member] = value

    def take(self, other: _Part) -> None:
        """Have what hangs on another part that looks alike."""
        self._settle()
        other._settle()
        for name, parts in other._parts.items():
            mine = self._parts.setdefault(name, {})
            for identity, part in parts.items():
                if identity in mine:
                    mine[identity].take(part)
                else:
                    mine[identity] = part

    def record(self) -> Record:
        """Return the record, without parts that have nothing in them."""
        record = dict(self.fields)
        for name, parts in self._parts.items():
            records = [found for part in parts.values() if (found := part.record()) or part.counts]
            if records:
                record[name] = records
        return record

    def _settle(self) -> None:
        for name, parts in self._parts.items():
            if None in parts:
                part = parts.pop(None)
                part._settle()
                self._parts[name] = {part.identity: part}


def spelt(moment: float | None) -> str | None:
    """A time as the query language shows it: ISO 8601 in UTC, with milliseconds."""
    if moment is None:
        return None
    rounded = datetime.datetime.fromtimestamp(round(moment, 3), datetime.UTC)
    return rounded.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


SPELLINGS: dict[Kind, Callable[[Any], Any]] = {
    Kind.TYPE: lambda folder: "file" if folder == 0 else "folder",
    Kind.LONG: lambda number: number or 0,
    Kind.INTEGER: lambda number: number or 0,
    Kind.DATE: spelt,
}


def answer(records: Iterable[Record], offset: int, limit: int | None, hard_limit: int | None) -> Iterator[str]:
    """The server's text, a record at a time; beyond the hard limit it says that it was trimmed."""
    yield '\n{\n"results" : [ '
    total = 0
    trimmed = False
    for record in records:
        if hard_limit is not None and total == hard_limit:
            trimmed = True
            break
        yield ("," if total else "") + format_json(record)
        total += 1
    yield ' ],\n"range" : ' + format_json(_range(total, offset, limit, trimmed))
    yield "\n}\n"


def _range(total: int, offset: int, limit: int | None, trimmed: bool) -> Record:
    shown: Record = {"start_pos": offset, "end_pos": total, "total": total}
    if limit is not None:
        shown["limit"] = limit
    if trimmed:
        shown["notification"] = "AQL query reached the search hard limit, results are trimmed."
    return shown
