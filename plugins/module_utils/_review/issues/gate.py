# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The quality gate: issue counts of queries compared with their limits."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import (
    add_grouping,
    has_keyword,
    quote,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query_terms import Term, parse
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query_validator import QueryValidator
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.sarif import encode_url
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.search import search_issues
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, mask_secrets


class Gate:
    """Counts the issues of each check.

    :raises BadOption: if a query is invalid, states the grouping, or contains a build although two builds are compared
    """

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review = task, review
        self._diff = _build_diff_term(task.params["compare"])
        self.checks: list[Fields] = []
        for index, check in enumerate(task.params["checks"]):
            add_grouping(check["query"], grouped=False, option=f"checks[{index}].query")
            _check_quotation(parse(check["query"], f"checks[{index}].query"), f"checks[{index}].query")
            if self._diff and (has_keyword(check["query"], "build") or has_keyword(check["query"], "diff")):
                raise BadOption(f"checks[{index}].query", "must not contain a build if 'compare' is set")

    def verify_queries(self) -> None:
        """Verify that the queries can find issues.

        :raises BadOption: if the project has no build, or if a check contains an unknown name
        """
        params = self._task.params
        validator = QueryValidator(self._review, params["project"])
        if self._diff:
            validator.check_builds(params["compare"])
        for index, check in enumerate(params["checks"]):
            validator.check_query(check["query"], f"checks[{index}].query")
            if check["view"]:
                validator.check_view(check["view"], check["query"], f"checks[{index}].view")

    def find_issues(self) -> t.Iterator[Fields]:
        """Yield the issues of all checks. Afterwards, `checks` contains the results.

        :raises ToolchainError: if the server returns a warning about a query
        """
        for check in self._task.params["checks"]:
            count, first_issues = 0, []
            for issue in self._search(check["query"], check["view"]):
                count += 1
                if count <= self._task.params["result_limit"]:
                    first_issues.append(issue)
                yield issue
            self.checks.append(
                {
                    "title": check["title"] or check["query"],
                    "query": check["query"],
                    "allowed": check["allowed"],
                    "count": count,
                    "passed": count <= check["allowed"],
                    "issues": first_issues,
                    "lines": [_format_line(issue) for issue in first_issues],
                }
            )

    def compare_builds(self) -> Fields | None:
        """Return the numbers of new and fixed issues between the two builds; `None` without `compare`."""
        if not self._diff:
            return None
        states = collections.Counter(issue["state"] for issue in self._search("state:New,Fixed"))
        return {**self._task.params["compare"], "new": states["New"], "fixed": states["Fixed"]}

    def _search(self, query: str, view: str | None = None) -> t.Iterator[Fields]:
        full_query = " ".join(filter(None, (add_grouping(query, grouped=False), self._diff)))
        for issue in search_issues(self._review, self._task.params["project"], full_query, _raise_warning, view):
            yield mask_secrets(issue, self._task.secrets)


def _check_quotation(terms: list[Term], option: str) -> None:
    """Refuse texts without quotation marks, which can be the rest of a value with spaces.

    :raises BadOption: for such a text
    """
    for term in terms:
        if not (term.keyword or term.is_excluded or term.values[0].is_quoted):
            raise BadOption(
                option,
                f"contains the text '{term.values[0].text}' without quotation marks. Quote texts and values with "
                'spaces, as in status:"Not a Problem"',
            )


def _build_diff_term(builds: Fields | None) -> str:
    if builds is None:
        return ""
    if builds["from"] == builds["to"]:
        raise BadOption("compare", "'from' and 'to' must be different builds")
    return "diff:" + ",".join(f"+{quote(builds[name], f'compare.{name}')}" for name in ("from", "to"))


def _format_line(issue: Fields) -> str:
    """Return an issue as a line of text in the style of compilers."""
    location = ":".join(str(part) for part in (issue["file"], issue["line"]) if part is not None)
    details = " ".join(filter(None, (issue["severity"], issue["code"], issue["message"])))
    url = f"({encode_url(issue['url'] or str(issue['id']))})"
    return " ".join(filter(None, (location and f"{location}:", details, url)))


def _raise_warning(warning: str) -> t.NoReturn:
    raise ToolchainError(f"{warning}. The result of the check would be unreliable. Correct the query.")
