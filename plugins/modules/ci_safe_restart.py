#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_safe_restart
short_description: Restart Jenkins when running builds have finished
description:
  - Request a safe restart of Jenkins. Jenkins then starts no new builds, waits for running builds and restarts.
  - By default, the module waits until the new process responds. It verifies the restart by the session ID. If the
    server has no session IDs, it verifies that the server was down and responds again.
  - If a restart is already in progress, the module waits for it and does not request another one.
  - In check mode, the module returns whether it would restart Jenkins and which builds are running. The task also fails
    in check mode if the account lacks the permission or Jenkins cannot restart itself.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_safe_restart
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Manage permission. Older servers require Overall/Administer.
  - O(only_if_required=true) also requires Overall/SystemRead. Overall/Administer implies both permissions.
attributes:
  idempotent:
    support: partial
    details: Idempotent with O(only_if_required=true). Otherwise, each run restarts Jenkins.
  diff_mode:
    support: none
    details: A restart has no previous state.
options:
  only_if_required:
    description:
      - Whether to restart only if a restart is pending because plugins were installed, updated, enabled, disabled or
        uninstalled.
    type: bool
    default: false
  wait:
    description:
      - Whether to wait until the new process responds.
      - If V(false), the task ends after Jenkins has accepted the request. The restart can take place much later.
  wait_timeout:
    description:
      - Maximum time to wait for running builds and the restart together, in seconds. If the time expires, the task
        fails.
  cancel_on_timeout:
    description:
      - Whether to cancel the restart if builds are still running after O(wait_timeout), or if the task is interrupted
        with Ctrl-C. Jenkins then starts new builds again.
      - If the server was in quiet-down mode before the task, the restart stays pending, because canceling it would also
        end the quiet-down mode.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Restart Jenkins after all running builds have finished
  buildworks.toolchain.ci_safe_restart:
    wait_timeout: 1800

- name: Restart Jenkins if plugins require it, but cancel if builds take too long
  buildworks.toolchain.ci_safe_restart:
    only_if_required: true
    wait_timeout: 900
    cancel_on_timeout: true

- name: Request a restart without waiting for it
  buildworks.toolchain.ci_safe_restart:
    wait: false
"""

RETURN = r"""
plan:
  description: Action that the task performed or, in check mode, would perform. V(null) if no restart is required.
  returned: success
  type: dict
  contains:
    action:
      description: V(safe_restart), or V(wait) if a restart was already in progress.
      type: str
    running_builds:
      description: Running builds at the start of the task, which the restart waits for.
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
    action: safe_restart
    running_builds:
      - name: "app #42"
        job: app
        number: 42
        url: https://ci.example.com/job/app/42/
    hidden_builds: 0
restart:
  description: Restart that the task performed or waited for. V(null) in check mode and if Jenkins was not restarted.
  returned: success
  type: dict
  contains:
    completed:
      description: V(true) if the new process has responded, V(false) if the task did not wait.
      type: bool
    requested_by:
      description: V(this task), or V(another client) if a restart was already in progress.
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
        only_if_required=dict(type="bool", default=False),
        cancel_on_timeout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    operation = restart.safe_restart(task, CiService(task))
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
