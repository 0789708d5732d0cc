#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_info
short_description: Tell what a CI server is, how it is doing, and who the account is to it
description:
  - Reads the version, the session, the state and the protection of a CI server, and the account as the server sees it.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Overall/Read.
options: {}
"""

EXAMPLES = r"""
- name: Look at the CI server
  buildworks.toolchain.ci_info:
  register: ci

- name: Stop when it takes no builds
  ansible.builtin.assert:
    that: not ci.server.quieting_down
"""

RETURN = r"""
server:
  description: The server. What a server does not tell is none.
  returned: success
  type: dict
  contains:
    product:
      description: V(jenkins) or V(hudson).
      type: str
    version:
      description: Version of the server.
      type: str
    session_id:
      description: Id of the running process, another after each restart. Hudson has none.
      type: str
    mode:
      description: V(NORMAL), or V(EXCLUSIVE) when its own executors take only jobs that are tied to it.
      type: str
    quieting_down:
      description: Whether it takes no new builds.
      type: bool
    quiet_down_reason:
      description: The reason given for that.
      type: str
    csrf_protection:
      description: Whether it asks for a crumb.
      type: bool
    security:
      description: Whether it knows accounts and permissions.
      type: bool
    executors:
      description: Number of its own executors.
      type: int
    ssh_endpoint:
      description: Host and port of its SSH command line, when that is switched on.
      type: str
    java:
      description: The Java releases that this version runs on. Empty when that is not known.
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
  description: The account as the server sees it. None when the server does not tell (Hudson).
  returned: success
  type: dict
  contains:
    name:
      description: Name of the account.
      type: str
    anonymous:
      description: Whether the request was not logged in.
      type: bool
    authorities:
      description: Groups and other authorities of the account, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = CI


def run(task):
    ci = CiService(task)
    task.result.update(server=server.found(ci), user=server.user(ci))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
