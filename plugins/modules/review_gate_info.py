#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_gate_info
short_description: Compare the issues of a Klocwork project with limits
description:
  - Counts the issues that each of some queries finds, and tells whether there are more than allowed. Does not fail when
    there are; the role C(review_quality_gate) does.
  - Klocwork answers a query with a mistake by finding nothing. Therefore the task fails if the project has no
    build, if a query or the query of a view contains a module, taxonomy, defect type or build that the project does
    not have, or a defect type that is disabled in it, if the view does not exist, if terms exclude each other, as
    C(state:New) does with a view of fixed issues, or if the response to a search lacks its summary. Owners,
    categories, files, references and texts in a query are not verified, nor are names that a query excludes, as in
    C(-module:vendor).
  - Can write what was found for other tools, as SARIF 2.1.0, and the result as JSON.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission and access to the project. Issues in modules that the account may not see do not count.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  checks:
    description: What is counted. It must not be empty.
    type: list
    elements: dict
    required: true
    suboptions:
      title:
        description: What the result calls the check. By default its query.
        type: str
      query:
        description:
          - A query that finds issues; C(grouping:off) is added to it. The server finds only new and existing issues
            where it names no state.
          - A value finds what contains it, so V(code:ABV.) finds C(ABV.GENERAL). There are no wildcards. A wildcard,
            an operator such as C(AND), a quotation mark without its counterpart, a keyword without a value, a blank
            beside a colon or comma, a text without quotation marks, and an unknown state, status or severity are
            refused. A site can change the labels of severities; then use levels, as in C(severity:1-2).
          - When the server warns of it, for it does not know a keyword, say, the task fails.
        type: str
        required: true
      view:
        description: Name of a view of the project, whose query must be met as well.
        type: str
      allowed:
        description: So many issues may be there, 0 to 999,999,999.
        type: int
        default: 0
  compare:
    description:
      - Two builds, between which the issues must differ to count. New are then those that came, fixed are those that
        went. The two must be different and exist, the earlier one in O(compare.from). It must not be null.
    type: dict
    suboptions:
      from:
        description: Name of the earlier build.
        type: str
        required: true
      to:
        description: Name of the later one.
        type: str
        required: true
  shown:
    description: So many issues of each check are in the result, the first ones, 0 to 10,000.
    type: int
    default: 10
  json_file:
    description: File for the result, as JSON. Not written in check mode. It must not be empty.
    type: path
  sarif_file:
    description:
      - File for the issues that any check found, each once, as SARIF 2.1.0, the most severe ones first. Not written in
        check mode. It must not be empty, and must be another file than O(json_file).
      - The file follows the rules of GitHub code scanning. GitHub shows issues only in files with a path relative to
        the root of the repository, see O(source_root). An issue without a line is reported on line 1.
      - Severities 1 and 2 are errors in it, 3 are warnings, all others notes. What is cited as V(Ignore),
        V(Not a Problem) or V(Filter) is suppressed.
    type: path
  sarif_limit:
    description:
      - Largest number of issues in O(sarif_file), 1 to 1,000,000. If more are found, the file has the most severe ones
        and a note with the number of the others, and the task warns.
      - GitHub shows 5,000 and refuses more than 25,000. The task needs about 4 KB of memory for each.
    type: int
    default: 5000
    version_added: 0.2.0
  source_root:
    description:
      - Folder of the sources on the machine that ran the analysis, as in V(/home/build/app) or V(C:\\work\\app). The
        paths in O(sarif_file) become relative to it. By default they stay as Klocwork reports them. It must not be
        empty.
      - The task warns of issues in files outside this folder. Their paths stay absolute.
    type: str
    version_added: 0.2.0
seealso:
  - module: buildworks.toolchain.review_issue_info
"""

EXAMPLES = r"""
- name: See whether the project got worse
  buildworks.toolchain.review_gate_info:
    project: mobile-app
    checks:
      - title: new critical issues
        query: state:New severity:1
      - title: leaks
        query: code:RLK
        allowed: 5
    sarif_file: "{{ ansible_facts.env.HOME }}/issues.sarif"
    source_root: /home/build/mobile-app
  register: gate

- name: Say so
  ansible.builtin.debug:
    msg: "{{ gate.checks | rejectattr('passed') | map(attribute='title') }}"
