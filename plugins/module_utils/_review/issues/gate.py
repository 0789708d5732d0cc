# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A quality gate: what queries find in a project against what is allowed."""

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
    """Counts what each check finds.

    :raises BadOption: when a check names a build beside those that are compared, or says how issues are grouped, or if
        a query has a mistake that can be recognized without the server
    """

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review = task, review
        self._diff = _build_diff_term(task.params["compare"])
        self.checks: list[Fields] = []
        for place, check in enumerate(task.params["checks"]):
            add_grouping(check["query"], grouped=False, option=f"checks[{place}].query")
            _check_quotation(parse(check["query"], f"checks[{place}].query"), f"checks[{place}].query")
            if self._diff and (has_keyword(check["query"], "build") or has_keyword(check["query"], "diff")):
                raise BadOption(f"checks[{place}].query", "names no build beside 'compare', which names two")

    def verify_queries(self) -> None:
        """Verify that the queries can find issues.

        :raises BadOption: if the project has no build, or if a check contains a name that the project does not have
        """
        params = self._task.params
        known = QueryValidator(self._review, params["project"])
        if self._diff:
            known.check_builds(params["compare"])
        for place, check in enumerate(params["checks"]):
            known.check_query(check["query"], f"checks[{place}].query")
            if check["view"]:
                known.check_view(check["view"], check["query"], f"checks[{place}].view")

    def find_issues(self) -> t.Iterator[Fields]:
        """The issues that the checks find; afterwards `checks` has what came of each.

        :raises ToolchainError: when the server understands a query in part
        """
        for check in self._task.params["checks"]:
            count, first = 0, []
            for issue in self._search(check["query"], check["view"]):
                count += 1
                if count <= self._task.params["result_limit"]:
                    first.append(issue)
                yield issue
            self.checks.append(
                {
                    "title": check["title"] or check["query"],
                    "query": check["query"],
                    "allowed": check["allowed"],
                    "count": count,
                    "passed": count <= check["allowed"],
                    "issues": first,
                    "lines": [_format_line(issue) for issue in first],
                }
            )

    def compare_builds(self) -> Fields | None:
        """How many issues came and went between the two builds; `None` when none are compared."""
        if not self._diff:
            return None
        states = collections.Counter(issue["state"] for issue in self._search("state:New,Fixed"))
        return {**self._task.params["compare"], "new": states["New"], "fixed": states["Fixed"]}

    def _search(self, query: str, view: str | None = None) -> t.Iterator[Fields]:
        whole = " ".join(filter(None, (add_grouping(query, grouped=False), self._diff)))
        for issue in search_issues(self._review, self._task.params["project"], whole, _raise_warning, view):
            yield mask_secrets(issue, self._task.secrets)


def _check_quotation(terms: list[Term], option: str) -> None:
    """
    :raises BadOption: for a text without quotation marks, which can be the rest of a value with blanks
    """
    for term in terms:
        if not (term.keyword or term.is_excluded or term.values[0].is_quoted):
            raise BadOption(
                option,
                f"has the text '{term.values[0].text}' without quotation marks. Put values with blanks into them, as "
                'in status:"Not a Problem", and texts to find as well',
            )


def _build_diff_term(builds: Fields | None) -> str:
    if builds is None:
        return ""
    if builds["from"] == builds["to"]:
        raise BadOption("compare", "takes two builds: 'from' and 'to' are the same, so nothing came between them")
    return "diff:" + ",".join(f"+{quote(builds[name], f'compare.{name}')}" for name in ("from", "to"))


def _format_line(issue: Fields) -> str:
    """An issue for people, as compilers write it."""
    place = ":".join(str(part) for part in (issue["file"], issue["line"]) if part is not None)
    told = " ".join(filter(None, (issue["severity"], issue["code"], issue["message"])))
    seen_at = f"({encode_url(issue['url'] or str(issue['id']))})"
    return " ".join(filter(None, (place and f"{place}:", told, seen_at)))


def _raise_warning(warning: str) -> t.NoReturn:
    raise ToolchainError(f"{warning}. So nobody knows what the check counts.")
