#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build_retention
short_description: Discard the old runs of a build
description:
  - Keeps the newest runs of a build, those since a date, and those that are named; the server discards all others.
  - The server says neither what it will discard nor what it did. So that is worked out before, from the list of the
    runs, and looked for afterwards; when a run, or a file that was to go with it, is still there, the task fails.
  - Runs that were promoted are never discarded by the server. They are told in RV(promoted).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read and Delete on the build; with O(artifacts=true) also Read and Delete on the files.
  - Each run that is old enough is read once, to see whether it was promoted.
attributes:
  diff_mode:
    support: none
    details: RV(plan) says what goes.
options:
  build:
    description: Name of the build. It may have blanks and slashes.
    type: str
  count:
    description:
      - Keep so many of the newest runs, 1 to 1,000,000, promoted ones counted in.
      - At least one of O(count) and O(minimum_date) is required.
    type: int
  minimum_date:
    description: Keep the runs that were started then or later, a date and time with a zone in ISO 8601.
    type: str
  keep:
    description: Numbers of runs to keep in any case.
    type: list
    elements: str
  artifacts:
    description:
      - Whether the files go as well whose properties C(build.name) and C(build.number) name a discarded run.
      - Artifactory finds these files by name and number, not by run. The task fails before it acts if a run that is
        kept has the number of a run to discard. With O(project_key), runs outside the project are checked as well.
        Other projects are not checked.
      - Neither the name of the build nor a number may have quotation marks then.
    type: bool
    default: false
  project_key:
    description: Project that the build belongs to.
    type: str
  wait:
    description:
      - Have the server do it while the task waits, and look for what is left.
      - With V(false) the server does it when it comes to that, and nobody learns what came of it.
  wait_timeout:
    description:
      - Seconds to wait at most, 0 to 2,592,000, first for the answer, then for the runs to be gone, for some servers
        answer before that. Then the task fails.
  items:
    description:
      - Several builds, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(build) is required, else each item needs it from here or there. No two may be about the same
        build.
      - All are checked before the first request.
    type: list
    elements: dict
    suboptions:
      build:
        description: As O(build).
        type: str
      count:
        description: As O(count), 1 to 1,000,000.
        type: int
      minimum_date:
        description: As O(minimum_date), a date and time with a zone in ISO 8601.
        type: str
      keep:
        description: As O(keep).
        type: list
        elements: str
      artifacts:
        description: As O(artifacts).
        type: bool
      project_key:
        description: As O(project_key).
        type: str
seealso:
  - module: buildworks.toolchain.artifact_build
  - module: buildworks.toolchain.artifact_build_info
"""

EXAMPLES = r"""
- name: See what would be discarded
  buildworks.toolchain.artifact_build_retention:
    build: acme/nightly of web
    count: 2
  check_mode: true
  register: old

- name: Keep the two newest runs, and one that a customer has
  buildworks.toolchain.artifact_build_retention:
    build: acme/nightly of web
    count: 2
    keep: ["1"]

- name: Keep what was built since May, and delete the files of the others
  buildworks.toolchain.artifact_build_retention:
    build: app
    minimum_date: "2026-05-01T00:00:00Z"
    artifacts: true

- name: Keep five runs of each build, and twenty of one
  buildworks.toolchain.artifact_build_retention:
    count: 5
    items:
      - build: acme/nightly of web
      - build: app
        count: 20
"""

RETURN = r"""
plan:
  description: What goes. None when there is nothing to discard.
  returned: success, without O(items)
  type: dict
  contains:
    counts:
      description: How many, by action, which is V(discard run) or V(delete file).
      type: dict
    first:
      description: The first ten of them, runs first.
      type: list
      elements: dict
      contains:
        action:
          description: V(discard run) or V(delete file).
          type: str
        number:
          description: Number of the run.
          type: str
        started:
          description: When the run was started, in ISO 8601.
          type: str
        repo:
          description: Repository of the file.
          type: str
        path:
          description: Path of the file.
          type: str
  sample:
    counts: {discard run: 1}
    first:
      - action: discard run
        number: "1"
        started: "2026-05-01T01:00:00.000Z"
promoted:
  description: Runs that would have gone, but stay because they were promoted, the newest first.
  returned: success, without O(items)
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: When it was started, in ISO 8601.
      type: str
    status:
      description: The status that it has.
      type: str
  sample:
    - number: "2"
      started: "2026-05-02T01:00:00.000Z"
      status: released
discarded:
  description:
    - The runs that are gone, the newest first. Also there when the task fails because others are not.
    - None when there was nothing to discard, with O(wait=false), and in check mode.
  returned: success, without O(items)
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: When it was started, in ISO 8601.
      type: str
  sample:
    - number: "1"
      started: "2026-05-01T01:00:00.000Z"
counts:
  description: How many of O(items) came to which end. Each has one.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Runs of it were discarded, or would be in check mode.
      type: int
    ok:
      description: Had nothing to discard.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: What came of them is not known, for the reply was lost. RV(failures) has them as well.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 12, ok: 30, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all O(items) that failed or whose end is unknown, with the members of RV(outcomes).
  returned: with O(items)
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) of O(items), in their order.
  returned: with O(items)
  type: list
  elements: dict
  contains:
    index:
      description: Place in O(items), from 0.
      type: int
    item:
      description: The item as it was given.
      type: dict
    status:
      description: V(changed), V(ok), V(failed), V(unknown) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether something was changed. With a failed one it may be as well.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    plan:
      description: As RV(plan).
      type: dict
    promoted:
      description: As RV(promoted).
      type: list
      elements: dict
    discarded:
      description: As RV(discarded).
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import retention
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.times import TIME
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT, one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        build=dict(type="str", required=True, **NAME),
        count=dict(type="int", narrows=True, at_least=1, at_most=1_000_000),
        minimum_date=dict(type="str", narrows=True, **TIME),
        keep=dict(type="list", elements="str", narrows=True, each=NAME),
        artifacts=dict(type="bool", narrows=True, default=False),
        project_key=dict(type="str", narrows=True, no_log=False, **NAME),
    ),
    required_one_of=[("count", "minimum_date")],
)
SPEC = (ARTIFACT + WAIT) + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, discard, check=retention.check, identity=retention.build)


def discard(task):
    order = retention.Retention(task, ArtifactService(task))
    plan = order.plan()
    task.result["promoted"] = order.promoted
    operate(task, plan, order.carry_out, gives=["discarded"], rehearse=order.rehearse)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
