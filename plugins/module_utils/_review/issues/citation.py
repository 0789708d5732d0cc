# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Citations of Klocwork issues: changes of their status, owner or comment."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access.permission_check import (
    UNOWNED,
    PermissionCheck,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import add_grouping, has_keyword
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query_terms import parse
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.search import (
    read_details,
    search_issues,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# IDs of issues by the index of their rule and their current status
IssueGroups = dict[tuple[int, str], list[str]]

CITATION_FIELDS = ("status", "owner", "comment")

_COMPARED_FIELDS = ("status", "owner")
_ALL_ISSUES = add_grouping("build:any state:New,Existing,Fixed", grouped=False)
_BATCH_SIZE = 500
_NOT_AUTHENTICATED, _FORBIDDEN = 401, 403
_MAX_LISTED_IDS = 10
# For more issues, one search through all issues of the project is faster
_MAX_SINGLE_READS = 20


class Rule(t.NamedTuple):
    """A selection of issues, by a query or by IDs, with the desired values."""

    title: str
    query: str | None
    ids: t.Sequence[int]
    current_values: dict[str, list[str]]
    """Accepted current values of `status` and `owner`. Issues with other values are not changed."""
    desired: Fields

    @property
    def compared(self) -> Fields:
        """The desired values to compare. A comment is compared only if neither status nor owner is set."""
        return {field: value for field, value in self.desired.items() if field in _COMPARED_FIELDS} or self.desired

    def selects(self, issue: Fields) -> bool:
        """Return whether the current values of an issue allow the rule to change it."""
        return all(issue[field] in values for field, values in self.current_values.items())


def parse_rules(params: Fields) -> list[Rule]:
    """Return the rules of a task. A task without `rules` has one rule.

    :raises BadOption: if a query is invalid, states the grouping, or selects by a value that the task changes
    """
    if params["rules"] is None:
        add_grouping(params["query"] or "", grouped=False)
        parse(params["query"] or "", "query")
        return [_parse_rule(params)]
    for rule_index, rule in enumerate(params["rules"]):
        add_grouping(rule["query"], grouped=False, option=f"rules[{rule_index}].query")
        parse(rule["query"], f"rules[{rule_index}].query")
        for keyword in _COMPARED_FIELDS:
            if has_keyword(rule["query"], keyword):
                raise BadOption(
                    f"rules[{rule_index}].query",
                    f"must not contain '{keyword}:', which this task changes. Use 'from_{keyword}' instead",
                )
    return [_parse_rule({"ids": None, **rule}) for rule in params["rules"]]


def _parse_rule(params: Fields) -> Rule:
    return Rule(
        title=params.get("title") or params["query"] or "ids",
        query=params["query"],
        ids=params["ids"] or (),
        current_values={
            field: params[f"from_{field}"] for field in _COMPARED_FIELDS if params[f"from_{field}"] is not None
        },
        desired={field: params[field] for field in CITATION_FIELDS if params[field] is not None},
    )


class _Refusal(t.NamedTuple):
    """Issues that cannot be changed."""

    rule_index: int
    """Index of the rule."""
    ids: list[str]
    reason: str


class Citation:
    """Changes the issues that differ from the desired values.

    :arg rules: rules in order of priority; the first one that finds an issue applies to it
    """

    def __init__(self, task: Task, review: ReviewService, rules: list[Rule]) -> None:
        self._task, self._review, self._project = task, review, task.params["project"]
        self._rules = rules
        self._rule_indexes: dict[int, int] = {}
        self._current: Fields = {}
        self._changed_ids: list[int] = []
        self._permissions = PermissionCheck(review, self._project)

    def read(self) -> Fields:
        """Return the issues by ID (a string). The first call searches them by the rules, later calls read them again.

        :raises ToolchainError: if an issue does not exist
        """
        issues = {} if self._rule_indexes else self._search_rules()
        # Search results may lack comments
        comment_only = {
            issue_id
            for issue_id, rule_index in self._rule_indexes.items()
            if "comment" in self._rules[rule_index].compared
        }
        missing_ids = self._rule_indexes.keys() - issues.keys() - comment_only
        if len(missing_ids) > _MAX_SINGLE_READS:
            issues.update(self._search(_ALL_ISSUES, self._task.warn, missing_ids))
        for issue_id in self._rule_indexes:
            if issue_id in comment_only or issue_id not in issues:
                issues[issue_id] = self._read_issue(issue_id)
        self._current = {str(issue_id): issues[issue_id] for issue_id in self._rule_indexes}
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the desired values of the issues that the rules select, and add the rules to the result."""
        desired: Fields = {}
        counts: collections.Counter[int] = collections.Counter()
        changed_ids: dict[int, list[int]] = collections.defaultdict(list)
        for issue_id, rule_index in self._rule_indexes.items():
            issue, rule = (before or {})[str(issue_id)], self._rules[rule_index]
            counts[rule_index] += 1
            if rule.selects(issue):
                desired[str(issue_id)] = rule.compared
                if find_differences(issue, rule.compared):
                    changed_ids[rule_index].append(issue_id)
        self._changed_ids = [issue_id for ids in changed_ids.values() for issue_id in ids]
        self._task.result["rules"] = [
            {"title": rule.title, "count": counts[rule_index], "changed_ids": changed_ids[rule_index]}
            for rule_index, rule in enumerate(self._rules)
        ]
        return desired

    def predict_refusals(self) -> None:
        """Raise an error if the server would refuse a change.

        :raises ToolchainError: with the refused changes
        """
        refusals, accepted = self._split_by_owner(self._changed_ids)
        for (rule_index, status), ids in accepted.items():
            new = self._rules[rule_index].desired.get("status", status)
            if not self._permissions.allows_citation(status, new):
                refusals.append(_Refusal(rule_index, ids, self._suggest_role(status, new)))
        if refusals:
            self._task.changed = sum(len(refusal.ids) for refusal in refusals) < len(self._changed_ids)
            raise ToolchainError(self._summarize(refusals, len(self._changed_ids)))

    def write(self, changes: Fields) -> None:
        """Change the issues that differ, in batches of the same rule and current status.

        :raises ServerRefusal: after all batches, if the server refused some of the changes
        """
        refusals, accepted = self._split_by_owner(map(int, changes))
        error = None
        for (rule_index, status), ids in accepted.items():
            for start in range(0, len(ids), _BATCH_SIZE):
                self._task.report_progress(f"changing {len(changes):,} issues")
                batch = ids[start : start + _BATCH_SIZE]
                try:
                    self._cite(batch, status, self._rules[rule_index].desired)
                except ServerRefusal as refusal:
                    if refusal.status == _NOT_AUTHENTICATED or isinstance(refusal, OutcomeUnknown):
                        raise
                    error = refusal
                    refusals.append(_Refusal(rule_index, batch, str(refusal)))
        if refusals:
            summary = self._summarize(refusals, len(changes))
            raise ServerRefusal(summary, error.status if error else _FORBIDDEN, error.text if error else "")

    def _split_by_owner(self, ids: t.Iterable[int]) -> tuple[list[_Refusal], IssueGroups]:
        """Group issues by rule and current status. Return those whose new owner does not exist, and the others."""
        groups: IssueGroups = collections.defaultdict(list)
        for issue_id in ids:
            groups[self._rule_indexes[issue_id], self._current[str(issue_id)]["status"]].append(str(issue_id))
        owners = {rule_index: self._rules[rule_index].desired.get("owner", UNOWNED) for rule_index, _status in groups}
        unknown = self._permissions.find_unknown_owners(owners.values())
        refusals = [
            _Refusal(rule_index, ids, f"User '{owners[rule_index]}' does not exist.")
            for (rule_index, _status), ids in groups.items()
            if owners[rule_index] in unknown
        ]
        return refusals, {group: ids for group, ids in groups.items() if owners[group[0]] not in unknown}

    def _summarize(self, refusals: list[_Refusal], total: int) -> str:
        """Return a message with the refused changes, in the order of the rules.

        :arg total: number of issues to change
        """
        count = sum(len(refusal.ids) for refusal in refusals)
        if len(refusals) == 1 and count == total:
            return refusals[0].reason
        reasons = [
            f"{self._rules[refusal.rule_index].title} ({_format_ids(refusal.ids)}): {refusal.reason}"
            for refusal in sorted(refusals, key=lambda refusal: refusal.rule_index)
        ]
        return f"{count} of {total} issues cannot be changed. {' '.join(reasons)}"

    def _cite(self, ids: list[str], status: str, desired: Fields) -> None:
        try:
            self._review.write("update_status", project=self._project, ids=ids, **desired)
        except ServerRefusal as error:
            new_status = desired.get("status", status)
            if error.status != _FORBIDDEN or new_status == status:
                raise
            raise ServerRefusal(f"{error} {self._suggest_role(status, new_status)}", error.status, error.text) from None

    def _suggest_role(self, before: str, after: str) -> str:
        if before == after:
            return f"Assign a role to '{self._review.user}' that allows changing issues."
        return f"Assign a role to '{self._review.user}' that allows the transition from '{before}' to '{after}'."

    def _search_rules(self) -> dict[int, Fields]:
        """Search the issues of all rules, store the first rule of each issue, and return the issues by ID."""
        issues: dict[int, Fields] = {}
        for rule_index, rule in enumerate(self._rules):
            matches = (
                {} if rule.query is None else self._search(add_grouping(rule.query, grouped=False), _raise_warning)
            )
            issues.update(matches)
            for issue_id in (*matches, *rule.ids):
                self._rule_indexes.setdefault(issue_id, rule_index)
        return issues

    def _search(
        self, query: str, warn: t.Callable[[str], None], ids: t.Container[int] | None = None
    ) -> dict[int, Fields]:
        """Return the issues that match a query by ID, all or only those with the given IDs."""
        issues = search_issues(self._review, self._project, query, warn)
        return {issue["id"]: _select_fields(issue) for issue in issues if ids is None or issue["id"] in ids}

    def _read_issue(self, issue_id: int) -> Fields:
        issue = read_details(self._review, self._project, issue_id)
        if issue is None:
            raise ToolchainError(
                f"Issue {issue_id} does not exist in project '{self._project}', or the account has no access to it. If "
                "this is the ID of an issue group, search with 'grouped: false' to get the IDs of its issues."
            )
        return _select_fields(issue)


def _format_ids(ids: list[str]) -> str:
    more = len(ids) - _MAX_LISTED_IDS
    return f"issues {', '.join(ids[:_MAX_LISTED_IDS])}{f' and {more:,} more' if more > 0 else ''}"


def _raise_warning(warning: str) -> t.NoReturn:
    """Fail, because a query that the server understands only in part may find too many issues."""
    raise ToolchainError(f"{warning}. No issue was changed. Correct the query.")


def _select_fields(issue: Fields) -> Fields:
    return {field: issue[field] for field in CITATION_FIELDS}
