# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_organization_info
short_description: Show the organizations of a model-inference API
description:
  - Lists the organizations that the credential belongs to, each with its projects.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(admin_key), or without one an O(session_token).
options: {}
seealso:
  - module: buildworks.toolchain.inference_project_info
"""

EXAMPLES = r"""
- name: See which organization the key belongs to
  buildworks.toolchain.inference_organization_info:
  register: mine
"""

RETURN = r"""
organizations:
  description: The organizations, by id.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the organization.
      type: str
    title:
      description: Its title.
      type: str
    name:
      description: Its short name.
      type: str
    description:
      description: What it is.
      type: str
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
    projects:
      description: Its projects (C(id), C(title)).
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import organizations
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE


def run(task):
    task.result["organizations"] = organizations.listed(task)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
