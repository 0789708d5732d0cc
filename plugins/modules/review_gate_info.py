#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_gate_info
short_description: Compare Klocwork issues with quality gate limits
description:
  - Count the issues of a Klocwork project that match each query and report whether a count exceeds its limit. The task
    does not fail if a limit is exceeded; use the role P(buildworks.toolchain.review_quality_gate#role) for that.
  - Klocwork responds to an invalid query with an empty result. The module therefore verifies the queries, including
    those of views. It fails if the project has no builds, if a view does not exist, or if a query contains a module,
    taxonomy, defect type or build that does not exist in the project. It also fails if a query contains a disabled
    defect type, if terms exclude each other, such as C(state:New) with a view of fixed issues, or if a search response
    is incomplete.
  - The module does not verify owners, categories, files, references, texts, or names that a query excludes, such as
    C(-module:vendor).
  - Optionally writes the issues as SARIF 2.1.0 and the result as JSON.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_gate_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access) and access to the project. Issues in modules that the account cannot see
    are not counted.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  checks:
    description: Queries and their limits. Must not be empty.
    type: list
    elements: dict
    required: true
    suboptions:
      title:
        description: Title of the check in the result. Defaults to the query.
        type: str
      query:
        description:
          - Klocwork search query, to which the module adds C(grouping:off). Without C(state:), Klocwork finds only new
            and existing issues.
          - Values match substrings, so V(code:ABV.) finds C(ABV.GENERAL). Wildcards are not supported.
          - Klocwork finds nothing for some invalid queries instead of reporting an error, so the module refuses queries
            that contain wildcards, operators such as C(AND), unbalanced quotation marks, keywords without a value,
            spaces around a colon or comma, texts without quotation marks, or unknown states, statuses or severities.
          - If your site has renamed the severities, use levels, as in C(severity:1-2).
          - The task fails if the server returns a warning, for example about an unknown keyword.
        type: str
        required: true
      view:
        description: Name of a view of the project. Only issues that match both the query and the view are counted.
        type: str
      allowed:
        description: Maximum number of issues for the check to pass.
        type: int
        default: 0
  compare:
    description:
      - Two builds to compare. Only issues that exist in one of the builds but not in the other are counted. C(New)
        issues were introduced after O(compare.from). C(Fixed) issues are no longer present in O(compare.to).
      - Must not be V(null).
    type: dict
    suboptions:
      from:
        description: Name of the earlier build.
        type: str
        required: true
      to:
        description: Name of the later build.
        type: str
        required: true
  result_limit:
    description: Maximum number of issues of each check in the result.
    type: int
    default: 10
  json_file:
    description: Path to the file to write the result to, as JSON. The file is not written in check mode.
    type: path
  sarif_file:
    description:
      - Path to the file to write the issues to, as SARIF 2.1.0. Must differ from O(json_file). The file contains the
        issues of all checks without duplicates, most severe first. It is not written in check mode.
      - The file follows the rules of GitHub code scanning. GitHub shows only issues whose path is relative to the root
        of the repository, see O(source_root). Issues without a line number are reported on line 1.
      - Severities 1 and 2 become errors, severity 3 becomes a warning, and all others become notes. Issues with the
        status V(Ignore), V(Not a Problem) or V(Filter) are suppressed.
    type: path
  sarif_limit:
    description:
      - Maximum number of issues in O(sarif_file). If there are more, the file contains the most severe issues and a
        note with the number of omitted issues, and the task warns.
      - GitHub shows 5,000 issues and rejects files with more than 25,000. Each issue takes about 4 KB of memory.
    type: int
    default: 5000
    version_added: 0.2.0
  source_root:
    description:
      - Source directory on the machine that ran the analysis, such as V(/home/build/app) or V(C:\\work\\app). Paths in
        O(sarif_file) are made relative to this directory. If not set, the file contains the paths that Klocwork
        reports.
      - The task warns about issues in files outside this directory. Their paths remain absolute.
      - Requires O(sarif_file).
    type: str
    version_added: 0.2.0
seealso:
  - module: buildworks.toolchain.review_issue_info
"""

EXAMPLES = r"""
- name: Check for new critical issues and resource leaks
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

