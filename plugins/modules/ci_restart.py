#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_restart
short_description: Restart Jenkins immediately
description:
  - Restart Jenkins without waiting for running builds. Freestyle builds are aborted. Pipeline builds resume after the
    restart if their steps support it.
  - If builds are running, the task lists them and fails, unless O(kill_builds=true). Use
    M(buildworks.toolchain.ci_safe_restart) to wait for running builds.
  - By default, the module waits until the new process responds. It verifies the restart by the session ID. If the
    server has no session IDs, it verifies that the server was down and responds again.
  - If a restart is already in progress, the module waits for it and does not request another one.
  - In check mode, the module returns the builds that would be killed. The task also fails in check mode if builds are
    running and O(kill_builds=false), if the account lacks the permission, or if Jenkins cannot restart itself.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_restart
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Manage permission. Older servers require Overall/Administer.
  - A build that starts between the check and the restart is killed without notice. To prevent this, use
    M(buildworks.toolchain.ci_quiet_down) first.
attributes:
  idempotent:
    support: none
    details: Each run restarts Jenkins.
  diff_mode:
    support: none
    details: A restart has no previous state.
options:
  kill_builds:
    description:
      - Whether to restart Jenkins even if builds are running. The builds are killed.
      - Builds that the account cannot read are also counted.
    type: bool
    default: false
  wait:
    description:
      - Whether to wait until the new process responds.
      - If V(false), the task ends after Jenkins has accepted the request.
  wait_timeout:
    description: Maximum time to wait for the restart, in seconds.
seealso:
  - module: buildworks.toolchain.ci_safe_restart
  - module: buildworks.toolchain.ci_quiet_down
"""

EXAMPLES = r"""
- name: Restart Jenkins if no builds are running
  buildworks.toolchain.ci_restart:

- name: Restart Jenkins and kill running builds
  buildworks.toolchain.ci_restart:
    kill_builds: true
    wait_timeout: 300
"""

RETURN = r"""
plan:
  description:
    - Action that the task performed or, in check mode, would perform. Also returned if the task fails because builds
      are running.
  returned: success
  type: dict
  contains:
    action:
      description: V(restart), or V(wait) if a restart was already in progress.
      type: str
    running_builds:
      description: Running builds at the start of the task, which the restart kills.
      type: list
      elements: dict
      contains:
        name:
          description: Display name of the build including the name of the job.
          type: str
        job:
          description: Full name of the job.
          type: str
        number:
          description: Build number.
          type: int
        url:
          description: URL of the build.
          type: str
    hidden_builds:
      description: Number of additional running builds that the account cannot read.
      type: int
  sample:
    action: restart
    running_builds:
      - name: "app #42"
        job: app
        number: 42
        url: https://ci.example.com/job/app/42/
    hidden_builds: 0
restart:
  description: Restart that the task performed or waited for. V(null) in check mode.
  returned: success
  type: dict
  contains:
    completed:
      description: V(true) if the new process has responded, V(false) if the task did not wait.
      type: bool
    requested_by:
      description: Who requested the restart, either V(this task) or, if it was already in progress, V(another client).
      type: str
    session_before:
      description: Session ID before the restart. V(null) if the server has no session IDs.
      type: str
    session_after:
      description: Session ID after the restart. V(null) if the server has no session IDs or the task did not wait.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts import restart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + WAIT) + ArgumentSpec(
    dict(
        kill_builds=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    operation = restart.hard_restart(task, CiService(task))
    operate(
        task,
        operation.plan(),
        lambda: {"restart": operation.apply()},
        changes_state=not operation.is_in_progress,
        result_names=["restart"],
        predict=operation.predict,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
