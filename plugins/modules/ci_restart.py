#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_restart
short_description: Restart a CI server at once
description:
  - Restarts the server without waiting for the builds that run. They are killed, and freestyle builds end as aborted.
    Pipelines go on afterwards as far as their steps can.
  - The builds that it would kill are named, and without O(kill_builds) the task fails then, before it asks for
    anything. M(buildworks.toolchain.ci_safe_restart) waits for them instead.
  - Waits until the new process answers. That is proven by another session id; on a server that has none, by its having
    been down and answering again.
  - A restart that is under way already is waited for, and no other one is asked for.
  - In check mode it says which builds it would kill. It fails there as well when it would not be allowed to, when the
    account may not restart the server, or when the server cannot restart itself.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Needs the permission Overall/Manage, on older servers Overall/Administer.
  - A build that begins between the task's look and the restart is killed unseen. Where none may be, let the server take
    no builds before, with M(buildworks.toolchain.ci_quiet_down).
attributes:
  idempotent:
    support: none
    details: Each run restarts the server.
  diff_mode:
    support: none
    details: A restart has no before and after.
options:
  kill_builds:
    description:
      - Restart the server although builds run, which kills them.
      - Builds that run unseen by the account count as well.
    type: bool
    default: false
  wait:
    description:
      - Wait until the new process answers.
      - With V(false) the task ends when the server has accepted the request.
  wait_timeout:
    description: Seconds to wait for the restart, 0 to 2,592,000.
seealso:
  - module: buildworks.toolchain.ci_safe_restart
  - module: buildworks.toolchain.ci_quiet_down
"""

EXAMPLES = r"""
- name: Restart a server on which nothing runs
  buildworks.toolchain.ci_restart:

- name: Restart now, whatever runs
  buildworks.toolchain.ci_restart:
    kill_builds: true
    wait_timeout: 300
"""

RETURN = r"""
plan:
  description: What the task did, or would do in check mode. It is there as well when the task refuses to kill builds.
  returned: success
  type: dict
  contains:
    action:
      description: V(restart), or V(wait for a restart that is under way).
      type: str
    running_builds:
      description: The builds that ran when the task began, and that a restart kills.
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
    action: restart
    running_builds:
      - name: "app #42"
        job: app
        number: 42
        url: https://ci.example.com/job/app/42/
    unseen_builds: 0
restart:
  description: What is known of the restart. None in check mode.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restart import HardRestart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (CI + WAIT) + ArgumentSpec(
    dict(
        kill_builds=dict(type="bool", default=False),
    )
)


def run(task):
    restart = HardRestart(task, CiService(task))
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