- name: Print the failed checks
  ansible.builtin.debug:
    msg: "{{ gate.checks | rejectattr('passed') | map(attribute='title') }}"
"""

RETURN = r"""
passed:
  description: Whether all checks passed.
  returned: success
  type: bool
  sample: false
checks:
  description: Results of the checks, in the order of O(checks).
  returned: success
  type: list
  elements: dict
  contains:
    title:
      description: Title of the check.
      type: str
    query:
      description: Query of the check.
      type: str
    allowed:
      description: Maximum number of issues for the check to pass.
      type: int
    count:
      description: Number of issues found.
      type: int
    passed:
      description: Whether the check passed.
      type: bool
    issues:
      description:
        - The first O(result_limit) issues, in the format of M(buildworks.toolchain.review_issue_info).
      type: list
      elements: dict
    lines:
      description: The same issues as lines of text. Each line contains the file, line number, severity, checker,
        message and URL of an issue.
      type: list
      elements: str
sarif:
  description: Summary of O(sarif_file) or, in check mode, the predicted summary.
  returned: when O(sarif_file) is set
  type: dict
  contains:
    issues:
      description: Number of issues in the file.
      type: int
    omitted:
      description: Number of issues omitted because of O(sarif_limit).
      type: int
    absolute_paths:
      description: Number of issues in the SARIF file whose path is absolute. GitHub does not show these issues.
      type: int
  sample: {"issues": 5000, "omitted": 210, "absolute_paths": 0}
comparison:
  description: Names of the compared builds and the number of C(new) and C(fixed) issues between them.
  returned: when O(compare) is set
  type: dict
  sample: {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
"""

import collections
import json
import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues import sarif
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.gate import Gate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

CHECK = dict(
    title=dict(type="str", **NAME),
    query=dict(type="str", required=True, unchecked="the server warns about unknown keywords"),
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
        result_limit=dict(type="int", default=10, at_least=0, at_most=10_000),
        json_file=dict(type="path", not_empty=True),
        sarif_file=dict(type="path", not_empty=True),
        sarif_limit=dict(type="int", default=5000, at_least=1, at_most=1_000_000),
        source_root=dict(type="str", not_empty=True),
    ),
    required_by={"source_root": ["sarif_file"]},
)


def run(task: Task) -> None:
    files = task.select_provided("json_file", "sarif_file")
    for option, path in files.items():
        check_writable(task, path, option)
    if len(set(map(os.path.realpath, files.values()))) < len(files):
        raise BadOption("sarif_file", "must differ from 'json_file'")
    check_ownership(task)
    review = ReviewService(task)
    gate = Gate(task, review)
    gate.verify_queries()
    result: dict[str, t.Any] = {}
    if "sarif_file" in files:
        version = server.read_version(review)["text"]
        selected, omitted = sarif.select(gate.find_issues(), task.params["sarif_limit"])
        chunks = sarif.encode(selected, omitted, version, task.params["source_root"])
        store_output(task, Target.from_options(task, files["sarif_file"]), chunks)
        result["sarif"] = sarif.summarize(selected, omitted, task.params["source_root"])
        warn_about_file(task, result["sarif"])
    else:
        collections.deque(gate.find_issues(), maxlen=0)
    comparison = gate.compare_builds()
    task.result = {
        "passed": all(check["passed"] for check in gate.checks),
        "checks": gate.checks,
        **result,
        **({"comparison": comparison} if comparison else {}),
    }
    if "json_file" in files:
        text = json.dumps({"project": task.params["project"], **task.result}, indent=2)
        store_output(task, Target.from_options(task, files["json_file"]), [f"{text}\n".encode()])


def warn_about_file(task: Task, summary: dict[str, t.Any]) -> None:
    if summary["omitted"]:
        task.warn(
            f"The SARIF file contains only the {summary['issues']:,} most severe issues and omits "
            f"{summary['omitted']:,}. Raise 'sarif_limit' to write more."
        )
    if task.params["source_root"] is not None and summary["absolute_paths"]:
        task.warn(
            f"Issues in files outside 'source_root': {summary['absolute_paths']:,}. GitHub does not show them. Set "
            "'source_root' to a directory that contains these files."
        )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
