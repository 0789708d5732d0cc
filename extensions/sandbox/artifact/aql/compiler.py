# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiler of AQL queries to SQL.

Each table is joined once, along the path that is named first, with a left join. Only conditions on properties use
subqueries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..items.tree import TRASH_REPO
from . import conditions, normalization, property_conditions
from .conditions import Comparison
from .domains import DOMAINS, OWN_ID, Domain, Field, Kind
from .errors import QueryError
from .field_paths import Path
from .parser import Condition, Group, Query
from .result_fields import ResultFields

SUPPORT_BUNDLES = "jfrog-support-bundle"


@dataclass(frozen=True)
class Column:
    """A column of the result: the path to its domain, and the field."""

    steps: tuple[str, ...]
    domain: Domain
    field: Field


@dataclass
class Statement:
    """The SQL of a query and its columns. If `has_identity` is set, each row begins with its identity."""

    sql: str
    parameters: list[Any]
    columns: list[Column]
    has_identity: bool
    query: Query


@dataclass
class QueryContext:
    """The time, the members of virtual repositories, and whether the caller lacks administrator permissions."""

    now: float
    virtual: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_restricted: bool = False


def compile_query(query: Query, context: QueryContext) -> Statement:
    """Compile a query.

    :raises QueryError: if the real server refuses a value or a combination
    :raises QueryFailure: if the real server fails
    """
    criteria = normalization.normalize(query.criteria, context.now)
    result_fields = ResultFields(query)
    result_fields.validate(context.is_restricted)
    if query.domain.name == "archives":
        raise QueryError("Failed to execute the following sql query")
    return _Compiler(query, context, criteria, result_fields).compile()


@dataclass(frozen=True)
class _PropertyRows:
    """The rows of properties that a condition refers to.

    If `is_returned` is set, these are the rows that the query returns. `same` maps domain and owner to the alias of
    the row that all conditions of a group refer to. Otherwise, each condition uses its own subquery.
    """

    is_returned: bool = False
    same: dict[tuple[str, str], str] | None = None


