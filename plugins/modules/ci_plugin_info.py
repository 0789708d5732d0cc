#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_plugin_info
short_description: Get Jenkins plugin information
description:
  - Get the installed Jenkins plugins with their versions, and whether they are enabled or have updates.
  - If the server does not provide the list, the task fails. It does not return an empty list instead.
  - Jenkins does not list plugins that failed to load. Use O(failed_to_load) to get them.
  - To list the installed plugins that a C(plugins.txt) file does not contain, use
    O(buildworks.toolchain.ci_plugin#module:undeclared) in check mode.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_plugin_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/SystemRead permission, which Overall/Administer implies. O(failed_to_load) requires
    Overall/Administer.
options:
  names:
    description: Return only these plugins, by short name. RV(missing) contains the names of plugins that are not
      installed.
    type: list
    elements: str
  enabled:
    description: If V(true), return only enabled plugins. If V(false), return only disabled plugins.
    type: bool
  has_update:
    description: If V(true), return only plugins with an available update. If V(false), return only plugins without an
      available update.
    type: bool
  failed_to_load:
    description:
      - Whether to also return plugins that failed to load, limited to O(names) if set. This runs a script that changes
        nothing in the script console.
    type: bool
    default: false
    version_added: 0.2.0
"""

EXAMPLES = r"""
- name: List all plugins
  buildworks.toolchain.ci_plugin_info:
  register: installed

- name: Fail if required plugins are missing
  buildworks.toolchain.ci_plugin_info:
    names: [git, workflow-aggregator]
  register: required_plugins
  failed_when: required_plugins.missing | length > 0

- name: Fail if plugins failed to load
  buildworks.toolchain.ci_plugin_info:
    failed_to_load: true
  register: installed
  failed_when: installed.failed_to_load | length > 0

- name: List the plugins that have an update
  buildworks.toolchain.ci_plugin_info:
    has_update: true
"""

RETURN = r"""
plugins:
  description: The plugins, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Short name.
      type: str
    title:
      description: Long name.
      type: str
    version:
      description: Installed version.
      type: str
    enabled:
      description: Whether the plugin is enabled, now or after the next restart.
      type: bool
    active:
      description: Whether the plugin is currently running.
      type: bool
    has_update:
      description: Whether an update is available.
      type: bool
    required_core:
      description: Minimum Jenkins version.
      type: str
    url:
      description: Home page of the plugin.
      type: str
    dependencies:
      description: Plugins that this plugin depends on.
      type: list
      elements: dict
      contains:
        name:
          description: Short name.
          type: str
        version:
          description: Minimum version.
          type: str
        optional:
          description: Whether the dependency is optional.
          type: bool
missing:
  description:
    - Elements of O(names) that are not installed or failed to load, sorted.
    - Use O(failed_to_load) to distinguish the two.
  returned: success
  type: list
  elements: str
failed_to_load:
  description: Plugins that are installed but failed to load when Jenkins last started, sorted by name.
  returned: with O(failed_to_load)
  type: list
  elements: dict
  version_added: 0.2.0
  contains:
    name:
      description: Short name.
      type: str
    reason:
      description: Error message of Jenkins.
      type: str
      sample: "Plugin is missing: credentials (1319.v7eb_51b_3a_c97b_)"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import failures, listing
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(
    dict(
        names=dict(type="list", elements="str", each_element=NAME),
        enabled=dict(type="bool"),
        has_update=dict(type="bool"),
        failed_to_load=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    ci = CiService(task)
    installed = listing.list_plugins(ci)
    installed_names = {plugin["name"] for plugin in installed}
    names, conditions = task.params["names"], task.select_provided("enabled", "has_update")
    task.result["plugins"] = [
        plugin
        for plugin in installed
        if (names is None or plugin["name"] in names) and conditions.items() <= plugin.items()
    ]
    task.result["missing"] = sorted(set(names or ()) - installed_names)
    if task.params["failed_to_load"]:
        task.result["failed_to_load"] = [
            {"name": name, "reason": reason}
            for name, reason in sorted(failures.fetch_all_reasons(ci).items())
            if name not in installed_names and (names is None or name in names)
        ]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
