# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a query asks of the tables.

Each table is joined once, along the way that is named first, and stays empty where there is nothing to join. Only
conditions on properties look at rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..items.tree import TRASH_REPO
from . import conditions, normalization, property_conditions
from .conditions import Comparison
from .domains import (
    DOMAINS,
    OWN_ID,
    Domain,
    Field,
    Kind,
)
from .errors import QueryError
from .field_paths import Path
from .parser import Condition, Group, Query
from .result_fields import Result

SUPPORT_BUNDLES = "jfrog-support-bundle"


@dataclass(frozen=True)
class Column:
    """A value of a row: the way to its domain, and which field it is."""

    steps: tuple[str, ...]
    domain: Domain
    field: Field


@dataclass
class Statement:
    """The SQL of a query, and what its columns are; `identified` says that the rows begin with their identity."""

    sql: str
    parameters: list[Any]
    columns: list[Column]
    identified: bool
    query: Query


@dataclass
class World:
    """What the answer depends on beside the tables: the time, the members of virtual repositories, and who asks."""

    now: float
    virtual: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ordinary_account: bool = False


def statement(query: Query, runtime: World) -> Statement:
    """The SQL of a query.

    :raises QueryError: for values and combinations that the server refuses
    :raises QueryFailure: for those that it fails over
    """
    criteria = normalization.criteria(query.criteria, runtime.now)
    result = Result(query)
    result.check(runtime.ordinary_account)
    if query.domain.name == "archives":
        raise QueryError("Failed to execute the following sql query")
    return _Compiler(query, runtime, criteria, result).statement()


@dataclass(frozen=True)
class _Rows:
    """Which rows of properties a condition is about, if not any of its own.

    `shown` means those that the result shows; `same` gathers those that all conditions of a group have to meet.
    """

    shown: bool = False
    same: dict[tuple[str, str], str] | None = None


