#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_issue_info
short_description: Get Klocwork issue information
description:
  - Search the issues of a Klocwork project, or get the details and history of individual issues.
  - The module builds the search query from its options or uses O(query) as it is. The query always states whether
    issues are grouped and, unless O(query) is set, which states to search, because the defaults differ between Klocwork
    versions.
  - Warnings of the server, for example about an unknown keyword, become warnings of the task.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_issue_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access) and access to the project. Issues in modules that the account cannot see
    are not returned.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  query:
    description:
      - Complete search query. The module sends the query unchanged, except that it adds C(grouping:). Without
        C(state:), Klocwork finds only new and existing issues. Mutually exclusive with the options that build a query.
      - A value matches if it is a part of the text. Klocwork finds nothing for some invalid queries instead of
        reporting an error, so the module refuses queries that contain wildcards, operators such as C(AND), unbalanced
        quotation marks, keywords without a value, or unknown states, statuses or severity levels.
    type: str
  ids:
    description:
      - IDs of issues to return with their details. The module sends one request for each issue. Issues that do not
        exist are omitted from the result.
      - Mutually exclusive with O(query) and the options that build a query.
    type: list
    elements: int
  details:
    description:
      - Whether to return the same details for each issue as with O(ids). The module sends one request for each issue.
      - Cannot be used with O(grouped=true).
    type: bool
    default: false
  view:
    description: Name of a view of the project. Return only issues that match both the view and the other options.
    type: str
  limit:
    description: Maximum number of issues to return. If not set, all issues are returned.
    type: int
  grouped:
    description: Whether to return one entry with the group ID for similar issues.
    type: bool
    default: false
  state:
    description: Return only issues in one of these states. Must not be empty.
    type: list
    elements: str
    choices:
      New: The issue is new in the build.
      Existing: The issue was already found in an earlier build.
      Fixed: The issue is fixed.
    default: [New, Existing]
  status:
    description: Return only issues with one of these statuses.
    type: list
    elements: str
    choices:
      Analyze: The issue has not been analyzed yet.
      Ignore: The issue is ignored.
      Not a Problem: The issue is a false positive.
      Fix: The issue is to be fixed.
      Fix in Next Release: The issue is to be fixed in the next release.
      Fix in Later Release: The issue is to be fixed in a later release.
      Defer: The decision is deferred.
      Filter: The issue is filtered out.
  severity:
    description:
      - Return only issues with one of these severities. Levels range from V(1) (most severe) to V(10). Ranges such as
        V(1-4) are supported.
    type: list
    elements: str
  code:
    description: Return only issues with one of these checker codes.
    type: list
    elements: str
  file:
    description: Return only issues in one of these files.
    type: list
    elements: str
  issue_owner:
    description: Return only issues with one of these owners. V(unowned) selects issues without an owner.
    type: list
    elements: str
  module:
    description: Return only issues in one of these modules of the project.
    type: list
    elements: str
  category:
    description: Return only issues with one of these checker categories.
    type: list
    elements: str
  reference:
    description: Return only issues with one of these references, such as MISRA rules.
    type: list
    elements: str
  taxonomy:
    description:
      - Return only issues with one of these taxonomies. Servers that do not support this keyword return a warning.
    type: list
    elements: str
  text:
    description:
      - Return only issues that contain all of these texts in path, method, comment, code, message or owner.
    type: list
    elements: str
  exact:
    description:
      - Whether values must match completely. By default, they match substrings. Applies to O(code), O(file),
        O(issue_owner), O(module), O(category), O(reference) and O(taxonomy).
    type: bool
    default: false
  build:
    description: Build to search. If not set, the latest build is searched.
    type: dict
    suboptions:
      name:
        description: Exact name of the build. Exactly one of the suboptions is required.
        type: str
      contains:
        description: Part of the name of the build. Not supported by Klocwork 2024 and later; on these servers, the task
          fails.
        type: str
      id:
        description: ID of the build.
        type: int
      any:
        description: Search all builds, including issues that were fixed in earlier builds. Must be V(true) if set.
        type: bool
seealso:
  - module: buildworks.toolchain.review_issue
"""

EXAMPLES = r"""
- name: Find new critical issues and errors that have not been reviewed
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    state: [New]
    status: [Analyze]
    severity: [1-2]
  register: review

- name: Get the details and history of the first issue
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    ids: "{{ review.issues[:1] | map(attribute='id') }}"

- name: Export all issues of all builds to a file
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    state: [New, Existing, Fixed]
    build: {any: true}
    to_file: "{{ ansible_facts.env.HOME }}/issues.jsonl"

- name: Get the citation history of the false positives
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    status: [Not a Problem]
    details: true

