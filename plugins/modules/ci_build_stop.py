#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_build_stop
short_description: Stop a Jenkins build or cancel a queue item
description:
  - Stop a running Jenkins build and verify that it has ended. Verification is necessary because Jenkins confirms every
    stop request, even one that has no effect.
  - If a Pipeline build does not stop, O(escalate_to) lets the module terminate its steps (C(term)) and then kill it.
    Jenkins ignores these requests for other types of builds.
  - With O(queue_item), the queue item is canceled. If its build has already started, that build is stopped.
  - Completed builds and canceled queue items are not changed.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_build_stop
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Requires the Job/Read and Job/Cancel permissions.
attributes:
  diff_mode:
    support: none
    details: A stopped build cannot be described as a diff.
options:
  job:
    description:
      - Full name of the job, such as V(folder/app). Required if O(build) is set.
      - With O(queue_item), the job is only needed for an item that left the queue more than five minutes ago. Jenkins
        forgets such items, so the module searches the builds of the job for the ID of the item. Very old servers do
        not store this ID.
      - If the queue item belongs to another job, nothing is stopped and the task fails.
    type: str
  build:
    description:
      - Number of a build, or V(last), V(last_completed), V(last_successful), V(last_stable), V(last_unstable),
        V(last_unsuccessful) or V(last_failed).
      - If the job has no build with this number, the task fails. If it has no build for one of the other values, the
        task changes nothing.
    type: str
  queue_item:
    description:
      - ID of the queue item.
      - Jenkins merges identical requests into one queue item. Canceling the item, or stopping its build, affects all
        clients that requested it.
    type: int
  escalate_to:
    description:
      - The strongest method to use if a Pipeline build does not stop. The methods are tried in the order V(stop),
        V(term), V(kill), each for O(wait_timeout) seconds.
    type: str
    choices:
      stop: Only request the build to stop.
      term: Terminate the running steps of the Pipeline.
      kill: Kill the Pipeline. It may leave locks behind.
    default: stop
  wait:
    description:
      - Whether to wait until the build has ended.
      - If V(false), the task sends one stop request and returns the state right after it. O(escalate_to) is ignored.
  wait_timeout:
    description:
      - Maximum time to wait after each method, in seconds.
      - If the build is still running after the last method, the task fails.
    default: 30.0
"""

EXAMPLES = r"""
- name: Stop the running build of a job
  buildworks.toolchain.ci_build_stop:
    job: app
    build: last

- name: Stop a Pipeline build and kill it if necessary
  buildworks.toolchain.ci_build_stop:
    job: deploy
    build: last
    escalate_to: kill
    wait_timeout: 10
"""

RETURN = r"""
plan:
  description: Action that the task performed or, in check mode, would perform. V(null) if there was nothing to stop.
  returned: success
  type: dict
  contains:
    action:
      description: V(stop) for a build, V(cancel) for a queue item.
      type: str
    job:
      description: Full name of the job.
      type: str
    number:
      description: Build number. V(null) for a queue item.
      type: int
    queue_item:
      description: ID of the queue item. V(null) for a build.
      type: int
    methods:
      description: Methods to stop the build, in the order in which they are tried.
      type: list
      elements: str
  sample:
    action: stop
    job: app
    number: 42
    queue_item: null
    methods: [stop]
build:
  description: State of the build after the task or, in check mode, its current state. V(null) if the queue item has no
    build.
  returned: success
  type: dict
  contains:
    job:
      description: Full name of the job.
      type: str
    number:
      description: Build number.
      type: int
    url:
      description: URL of the build.
      type: str
    result:
      description: V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT) or V(ABORTED). V(null) while the build is running.
      type: str
    building:
      description: Whether the build is running.
      type: bool
    timestamp:
      description: Start time, in ISO 8601 format (UTC).
      type: str
    duration:
      description: Duration in seconds. 0 while the build is running.
      type: float
    full_display_name:
      description: Display name including the name of the job.
      type: str
stopped_by:
  description:
    - The method after which the result was V(ABORTED). V(null) if the build has another result, for example because it
      had completed before.
  returned: success
  type: str
cancelled:
  description: Whether the queue item was canceled, by this task or earlier. V(null) with O(build).
  returned: success
  type: bool
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.builds import BUILD
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.cancel import (
    METHODS,
    RESULT_NAMES,
    BuildCancellation,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_WAIT_TIMEOUT = {"wait_timeout": {**WAIT.options["wait_timeout"], "default": 30.0}}

SPEC = (CI + ArgumentSpec({**WAIT.options, **_WAIT_TIMEOUT})) + ArgumentSpec(
    dict(
        job=dict(type="str", narrows_scope=True, **JOB),
        build=dict(type="str", narrows_scope=True, **BUILD),
        queue_item=dict(type="int", narrows_scope=True, at_least=1, at_most=2**53 - 1),
        escalate_to=dict(type="str", choices=list(METHODS), default="stop"),
    ),
    mutually_exclusive=[("build", "queue_item")],
    required_one_of=[("build", "queue_item")],
    required_by=dict(build="job"),
)


def run(task: Task) -> None:
    cancellation = BuildCancellation(task, CiService(task))
    operate(task, cancellation.plan(), cancellation.apply, result_names=RESULT_NAMES)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
