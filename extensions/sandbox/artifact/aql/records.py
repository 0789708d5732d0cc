# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of database rows into response records, and the text of the response."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..protocol.formats import format_json
from .compiler import Statement
from .domains import DOMAINS, Domain, Field, Kind

Record = dict[str, Any]


class RecordConverter:
    """Converts the rows of a statement into records. Adjacent rows that are equal become one record."""

    def __init__(self, statement: Statement, virtual: Mapping[str, Sequence[str]]) -> None:
        """Create the converter."""
        self._columns = statement.columns
        self._has_identity = statement.has_identity
        self._virtual = virtual
        self._main = statement.query.domain
        self._paths = _find_paths(statement)
        self._formatters = [self._formatter(column.field.kind) for column in statement.columns]
        self._members = [
            None if column.field.hidden else f"{column.domain.prefix}{column.field.name}"
            for column in statement.columns
        ]

    def convert(self, rows: Iterable[Sequence[Any]]) -> Iterator[Record]:
        """Yield the records for the rows."""
        return self._iterate_nested(rows) if self._has_identity else self._iterate_flat(rows)

    def _iterate_flat(self, rows: Iterable[Sequence[Any]]) -> Iterator[Record]:
        previous: list[Any] | None = None
        for row in rows:
            values = [
                formatter(value) if formatter else value for formatter, value in zip(self._formatters, row, strict=True)
            ]
            if values != previous:
                members = zip(self._members, values, strict=True)
                yield {name: value for name, value in members if name is not None and value is not None}
            previous = values

    def _iterate_nested(self, rows: Iterable[Sequence[Any]]) -> Iterator[Record]:
        """Yield nested records. Objects that belong to equal rows are merged."""
        previous: _RecordBuilder | None = None
        for row in rows:
            builder = self._build(row)
            if previous is not None and previous.identity == builder.identity:
                previous.merge(builder)
                continue
            if previous is not None:
                yield previous.record()
            previous = builder
        if previous is not None:
            yield previous.record()

    def _build(self, row: Sequence[Any]) -> _RecordBuilder:
        main = _RecordBuilder(self._main)
        main.hidden.append(row[0])
        for column, formatter, member, value in zip(
            self._columns, self._formatters, self._members, row[1:], strict=True
        ):
            formatted = formatter(value) if formatter and member else value
            for steps in self._paths[column.domain.name]:
                main.descend(steps).set_field(column.field, member, formatted)
        return main

    def _formatter(self, kind: Kind) -> Callable[[Any], Any] | None:
        if kind is Kind.VIRTUAL_REPOS:
            return lambda repo: [key for key, members in self._virtual.items() if repo in members] if repo else None
        return FORMATTERS.get(kind)


def _find_paths(statement: Statement) -> dict[str, list[tuple[str, ...]]]:
    """Return the paths to each domain. If a domain occurs twice, both occurrences get the fields of both."""
    paths: dict[str, list[tuple[str, ...]]] = {statement.query.domain.name: [()]}
    for path in dict.fromkeys(
        column.steps[:end] for column in statement.columns for end in range(len(column.steps) + 1)
    ):
        domain = statement.query.domain
        for step in path:
            domain = DOMAINS[domain.links[step].domain]
        if path:
            paths.setdefault(domain.name, []).append(path)
    return paths


class _RecordBuilder:
    """A record under construction: the fields of one domain and its nested objects.

    If `counts` is set, the record is kept even if it is empty.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.fields: Record = {}
        self.hidden: list[Any] = []
        self.counts = False
        self._parts: dict[str, dict[Any, _RecordBuilder]] = {}

    @property
    def identity(self) -> Any:
        """The key by which adjacent records are compared."""
        return json.dumps([self.hidden, self.fields], sort_keys=True)

    def descend(self, steps: tuple[str, ...]) -> _RecordBuilder:
        """Return the nested builder at the end of a path."""
        if not steps:
            return self
        domain = DOMAINS[self.domain.links[steps[0]].domain]
        builders = self._parts.setdefault(domain.member or domain.name, {})
        builder = builders.setdefault(None, _RecordBuilder(domain))
        return builder.descend(steps[1:])

    def set_field(self, field: Field, member: str | None, value: Any) -> None:
        """Set a field. Fields without a member name are hidden."""
        if member is None:
            self.hidden.append(value)
            self.counts |= field.counts
        elif value is not None:
            self.fields[member] = value

    def merge(self, other: _RecordBuilder) -> None:
        """Merge the nested objects of an equal record."""
        self.settle()
        other.settle()
        for name, builders in other._parts.items():
            own_builders = self._parts.setdefault(name, {})
            for identity, builder in builders.items():
                if identity in own_builders:
                    own_builders[identity].merge(builder)
                else:
                    own_builders[identity] = builder

    def record(self) -> Record:
        """Return the record without empty nested objects."""
        record = dict(self.fields)
        for name, builders in self._parts.items():
            records = [nested for builder in builders.values() if (nested := builder.record()) or builder.counts]
            if records:
                record[name] = records
        return record

    def settle(self) -> None:
        for name, builders in self._parts.items():
            if None in builders:
                builder = builders.pop(None)
                builder.settle()
                self._parts[name] = {builder.identity: builder}


def format_time(timestamp: float | None) -> str | None:
    """Return a time in ISO 8601 and UTC with milliseconds."""
    if timestamp is None:
        return None
    rounded = datetime.datetime.fromtimestamp(round(timestamp, 3), datetime.UTC)
    return rounded.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


FORMATTERS: dict[Kind, Callable[[Any], Any]] = {
    Kind.TYPE: lambda folder: "file" if folder == 0 else "folder",
    Kind.LONG: lambda number: number or 0,
    Kind.INTEGER: lambda number: number or 0,
    Kind.DATE: format_time,
}


def format_response(records: Iterable[Record], offset: int, limit: int | None, hard_limit: int | None) -> Iterator[str]:
    """Yield the text of the response in parts, with a notification if the hard limit is reached."""
    yield '\n{\n"results" : [ '
    total = 0
    is_trimmed = False
    for record in records:
        if hard_limit is not None and total == hard_limit:
            is_trimmed = True
            break
        yield ("," if total else "") + format_json(record)
        total += 1
    yield ' ],\n"range" : ' + format_json(_format_range(total, offset, limit, is_trimmed))
    yield "\n}\n"


def _format_range(total: int, offset: int, limit: int | None, is_trimmed: bool) -> Record:
    fields: Record = {"start_pos": offset, "end_pos": total, "total": total}
    if limit is not None:
        fields["limit"] = limit
    if is_trimmed:
        fields["notification"] = "AQL query reached the search hard limit, results are trimmed."
    return fields
