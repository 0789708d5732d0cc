#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_issue_info
short_description: Find the issues of a code-analysis project
description:
  - Finds issues by a query, which the module writes from its options, or takes as it is; or tells the details of some
    issues with their history.
  - The query always says whether issues are grouped, and with typed options which states are meant, for servers differ
    in what they take for granted.
  - What the server warns of, such as a keyword that it does not know, becomes a warning of the task.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission and access to the project. Issues in modules that the account may not see are left out.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  query:
    description:
      - A whole query in place of the options below that narrow the search; C(grouping:) is added to it. The server
        finds only new and existing issues where it names no state.
      - A value finds what contains it. A wildcard, an operator such as C(AND), a quotation mark without its
        counterpart, a keyword without a value, and an unknown state, status or level of severity
        are refused.
    type: str
  ids:
    description: Ids of issues, each 1 or more, whose details are told, with a request each. Instead of a search.
    type: list
    elements: int
  details:
    description:
      - Whether of each issue that is found the details are told, as with O(ids), and a request each. Not with
        O(grouped=true).
    type: bool
    default: false
  view:
    description: Name of a view of the project, whose query must be met as well.
    type: str
  limit:
    description: Number of issues at most, 1 to 999,999,999. Without it all.
    type: int
  grouped:
    description: Whether issues that are alike are one, with the id of their group.
    type: bool
    default: false
  state:
    description: States, one of which an issue must have. It must not be empty.
    type: list
    elements: str
    choices: [New, Existing, Fixed]
    default: [New, Existing]
  status:
    description: Statuses, one of which it must have.
    type: list
    elements: str
    choices: [Analyze, Ignore, Not a Problem, Fix, Fix in Next Release, Fix in Later Release, Defer, Filter]
  severity:
    description: Levels from V(1), the most severe, to V(10), and ranges of them such as V(1-4).
    type: list
    elements: str
  code:
    description: Codes of checkers.
    type: list
    elements: str
  file:
    description: Paths of files.
    type: list
    elements: str
  issue_owner:
    description: Owners of issues; V(unowned) when nobody is.
    type: list
    elements: str
  module:
    description: Names of modules of the project.
    type: list
    elements: str
  category:
    description: Categories of checkers.
    type: list
    elements: str
  reference:
    description: References of checkers, such as a rule of MISRA.
    type: list
    elements: str
  taxonomy:
    description: Taxonomies. Whether a server knows the keyword is not documented; it warns when it does not.
    type: list
    elements: str
  text:
    description: Texts that must all be found in path, method, comment, code, message or owner.
    type: list
    elements: str
  exact:
    description:
      - Whether O(code), O(file), O(issue_owner), O(module), O(category), O(reference) and O(taxonomy) are whole
        values, not parts of them.
    type: bool
    default: false
  build:
    description: Build in which to look, the last one when not given.
    type: dict
    suboptions:
      name:
        description: Name of the build.
        type: str
      contains:
        description: Part of its name. Servers from version 2024 on cannot be asked so, which is said.
        type: str
      id:
        description: Id of the build, 1 to 999,999,999.
        type: int
      any:
        description: Any build will do, so what was fixed in earlier ones is found, too. Takes only V(true).
        type: bool
seealso:
  - module: buildworks.toolchain.review_issue
"""

EXAMPLES = r"""
- name: Find the new critical issues and errors that nobody has looked at
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    state: [New]
    status: [Analyze]
    severity: [1-2]
  register: review

- name: Look at one of them with its history
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    ids: "{{ review.issues[:1] | map(attribute='id') }}"

- name: Keep all issues for later, however many there are, and those of earlier builds as well
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    state: [New, Existing, Fixed]
    build: {any: true}
    to_file: "{{ ansible_facts.env.HOME }}/issues.jsonl"

- name: Read how those were cited that are no problem
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    status: [Not a Problem]
    details: true

