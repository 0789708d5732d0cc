# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rows of an answer have in them."""

from __future__ import annotations

from collections.abc import Iterable

from .domains import DOMAINS, Domain
from .errors import QueryError
from .field_paths import Path
from .normalization import conditions_in
from .parser import Query

WHERE_IT_LIES = {"repo", "path", "name"}


class Result:
    """The fields that a query's rows have, and the keys of properties that they are narrowed to, by ways."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._domains: dict[tuple[str, ...], Domain] = {(): query.domain}
        self._fields: dict[tuple[str, ...], list[str]] = {(): [f.name for f in query.domain.fields if f.own]}
        self._own_are_chosen = False
        self.keys: dict[tuple[str, ...], list[str]] = {}
        for path in query.includes:
            self._include(path)

    @property
    def spans_domains(self) -> bool:
        """Whether rows have parts of other domains in them."""
        return len(self._fields) > 1

    @property
    def paths(self) -> list[Path]:
        """The fields, those of the query's domain first."""
        return [
            Path(steps, self._domains[steps], field=field.name)
            for steps, names in self._fields.items()
            for field in self._domains[steps].fields
            if field.name in names
        ]

    def check(self, ordinary_account: bool) -> None:
        """Refuse what the server does not answer with.

        :raises QueryError: for fields to sort by that the rows lack, for rows that do not say where items lie, and for
            queries that cannot be passed on to other servers
        """
        if self._query.transitive and not self._can_be_passed_on():
            raise QueryError(
                "A transitive query asks for items of exactly one repository, includes nothing but fields of items and "
                "properties, and has no sort and no offset."
            )
        shown = {(path.domain.name, path.field) for path in self.paths}
        sort_by = [(path.domain.name, path.field) for path in self._query.sort_by]
        if len(set(sort_by)) < len(sort_by):
            raise QueryError("Duplicate fields, all the fields in the sort section should be unique.")
        if not shown.issuperset(sort_by):
            raise QueryError("Only the result fields are allowed to use in the sort section.")
        if self._query.domain.name != "items" or shown.issuperset(("items", name) for name in WHERE_IT_LIES):
            return
        if ordinary_account:
            raise QueryError("For permissions reasons AQL demands the following fields: repo, path and name.")
        if ("items", "virtual_repos") in shown:
            raise QueryError(
                "When including virtual_repos field, the following fields are also required: repo, path and name."
            )

    def _can_be_passed_on(self) -> bool:
        query = self._query
        about_repos = [one for one in conditions_in(query.criteria) if one.path.field == "repo"]
        domains = {path.domain.name for path in self.paths} | {one.path.domain.name for one in about_repos}
        return (
            query.domain.name == "items"
            and [one.operator for one in about_repos] == ["eq"]
            and domains <= {"items", "properties"}
            and not query.sort_by
            and not query.offset
        )

    def _include(self, path: Path) -> None:
        if path.key is not None:
            self._include_property(path)
        elif path.field is None or path.field == "*":
            there = {
                name for steps, names in self._fields.items() if self._domains[steps] is path.domain for name in names
            }
            self._add(path.steps, path.domain, (f.name for f in path.domain.fields if f.name not in there))
        else:
            if not path.steps and not self._own_are_chosen:
                self._own_are_chosen = True
                self._fields[()] = []
            self._add(path.steps, path.domain, [path.field])

    def _include_property(self, path: Path) -> None:
        steps = path.steps if path.domain.owner else (*path.steps, "property")
        domain = path.domain if path.domain.owner else DOMAINS[path.domain.links["property"].domain]
        self._add(steps, domain, ("key", "value"))
        if path.key != "*":
            self.keys.setdefault(steps, []).append(path.key or "")

    def _add(self, steps: tuple[str, ...], domain: Domain, names: Iterable[str]) -> None:
        added = list(names)
        if added:
            self._domains[steps] = domain
            self._fields.setdefault(steps, []).extend(added)
