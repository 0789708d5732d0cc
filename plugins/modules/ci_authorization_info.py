#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_authorization_info
short_description: Get Jenkins permission information
description:
  - Get the authorization strategy of a Jenkins controller with its permissions or roles, or the permission matrix of a
    folder, job or node.
  - The result has the same format as the options of M(buildworks.toolchain.ci_authorization).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_authorization_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - To read the authorization strategy of the server, the account needs the Overall/SystemRead or Overall/Administer
    permission. Jenkins needs the plugin C(configuration-as-code).
  - To read the matrix of a folder or job, the account needs the Job/Configure permission on it. To read the matrix of a
    node, the account needs the Agent/Configure permission.
  - The module sends one request. If a plugin provides permissions that the module does not know, a second request reads
    their names. If the account has no Overall/Administer permission, these permissions are returned as Jenkins stores
    them.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  folder:
    description:
      - Full name of the folder whose permission matrix is returned, such as V(team/web). Mutually exclusive with O(job)
        and O(node).
      - If neither O(folder), O(job) nor O(node) is set, the module returns the authorization strategy of the whole
        server.
    type: str
  job:
    description: Full name of the job whose permission matrix is returned, such as V(team/web/deploy). Mutually
      exclusive with O(folder) and O(node).
    type: str
  node:
    description: Name of the node whose permission matrix is returned. Mutually exclusive with O(folder) and O(job).
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
  description: Permissions or roles of the server, folder, job or node. V(null) if the folder, job or node has no
    permission matrix.
  returned: success
  type: dict
  contains:
    strategy:
      description: Authorization strategy of the server. One of the choices of
        O(buildworks.toolchain.ci_authorization#module:strategy), or the name that Jenkins uses for any other strategy,
        such as V(unsecured).
      returned: for the server
      type: str
    inheritance:
      description: Which permissions apply in addition to the matrix. V(parent) for the permissions of the folder that
        contains the object, V(global) for the permissions of the server, V(none) for no other permissions.
      returned: for a folder, job or node
      type: str
    users:
      description: Permissions of users. The keys are user names. The values are sorted lists of permissions.
      returned: for a matrix
      type: dict
    groups:
      description: Permissions of groups. The keys are group names. The values are sorted lists of permissions.
      returned: for a matrix
      type: dict
    users_or_groups:
      description: Permissions of names that can be the name of a user or of a group. The keys are these names. The
        values are sorted lists of permissions.
      returned: for a matrix
      type: dict
    roles:
      description:
        - Roles of the strategy V(role_based). The keys are V(global), V(item) and V(agent).
        - Each value is a dictionary of roles. The keys are the names of the roles. Each role is a dictionary with the
          keys that O(buildworks.toolchain.ci_authorization#module:roles) describes. Global roles have no C(pattern).
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
    authorization = (
        MatrixProperty(task, ci, shared, target, {}) if target else GlobalAuthorization(task, ci, shared, {})
    )
    task.result["authorization"] = authorization.find()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
