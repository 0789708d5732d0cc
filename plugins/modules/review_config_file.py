#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_config_file
short_description: Manage Klocwork configuration files
description:
  - Import a configuration file into a Klocwork project, such as a problems configuration (C(.pconf)) or metrics
    thresholds (C(.mconf)), or delete it from the project.
  - The Web API does not support configuration files, so the module runs C(kwadmin) on the host on which the task runs.
  - Klocwork lists configuration files but does not return their content. The module stores the checksum of the imported
    file in O(checksum_file). It imports the file again if the checksum differs or is unknown, or if the server does not
    list the file.
  - The module does not detect changes that other clients make to the configuration under the same name.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_config_file
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.admin_tool
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(change_project_settings) on the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  src:
    description:
      - Path to the file to import, on the host on which the task runs. The server derives the type from the file
        extension.
      - Required if O(state=present).
    type: path
  name:
    description:
      - Name under which the server lists the file. The default is the file name of O(src).
      - C(kwadmin) cannot rename a file during the import, so set this option only if the server itself lists the file
        under a name that differs from the file name.
    type: str
  checksum_file:
    description:
      - Path to the JSON file that stores the checksums of imported files by server, project and name.
      - The default is O(src) with the suffix C(.sent). A new file gets the mode C(0600).
    type: path
  force:
    description: Whether to import the file even if its checksum has not changed.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_config_file_info
"""

EXAMPLES = r"""
- name: Create a problems configuration
  ansible.builtin.copy:
    content: |
      <?xml version="1.0" encoding="UTF-8"?>
      <config/>
    dest: "{{ ansible_facts.env.HOME }}/analysis_profile.pconf"
    mode: "0644"

- name: Import the problems configuration into the project
  buildworks.toolchain.review_config_file:
    project: mobile-app
    src: "{{ ansible_facts.env.HOME }}/analysis_profile.pconf"

- name: Delete the problems configuration from the project
  buildworks.toolchain.review_config_file:
    project: mobile-app
    name: analysis_profile.pconf
    state: absent
"""

RETURN = r"""
config_file:
  description: State of the configuration file after the task or, in check mode, the predicted state. V(null) if the
    configuration file does not exist.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the file.
      type: str
    type:
      description:
        - Type of the file, as the server reports it. V(null) in check mode for a file that is not imported yet.
      type: str
    sha256:
      description: SHA-256 checksum of the last imported file. V(null) if it is unknown.
      type: str
  sample:
    name: analysis_profile.pconf
    type: Problems Configuration
    sha256: 5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import ADMIN_TOOL, AdminTool
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects.config_files import ConfigFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + ADMIN_TOOL + STATE + VISIBILITY) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        src=dict(type="path", not_empty=True),
        name=dict(type="str", **NAME),
        checksum_file=dict(type="path", not_empty=True),
        force=dict(type="bool", default=False),
    ),
    required_if=[("state", "present", ["src"])],
    required_one_of=[["src", "name"]],
)


def run(task: Task) -> None:
    config_file = ConfigFile(task, AdminTool(task))
    reconcile(
        task,
        "config_file",
        read=config_file.find,
        desired=config_file.desired,
        create=config_file.import_file,
        update=config_file.import_file,
        delete=config_file.delete,
        check=config_file.check,
        to_result=lambda file: {"type": None, "sha256": None, **file},
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
