# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that a query returns."""

from __future__ import annotations

from collections.abc import Iterable

from .domains import DOMAINS, Domain
from .errors import QueryError
from .field_paths import Path
from .normalization import iterate_conditions
from .parser import Query

LOCATION_FIELDS = {"repo", "path", "name"}


class ResultFields:
    """The returned fields and the property keys that they are limited to, by path."""

    def __init__(self, query: Query) -> None:
        """Determine the returned fields of a query."""
        self._query = query
        self._domains: dict[tuple[str, ...], Domain] = {(): query.domain}
        self._fields: dict[tuple[str, ...], list[str]] = {(): [f.name for f in query.domain.fields if f.is_default]}
        self._has_explicit_fields = False
        self.keys: dict[tuple[str, ...], list[str]] = {}
        for path in query.includes:
            self._include(path)

    @property
    def spans_domains(self) -> bool:
        """Whether the rows contain fields of several domains."""
        return len(self._fields) > 1

    @property
    def paths(self) -> list[Path]:
        """The paths of the fields, those of the query's domain first."""
        return [
            Path(steps, self._domains[steps], field=field.name)
            for steps, names in self._fields.items()
            for field in self._domains[steps].fields
            if field.name in names
        ]

    def validate(self, is_restricted: bool) -> None:
        """Fail if the server refuses to return these fields.

        :raises QueryError: if a sort field is not returned, if the fields do not locate items, or if a transitive query
            is invalid
        """
        if self._query.transitive and not self._is_valid_transitive():
            raise QueryError(
                "A transitive query asks for items of exactly one repository, includes nothing but fields of items and "
                "properties, and has no sort and no offset."
            )
        returned = {(path.domain.name, path.field) for path in self.paths}
        sort_by = [(path.domain.name, path.field) for path in self._query.sort_by]
        if len(set(sort_by)) < len(sort_by):
            raise QueryError("Duplicate fields, all the fields in the sort section should be unique.")
        if not returned.issuperset(sort_by):
            raise QueryError("Only the result fields are allowed to use in the sort section.")
        if self._query.domain.name != "items" or returned.issuperset(("items", name) for name in LOCATION_FIELDS):
            return
        if is_restricted:
            raise QueryError("For permissions reasons AQL demands the following fields: repo, path and name.")
        if ("items", "virtual_repos") in returned:
            raise QueryError(
                "When including virtual_repos field, the following fields are also required: repo, path and name."
            )

    def _is_valid_transitive(self) -> bool:
        query = self._query
        repo_conditions = [
            condition for condition in iterate_conditions(query.criteria) if condition.path.field == "repo"
        ]
        domains = {path.domain.name for path in self.paths} | {
            condition.path.domain.name for condition in repo_conditions
        }
        return (
            query.domain.name == "items"
            and [condition.operator for condition in repo_conditions] == ["eq"]
            and domains <= {"items", "properties"}
            and not query.sort_by
            and not query.offset
        )

    def _include(self, path: Path) -> None:
        if path.key is not None:
            self._include_property(path)
        elif path.field is None or path.field == "*":
            existing = {
                name for steps, names in self._fields.items() if self._domains[steps] is path.domain for name in names
            }
            missing = {name for domain, name in self._query.missing_fields if domain == path.domain.name}
            self._add(path.steps, path.domain, (f.name for f in path.domain.fields if f.name not in existing | missing))
        else:
            if not path.steps and not self._has_explicit_fields:
                self._has_explicit_fields = True
                self._fields[()] = []
            self._add(path.steps, path.domain, [path.field])

    def _include_property(self, path: Path) -> None:
        steps = path.steps if path.domain.owner else (*path.steps, "property")
        domain = path.domain if path.domain.owner else DOMAINS[path.domain.links["property"].domain]
        self._add(steps, domain, ("key", "value"))
        if path.key != "*":
            self.keys.setdefault(steps, []).append(path.key or "")

    def _add(self, steps: tuple[str, ...], domain: Domain, names: Iterable[str]) -> None:
        name_list = list(names)
        if name_list:
            self._domains[steps] = domain
            self._fields.setdefault(steps, []).extend(name_list)
