#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_folder_info
short_description: Get Jenkins folder information
description:
  - Get information about one Jenkins folder, or list the folders of a Jenkins controller or of a folder.
  - If O(include_content) is V(false), you can pass RV(folders) to O(buildworks.toolchain.ci_folder#module:items).
  - The module does not return multibranch Pipelines or organization folders.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_folder_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Job/Read permission. O(include_config=true) also requires the Job/Configure permission. Folders for
    which the account lacks Job/Read are not listed.
  - The module lists up to four levels of folders with one request. Each folder on the fourth level that has content
    requires one more request to list the levels below it.
  - O(include_config=true) requires one more request for each folder.
  - This module has only been tested against the simulated server (sandbox) that comes with this collection, not against
    a real Jenkins server.
options:
  name:
    description:
      - Full name of the folder to return, such as V(team/web). If not set, the module returns a list of folders.
      - If no folder has this name, the task succeeds and RV(folder) is V(null).
      - Mutually exclusive with O(folder), O(depth), O(to_file) and O(mask_secrets).
    type: str
  folder:
    description:
      - Full name of the folder whose subfolders are listed. If this folder does not exist, the task fails.
      - If not set, the folders of the whole Jenkins controller are listed.
    type: str
  depth:
    description:
      - Number of folder levels to list, at most 50. V(1) lists only the folders that O(folder) or the top level
        directly contains.
      - If not set, all levels are listed.
    type: int
  include_config:
    description: Whether to return the configuration of each folder as XML in C(config).
    type: bool
    default: false
  include_content:
    description: Whether to return the jobs and folders that each folder directly contains in C(content).
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.ci_folder
  - module: buildworks.toolchain.ci_job_info
"""

EXAMPLES = r"""
- name: Get a folder and its content
  buildworks.toolchain.ci_folder_info:
    name: team
    include_content: true
  register: team

- name: List all folders
  buildworks.toolchain.ci_folder_info:
  register: all

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ all.folders | map(attribute='name') }}"
"""

RETURN = r"""
folder:
  description: The folder with the name O(name). V(null) if no folder has this name.
  returned: success, when O(name) is set
  type: dict
  contains:
    name:
      description: Full name of the folder.
      type: str
    description:
      description: Description of the folder. An empty string if it has no description.
      type: str
    display_name:
      description: Name that Jenkins displays for the folder in the web interface. If no display name is set, this is an
        empty string, and Jenkins displays the last part of the name of the folder.
      type: str
    config:
      description:
        - Configuration of the folder as XML, without its description, display name, views and credentials. Other
          secrets are encrypted with the key of the Jenkins controller.
        - V(null) if the folder was deleted while the task was running.
      returned: when O(include_config) is V(true)
      type: str
    content:
      description: Jobs and folders that the folder directly contains, each as a dictionary. C(name) is the full name.
        C(class) is the Java class, such as V(hudson.model.FreeStyleProject). An empty list if the folder has no
        content.
      returned: when O(include_content) is V(true)
      type: list
      elements: dict
  sample:
    name: team
    description: ""
    display_name: The Team
folders:
  description: Folders that were found, in the order in which Jenkins returns them. Each folder precedes the folders in
    it. The entries have the same keys as RV(folder).
  returned: success, when neither O(name) nor O(to_file) is set
  type: list
  elements: dict
  sample:
    - name: team
      description: ""
      display_name: The Team
count:
  description: Number of folders that were found.
  returned: success, when O(name) is not set
  type: int
  sample: 1
masked:
  description: Summary of the values that O(mask_secrets) replaced.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of replaced values.
      type: int
    places:
      description: Locations of the replaced values. At most 100 locations are returned.
      type: list
      elements: str
  sample:
    count: 1
    places: ["folder/app: parameters: DB_PASSWORD: default"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import folder_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + LISTING) + ArgumentSpec(
    dict(
        name=dict(type="str", **JOB),
        folder=dict(type="str", **JOB),
        depth=dict(type="int", at_least=1, at_most=50),
        include_config=dict(type="bool", default=False),
        include_content=dict(type="bool", default=False),
    ),
    mutually_exclusive=[("name", "folder"), ("name", "depth"), ("name", "to_file"), ("name", "mask_secrets")],
)


def run(task: Task) -> None:
    reader = folder_info.FolderReader(CiService(task), **task.select("include_config", "include_content"))
    if task.params["name"] is not None:
        task.result["folder"] = reader.fetch(task.params["name"])
    else:
        folders = reader.list_all(task.params["folder"] or "", task.params["depth"])
        task.result["count"] = output_list(task, "folders", folders)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
