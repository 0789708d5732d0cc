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
  - buildworks.toolchain.option_order.ci_node_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/Read permission. Reading the configuration of agents also requires the Agent/ExtendedRead or
    Agent/Configure permission. Without this permission, most fields of RV(nodes) are V(null).
  - The module reads the state of all nodes with one request. It reads the configuration with one more request for each
    node that is not an agent of a cloud.
  - RV(nodes) does not contain agents of clouds, because M(buildworks.toolchain.ci_node) does not manage them.
    RV(states) contains them.
  - Tested against the simulated server (sandbox) that comes with this collection. The sandbox simulates Jenkins 2.579.
    The module has not been tested against a real Jenkins server.
options:
  name:
    description: Name of the node to return. V(built-in) is the built-in node of the controller. If not set, all nodes
      are returned.
    type: str
  complete_config:
    description: Whether RV(nodes[].config) contains the whole configuration of an agent. If V(false), it contains only
      the parts for which M(buildworks.toolchain.ci_node) does not have another option.
    type: bool
    default: false
  read_config:
    description: Whether to read the configuration of the nodes. If V(false), RV(nodes) is V(null), and the module sends
      only one request.
    type: bool
    default: true
  workers:
    description: Maximum number of concurrent requests for the configurations of nodes.
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
    - The configurations of the built-in node and the permanent agents, in the order in which Jenkins lists them. The
      list is empty if the node O(name) does not exist.
    - V(null) if O(read_config=false).
    - The built-in node has only the keys C(name), C(executors), C(labels) and C(usage).
    - If the account may not read the configuration of an agent, only C(name), C(description), C(executors) and
      C(labels) are set. The other keys are V(null).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node. The built-in node has the name V(built-in).
      type: str
    description:
      description: Description of the agent. Empty if it is not set.
      type: str
    remote_root:
      description: Root directory on the agent, in which the agent stores its files.
      type: str
    executors:
      description: Number of executors, which is the number of builds that can run at the same time.
      type: int
    usage:
      description: Which builds run on the node. V(normal) permits all builds. V(exclusive) permits only builds whose
        label expression matches the node.
      type: str
    labels:
      description: Labels of the node, sorted. The name of the node, which Jenkins adds as a label, is not included.
      type: list
      elements: str
    launcher:
      description:
        - How the connection between Jenkins and the agent is established. The dictionary has all suboptions of
          O(buildworks.toolchain.ci_node#module:launcher) that apply to the type.
        - V(null) if O(buildworks.toolchain.ci_node#module:launcher) does not support the type. RV(nodes[].config) then
          contains the launcher.
      type: dict
    retention:
      description:
        - When Jenkins connects and disconnects the agent. The dictionary has all suboptions of
          O(buildworks.toolchain.ci_node#module:retention) that apply to the type.
        - V(null) if O(buildworks.toolchain.ci_node#module:retention) does not support the type. RV(nodes[].config) then
          contains the retention strategy.
      type: dict
    environment_variables:
      description: Environment variables of builds on the agent. The keys are the names of the variables. Empty if no
        variable is set.
      type: dict
    tools:
      description: Locations of tools on the agent, sorted by type and name. Each entry is a dictionary with C(type),
        C(name) and C(home), which have the same meaning as in O(buildworks.toolchain.ci_node#module:tools).
      type: list
      elements: dict
    config:
      description:
        - XML of the parts of the configuration that have no other key, such as node properties of plugins. V(null) if
          there are no such parts.
        - If O(complete_config=true), XML of the whole configuration.
        - V((encrypted\)) replaces encrypted values.
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
  description: The states of all nodes, including agents of clouds, in the order in which Jenkins lists them. The list
    is empty if the node O(name) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node. The built-in node has the name V(built-in).
      type: str
    permanent:
      description: Whether the node is a permanent agent. V(false) for the built-in node and for agents of clouds.
      type: bool
    offline:
      description: Whether the node is offline for any reason. An offline node starts no builds.
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
      description: Number of executors, which is the number of builds that can run at the same time.
      type: int
    busy_executors:
      description: Number of executors that are running a build.
      type: int
    labels:
      description: Labels of the node, sorted. The name of the node, which Jenkins adds as a label, is not included.
      type: list
      elements: str
    running_builds:
      description: Running builds on the node that the account can read. The list includes Pipeline builds that run
        without an executor.
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
      description: Number of additional running builds on the node that the account cannot read.
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
    dict(
        name=dict(type="str", **nodes.NODE),
        complete_config=dict(type="bool", default=False),
        read_config=dict(type="bool", default=True),
    )
)


def run(task: Task) -> None:
    computers = information.find_computers(CiService(task), task.params["name"])
    task.result["states"] = [information.describe_status(computer) for computer in computers]
    task.result["nodes"] = information.list_nodes(task, computers) if task.params["read_config"] else None


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
