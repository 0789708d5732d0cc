#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_info
short_description: Get Jenkins controller information
description:
  - Get the version, session ID, quiet-down state and security settings of a Jenkins controller, and the account that
    the module is logged in with.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/Read permission.
options: {}
"""

EXAMPLES = r"""
- name: Get information about the Jenkins controller
  buildworks.toolchain.ci_info:
  register: jenkins

- name: Fail if Jenkins is in quiet-down mode
  ansible.builtin.assert:
    that: not jenkins.server.quieting_down
"""

RETURN = r"""
server:
  description: The Jenkins controller. Values are V(null) if the server does not return them.
  returned: success
  type: dict
  contains:
    product:
      description: Either V(jenkins) or V(hudson).
      type: str
    version:
      description: Version of the server.
      type: str
    session_id:
      description: ID of the running process, which changes with each restart. V(null) for Hudson.
      type: str
    mode:
      description: V(NORMAL), or V(EXCLUSIVE) if the built-in node only runs jobs that are assigned to it.
      type: str
    quieting_down:
      description: Whether the server is in quiet-down mode and starts no new builds.
      type: bool
    quiet_down_reason:
      description: Reason for the quiet-down.
      type: str
    csrf_protection:
      description: Whether requests that change data require a crumb.
      type: bool
    security:
      description: Whether security is enabled.
      type: bool
    executors:
      description: Number of executors of the built-in node.
      type: int
    ssh_endpoint:
      description: Host and port of the SSH server for the command-line interface. V(null) if it is disabled.
      type: str
    java:
      description: Java releases that this version supports. Empty if unknown.
      type: list
      elements: int
  sample:
    product: jenkins
    version: "2.579"
    session_id: 5f0c9a3e
    mode: NORMAL
    quieting_down: false
    quiet_down_reason: null
    csrf_protection: true
    security: true
    executors: 2
    ssh_endpoint: null
    java: [21, 25]
user:
  description: The account that the module is logged in with. V(null) for Hudson, which does not return it.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the account.
      type: str
    anonymous:
      description: Whether the request was anonymous.
      type: bool
    authorities:
      description: Groups and other authorities of the account, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI


def run(task: Task) -> None:
    ci = CiService(task)
    task.result.update(server=server.fetch_server(ci), user=server.fetch_user(ci))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
