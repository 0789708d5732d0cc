#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_plugin_info
short_description: List the plugins of a CI server
description:
  - Lists the installed plugins with their versions, and which of them are enabled or have an update.
  - A server that does not offer the listing is an error, never an empty list. The account needs the permission to
    administer the server.
  - A plugin that failed to load is in no listing of the server, and so is missing here. O(failed_to_load) tells it.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Overall/SystemRead, which Overall/Administer has in it; O(failed_to_load) needs the latter.
options:
  names:
    description: Only these plugins, by their short names. Those that the server does not list are in RV(missing).
    type: list
    elements: str
  enabled:
    description: Only plugins that are enabled, or only those that are not.
    type: bool
  has_update:
    description: Only plugins for which the server knows an update, or only those without.
    type: bool
  failed_to_load:
    description:
      - Tell also the plugins that failed to load, with O(names) only those. That takes a second request, which runs a
        script in the server's console; the script changes nothing.
    type: bool
    default: false
    version_added: 0.2.0
"""

EXAMPLES = r"""
- name: List all plugins
  buildworks.toolchain.ci_plugin_info:
  register: installed

- name: See that the plugins that a pipeline needs are there
  buildworks.toolchain.ci_plugin_info:
    names: [git, workflow-aggregator]
  register: needed
  failed_when: needed.missing | length > 0

- name: See that every plugin has loaded
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
      description: Whether it is enabled, now or after the next restart.
      type: bool
    active:
      description: Whether it runs now.
      type: bool
    has_update:
      description: Whether the server knows a newer version.
      type: bool
    required_core:
      description: Version of the server that it needs.
      type: str
    url:
      description: Page of the plugin.
      type: str
    dependencies:
      description: Plugins that it needs.
      type: list
      elements: dict
      contains:
        name:
          description: Short name.
          type: str
        version:
          description: Version that is needed at least.
          type: str
        optional:
          description: Whether it does without.
          type: bool
missing:
  description:
    - Those of O(names) that are not installed, or that failed to load, sorted.
    - Which of the two O(failed_to_load) tells.
  returned: success
  type: list
  elements: str
failed_to_load:
  description: The plugins whose files are there, but that the server could not load at its last start, sorted by name.
  returned: with O(failed_to_load)
  type: list
  elements: dict
  version_added: 0.2.0
  contains:
    name:
      description: Short name.
      type: str
    reason:
      description: Why it failed, in the server's words.
      type: str
      sample: "Plugin is missing: credentials (1319.v7eb_51b_3a_c97b_)"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import failed_plugins, plugins
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = CI + ArgumentSpec(
    dict(
        names=dict(type="list", elements="str", each=NAME),
        enabled=dict(type="bool"),
        has_update=dict(type="bool"),
        failed_to_load=dict(type="bool", default=False),
    )
)


def run(task):
    ci = CiService(task)
    installed = plugins.listed(ci)
    listed = {plugin["name"] for plugin in installed}
    names, wanted = task.params["names"], task.given("enabled", "has_update")
    task.result["plugins"] = [
        plugin
        for plugin in installed
        if (names is None or plugin["name"] in names) and wanted.items() <= plugin.items()
    ]
    task.result["missing"] = sorted(set(names or ()) - listed)
    if task.params["failed_to_load"]:
        task.result["failed_to_load"] = [
            {"name": name, "reason": reason}
            for name, reason in sorted(failed_plugins.all_reasons(ci).items())
            if name not in listed and (names is None or name in names)
        ]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
