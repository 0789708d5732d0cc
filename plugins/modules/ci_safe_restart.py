#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_safe_restart
short_description: Restart a CI server when its builds have ended
description:
  - Asks the server for a safe restart. It takes no new builds then, lets the running ones end, and restarts.
  - Waits until the new process answers. That is proven by another session id; on a server that has none, by its having
    been down and answering again.
  - In check mode it says whether it would restart, and which builds run now.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
attributes:
  diff_mode:
    support: none
    details: A restart has no before and after.
options:
  only_if_required:
    description:
      - Restart only when the server says that a restart is pending, after plugins were installed, say.
      - The task does nothing on a second run then, which is what a role wants.
    type: bool
    default: false
  wait:
    description:
      - Wait until the new process answers.
      - With V(false) the task ends when the server has accepted the request. The restart may be far away then.
    type: bool
    default: true
  wait_timeout:
    description: Seconds to wait, for the running builds and the restart together.
    type: float
    default: 600.0
  wait_delay:
    description: Seconds between two looks at the server.
    type: float
    default: 1.0
  cancel_on_timeout:
    description:
      - When O(wait_timeout) is over and builds still run, cancel the restart, so that the server takes builds again.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Restart, once the running builds have ended
  buildworks.toolchain.ci_safe_restart:
    wait_timeout: 1800

- name: Restart if plugins wait for it, and go on as before when builds take too long
  buildworks.toolchain.ci_safe_restart:
    only_if_required: true
    wait_timeout: 900
    cancel_on_timeout: true

- name: Ask for a restart and go on
  buildworks.toolchain.ci_safe_restart:
    wait: false
"""

RETURN = r"""
plan:
  description: What the task did, or would do in check mode. None when there was no reason to restart.
  returned: success
  type: dict
  contains:
    action:
      description: Always V(safe restart).
      type: str
    running_builds:
      description: The builds that ran when the task began, and that a restart waits for.
      type: list
      elements: dict
      contains:
        name:
          description: Full name of the build.
          type: str
        number:
          description: Number of the build.
          type: int
        url:
          description: Address of the build.
          type: str
  sample:
    action: safe restart
    running_builds:
      - name: "app #42"
        number: 42
        url: https://ci.example.com/job/app/42/
restart:
  description: What is known of the restart.
  returned: when a restart was asked for
  type: dict
  contains:
    completed:
      description: V(true) when a new process answers. V(false) when the task did not wait for it.
      type: bool
    session_before:
      description: Session id of the old process, if the server has session ids.
      type: str
    session_after:
      description: Session id of the new process, if the server has session ids and the task waited.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restart import Restart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = CI + ArgumentSpec(
    dict(
        only_if_required=dict(type="bool", default=False),
        wait=dict(type="bool", default=True),
        wait_timeout=dict(type="float", default=600.0),
        wait_delay=dict(type="float", default=1.0),
        cancel_on_timeout=dict(type="bool", default=False),
    )
)


def run(task):
    restart = Restart(task, CiService(task))
    wanted = not task.params["only_if_required"] or restart.is_required()
    plan = {"action": "safe restart", "running_builds": restart.running_builds} if wanted else None
    operate(task, plan, lambda: {"restart": restart.carry_out()})


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
