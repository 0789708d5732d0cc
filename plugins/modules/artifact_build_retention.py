#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build_retention
short_description: Discard old Artifactory builds
description:
  - Delete old runs of a build in Artifactory. The newest runs, runs since a date and explicitly listed runs are kept.
  - Artifactory does not report which runs it will discard or has discarded. The module therefore computes the plan from
    the list of runs and verifies it afterwards. The task fails if a run, or a file that was to be deleted with it,
    still exists.
  - Artifactory never discards promoted runs. RV(promoted) lists them.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_build_retention
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires Artifactory Pro 5.0 or later, and the Read and Delete permissions on the build and, with
    O(artifacts=true), on the files.
  - To find out which runs were promoted, the module sends one request for each run that is old enough to be discarded.
attributes:
  diff_mode:
    support: none
    details: RV(plan) describes the changes.
options:
  build:
    description: Name of the build.
    type: str
  count:
    description:
      - Number of newest runs to keep. Promoted runs are included in this number.
      - At least one of O(count) and O(minimum_date) is required.
    type: int
  minimum_date:
    description: Keep runs that were started at this time or later. The value is a date and time with a time zone in ISO
      8601 format.
    type: str
  keep:
    description: Numbers of runs to keep regardless of their age and of O(count).
    type: list
    elements: str
  artifacts:
    description:
      - Whether to also delete the files whose properties C(build.name) and C(build.number) refer to a discarded run.
      - Artifactory selects these files by name and number, not by run. The task therefore fails before it deletes
        anything if a run to keep has the same number as a run to discard. With O(project_key), runs outside of any
        project are also checked. Runs in other projects are not.
      - If V(true), the name and the numbers of the build must not contain quotation marks.
    type: bool
    default: false
  project_key:
    description: Key of the project to which the build belongs. Requires Artifactory 7.17.4 or later.
    type: str
  wait:
    description:
      - Whether to wait until the server has discarded the runs, and to verify the result.
      - If V(false), the server discards the runs asynchronously, and the task does not verify the result.
  wait_timeout:
    description:
      - Maximum time to wait for the response and then for the runs to disappear, in seconds. Some Artifactory versions
        respond before the runs are deleted. If the time expires, the task fails.
  items:
    description:
      - List of builds, each with the options below. Options set outside O(items) are the defaults for all items.
      - Without O(items), O(build) is required. With O(items), each item needs O(build), either in the item itself or as
        a default.
      - All items are validated before the first request. Two items must not refer to the same build.
    type: list
    elements: dict
    suboptions:
      build:
        description: Value of O(build) for this item.
        type: str
      count:
        description: Value of O(count) for this item.
        type: int
      minimum_date:
        description: Value of O(minimum_date) for this item, a date and time with a time zone.
        type: str
      keep:
        description: Value of O(keep) for this item.
        type: list
        elements: str
      artifacts:
        description: Value of O(artifacts) for this item.
        type: bool
      project_key:
        description: Value of O(project_key) for this item.
        type: str
seealso:
  - module: buildworks.toolchain.artifact_build
  - module: buildworks.toolchain.artifact_build_info
"""

EXAMPLES = r"""
- name: List the runs that would be discarded
  buildworks.toolchain.artifact_build_retention:
    build: acme/nightly of web
    count: 2
  check_mode: true
  register: old

- name: Keep the two newest runs and a run that was delivered to a customer
  buildworks.toolchain.artifact_build_retention:
    build: acme/nightly of web
    count: 2
    keep: ["1"]

- name: Discard runs from before May, together with their files
  buildworks.toolchain.artifact_build_retention:
    build: app
    minimum_date: "2026-05-01T00:00:00Z"
    artifacts: true

- name: Keep the five newest runs of each build, but twenty of one
  buildworks.toolchain.artifact_build_retention:
    count: 5
    items:
      - build: acme/nightly of web
      - build: app
        count: 20
"""

RETURN = r"""
plan:
  description: Changes that were made or, in check mode, would be made. V(null) if there is nothing to discard.
  returned: success, when O(items) is not set
  type: dict
  contains:
    counts:
      description: Number of changes by action, which is V(discard run) or V(delete file).
      type: dict
    first:
      description: The first ten changes, runs first.
      type: list
      elements: dict
      contains:
        action:
          description: Either V(discard run) or V(delete file).
          type: str
        number:
          description: Number of the run.
          type: str
        started:
          description: Start time of the run, in ISO 8601 format.
          type: str
        repo:
          description: Key of the repository of the file.
          type: str
        path:
          description: Path to the file.
          type: str
  sample:
    counts: {discard run: 1}
    first:
      - action: discard run
        number: "1"
        started: "2026-05-01T01:00:00.000Z"
promoted:
  description: Runs that are old enough to be discarded, but are kept because they were promoted. The newest run is
    first.
  returned: success, when O(items) is not set
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: Start time, in ISO 8601 format.
      type: str
    status:
      description: Status of the run.
      type: str
  sample:
    - number: "2"
      started: "2026-05-02T01:00:00.000Z"
      status: released
discarded:
  description:
    - Runs that were discarded, newest first. Also returned when the task fails because other runs still exist.
    - V(null) in check mode, if O(wait=false), and if there was nothing to discard.
  returned: success, when O(items) is not set
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: Start time, in ISO 8601 format.
      type: str
  sample:
    - number: "1"
      started: "2026-05-01T01:00:00.000Z"
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Builds with discarded runs or, in check mode, with runs that would be discarded.
      type: int
    ok:
      description: Builds without runs to discard.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 12, ok: 30, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    plan:
      description: Value of RV(plan) for this item.
      type: dict
    promoted:
      description: Value of RV(promoted) for this item.
      type: list
      elements: dict
    discarded:
      description: Value of RV(discarded) for this item.
      type: list
      elements: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import retention
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.times import TIME
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT, with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        build=dict(type="str", required=True, **NAME),
        count=dict(type="int", narrows_scope=True, at_least=1, at_most=1_000_000),
        minimum_date=dict(type="str", narrows_scope=True, **TIME),
        keep=dict(type="list", elements="str", narrows_scope=True, each_element=NAME),
        artifacts=dict(type="bool", narrows_scope=True, default=False),
        project_key=dict(type="str", narrows_scope=True, no_log=False, **NAME),
    ),
    required_one_of=[("count", "minimum_date")],
    checks=[retention.check],
)
SPEC = (ARTIFACT + WAIT) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, discard, identity=retention.build_key)


def discard(task: Task) -> None:
    build = retention.Retention(task, ArtifactService(task))
    plan = build.plan()
    task.result["promoted"] = build.promoted
    operate(task, plan, build.discard, result_names=["discarded"], check=build.check)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
