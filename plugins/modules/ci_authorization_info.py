#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_authorization_info
short_description: Get Jenkins permission information
description:
  - Get the authorization strategy of a Jenkins controller with its permissions or roles, or the matrix of permissions
    of a folder, job or node.
  - The result has the form of the options of M(buildworks.toolchain.ci_authorization).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - For the server, the account needs the Overall/SystemRead or Overall/Administer permission, and Jenkins needs the
    plugin C(configuration-as-code). For a folder or job, the account needs the Job/Configure permission. For a node, it
    needs the Agent/Configure permission.
  - Sends one request. If a plugin provides permissions that the module does not know, a second request asks for their
    names.
  - Tested against the sandbox of this collection. Not tested against a real Jenkins server.
options:
  folder:
    description: Full name of the folder, such as V(team/web). If neither O(folder), O(job) nor O(node) is set, the
      result is the authorization strategy of the server.
    type: str
  job:
    description: Full name of the job, such as V(team/web/deploy).
    type: str
  node:
    description: Name of the node.
    type: str
seealso:
  - module: buildworks.toolchain.ci_authorization
"""

EXAMPLES = r"""
- name: Get the permissions for the whole server
  buildworks.toolchain.ci_authorization_info:
  register: jenkins

- name: Get the permissions for a job
  buildworks.toolchain.ci_authorization_info:
    job: deploy
  register: deploy
"""

RETURN = r"""
authorization:
  description: The permissions or roles. V(null) if the folder, job or node has no matrix.
  returned: success
  type: dict
  contains:
    strategy:
      description: Authorization strategy of the server. One of the choices of
        O(buildworks.toolchain.ci_authorization#module:strategy), or the name that Jenkins uses for another strategy.
      returned: for the server
      type: str
    inheritance:
      description: Inheritance of the matrix, one of the choices of
        O(buildworks.toolchain.ci_authorization#module:inheritance).
      returned: for a folder, job or node
      type: str
    users:
      description: Permissions of users. The keys are names of users, the values are sorted lists of permissions.
      returned: for a matrix
      type: dict
    groups:
      description: Permissions of groups. The keys are names of groups, the values are sorted lists of permissions.
      returned: for a matrix
      type: dict
    users_or_groups:
      description: Permissions of names that can be both users and groups. The keys are names, the values are sorted
        lists of permissions.
      returned: for a matrix
      type: dict
    roles:
      description: Roles. The keys are V(global), V(item) and V(agent). The values are dictionaries with names of roles
        as keys. The values of these are dictionaries with the keys of
        O(buildworks.toolchain.ci_authorization#module:roles).
      returned: when the strategy is V(role_based)
      type: dict
  sample:
    strategy: project_matrix
    users:
      admin: [Overall/Administer]
    groups:
      authenticated: [Job/Read, Overall/Read]
    users_or_groups: {}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import matrix_property
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.matrix_property import (
    MatrixProperty,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.strategy import GlobalAuthorization
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(
    dict(folder=dict(type="str", **JOB), job=dict(type="str", **JOB), node=dict(type="str", **SEGMENT)),
    mutually_exclusive=[("folder", "job", "node")],
)


def run(task: Task) -> None:
    ci, shared = CiService(task), SharedValues()
    target = matrix_property.find_target(task.params)
    authorization = MatrixProperty(task, ci, shared, target) if target else GlobalAuthorization(task, ci, shared)
    task.result["authorization"] = authorization.find()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
