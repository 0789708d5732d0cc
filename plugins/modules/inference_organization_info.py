# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_organization_info
short_description: Get OpenAI organization information
description:
  - List the OpenAI organizations that the credential belongs to, with their projects.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_organization_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(admin_key) or O(session_token). If both are set, O(admin_key) is used.
options: {}
seealso:
  - module: buildworks.toolchain.inference_project_info
"""

EXAMPLES = r"""
- name: Get the organization of the admin key
  buildworks.toolchain.inference_organization_info:
  register: result
"""

RETURN = r"""
organizations:
  description: The organizations, sorted by ID.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the organization.
      type: str
    title:
      description: Display name of the organization.
      type: str
    name:
      description: Short name of the organization.
      type: str
    description:
      description: Description of the organization.
      type: str
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    projects:
      description: Projects of the organization with C(id) and C(title).
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import organizations
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE


def run(task: Task) -> None:
    task.result["organizations"] = organizations.list_organizations(task)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
