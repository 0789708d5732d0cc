#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_config_file
short_description: Manage a configuration file of a code-analysis project
description:
  - Imports a configuration file into a project, such as an analysis profile (C(.pconf)) or thresholds of metrics
    (C(.mconf)), or removes it from there.
  - The Web API has no such action, so the server's administration tool is run on the machine that the task runs on.
  - The server tells which files there are, but never what is in them. So the checksum of what was sent is kept in
    O(record), and the file is sent again when it is another one, when the server does not list it, or when there is no
    record. What somebody else imports under the same name, or changes in the browser or by the Web API, is not seen.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.admin_tool
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the permission to change the settings of the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  src:
    description: The file to import, on the machine that the task runs on. Its extension tells the server its type.
    type: path
  name:
    description:
      - Name that the server lists the file under. By default the name of O(src) without its folder.
      - The tool can give it no other one; this is for servers that list a file under a name of their own.
    type: str
  record:
    description:
      - File in which the checksums of what was sent are kept, for each server, project and name.
      - By default O(src) with C(.sent) at its end. A new one is for its owner alone.
    type: path
  force:
    description: Import the file in any case, also when it is the one that was sent last.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_config_file_info
"""

EXAMPLES = r"""
- name: Write an analysis profile
  ansible.builtin.copy:
    content: |
      <?xml version="1.0" encoding="UTF-8"?>
      <config/>
    dest: "{{ ansible_facts.env.HOME }}/analysis_profile.pconf"
    mode: "0644"

- name: See to it that the project is analysed by this profile
  buildworks.toolchain.review_config_file:
    project: mobile-app
    src: "{{ ansible_facts.env.HOME }}/analysis_profile.pconf"

- name: Have none
  buildworks.toolchain.review_config_file:
    project: mobile-app
    name: analysis_profile.pconf
    state: absent
"""

RETURN = r"""
config_file:
  description: The file afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the file.
      type: str
    type:
      description: Its type, in the words of the server; none where the server has not been asked yet.
      type: str
    sha256:
      description: Checksum of what was sent last, none where that is not known.
      type: str
  sample:
    name: analysis_profile.pconf
    type: Problems Configuration
    sha256: 5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.admin_tool import ADMIN_TOOL, AdminTool
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.config_files import Sending
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + ADMIN_TOOL + STATE) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        src=dict(type="path", not_empty=True),
        name=dict(type="str", **NAME),
        record=dict(type="path", not_empty=True),
        force=dict(type="bool", default=False),
    ),
    required_if=[("state", "present", ["src"])],
    required_one_of=[["src", "name"]],
)


def run(task):
    sending = Sending(task, AdminTool(task))
    reconcile(
        task,
        "config_file",
        read=sending.find,
        desired=sending.desired,
        create=sending.send,
        update=sending.send,
        delete=sending.delete,
        check=sending.check,
        to_result=lambda file: {"type": None, "sha256": None, **file},
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