"""

RETURN = r"""
passed:
  description: Whether no check found more than is allowed.
  returned: success
  type: bool
  sample: false
checks:
  description: What each of O(checks) found.
  returned: success
  type: list
  elements: dict
  contains:
    title:
      description: Title of the check.
      type: str
    query:
      description: Its query.
      type: str
    allowed:
      description: So many issues are allowed.
      type: int
    count:
      description: So many there are.
      type: int
    passed:
      description: Whether these are not more than are allowed.
      type: bool
    issues:
      description: The first of them, as M(buildworks.toolchain.review_issue_info) tells them.
      type: list
      elements: dict
    lines:
      description: A line for people about each of these, with place, severity, checker, message and page.
      type: list
      elements: str
sarif:
  description: What O(sarif_file) contains, or would contain in check mode.
  returned: with O(sarif_file)
  type: dict
  contains:
    issues:
      description: Number of issues in the file.
      type: int
    omitted:
      description: Number of issues that are not in the file because of O(sarif_limit).
      type: int
    absolute_paths:
      description: Number of issues in the file whose path is absolute. GitHub does not show them.
      type: int
  sample: {"issues": 5000, "omitted": 210, "absolute_paths": 0}
comparison:
  description: The names of the two builds, and how many issues are C(new) and C(fixed) between them.
  returned: with O(compare)
  type: dict
  sample: {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
"""

import collections
import json
import os

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    check_ownership,
    check_writable,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import sarif, server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.gate import Gate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

CHECK = dict(
    title=dict(type="str", **NAME),
    query=dict(type="str", required=True, unchecked="the server warns of what it does not know"),
    view=dict(type="str", **NAME),
    allowed=dict(type="int", default=0, at_least=0, at_most=999_999_999),
)
SPEC = (REVIEW + TO_FILE) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        checks=dict(type="list", elements="dict", required=True, not_empty=True, options=CHECK),
        compare=dict(
            type="dict",
            narrows_scope=True,
            options={name: dict(type="str", required=True, **NAME) for name in ("from", "to")},
        ),
        shown=dict(type="int", default=10, at_least=0, at_most=10_000),
        json_file=dict(type="path", not_empty=True),
        sarif_file=dict(type="path", not_empty=True),
        sarif_limit=dict(type="int", default=5000, at_least=1, at_most=1_000_000),
        source_root=dict(type="str", not_empty=True),
    ),
    required_by={"source_root": ["sarif_file"]},
)


def run(task):
    files = task.select_provided("json_file", "sarif_file")
    for option, path in files.items():
        check_writable(task, path, option)
    if len(set(map(os.path.realpath, files.values()))) < len(files):
        raise BadOption("sarif_file", "must be another file than 'json_file'")
    check_ownership(task)
    readers = task.select("owner", "group", "mode")
    review = ReviewService(task)
    gate = Gate(task, review)
    gate.verify()
    written = {}
    if "sarif_file" in files:
        version = server.version(review)["text"]
        selected, omitted = sarif.select(gate.issues(), task.params["sarif_limit"])
        pieces = sarif.encode(selected, omitted, version, task.params["source_root"])
        store_output(task, files["sarif_file"], pieces, **readers)
        written["sarif"] = sarif.summarize(selected, omitted, task.params["source_root"])
        warn_of_limits(task, written["sarif"])
    else:
        collections.deque(gate.issues(), maxlen=0)
    comparison = gate.comparison()
    task.result = {
        "passed": all(check["passed"] for check in gate.checks),
        "checks": gate.checks,
        **written,
        **({"comparison": comparison} if comparison else {}),
    }
    if "json_file" in files:
        text = json.dumps({"project": task.params["project"], **task.result}, indent=2)
        store_output(task, files["json_file"], [f"{text}\n".encode()], **readers)


def warn_of_limits(task, written):
    if written["omitted"]:
        task.warn(
            f"The SARIF file has the {written['issues']:,} most severe issues and omits {written['omitted']:,}. Raise "
            "'sarif_limit' to write more."
        )
    if task.params["source_root"] is not None and written["absolute_paths"]:
        task.warn(
            f"Issues in files outside 'source_root': {written['absolute_paths']:,}. GitHub does not show them. Set "
            "'source_root' to the folder with which the paths of these files begin."
        )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
