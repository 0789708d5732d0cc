#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_issue
short_description: Triage Klocwork issues
description:
  - Cite Klocwork issues, that is, change their status, owner or comment.
  - Issues that already have the desired values are not changed, because each citation adds an entry to the history of
    the issue. After a change, the module reads all selected issues again to verify the result.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_issue
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permissions C(webapi_access) and, on the project, C(change_issue_status), and a role that allows the
    transition from the current to the new status.
  - If Klocwork refuses some of the changes, the module makes the others and then fails with a list of the refused
    changes. Check mode predicts refusals that are caused by unknown owners or by transitions that no role of the
    account allows.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  ids:
    description:
      - IDs of the issues. IDs of issue groups are refused.
      - Up to 20 issues are read with one request each, more with one search through all issues of the project.
      - Exactly one of O(ids), O(query) and O(rules) is required.
    type: list
    elements: int
  query:
    description:
      - Klocwork search query that selects the issues. The module adds C(grouping:off). Without C(state:), Klocwork
        finds only new and existing issues.
      - If the server returns a warning about the query, for example because of an unknown keyword, the task fails
        without a change.
      - A value matches if it is a part of the text. Klocwork finds nothing for some invalid queries instead of
        reporting an error, so the module refuses queries that contain wildcards, operators such as C(AND), unbalanced
        quotation marks, keywords without a value, or unknown states, statuses or severity levels.
    type: str
  from_status:
    description: Change only issues that currently have one of these statuses.
    type: list
    elements: str
    choices: &status
      Analyze: The issue has not been analyzed yet.
      Ignore: The issue is ignored.
      Not a Problem: The issue is a false positive.
      Fix: The issue is to be fixed.
      Fix in Next Release: The issue is to be fixed in the next release.
      Fix in Later Release: The issue is to be fixed in a later release.
      Defer: The decision is deferred.
      Filter: The issue is filtered out.
  from_owner:
    description: Change only issues that currently have one of these owners. V(unowned) selects issues without an owner.
    type: list
    elements: str
  status:
    description: Status to set.
    type: str
    choices: *status
  owner:
    description: Owner to set. Must be an existing user, or V(unowned) to remove the owner.
    type: str
  comment:
    description:
      - Comment to add to the issues. Must not be empty. If O(status) or O(owner) is also set, the comment is added only
        together with a change of the status or owner, and it is not compared with the current comment.
      - If neither O(status) nor O(owner) is set, the comment is added to the issues whose last comment differs from it.
        To compare the comments, the module sends one request for each issue.
    type: str
  rules:
    description:
      - List of rules, in order of priority. The first rule whose query finds an issue applies to it, even if
        O(rules[].from_status) or O(rules[].from_owner) of this rule excludes the issue.
    type: list
    elements: dict
    suboptions:
      title:
        description: Title of the rule in the result. Defaults to the query.
        type: str
      query:
        description:
          - Klocwork search query that selects the issues. The module adds C(grouping:off). Without C(state:), Klocwork
            finds only new and existing issues.
          - Must not contain C(status:) or C(owner:), because the task changes these values and the next run would
            select other issues. Use O(rules[].from_status) and O(rules[].from_owner) instead.
        type: str
        required: true
      from_status:
        description: Change only issues that currently have one of these statuses.
        type: list
        elements: str
        choices: *status
      from_owner:
        description:
          - Change only issues that currently have one of these owners. V(unowned) selects issues without an owner.
        type: list
        elements: str
      status:
        description: Status to set.
        type: str
        choices: *status
      owner:
        description: Owner to set. Must be an existing user, or V(unowned) to remove the owner.
        type: str
      comment:
        description:
          - Comment to add to the issues. Must not be empty. If O(rules[].status) or O(rules[].owner) is also set, the
            comment is added only together with a change of the status or owner, and it is not compared with the current
            comment.
          - If neither O(rules[].status) nor O(rules[].owner) is set, the comment is added to the issues whose last
            comment differs from it. To compare the comments, the module sends one request for each issue.
        type: str
seealso:
  - module: buildworks.toolchain.review_issue_info
"""

EXAMPLES = r"""
- name: Ignore issues in third-party code
  buildworks.toolchain.review_issue:
    project: mobile-app
    query: file:vendor status:+Analyze
    status: Ignore
    comment: Not our code

- name: Find the resource leaks
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    code: [RLK]
  register: leaks

- name: Assign the leaks to a developer
  buildworks.toolchain.review_issue:
    project: mobile-app
    ids: "{{ leaks.issues | map(attribute='id') }}"
    owner: alice

- name: Triage all issues by rules
  buildworks.toolchain.review_issue:
    project: mobile-app
    rules:
      - title: third parties
        query: file:vendor
        from_status: [Analyze]
        status: Ignore
        comment: Not our code
      - title: leaks
        query: code:RLK
        from_owner: [unowned]
        owner: alice
      - query: severity:1
        from_status: [Analyze]
        status: Fix
"""

RETURN = r"""
issues:
  description: State of the selected issues by ID after the task or, in check mode, their predicted state.
  returned: success, and on failure if some issues were changed
  type: dict
  contains:
    status:
      description: Status of the issue.
      type: str
    owner:
      description: Owner of the issue.
      type: str
    comment:
      description:
        - Last comment of the issue. In check mode, the current comment unless only a comment is set.
        - Empty if the module read the issue with a search and the server does not include comments in search results.
      type: str
  sample: {"552": {"status": "Ignore", "owner": "unowned", "comment": "Not our code"}}
rules:
  description: Results of the rules, in the order of O(rules). One entry if O(rules) is not set.
  returned: success
  type: list
  elements: dict
  contains:
    title:
      description: Title of the rule.
      type: str
    count:
      description: Number of issues to which the rule applies.
      type: int
    changed_ids:
      description: IDs of the issues that were changed or, in check mode, would be changed.
      type: list
      elements: int
  sample: [{"title": "third parties", "count": 3, "changed_ids": [552]}]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues import citation
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import STATUSES
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_CITATION = dict(
    query=dict(type="str", narrows_scope=True, **NAME),
    from_status=dict(type="list", elements="str", narrows_scope=True, choices=STATUSES),
    from_owner=dict(type="list", elements="str", narrows_scope=True, each_element=NAME),
    status=dict(type="str", choices=STATUSES),
    owner=dict(type="str", **NAME),
    comment=dict(type="str", not_empty=True),
)
_RULE = {**_CITATION, "title": dict(type="str", **NAME), "query": dict(type="str", required=True, **NAME)}
SPEC = (REVIEW + VISIBILITY) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        ids=dict(type="list", elements="int", narrows_scope=True, each_element=dict(at_least=1, at_most=2**63 - 1)),
        rules=dict(
            type="list", elements="dict", narrows_scope=True, options=_RULE, required_one_of=[citation.CITATION_FIELDS]
        ),
        **_CITATION,
    ),
    required_one_of=[("ids", "query", "rules"), ("rules", *citation.CITATION_FIELDS)],
    mutually_exclusive=[("ids", "query", "rules"), *(("rules", name) for name in _CITATION if name != "query")],
)


def run(task: Task) -> None:
    issues = citation.Citation(task, ReviewService(task), citation.parse_rules(task.params))
    reconcile(
        task,
        "issues",
        read=issues.read,
        desired=issues.desired,
        update=issues.write,
        predict_refusal=issues.predict_refusals,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
