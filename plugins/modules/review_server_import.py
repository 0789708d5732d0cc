#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_server_import
short_description: Import a Klocwork server configuration
description:
  - Import users, groups, roles and other settings from another Klocwork server and wait until the import has finished.
  - Each run starts an import, because Klocwork does not report whether the configuration was imported before.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_server_import
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.review_source
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access) and the role C(Projects root admin) on both servers.
  - Klocwork does not document how it reports imports. The module considers an import finished or failed if a status or
    state in its record says so, or finished if two consecutive responses do not list it.
  - Records that existed before the task, and records of other projects or sources, are ignored. Records are identified
    by their IDs. If another import starts at the same time and neither record names a project or source, the task waits
    for both.
options: {}
seealso:
  - module: buildworks.toolchain.review_project_import
  - module: buildworks.toolchain.review_server_info
"""

EXAMPLES = r"""
- name: Import the users and roles of the old server
  buildworks.toolchain.review_server_import:
    source_url: https://old-review.example.com:8443
    source_username: admin
    source_password: "{{ lookup('ansible.builtin.env', 'OLD_REVIEW_PASSWORD') }}"
    wait_timeout: 3600
"""

RETURN = r"""
plan:
  description: The planned action.
  returned: success
  type: dict
  sample:
    action: import
    source: https://old-review.example.com:8443
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects.imports import SOURCE, Import
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + SOURCE


def run(task: Task) -> None:
    server_import = Import(task, ReviewService(task))
    operate(task, server_import.plan(), server_import.run)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
