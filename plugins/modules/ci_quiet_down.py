#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_quiet_down
short_description: Let a CI server take no builds
description:
  - A server that quiets down starts no builds. Those that run go on, new ones wait in the queue.
  - It lasts until it is ended with O(state=absent), or until the server restarts.
  - Waits until no build runs. A quiet-down that another client ends meanwhile makes the task fail.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Needs the permission Overall/Manage, on older servers Overall/Administer.
  - To end the quiet-down cancels a safe restart as well that somebody has asked for.
options:
  reason:
    description:
      - What people read on the server's pages. Without it the reason stays as it is; V("") removes it.
      - A server that does not tell its reason, as old ones do, gets it only when the quiet-down begins.
    type: str
  state:
    description: Whether the server takes no builds, V(present), or takes them, V(absent).
  wait:
    description: Wait until no build runs. Not with O(state=absent).
  wait_timeout:
    description: Seconds to wait for the running builds, 0 to 2,592,000. Then the task fails.
  cancel_on_timeout:
    description:
      - When O(wait_timeout) is over and builds still run, end the quiet-down, so that the server takes builds again.
        The same when the task is interrupted with Ctrl-C.
      - A server that was quieting down before is left so.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.ci_safe_restart
  - module: buildworks.toolchain.ci_restart
"""

EXAMPLES = r"""
- name: Take no builds, and wait until none runs
  buildworks.toolchain.ci_quiet_down:
    reason: The disks are being replaced, until about 6 pm
    wait_timeout: 3600

- name: Take no builds from now on
  buildworks.toolchain.ci_quiet_down:
    wait: false

- name: Take builds again
  buildworks.toolchain.ci_quiet_down:
    state: absent
"""

RETURN = r"""
quiet_down:
  description: The quiet-down afterwards, or as it would be in check mode. None when the server takes builds.
  returned: success
  type: dict
  contains:
    reason:
      description: What people read, empty for nothing. Not there where the server does not tell it.
      type: str
  sample:
    reason: The disks are being replaced, until about 6 pm
running_builds:
  description:
    - The builds that run, as far as the account may see them. None when the task did not look, because of O(wait=false)
      or O(state=absent).
    - After waiting there are none. In check mode it is what the task would wait for, and when O(wait_timeout) is over
      what it waited for.
  returned: success
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
  description: Number of the builds that run besides, which the account may not see. None when the task did not look.
  returned: success
  type: int
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.quiet_down import QuietDown
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import STATE, WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (CI + STATE + WAIT) + ArgumentSpec(
    dict(
        reason=dict(type="str", free="any text, also none"),
        cancel_on_timeout=dict(type="bool", default=False),
    )
)


def run(task):
    quiet_down = QuietDown(task, CiService(task))
    with task.when_interrupted(quiet_down.interrupted):
        reconcile(
            task,
            "quiet_down",
            read=quiet_down.read,
            desired=quiet_down.desired,
            create=quiet_down.begin,
            update=quiet_down.announce,
            delete=quiet_down.end,
            foresee=quiet_down.foresee,
            show=quiet_down.show,
        )
        task.result.update(running_builds=None, unseen_builds=None)
        if task.params["wait"] and task.params["state"] == "present":
            quiet_down.wait()


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
