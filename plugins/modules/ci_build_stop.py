#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_build_stop
short_description: End a build, or take one out of the queue
description:
  - Asks the server to stop a build, and looks whether it ends, for the server says yes in any case.
  - A Pipeline build that goes on can be ended by its steps being ended (C(term)), and by being killed, see O(up_to).
    Other builds know neither, although the server seems to accept it.
  - With O(queue_item) a build that waits is cancelled. When it has begun meanwhile, that build is ended.
  - A build that has ended, or an item that was cancelled, is left as it is.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Job/Read and Job/Cancel.
attributes:
  diff_mode:
    support: none
    details: A build that ends has no before and after.
options:
  job:
    description:
      - The full name of a job, such as V(folder/app).
      - With O(queue_item) it is only needed to find the build of an item that the server has forgotten, which it does
        five minutes after the item left the queue. Builds are told by their items only on servers that number them.
      - An item of another job is left alone, and the task fails.
    type: str
  build:
    description: The number of a build, or V(last), V(last_completed), V(last_successful), V(last_stable),
      V(last_unstable), V(last_unsuccessful) or V(last_failed). A job without such a build has nothing to end.
    type: str
  queue_item:
    description:
      - Number of the item in the queue, 1 to 9,007,199,254,740,991.
      - Jenkins merges equal requests into one item. Cancelling the item, or stopping its build, ends it for all clients
        that requested it.
    type: int
  up_to:
    description:
      - How far to go with a Pipeline build that does not end, V(stop), then V(term), then V(kill), each after
        O(wait_timeout).
      - A killed build may leave behind what it has locked.
    type: str
    choices: [stop, term, kill]
    default: stop
  wait:
    description:
      - Wait until the build has ended.
      - Without that it is asked to stop, and RV(build) is what it is right after; O(up_to) goes no further then.
  wait_timeout:
    description:
      - Seconds to wait after each of V(stop), V(term) and V(kill), 0 to 2,592,000.
      - If the build goes on after the last of them, the task fails.
    default: 30.0
"""

EXAMPLES = r"""
- name: Stop the build that runs
  buildworks.toolchain.ci_build_stop:
    job: app
    build: last

- name: End a build of a Pipeline, whatever that takes
  buildworks.toolchain.ci_build_stop:
    job: deploy
    build: last
    up_to: kill
    wait_timeout: 10
"""

RETURN = r"""
plan:
  description: What the task did, or would do in check mode. None when there was nothing to end.
  returned: success
  type: dict
  contains:
    action:
      description: V(stop) a build, or V(cancel) an item of the queue.
      type: str
    job:
      description: Full name of the job.
      type: str
    number:
      description: Number of the build. None for an item of the queue.
      type: int
    queue_item:
      description: Number of the item in the queue. None for a build.
      type: int
    ways:
      description: The ways to end the build that are tried, one after another.
      type: list
      elements: str
  sample:
    action: stop
    job: app
    number: 42
    queue_item: null
    ways: [stop]
build:
  description: The build as it is in the end, or in check mode as it is. None when no build came of an item.
  returned: success
  type: dict
  contains:
    job:
      description: Full name of the job.
      type: str
    number:
      description: Number of the build.
      type: int
    url:
      description: Address of the build.
      type: str
    result:
      description: V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT) or V(ABORTED). None while it runs.
      type: str
    building:
      description: Whether it runs.
      type: bool
    timestamp:
      description: When it started, in ISO 8601 with a zone.
      type: str
    duration:
      description: Seconds that it took, 0 while it runs.
      type: float
    full_display_name:
      description: Its name with that of its job.
      type: str
ended_by:
  description: The way after which the build was V(ABORTED). None when it was not, perhaps because it ended by itself.
  returned: success
  type: str
cancelled:
  description: Whether the item was taken out of the queue, by this task or before. None when it is about a build.
  returned: success
  type: bool
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import BUILD
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.stopping import GIVES, WAYS, Stopping
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

_PATIENCE = {"wait_timeout": {**WAIT.options["wait_timeout"], "default": 30.0}}

SPEC = (CI + ArgumentSpec({**WAIT.options, **_PATIENCE})) + ArgumentSpec(
    dict(
        job=dict(type="str", narrows=True, **JOB),
        build=dict(type="str", narrows=True, **BUILD),
        queue_item=dict(type="int", narrows=True, at_least=1, at_most=2**53 - 1),
        up_to=dict(type="str", choices=list(WAYS), default="stop"),
    ),
    mutually_exclusive=[("build", "queue_item")],
    required_one_of=[("build", "queue_item")],
    required_by=dict(build="job"),
)


def run(task):
    stopping = Stopping(task, CiService(task))
    operate(task, stopping.plan(), stopping.carry_out, gives=GIVES)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
