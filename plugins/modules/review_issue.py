#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_issue
short_description: Cite the issues of a code-analysis project
description:
  - Brings issues to a status, an owner or a comment. Those that are so already are left alone, for each citation adds
    to the history of an issue.
  - All issues are read back afterwards.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, on the project the one to change the status of issues, and a role that allows the
    transition from the old status to the new one.
  - If Klocwork refuses some of the changes, the others are carried out, and the task fails with a list of the refused
    ones. Check mode predicts refusals because of an unknown owner or a transition that no role of the account allows.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  ids:
    description:
      - Ids of issues, each 1 or more; not those of groups, which are refused.
      - Up to 20 cost a request each, more of them one for all issues of the project.
    type: list
    elements: int
  query:
    description:
      - Instead of O(ids), a query that finds the issues. C(grouping:off) is added to it. The server finds only new and
        existing issues where it names no state.
      - When the server warns of the query, for it does not know a keyword, say, nothing is cited and the task fails.
      - A value finds what contains it. A wildcard, an operator such as C(AND), a quotation mark without its
        counterpart, a keyword without a value, and an unknown state, status or level of severity
        are refused.
    type: str
  from_status:
    description: Leave alone issues with another status than one of these.
    type: list
    elements: str
    choices: [Analyze, Ignore, Not a Problem, Fix, Fix in Next Release, Fix in Later Release, Defer, Filter]
  from_owner:
    description: Leave alone issues with another owner than one of these; V(unowned) is nobody.
    type: list
    elements: str
  status:
    description: Status that they shall have.
    type: str
    choices: [Analyze, Ignore, Not a Problem, Fix, Fix in Next Release, Fix in Later Release, Defer, Filter]
  owner:
    description: Owner that they shall have, an existing user; V(unowned) for nobody.
    type: str
  comment:
    description:
      - Comment that goes with a new status or owner. It is not compared then. It must not be empty.
      - Alone, it is the last comment that they shall have, which costs a request for each issue.
    type: str
  rules:
    description:
      - Instead of one query, rules in the order of their importance. Each issue is that of the first rule whose query
        finds it, and of no other, even when that rule leaves it alone.
    type: list
    elements: dict
    suboptions:
      title:
        description: What the result calls the rule. By default its query.
        type: str
      query:
        description:
          - A query that finds issues. C(grouping:off) is added to it. The server finds only new and existing issues
            where it names no state.
          - It takes neither C(status:) nor C(owner:), which the task itself changes, so that the next run would find
            other issues. O(rules[].from_status) and O(rules[].from_owner) say it instead.
        type: str
        required: true
      from_status:
        description: Leave alone issues of the rule with another status than one of these.
        type: list
        elements: str
        choices: [Analyze, Ignore, Not a Problem, Fix, Fix in Next Release, Fix in Later Release, Defer, Filter]
      from_owner:
        description: Leave alone issues of the rule with another owner than one of these; V(unowned) is nobody.
        type: list
        elements: str
      status:
        description: Status that they shall have.
        type: str
        choices: [Analyze, Ignore, Not a Problem, Fix, Fix in Next Release, Fix in Later Release, Defer, Filter]
      owner:
        description: Owner that they shall have; V(unowned) for nobody.
        type: str
      comment:
        description:
          - Comment that goes with a new status or owner. It is not compared then. It must not be empty.
          - Alone, it is the last comment that they shall have, which costs a request for each issue.
        type: str
seealso:
  - module: buildworks.toolchain.review_issue_info
"""

EXAMPLES = r"""
- name: Leave what third parties wrote to them
  buildworks.toolchain.review_issue:
    project: mobile-app
    query: file:vendor status:+Analyze
    status: Ignore
    comment: Not our code

- name: Find who sees to the leaks
  buildworks.toolchain.review_issue_info:
    project: mobile-app
    code: [RLK]
  register: leaks

- name: Give the leaks to somebody
  buildworks.toolchain.review_issue:
    project: mobile-app
    ids: "{{ leaks.issues | map(attribute='id') }}"
    owner: alice

- name: See to all that is new, each issue by the first rule that finds it
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
  description: All issues that were meant, by their ids, as they are afterwards, or would be in check mode.
  returned: success, and when some were cited before the task failed
  type: dict
  contains:
    status:
      description: Status of the issue.
      type: str
    owner:
      description: Its owner.
      type: str
    comment:
      description:
        - Its last comment; in check mode the present one, unless it is asked for alone.
        - Empty where the server tells comments in the details only and more than 20 issues, or a query, were looked up.
      type: str
  sample: {"552": {"status": "Ignore", "owner": "unowned", "comment": "Not our code"}}
rules:
  description: What each of O(rules) found; one entry without them.
  returned: success
  type: list
  elements: dict
  contains:
    title:
      description: The rule's title.
      type: str
    count:
      description: Number of issues that this rule is the first to find.
      type: int
    differing:
      description: Ids of those that were not as they shall be, and so were cited, or would be in check mode.
      type: list
      elements: int
  sample: [{"title": "third parties", "count": 3, "differing": [552]}]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import citation
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issue_query import STATUSES
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

_CITATION = dict(
    query=dict(type="str", narrows_scope=True, **NAME),
    from_status=dict(type="list", elements="str", narrows_scope=True, choices=STATUSES),
    from_owner=dict(type="list", elements="str", narrows_scope=True, each_element=NAME),
    status=dict(type="str", choices=STATUSES),
    owner=dict(type="str", **NAME),
    comment=dict(type="str", not_empty=True),
)
_RULE = {**_CITATION, "title": dict(type="str", **NAME), "query": dict(type="str", required=True, **NAME)}
SPEC = REVIEW + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        ids=dict(type="list", elements="int", narrows_scope=True, each_element=dict(at_least=1, at_most=2**63 - 1)),
        rules=dict(type="list", elements="dict", narrows_scope=True, options=_RULE, required_one_of=[citation.CITED]),
        **_CITATION,
    ),
    required_one_of=[("ids", "query", "rules"), ("rules", *citation.CITED)],
    mutually_exclusive=[("ids", "query", "rules"), *(("rules", name) for name in _CITATION if name != "query")],
)


def run(task):
    issues = citation.Citation(task, ReviewService(task), citation.rules_of(task.params))
    reconcile(
        task,
        "issues",
        read=issues.read,
        desired=issues.desired,
        update=issues.write,
        predict_refusal=issues.predict_refusals,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