- name: Ask with a query of one's own
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    query: severity:1-4 -file:vendor
"""

RETURN = r"""
issues:
  description:
    - The issues, in the order of the server. What a server does not tell is null.
    - With O(ids) or O(details=true), those that are there, without C(severity_level), C(message), C(line), C(method),
      C(taxonomy), C(reference), C(date), C(url) and C(issue_ids).
  returned: success, without O(to_file)
  type: list
  elements: dict
  contains:
    id:
      description: Id of the issue, or of the group with O(grouped).
      type: int
    status:
      description: Under which it is cited.
      type: str
    severity:
      description: Label of the severity, which a site may have changed; with its level in the details.
      type: str
    severity_level:
      description: Severity, from 1, the most severe, to 10.
      type: int
    state:
      description: Whether it is new, existing or fixed.
      type: str
    code:
      description: Code of the checker.
      type: str
    title:
      description: Title of the checker.
      type: str
    message:
      description: What the checker says.
      type: str
    file:
      description: Path of the file.
      type: str
    line:
      description: Line in the file.
      type: int
    method:
      description: Function that it is in.
      type: str
    owner:
      description: Who sees to it; V(unowned) when nobody does.
      type: str
    taxonomy:
      description: Taxonomy of the checker.
      type: str
    reference:
      description: Reference of the checker.
      type: str
    comment:
      description: The last comment. Servers may tell it in the details only.
      type: str
    date:
      description: When it was found first, in UTC.
      type: str
    url:
      description: Its page on the server.
      type: str
    issue_ids:
      description: Ids of the issues of a group. Empty otherwise.
      type: list
      elements: int
    build:
      description: Build that the details are of.
      returned: with O(ids) or O(details=true)
      type: str
    history:
      description:
        - How it was cited, the oldest entry first, each with C(date) in UTC, C(account), C(status) and C(comment).
      returned: with O(ids) or O(details=true)
      type: list
      elements: dict
count:
  description: Number of issues.
  returned: success
  type: int
query:
  description: The query that was asked.
  returned: success, without O(ids)
  type: str
  sample: grouping:off state:New,Existing severity:1-2
masked:
  description: What O(mask_secrets) masked.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Where they were, the first 100 of them.
      type: list
      elements: str
  sample:
    count: 1
    places: ["7: comment"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import issue_query, issues, query_terms
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

LEVELS = ("([1-9]|10)(-([1-9]|10))?", "a level from 1 to 10, or a range such as 1-4")
BUILD = dict(
    name=dict(type="str", **NAME),
    contains=dict(type="str", **NAME),
    id=dict(type="int", at_least=1, at_most=999_999_999),
    any=dict(type="bool", unchecked="the query builder refuses false"),
)
SPEC = (REVIEW + LISTING) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        query=dict(type="str", unchecked="the server warns of what it does not know"),
        ids=dict(type="list", elements="int", each_element=dict(at_least=1, at_most=2**63 - 1)),
        details=dict(type="bool", default=False),
        view=dict(type="str", **NAME),
        limit=dict(type="int", at_least=1, at_most=999_999_999),
        grouped=dict(type="bool", default=False),
        state=dict(
            type="list", elements="str", choices=issue_query.STATES, default=["New", "Existing"], not_empty=True
        ),
        status=dict(type="list", elements="str", choices=issue_query.STATUSES),
        severity=dict(type="list", elements="str", each_element=dict(matches=LEVELS)),
        **{name: dict(type="list", elements="str", each_element=NAME) for name in (*issue_query.TEXTS, "text")},
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
        *((other, part) for part in issue_query.PARTS if part != "state" for other in ("query", "ids")),
    ],
)


def run(task):
    review, params = ReviewService(task), task.params
    if params["details"] and params["grouped"]:
        raise BadOption("details", "must not be true with 'grouped', for the ids are those of groups then")
    if params["ids"] is not None:
        found = issues.all_details(review, params["project"], params["ids"], task.report_progress)
    else:
        if params["query"] is not None:
            query_terms.parse(params["query"], "query")
        query = params["query"] if params["query"] is not None else issue_query.of_parts(review, params)
        task.result["query"] = issue_query.with_grouping(query, params["grouped"])
        found = issues.found(
            review, params["project"], task.result["query"], task.warn, params["view"], params["limit"]
        )
        if params["details"]:
            found = issues.details_of(review, params["project"], found, task.report_progress)
    task.result["count"] = output_list(task, "issues", found)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
