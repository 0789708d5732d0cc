#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_quiet_down
short_description: Manage Jenkins quiet-down mode
description:
  - Put Jenkins into quiet-down mode, or end this mode. In quiet-down mode, Jenkins starts no builds. Running builds
    continue, and new builds wait in the queue.
  - By default, the module waits until no build is running. If another client ends the quiet-down while the task waits,
    the task fails.
  - The mode lasts until it is ended with O(state=absent) or until Jenkins restarts.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_quiet_down
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.wait
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Manage permission. Older servers require Overall/Administer.
  - Ending the quiet-down also cancels a pending safe restart.
options:
  reason:
    description:
      - Message to show on the pages of Jenkins. If not set, the current message is not changed. V("") removes it.
      - Old servers do not return the message, so the module sets it only when the quiet-down begins.
    type: str
  state:
    description: Desired state of Jenkins.
    choices:
      present: Jenkins is in quiet-down mode.
      absent: Jenkins is not in quiet-down mode.
  wait:
    description: Whether to wait until no build is running. Ignored if O(state=absent).
  wait_timeout:
    description: Maximum time to wait for running builds, in seconds. If the time expires, the task fails.
  cancel_on_timeout:
    description:
      - Whether to end the quiet-down if builds are still running after O(wait_timeout), or if the task is interrupted
        with Ctrl-C.
      - If the server was in quiet-down mode before the task, it stays in this mode.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.ci_safe_restart
  - module: buildworks.toolchain.ci_restart
"""

EXAMPLES = r"""
- name: Put Jenkins into quiet-down mode and wait for running builds
  buildworks.toolchain.ci_quiet_down:
    reason: The disks are being replaced, until about 6 pm
    wait_timeout: 3600

- name: Put Jenkins into quiet-down mode without waiting
  buildworks.toolchain.ci_quiet_down:
    wait: false

- name: End the quiet-down mode
  buildworks.toolchain.ci_quiet_down:
    state: absent
"""

RETURN = r"""
quiet_down:
  description: State of the quiet-down after the task or, in check mode, the predicted state. V(null) if Jenkins is not
    in quiet-down mode.
  returned: success
  type: dict
  contains:
    reason:
      description: Message on the pages of Jenkins, empty if not set. Missing if the server does not return the message.
      type: str
  sample:
    reason: The disks are being replaced, until about 6 pm
running_builds:
  description:
    - Running builds that the account can read. V(null) with O(wait=false) or O(state=absent).
    - Empty after waiting. In check mode and after O(wait_timeout), the builds that the task waits or waited for.
  returned: success
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
  description:
    - Number of additional running builds that the account cannot read. V(null) with O(wait=false) or O(state=absent).
  returned: success
  type: int
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.quiet_down import QuietDown
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY, WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile, run_or_predict
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + STATE + WAIT + VISIBILITY) + ArgumentSpec(
    dict(
        reason=dict(type="str", unchecked="any text"),
        cancel_on_timeout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    quiet_down = QuietDown(task, CiService(task))
    with task.on_interrupt(quiet_down.handle_interrupt):
        reconcile(
            task,
            "quiet_down",
            read=quiet_down.read,
            desired=quiet_down.desired,
            create=quiet_down.start,
            update=quiet_down.update_reason,
            delete=quiet_down.end,
            predict_refusal=quiet_down.predict_refusal,
            to_result=quiet_down.to_result,
        )
        task.result.update(running_builds=None, hidden_builds=None)
        if task.params["wait"] and task.params["state"] == "present":
            run_or_predict(task, quiet_down.wait, quiet_down.fetch_running_builds)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
