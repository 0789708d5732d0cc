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
  - A restart that is under way already is waited for, and no other one is asked for.
  - In check mode it says whether it would restart, and which builds run now. It fails there as well when the account
    may not restart the server, or the server cannot restart itself.
  - The account needs the permission Overall/Manage, with O(only_if_required) Overall/SystemRead as well.
    Overall/Administer has both.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Needs the permission Overall/Manage, on older servers Overall/Administer; O(only_if_required=true) also
    Overall/SystemRead.
attributes:
  idempotent:
    support: partial
    details: With O(only_if_required=true) it is; without that each run restarts the server.
  diff_mode:
    support: none
    details: A restart has no before and after.
options:
  only_if_required:
    description:
      - Restart only when one is pending, because plugins were installed, changed, enabled, disabled or uninstalled.
      - The task does nothing on a second run then, which is what a role wants.
    type: bool
    default: false
  wait:
    description:
      - Wait until the new process answers.
      - With V(false) the task ends when the server has accepted the request. The restart may be far away then.
  wait_timeout:
    description: Seconds to wait, for the running builds and the restart together, 0 to 2,592,000.
  cancel_on_timeout:
    description:
      - When O(wait_timeout) is over and builds still run, cancel the restart, so that the server takes builds again.
        The same when the task is interrupted with Ctrl-C.
      - A server that was quieting down before is left so. The restart stays asked for then, as cancelling ends both.
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
      description: V(safe restart), or V(wait for a restart that is under way).
      type: str
    running_builds:
      description: The builds that ran when the task began, and that a restart waits for.
      type: list
      elements: dict
      contains:
        name:
          description: Full name of the build, as people read it.
          type: str
        job:
          description: Full name of its job.
          type: str
        number:
          description: Number of the build.
          type: int
        url:
          description: Address of the build.
          type: str
    unseen_builds:
      description: Number of the builds that ran besides, which the account may not see.
      type: int
  sample:
    action: safe restart
    running_builds:
      - name: "app #42"
        job: app
        number: 42
        url: https://ci.example.com/job/app/42/
    unseen_builds: 0
restart:
  description: What is known of the restart. None when none was asked for and none was under way, and in check mode.
  returned: success
  type: dict
  contains:
    completed:
      description: V(true) when a new process answers. V(false) when the task did not wait for it.
      type: bool
    requested_by:
      description: V(this task), or V(another client) when a restart was under way before the task.
      type: str
    session_before:
      description: Session id of the old process, if the server has session ids.
      type: str
    session_after:
      description: Session id of the new process, if the server has session ids and the task waited.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restart import SafeRestart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (CI + WAIT) + ArgumentSpec(
    dict(
        only_if_required=dict(type="bool", default=False),
        cancel_on_timeout=dict(type="bool", default=False),
    )
)


def run(task):
    restart = SafeRestart(task, CiService(task))
    operate(
        task,
        restart.plan(),
        lambda: {"restart": restart.carry_out()},
        lasting=not restart.under_way,
        gives=["restart"],
        rehearse=restart.rehearse,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
