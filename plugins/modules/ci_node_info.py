#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_node_info
short_description: Get Jenkins node information
description:
  - Get the configuration and the state of all nodes of a Jenkins controller, or of one node.
  - You can pass RV(nodes) to O(buildworks.toolchain.ci_node#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/Read permission. The configuration of agents also requires Agent/ExtendedRead or
    Agent/Configure. Without it, most fields of RV(nodes) are V(null).
  - One request reads the state of all nodes. The configuration takes one more request for each agent and one for the
    built-in node.
  - Agents of clouds are only in RV(states), because M(buildworks.toolchain.ci_node) does not manage them.
  - Tested against the sandbox of this collection, which simulates Jenkins 2.579. Not tested against a real Jenkins.
options:
  name:
    description: Name of the node to return, V(built-in) for the built-in node. If not set, all nodes are returned.
    type: str
  complete_config:
    description: Whether C(config) contains the whole configuration of an agent.
    type: bool
    default: false
  workers:
    description: Number of agents whose configuration is read at the same time.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.ci_node
  - module: buildworks.toolchain.ci_node_drain
"""

EXAMPLES = r"""
- name: Get all nodes
  buildworks.toolchain.ci_node_info:
  register: ci

- name: List the nodes that are offline with the reason
  ansible.builtin.debug:
    msg: "{{ ci.states | selectattr('offline') | items2dict(key_name='name', value_name='offline_reason') }}"

- name: Get one node
  buildworks.toolchain.ci_node_info:
    name: linux-1
"""

RETURN = r"""
nodes:
  description:
    - The configuration of the built-in node and of the permanent agents, in the order of Jenkins. The list is empty if
      the node O(name) does not exist.
    - The built-in node only has C(name), C(executors), C(labels) and C(usage).
    - Apart from C(name), C(description), C(executors) and C(labels), the fields of an agent are V(null) if the account
      may not read its configuration.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node, V(built-in) for the built-in node.
      type: str
    description:
      description: Description of the agent.
      type: str
    remote_root:
      description: Root directory on the agent.
      type: str
    executors:
      description: Number of executors.
      type: int
    usage:
      description: V(normal), or V(exclusive) if the node runs only builds whose label expression matches it.
      type: str
    labels:
      description: Labels of the node, sorted. Does not contain the name of the node, which Jenkins adds as a label.
      type: list
      elements: str
    launcher:
      description: How Jenkins connects to the agent, with all suboptions of
        O(buildworks.toolchain.ci_node#module:launcher) that apply to the type. V(null) for a launcher of another type,
        which is in C(config).
      type: dict
    retention:
      description: When Jenkins connects the agent, with all suboptions of
        O(buildworks.toolchain.ci_node#module:retention) that apply to the type. V(null) for a strategy of another type,
        which is in C(config).
      type: dict
    environment_variables:
      description: Environment variables of builds on the agent.
      type: dict
    tools:
      description: Tool locations as dictionaries with C(type), C(name) and C(home), sorted by type and name.
      type: list
      elements: dict
    config:
      description: The parts of the configuration without an option as XML, such as node properties of plugins. V(null)
        if all parts have an option. With O(complete_config), the whole configuration. V((encrypted\)) replaces
        encrypted values.
      type: str
  sample:
    - name: linux-1
      description: Builds for Linux
      remote_root: /var/lib/jenkins
      executors: 4
      usage: normal
      labels: [docker, linux]
      launcher:
        type: inbound
        web_socket: true
        tunnel: ""
        disable_work_dir: false
        work_dir: ""
        internal_dir: remoting
        fail_if_work_dir_is_missing: false
      retention:
        type: always
      environment_variables: {}
      tools: []
      config: null
states:
  description: The states of all nodes, including agents of clouds, in the order of Jenkins.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node, V(built-in) for the built-in node.
      type: str
    permanent:
      description: Whether the node is a permanent agent. V(false) for the built-in node and agents of clouds.
      type: bool
    offline:
      description: Whether the node is offline for any reason, so that it starts no builds.
      type: bool
    temporarily_offline:
      description: Whether a user or a client has taken the node offline.
      type: bool
    offline_reason:
      description: Reason why the node is offline, as shown by Jenkins. Empty if there is no reason.
      type: str
    drained:
      description: Whether M(buildworks.toolchain.ci_node_drain) has taken the node offline.
      type: bool
    idle:
      description: Whether the node runs no builds.
      type: bool
    executors:
      description: Number of executors.
      type: int
    busy_executors:
      description: Number of executors that run a build.
      type: int
    labels:
      description: Labels of the node, sorted, without its name.
      type: list
      elements: str
    running_builds:
      description: Running builds that the account can read, including Pipelines that run without an executor.
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
    - name: linux-1
      permanent: true
      offline: false
      temporarily_offline: false
      offline_reason: ""
      drained: false
      idle: true
      executors: 4
      busy_executors: 0
      labels: [docker, linux]
      running_builds: []
      hidden_builds: 0
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import information, nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + WORKERS) + ArgumentSpec(
    dict(name=dict(type="str", **nodes.NODE), complete_config=dict(type="bool", default=False))
)


def run(task: Task) -> None:
    computers = information.find_computers(CiService(task), task.params["name"])
    task.result["states"] = [information.describe_status(computer) for computer in computers]
    task.result["nodes"] = information.list_nodes(task, computers)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