class _Compiler:
    """Builds the SQL of one query: joins, conditions and parameters, in the order of the SQL."""

    def __init__(self, query: Query, context: QueryContext, criteria: Group, result: ResultFields) -> None:
        """Create a compiler for normalized criteria."""
        self._query = query
        self._context = context
        self._criteria = criteria
        self._result = result
        self._aliases: dict[str, str] = {query.domain.name: "main"}
        self._joins: list[str] = []
        self._parameters: list[Any] = []
        self._groups = 0

    def compile(self) -> Statement:
        """Return the statement."""
        query = self._query
        columns = [
            Column(path.steps, path.domain, path.domain.by_name[path.field or ""]) for path in self._result.paths
        ]
        expressions = [self._column_sql(column) for column in columns]
        has_identity = self._result.spans_domains
        if has_identity:
            expressions.insert(0, self._identity_sql())
        filters = [*self._result_filter(), *self._criteria_sql(), *self._implicit_conditions()]
        distinct = "DISTINCT " if query.distinct and not self._is_unique(columns) else ""
        parts = [f"SELECT {distinct}{', '.join(expressions)} FROM {query.domain.table} AS main", *self._joins]
        if filters:
            parts.append("WHERE " + " AND ".join(filters))
        if sort_order := self._order_by():
            parts.append(f"ORDER BY {sort_order}")
        if query.limit is not None or query.offset:
            parts.append(f"LIMIT {-1 if query.limit is None else query.limit} OFFSET {query.offset}")
        return Statement(" ".join(parts), self._parameters, columns, has_identity, query)

    # --- Joins --------------------------------------------------------------------------------------------------------

    def _join_path(self, steps: tuple[str, ...]) -> str:
        """Return the alias of the table at the end of a path, which is joined if necessary."""
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

    def _column_sql(self, column: Column) -> str:
        return column.field.column.format(t=self._join_path(column.steps))

    def _is_unique(self, columns: Iterable[Column]) -> bool:
        """Return whether rows cannot be equal because the columns identify the rows of each table."""
        returned = {(column.domain.name, column.field.name) for column in columns}
        identified_tables = {
            name
            for name in self._aliases
            if (unique := DOMAINS[name].unique) and returned.issuperset((name, field) for field in unique)
        }
        main = self._query.domain
        if self._result.spans_domains and main.identity == OWN_ID:
            identified_tables.add(main.name)
        elif main.owner or main.name == "stats":  # their fields identify rows only within one item
            return False
        return identified_tables.issuperset(self._aliases)

    def _identity_sql(self) -> str:
        domain = self._query.domain
        own_columns = [domain.by_name[path.field or ""].column for path in self._result.paths if not path.steps]
        return (domain.identity or " || '/' || ".join(own_columns)).format(t="main")

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _criteria_sql(self) -> list[str]:
        filter_sql = self._compile_group(self._criteria, "and", _PropertyRows())
        return [filter_sql] if filter_sql else []

    def _compile_group(self, group: Group, joined_by: str, rows: _PropertyRows) -> str | None:
        """Return the SQL of a group; `joined_by` is the operator of the enclosing group."""
        if group.kind == "rf":
            return self._compile_members(group, joined_by, replace(rows, is_returned=True))
        if group.kind == "msp":
            return self._compile_same_property(group, joined_by, rows)
        return self._compile_members(group, group.kind, rows)

    def _compile_members(self, group: Group, joined_by: str, rows: _PropertyRows) -> str | None:
        parts = [
            self._compile_group(member, joined_by, rows)
            if isinstance(member, Group)
            else self._compile_condition(member, rows)
            for member in group.members
        ]
        return _join_balanced([part for part in parts if part], joined_by)

    def _compile_condition(self, condition: Condition, rows: _PropertyRows) -> str:
        if condition.path.is_about_property:
            return self._compile_property(condition, rows)
        assert condition.path.field is not None
        field = condition.path.domain.by_name[condition.path.field]
        column = field.column.format(t=self._join_path(condition.path.steps))
        if field.name == "repo" and condition.path.domain.name == "items":
            return self._compile_repo(condition, field, column)
        return self._add_parameters(conditions.compare_field(condition.operator, condition.value, field, column))

    def _add_parameters(self, comparison: Comparison) -> str:
        self._parameters += comparison.parameters
        return comparison.sql

    def _compile_repo(self, condition: Condition, field: Field, column: str) -> str:
        """Return a condition on a repository key. Virtual repositories stand for their members."""
        operator, value = condition.operator, condition.value
        members = conditions.select_members(operator, value, self._context.virtual)
        negated = operator in ("ne", "nmatch")
        comparisons = [("ne" if negated else "eq", member) for member in members]
        if operator not in ("eq", "ne") or not members:
            comparisons.insert(0, (operator, value))  # type: ignore[arg-type]
        parts = [
            self._add_parameters(conditions.compare_field(*comparison, field, column)) for comparison in comparisons
        ]
        return _join_balanced(parts, "and" if negated else "or") or ""

    # --- Conditions on properties -------------------------------------------------------------------------------------

    def _resolve_owner(self, path: Path) -> tuple[str, Domain]:
        """Return the SQL for the id of the owner, and the domain of its properties."""
        if path.domain.owner:
            if not path.steps:
                return f"main.{path.domain.owner}", path.domain
            return f"{self._join_path(path.steps[:-1])}.id", path.domain
        if "property" not in path.domain.links:
            raise QueryError("Failed to execute the following sql query")
        return f"{self._join_path(path.steps)}.id", DOMAINS[path.domain.links["property"].domain]

    def _compile_property(self, condition: Condition, rows: _PropertyRows) -> str:
        owner, domain = self._resolve_owner(condition.path)
        negated = property_conditions.is_negated(condition)
        if negated and rows.same is None:
            property_conditions.validate(condition, domain)
            return self._lacks_property(condition, owner, domain)
        row = property_conditions.compile_negated_row if negated else property_conditions.compile_row
        if rows.is_returned:
            steps = condition.path.steps if condition.path.domain.owner else (*condition.path.steps, "property")
            return self._add_parameters(row(condition, domain, self._join_path(steps)))
        if rows.same is not None:
            alias = rows.same.setdefault((domain.name, owner), f"same{self._groups}_{len(rows.same)}")
            return self._add_parameters(row(condition, domain, alias))
        return self._has_property(condition, owner, domain)

    def _has_property(self, condition: Condition, owner: str, domain: Domain) -> str:
        compared = self._add_parameters(property_conditions.compile_row(condition, domain, "property"))
        matching = f"{owner} IN (SELECT property.{domain.owner} FROM {domain.table} AS property WHERE {compared})"
        if condition.value is not None or condition.path.key is not None:
            return matching
        # An item without properties matches null.
        subquery = f"SELECT 1 FROM {domain.table} AS property WHERE property.{domain.owner} = {owner}"
        return f"({matching} OR NOT EXISTS ({subquery}))"

    def _lacks_property(self, condition: Condition, owner: str, domain: Domain) -> str:
        compared = self._add_parameters(property_conditions.compile_row(condition, domain, "property"))
        rows = f"SELECT 1 FROM {domain.table} AS property WHERE property.{domain.owner} = {owner}"
        return f"NOT EXISTS ({rows} AND {compared})"

    def _compile_same_property(self, group: Group, joined_by: str, rows: _PropertyRows) -> str | None:
        """Return conditions that one property must satisfy. A missing property satisfies negated conditions."""
        self._groups += 1
        same: dict[tuple[str, str], str] = {}
        matching = self._compile_members(group, joined_by, replace(rows, same=same))
        joins = " ".join(
            f"LEFT JOIN {DOMAINS[name].table} AS {alias} ON {alias}.{DOMAINS[name].owner} = {owner}"
            for (name, owner), alias in same.items()
        )
        return f"EXISTS (SELECT 1 FROM (SELECT 1) {joins} WHERE {matching})" if same else matching

    def _result_filter(self) -> list[str]:
        """Return the condition of `include("@key")`, which limits the result to items with this property."""
        parts = []
        for steps, keys in self._result.keys.items():
            parts.append(f"{self._join_path(steps)}.name IN ({', '.join('?' * len(keys))})")
            self._parameters += keys
        filter_sql = _join_balanced(parts, "or")
        return [filter_sql] if filter_sql else []

    # --- Implicit conditions and order --------------------------------------------------------------------------------

    def _implicit_conditions(self) -> list[str]:
        """Return the conditions that exclude the trash can and, for items, folders."""
        all_conditions = list(normalization.iterate_conditions(self._criteria))
        is_unconditional = not all_conditions and not self._result.keys
        if self._query.domain.name == "properties" and not is_unconditional:
            trash_query = "SELECT 1 FROM artifact_properties AS trashed WHERE trashed.item = main.item"
            return [f"NOT EXISTS ({trash_query} AND trashed.name = 'trash.time')"]
        if self._query.domain.name != "items":
            return []
        item_conditions = [condition for condition in all_conditions if condition.path.domain.name == "items"]
        has_type_condition = any(
            map(normalization.is_type_condition, normalization.iterate_conditions(self._query.criteria))
        )
        has_repo_condition = any(
            condition.path.field == "repo" and condition.operator == "eq" for condition in item_conditions
        )
        includes_trash = has_repo_condition or (has_type_condition and is_unconditional)
        exclusions = [] if includes_trash else [f"main.repo <> '{repo}'" for repo in (TRASH_REPO, SUPPORT_BUNDLES)]
        return exclusions + ([] if has_type_condition else ["main.folder = 0"])

    def _order_by(self) -> str | None:
        if self._result.spans_domains:
            return self._identity_sql()
        direction = " DESC" if self._query.descending else ""
        parts = []
        for path in self._query.sort_by:
            field = path.domain.by_name[path.field or ""]
            column = field.column.format(t=self._join_path(path.steps))
            if field.kind is Kind.TYPE:  # folders precede files
                column = f"-{column}"
            if field.nullable:  # null sorts as the largest value
                parts.append(f"{column} IS NULL{direction}")
            parts.append(f"{column}{direction}")
        return ", ".join(parts) or None


def _join_balanced(parts: Sequence[str], operator: str) -> str | None:
    """Join conditions as a balanced tree, because SQLite limits the depth of expressions."""
    if len(parts) < 2:
        return parts[0] if parts else None
    middle = len(parts) // 2
    return f"({_join_balanced(parts[:middle], operator)} {operator.upper()} {_join_balanced(parts[middle:], operator)})"
