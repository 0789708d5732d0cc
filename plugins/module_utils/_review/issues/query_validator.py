# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Validation of names in search queries. Klocwork returns an empty result without a warning for unknown names."""

from __future__ import annotations

import difflib
import functools
import itertools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues import query_terms
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import (
    EXACT_BUILD_NAMES_SINCE,
    STATES,
    STATUSES,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import (
    builds,
    defect_types,
    modules,
    projects,
    views,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

_BUILD_KEYWORDS = ("build", "diff")
_ANY_BUILD = "any"
_DIFF_BUILDS = 2  # builds
# Properties of which an issue has exactly one, with their values; empty lists are read from the project
_SINGLE_VALUED: dict[str, list[str]] = {
    "code": [],
    "severity": query_terms.LEVELS,
    "state": STATES,
    "status": STATUSES,
    "taxonomy": [],
}
_MAX_SUGGESTIONS = 5


class QueryValidator:
    """Validates queries against the modules, taxonomies, defect types, builds and views of a project.

    Each list is read at most once, when it is needed.

    :raises BadOption: if the project has no build
    """

    def __init__(self, review: ReviewService, project: str) -> None:
        self._review, self._project = review, project
        self._builds = builds.list_builds(review, project)
        if not self._builds:
            raise BadOption("project", f"'{project}' has no build, so that nothing was analyzed. Load a build first")
        self._defect_types = functools.cache(lambda: defect_types.list_defect_types(review, project))
        self._names: dict[str, tuple[str, t.Callable[[], list[str]]]] = {
            "code": ("defect type", lambda: list(self._defect_types())),
            "module": (
                "module",
                functools.cache(lambda: [module["name"] for module in modules.list_modules(review, project)]),
            ),
            "taxonomy": (
                "taxonomy",
                functools.cache(lambda: [taxonomy["name"] for taxonomy in projects.list_taxonomies(review, project)]),
            ),
        }
        self._views = functools.cache(lambda: views.list_views(review, project))

    def check_query(self, query: str, option: str) -> None:
        """Validate a query.

        :raises BadOption: if the query is invalid or contains an unknown name or a disabled defect type
        """
        for term in query_terms.parse(query, option):
            if term.keyword in _BUILD_KEYWORDS:
                self._check_build_term(term, option)
            elif not term.is_excluded:  # excluding an unknown name hides no issue
                self._check_names(term, option)
        self._check_overlap([query], option)

    def check_view(self, name: str, query: str, option: str) -> None:
        """Validate the query of a view.

        :arg query: query that issues must match in addition
        :raises BadOption: if the view does not exist, or its query is invalid or excludes the other query
        """
        matches = [view for view in self._views() if view["name"] == name]
        if not matches:
            raise self._unknown_name("view", name, [view["name"] for view in self._views()], option)
        for view in matches:
            self.check_query(view["query"], option)
            self._check_overlap([query, view["query"]], option)

    def check_builds(self, compared: Fields) -> None:
        """Validate two builds to compare.

        :arg compared: names of the builds, `from` and `to`
        :raises BadOption: if a build does not exist, or the builds are in the wrong order
        """
        names = [build["name"] for build in self._builds]
        for end in ("from", "to"):
            if compared[end] not in names:
                raise self._unknown_name("build", compared[end], names, f"compare.{end}")
        if names.index(compared["from"]) < names.index(compared["to"]):
            raise BadOption("compare", f"'from' must be the earlier build, but '{compared['from']}' is the later one")

    def _check_overlap(self, queries: list[str], option: str) -> None:
        """Verify that an issue can match all queries.

        :raises BadOption: if terms exclude each other
        """
        terms = [query_terms.parse(query, option) for query in queries]
        included = {term.keyword for term in itertools.chain(*terms) if not term.is_excluded}
        for keyword in sorted(included & _SINGLE_VALUED.keys()):
            names = _SINGLE_VALUED[keyword] or self._names[keyword][1]()
            if not any(all(query_terms.may_match(part, keyword, name) for part in terms) for name in names):
                other = " and that of the view" if len(queries) > 1 else ""
                raise BadOption(
                    option, f"cannot find an issue: no {keyword} matches all '{keyword}:' terms of the query{other}"
                )

    def _check_names(self, term: query_terms.Term, option: str) -> None:
        if term.keyword == "severity":
            _check_severity_labels(term, option)
        if term.keyword in self._names:
            kind, listed = self._names[term.keyword]
            for value in term.values:
                if not value.matches_any(listed()):
                    raise self._unknown_name(kind, value.text, listed(), option)
        if term.keyword == "code":
            self._check_enabled(term, option)

    def _check_enabled(self, term: query_terms.Term, option: str) -> None:
        enabled = [code for code, defect_type in self._defect_types().items() if defect_type["enabled"]]
        for value in term.values:
            if not value.matches_any(enabled):
                raise BadOption(
                    option,
                    f"contains the defect type '{value.text}', which is disabled in project '{self._project}'. "
                    "Enable it, or remove it from the query",
                )

    def _check_build_term(self, term: query_terms.Term, option: str) -> None:
        names = {self._find_build(value, option) for value in term.values}
        if term.keyword == "diff" and len(names) != _DIFF_BUILDS:
            raise BadOption(option, "requires two different builds after 'diff:', as in diff:build_1,build_2")

    def _find_build(self, value: query_terms.Value, option: str) -> str:
        """Return the name of the build that a value matches, or `any`.

        :raises BadOption: if it matches no build
        """
        if not (value.is_exact or value.is_quoted):
            special = {_ANY_BUILD: _ANY_BUILD, "last": self._builds[0]["name"]}
            special.update((str(build["id"]), build["name"]) for build in self._builds)
            if build := special.get(value.text.casefold()):
                return build
        names = [build["name"] for build in self._builds]
        matches = [name for name in names if value.equals_any([name])]
        if (
            not matches
            and not value.is_exact
            and server.major_version(server.read_version(self._review)) < EXACT_BUILD_NAMES_SINCE
        ):
            matches = [name for name in names if value.matches(name)]
        if not matches:
            raise self._unknown_name("build", value.text, names, option)
        return matches[0]

    def _unknown_name(self, kind: str, name: str, candidates: list[str], option: str) -> BadOption:
        suggestions = (
            difflib.get_close_matches(name, candidates, _MAX_SUGGESTIONS, cutoff=0.5) or candidates[:_MAX_SUGGESTIONS]
        )
        return BadOption(
            option,
            f"contains the {kind} '{name}', which does not exist in project '{self._project}'. "
            f"Existing: {', '.join(suggestions) or 'none'}",
        )


def _check_severity_labels(term: query_terms.Term, option: str) -> None:
    for value in term.values:
        if not value.text[0].isdigit() and not value.equals_any(query_terms.SEVERITY_LABELS):
            raise BadOption(
                option, f"contains the unknown severity '{value.text}'. Use levels from 1 to 10, as in severity:1-2"
            )