class _Compiler:
    def __init__(self, query: Query, runtime: World, criteria: Group, result: Result) -> None:
        self._query = query
        self._runtime = runtime
        self._criteria = criteria
        self._result = result
        self._aliases: dict[str, str] = {query.domain.name: "main"}
        self._joins: list[str] = []
        self._parameters: list[Any] = []
        self._groups = 0

    def statement(self) -> Statement:
        query = self._query
        columns = [
            Column(path.steps, path.domain, path.domain.by_name[path.field or ""]) for path in self._result.paths
        ]
        shown = [self._column(column) for column in columns]
        identified = self._result.spans_domains
        if identified:
            shown.insert(0, self._identity())
        where = [*self._result_filter(), *self._criteria_sql(), *self._implicit()]
        distinct = "DISTINCT " if query.distinct and not self._is_unique(columns) else ""
        parts = [f"SELECT {distinct}{', '.join(shown)} FROM {query.domain.table} AS main", *self._joins]
        if where:
            parts.append("WHERE " + " AND ".join(where))
        if order := self._order():
            parts.append(f"ORDER BY {order}")
        if query.limit is not None or query.offset:
            parts.append(f"LIMIT {-1 if query.limit is None else query.limit} OFFSET {query.offset}")
        return Statement(" ".join(parts), self._parameters, columns, identified, query)

    # --- Joins --------------------------------------------------------------------------------------------------------

    def _reach(self, steps: tuple[str, ...]) -> str:
        """The alias of the table at the end of a way from the query's domain."""
        domain = self._query.domain
        for step in steps:
            link = domain.links[step]
            if link.domain not in self._aliases:
                alias = f"t{len(self._aliases)}"
                condition = link.condition.format(t=self._aliases[domain.name], o=alias)
                self._joins.append(f"LEFT JOIN {DOMAINS[link.domain].table} AS {alias} ON {condition}")
                self._aliases[link.domain] = alias
            domain = DOMAINS[link.domain]
        return self._aliases[domain.name]

    def _column(self, column: Column) -> str:
        return column.field.column.format(t=self._reach(column.steps))

    def _is_unique(self, columns: Iterable[Column]) -> bool:
        """Whether no two rows can be equal: of each table, columns are shown that tell its rows apart."""
        shown = {(column.domain.name, column.field.name) for column in columns}
        told_apart = {
            name
            for name in self._aliases
            if (unique := DOMAINS[name].unique) and shown.issuperset((name, field) for field in unique)
        }
        main = self._query.domain
        if self._result.spans_domains and main.identity == OWN_ID:
            told_apart.add(main.name)
        elif main.owner or main.name == "stats":  # those of one item alone are told apart by their fields
            return False
        return told_apart.issuperset(self._aliases)

    def _identity(self) -> str:
        domain = self._query.domain
        own = [domain.by_name[path.field or ""].column for path in self._result.paths if not path.steps]
        return (domain.identity or " || '/' || ".join(own)).format(t="main")

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _criteria_sql(self) -> list[str]:
        found = self._group(self._criteria, "and", _Rows())
        return [found] if found else []

    def _group(self, group: Group, joined_by: str, rows: _Rows) -> str | None:
        """The SQL of a group; `joined_by` is the operator around it."""
        if group.kind == "rf":
            return self._members(group, joined_by, replace(rows, shown=True))
        if group.kind == "msp":
            return self._same_property(group, joined_by, rows)
        return self._members(group, group.kind, rows)

    def _members(self, group: Group, joined_by: str, rows: _Rows) -> str | None:
        found = [
            self._group(member, joined_by, rows) if isinstance(member, Group) else self._condition(member, rows)
            for member in group.members
        ]
        return _joined([part for part in found if part], joined_by)

    def _condition(self, condition: Condition, rows: _Rows) -> str:
        if condition.path.is_about_property:
            return self._property(condition, rows)
        assert condition.path.field is not None
        described = condition.path.domain.by_name[condition.path.field]
        column = described.column.format(t=self._reach(condition.path.steps))
        if described.name == "repo" and condition.path.domain.name == "items":
            return self._repo(condition, described, column)
        return self._kept(conditions.compare(condition.operator, condition.value, described, column))

    def _kept(self, comparison: Comparison) -> str:
        self._parameters += comparison.parameters
        return comparison.sql

    def _repo(self, condition: Condition, described: Field, column: str) -> str:
        """A condition on a repository's key; virtual ones stand for their members."""
        operator, value = condition.operator, condition.value
        members = conditions.members_meant(operator, value, self._runtime.virtual)
        negated = operator in ("ne", "nmatch")
        wanted = [("ne" if negated else "eq", member) for member in members]
        if operator not in ("eq", "ne") or not members:
            wanted.insert(0, (operator, value))  # type: ignore[arg-type]
        parts = [self._kept(conditions.compare(*one, described, column)) for one in wanted]
        return _joined(parts, "and" if negated else "or") or ""

    # --- Conditions on properties -------------------------------------------------------------------------------------

    def _owner(self, path: Path) -> tuple[str, Domain]:
        """SQL for whose property it is, and the domain of its properties."""
        if path.domain.owner:
            if not path.steps:
                return f"main.{path.domain.owner}", path.domain
            return f"{self._reach(path.steps[:-1])}.id", path.domain
        if "property" not in path.domain.links:
            raise QueryError("Failed to execute the following sql query")
        return f"{self._reach(path.steps)}.id", DOMAINS[path.domain.links["property"].domain]

    def _property(self, condition: Condition, rows: _Rows) -> str:
        owner, domain = self._owner(condition.path)
        negated = property_conditions.is_negated(condition)
        if negated and rows.same is None:
            property_conditions.check(condition, domain)
            return self._without(condition, owner, domain)
        row = property_conditions.other_row if negated else property_conditions.row
        if rows.shown:
            steps = condition.path.steps if condition.path.domain.owner else (*condition.path.steps, "property")
            return self._kept(row(condition, domain, self._reach(steps)))
        if rows.same is not None:
            alias = rows.same.setdefault((domain.name, owner), f"same{self._groups}_{len(rows.same)}")
            return self._kept(row(condition, domain, alias))
        return self._with(condition, owner, domain)

    def _with(self, condition: Condition, owner: str, domain: Domain) -> str:
        compared = self._kept(property_conditions.row(condition, domain, "property"))
        found = f"{owner} IN (SELECT property.{domain.owner} FROM {domain.table} AS property WHERE {compared})"
        if condition.value is not None or condition.path.key is not None:
            return found
        # Nothing at all is as good as nothing in it
        none = f"SELECT 1 FROM {domain.table} AS property WHERE property.{domain.owner} = {owner}"
        return f"({found} OR NOT EXISTS ({none}))"

    def _without(self, condition: Condition, owner: str, domain: Domain) -> str:
        compared = self._kept(property_conditions.row(condition, domain, "property"))
        rows = f"SELECT 1 FROM {domain.table} AS property WHERE property.{domain.owner} = {owner}"
        return f"NOT EXISTS ({rows} AND {compared})"

    def _same_property(self, group: Group, joined_by: str, rows: _Rows) -> str | None:
        """Conditions that one and the same property has to meet; having none can meet negated ones."""
        self._groups += 1
        same: dict[tuple[str, str], str] = {}
        found = self._members(group, joined_by, replace(rows, same=same))
        joins = " ".join(
            f"LEFT JOIN {DOMAINS[name].table} AS {alias} ON {alias}.{DOMAINS[name].owner} = {owner}"
            for (name, owner), alias in same.items()
        )
        return f"EXISTS (SELECT 1 FROM (SELECT 1) {joins} WHERE {found})" if same else found

    def _result_filter(self) -> list[str]:
        """`include("@key")` shows that property alone, and only what has it."""
        parts = []
        for steps, keys in self._result.keys.items():
            parts.append(f"{self._reach(steps)}.name IN ({', '.join('?' * len(keys))})")
            self._parameters += keys
        found = _joined(parts, "or")
        return [found] if found else []

    # --- What is not said ---------------------------------------------------------------------------------------------

    def _implicit(self) -> list[str]:
        """The trash is left out, unless nothing is asked at all; and of items, folders."""
        asked = list(normalization.conditions_in(self._criteria))
        anything = not asked and not self._result.keys
        if self._query.domain.name == "properties" and not anything:
            trashed = "SELECT 1 FROM artifact_properties AS trashed WHERE trashed.item = main.item"
            return [f"NOT EXISTS ({trashed} AND trashed.name = 'trash.time')"]
        if self._query.domain.name != "items":
            return []
        about_items = [condition for condition in asked if condition.path.domain.name == "items"]
        typed = any(map(normalization.is_type, normalization.conditions_in(self._query.criteria)))
        repo_is_said = any(one.path.field == "repo" and one.operator == "eq" for one in about_items)
        everywhere = repo_is_said or (typed and anything)
        hidden = [] if everywhere else [f"main.repo <> '{repo}'" for repo in (TRASH_REPO, SUPPORT_BUNDLES)]
        return hidden + ([] if typed else ["main.folder = 0"])

    def _order(self) -> str | None:
        if self._result.spans_domains:
            return self._identity()
        direction = " DESC" if self._query.descending else ""
        parts = []
        for path in self._query.sort_by:
            described = path.domain.by_name[path.field or ""]
            column = described.column.format(t=self._reach(path.steps))
            if described.kind is Kind.TYPE:  # folders come before files
                column = f"-{column}"
            if described.nullable:  # what is not there sorts as the largest
                parts.append(f"{column} IS NULL{direction}")
            parts.append(f"{column}{direction}")
        return ", ".join(parts) or None


def _joined(parts: Sequence[str], operator: str) -> str | None:
    """The parts joined as a balanced tree: thousands in a row are deeper than the database goes."""
    if len(parts) < 2:
        return parts[0] if parts else None
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], operator)} {operator.upper()} {_joined(parts[middle:], operator)})"
