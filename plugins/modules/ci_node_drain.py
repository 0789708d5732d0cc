#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_node_drain
short_description: Take a Jenkins node offline or back online
description:
  - Take a Jenkins node temporarily offline and wait until it runs no builds, for example before maintenance of its
    host. An offline node starts no new builds. Running builds continue.
  - With O(state=resumed), bring the node back online. The module does this only if it has taken the node offline
    itself, which it recognizes by the start of the offline reason.
  - If another client has taken the node offline, the module does not change the node. The task succeeds with a warning.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_node_drain
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the Agent/Disconnect permission. Bringing a node back online requires the Agent/Connect permission.
  - A node stays offline until it is brought back online, even if Jenkins restarts. Only old versions of Jenkins do not
    keep the offline state of an agent when they restart.
  - A Pipeline build runs on the built-in node without an executor, even if its steps run on agents. The built-in node
    is therefore idle only after all running Pipeline builds have finished.
  - To bring a node back online, the module sends a request that toggles the state of the node. The module reads the
    state before and after this request. If the response is lost, the module does not repeat the request.
  - Tested against the simulated server (sandbox) that comes with this collection. The sandbox simulates Jenkins 2.579.
    The module has not been tested against a real Jenkins server.
options:
  name:
    description: Name of the node. V(built-in) is the built-in node of the controller.
    type: str
    required: true
  state:
    description: Desired state of the node.
    type: str
    choices:
      drained: The node is offline and, with O(wait=true), runs no builds.
      resumed: This module no longer keeps the node offline. An agent that is not connected to Jenkins stays offline.
    default: drained
  reason:
    description:
      - Reason why the node is offline. Jenkins shows it on its pages after the text V(Drained by buildworks.toolchain).
      - If not set, Jenkins shows only this text. A node that the module has already taken offline keeps its reason.
      - Ignored if O(state=resumed).
    type: str
  wait:
    description: Whether to wait until the node runs no builds. Ignored if O(state=resumed).
  wait_timeout:
    description: Maximum time to wait for running builds to finish, in seconds. If the time expires, the task fails.
  cancel_on_timeout:
    description:
      - Whether to bring the node back online if builds are still running after O(wait_timeout), or if the task is
        interrupted with Ctrl-C.
      - A node that was already offline before the task stays offline.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.ci_node
  - module: buildworks.toolchain.ci_node_info
  - module: buildworks.toolchain.ci_quiet_down
"""

EXAMPLES = r"""
- name: Take a node offline and wait for running builds
  buildworks.toolchain.ci_node_drain:
    name: linux-1
    reason: Kernel update, until about 6 pm
    wait_timeout: 3600

- name: Bring the node back online
  buildworks.toolchain.ci_node_drain:
    name: linux-1
    state: resumed

- name: Take a node offline, but bring it back online if its builds take too long
  buildworks.toolchain.ci_node_drain:
    name: linux-1
    wait_timeout: 900
    cancel_on_timeout: true
"""

RETURN = r"""
node:
  description: State of the node after the task or, in check mode, the predicted state.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the node.
      type: str
    offline:
      description: Whether the node is offline for any reason. For example, an agent is also offline if it is not
        connected.
      type: bool
    temporarily_offline:
      description: Whether a user or a client, such as this module, has taken the node offline.
      type: bool
    reason:
      description: Reason why the node was taken offline. Empty if there is no reason.
      type: str
    drained:
      description: Whether this module has taken the node offline.
      type: bool
  sample:
    name: linux-1
    offline: true
    temporarily_offline: true
    reason: "Drained by buildworks.toolchain: Kernel update, until about 6 pm"
    drained: true
running_builds:
  description:
    - Running builds on the node that the account can read. V(null) if O(wait=false) or O(state=resumed).
    - After a successful wait, the list is empty.
    - In check mode, the list contains the builds for which the task would wait. If O(wait_timeout) expires, the list
      contains the builds that are still running.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Display name of the build, which includes the name of the job.
      type: str
    job:
      description: Full name of the job, including its folders.
      type: str
    number:
      description: Build number.
      type: int
    url:
      description: URL of the build.
      type: str
hidden_builds:
  description: Number of additional running builds on the node that the account cannot read. V(null) if O(wait=false) or
    O(state=resumed).
  returned: success
  type: int
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes.drain import Drain
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import VISIBILITY, WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile, run_or_predict
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + WAIT + VISIBILITY) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **nodes.NODE),
        state=dict(type="str", choices=["drained", "resumed"], default="drained"),
        reason=dict(type="str", one_line=True),
        cancel_on_timeout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    drain = Drain(task, CiService(task))
    with task.on_interrupt(drain.handle_interrupt):
        reconcile(
            task,
            "node",
            read=drain.read,
            desired=drain.desired,
            update=drain.update,
            to_result=drain.to_result,
            cumulative=True,
        )
        task.result.update(running_builds=None, hidden_builds=None)
        if task.params["wait"] and task.params["state"] == "drained":
            run_or_predict(task, drain.wait, drain.fetch_running_builds)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