- name: Search with a complete query
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    query: severity:1-4 -file:vendor
"""

RETURN = r"""
issues:
  description:
    - The issues, in the order returned by the server. Values that the server does not report are V(null).
    - With O(ids) or O(details=true), the issues do not contain C(severity_level), C(message), C(line), C(method),
      C(taxonomy), C(reference), C(date), C(url) and C(issue_ids).
  returned: success, unless O(to_file) is set
  type: list
  elements: dict
  contains:
    id:
      description: ID of the issue, or of the group with O(grouped=true).
      type: int
    status:
      description: Status of the issue.
      type: str
    severity:
      description:
        - Severity label, which a site can rename. With O(ids) or O(details=true), the label includes the level.
      type: str
    severity_level:
      description: Severity from 1 (most severe) to 10.
      type: int
    state:
      description: State of the issue, V(New), V(Existing) or V(Fixed).
      type: str
    code:
      description: Code of the checker.
      type: str
    title:
      description: Title of the checker.
      type: str
    message:
      description: Message of the checker.
      type: str
    file:
      description: Path to the file.
      type: str
    line:
      description: Line number.
      type: int
    method:
      description: Name of the function or method.
      type: str
    owner:
      description: Owner of the issue. V(unowned) if it has no owner.
      type: str
    taxonomy:
      description: Taxonomy of the checker.
      type: str
    reference:
      description: Reference of the checker.
      type: str
    comment:
      description: Last comment. Some servers report comments only with O(ids) or O(details=true).
      type: str
    date:
      description: Time at which the issue was first found, in UTC.
      type: str
    url:
      description: URL of the issue on the Klocwork server.
      type: str
    issue_ids:
      description: IDs of the issues in the group. Empty if issues are not grouped.
      type: list
      elements: int
    build:
      description: Build to which the details belong.
      returned: with O(ids) or O(details=true)
      type: str
    history:
      description:
        - Citation history, oldest entry first. Each entry has C(date) (in UTC), C(account), C(status) and C(comment).
      returned: with O(ids) or O(details=true)
      type: list
      elements: dict
count:
  description: Number of issues.
  returned: success
  type: int
query:
  description: The query that was sent to the server.
  returned: success, unless O(ids) is set
  type: str
  sample: grouping:off state:New,Existing severity:1-2
masked:
  description: The texts that O(mask_secrets) masked.
  returned: when O(mask_secrets) is set
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Locations of the first 100 masked texts.
      type: list
      elements: str
  sample:
    count: 1
    places: ["7: comment"]
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues import query, query_terms, search
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

LEVELS = ("([1-9]|10)(-([1-9]|10))?", "a level from 1 to 10, or a range such as 1-4")
BUILD = dict(
    name=dict(type="str", **NAME),
    contains=dict(type="str", **NAME),
    id=dict(type="int", at_least=1, at_most=999_999_999),
    any=dict(type="bool", unchecked="the query builder refuses false"),
)


def check_details(params: dict[str, t.Any]) -> None:
    if params["details"] and params["grouped"]:
        raise BadOption("details", "must not be true with 'grouped': grouped issues have no details")


SPEC = (REVIEW + LISTING) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        query=dict(type="str", unchecked="the server warns about unknown keywords"),
        ids=dict(type="list", elements="int", each_element=dict(at_least=1, at_most=2**63 - 1)),
        details=dict(type="bool", default=False),
        view=dict(type="str", **NAME),
        limit=dict(type="int", at_least=1, at_most=999_999_999),
        grouped=dict(type="bool", default=False),
        state=dict(type="list", elements="str", choices=query.STATES, default=["New", "Existing"], not_empty=True),
        status=dict(type="list", elements="str", choices=query.STATUSES),
        severity=dict(type="list", elements="str", each_element=dict(matches=LEVELS)),
        **{name: dict(type="list", elements="str", each_element=NAME) for name in (*query.TEXT_KEYWORDS, "text")},
        exact=dict(type="bool", default=False),
        build=dict(
            type="dict",
            options=BUILD,
            required_one_of=[("name", "contains", "id", "any")],
            mutually_exclusive=[("name", "contains", "id", "any")],
        ),
    ),
    mutually_exclusive=[
        ("query", "ids"),
        *((other, part) for part in query.QUERY_OPTIONS if part != "state" for other in ("query", "ids")),
    ],
    checks=[check_details],
)


def run(task: Task) -> None:
    review, params = ReviewService(task), task.params
    if params["ids"] is not None:
        issues = search.read_all_details(review, params["project"], params["ids"], task.report_progress)
    else:
        if params["query"] is not None:
            query_terms.parse(params["query"], "query")
            terms = params["query"]
        else:
            terms = query.build_query(review, params)
        task.result["query"] = query.add_grouping(terms, params["grouped"])
        issues = search.search_issues(
            review, params["project"], task.result["query"], task.warn, params["view"], params["limit"]
        )
        if params["details"]:
            issues = search.read_result_details(review, params["project"], issues, task.report_progress)
    task.result["count"] = output_list(task, "issues", issues)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
