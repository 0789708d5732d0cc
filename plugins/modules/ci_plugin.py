#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_plugin
short_description: Install, upgrade, enable, disable and remove plugins of a CI server
description:
  - Brings many plugins in one task to where they shall be, with all that they need.
  - Plans first. When anything speaks against the plan (a plugin that is not offered, or in an older version only, one
    that needs a newer server, a dependency that is nowhere to be had), the task names all of it and changes nothing.
  - Follows the installations to their end, and believes only the server's list of plugins. What was not installed is
    named with the reason, as far as the server tells it.
  - Some changes show after a restart only. The module takes them for done when the server has taken note of them, says
    so in RV(restart_required), and restarts the server with O(restart=when_needed).
  - In check mode it says what it would install, with dependencies, and what needs a restart. Jenkins does not read its
    update site then. If it never read it, as on a new server, all plugins are predicted to be offered, with a warning.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs the permission Overall/Administer.
  - The server takes a list of several plugins in one request, and installs one after the other. When that is cut off
    by somebody, the next run goes on from where things are.
  - A file that was handed in for a plugin which is loaded already is used from the next start on, and the server does
    not tell its version until then. Without a restart in between, each run hands it in again.
options:
  plugins:
    description: The plugins.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: "A short name: letters, digits, '-' and '_'."
        type: str
        required: true
      version:
        description:
          - A version that it shall have at least. When it is older or not there, it is installed as the update site
            offers it.
          - V(latest) is the version that the update site offers.
          - Without it any version will do, and one that is not there is installed in the version that is offered.
        type: str
      exact:
        description:
          - It shall have exactly O(plugins[].version), be it older or newer than what is there.
          - When the site offers another version, the server is given the address of this one beside it. What the file
            needs is installed from the site.
        type: bool
        default: false
      state:
        description:
          - V(present) is installed, enabled or not.
          - V(enabled) is installed and enabled, V(disabled) is installed and not enabled. A plugin that is not
            installed cannot be disabled.
          - V(absent) is not installed.
        type: str
        choices: [present, enabled, disabled, absent]
        default: present
      src:
        description:
          - File C(.hpi) or C(.jpi) on the controller, which is handed in. The plugin shall have exactly its version.
          - The module reads its manifest. The task fails before the upload if the file is of another plugin or version,
            needs a newer Jenkins, or needs a plugin that is neither loaded in a version that will do nor offered by the
            update site. Optional dependencies count only if an older version is installed.
          - A new plugin whose dependencies become usable with the next start is refused as well. Install the
            dependencies in a task of its own with O(restart=when_needed) first.
        type: path
      url:
        description:
          - Address of a file C(.hpi) or C(.jpi), which the server gets for itself. It needs O(plugins[].version),
            which the plugin shall have exactly.
        type: str
  restart:
    description:
      - V(when_needed) restarts the server when anything waits for it, be it from before. It goes behind all
        installations, so that no download is cut off, waits for the running builds, and is proven.
      - V(never) leaves it to others, such as M(buildworks.toolchain.ci_safe_restart) with its C(only_if_required) at
        the end of a play.
    type: str
    choices: [never, when_needed]
    default: never
  break_dependants:
    description:
      - Disable and remove plugins that others need, which will not be loaded any more.
      - Without it they are named, and nothing is changed.
    type: bool
    default: false
  metadata_max_age:
    description:
      - Seconds for which the server's knowledge of the update site is good, 0 to 2,592,000. When it is older, or the
        server has not asked since its start, it is made to ask before anything is installed or V(latest) is looked for.
      - That it worked is proven. When it fails, V(latest) fails, and everything else goes on with a warning.
    type: float
    default: 3600.0
  wait_timeout:
    description:
      - Seconds to wait at most for the installations, and again for the restart, 0 to 2,592,000. Then the task fails.
      - O(timeout) is for each request.
    type: float
    default: 600.0
  wait_delay:
    description: Seconds between two looks, 0.1 to 86,400.
    type: float
    default: 1.0
"""

EXAMPLES = r"""
- name: Install what the pipelines need, and restart when that is necessary
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: git
        version: "5.2.1"
      - name: timestamper
        version: latest
      - name: ssh-slaves
    restart: when_needed

- name: See what an upgrade would bring
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: git
        version: latest
  check_mode: true
  register: upgrade

- name: Pin a version, and let another plugin rest
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: timestamper
        version: "1.28"
        exact: true
      - name: workflow-aggregator
        state: disabled

- name: Remove a plugin that no other one needs
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: git
        state: absent
"""

RETURN = r"""
plan:
  description: What the task did, or would do in check mode, in this order; dependencies stand before what needs them.
  returned: success
  type: list
  elements: dict
  contains:
    action:
      description: V(install), V(upload), V(enable), V(disable) or V(uninstall).
      type: str
    name:
      description: Short name of the plugin.
      type: str
    before:
      description: The version that was there.
      type: str
    version:
      description: The version that comes of it.
      type: str
    because:
      description: The plugin that needs this one. None for plugins that the task names.
      type: str
    needs_restart:
      description:
        - Whether it shows after a restart only. None when that is not known before, for only a plugin's file tells
          whether it can be loaded at once.
      type: bool
  sample:
    - action: install
      name: git
      before: 5.2.1
      version: 5.7.0
      because: null
      needs_restart: true
plugins:
  description:
    - The plugins of the task and their new dependencies by their short names, as they are, or will be after the restart
      that is pending.
    - In check mode as they would be.
  returned: success
  type: dict
  sample:
    git:
      installed: true
      version: 5.7.0
      enabled: true
restart_required:
  description: Whether the server waits for a restart, be it for changes of others. In check mode whether it would.
  returned: success
  type: bool
restart:
  description: What is known of the restart. None when there was none.
  returned: success
  type: dict
  contains:
    completed:
      description: V(true) when a new process answers.
      type: bool
    requested_by:
      description: V(this task), or V(another client) when a restart was under way before.
      type: str
    session_before:
      description: Session id of the old process, if the server has session ids.
      type: str
    session_after:
      description: Session id of the new process, if the server has session ids.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import wanted_plugins
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugin_changes import PluginChanges
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import DEADLINE
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (CI + DEADLINE) + ArgumentSpec(
    dict(
        plugins=dict(
            type="list", elements="dict", required=True, not_empty=True, options=wanted_plugins.WANTED.options
        ),
        restart=dict(type="str", choices=["never", "when_needed"], default="never"),
        break_dependants=dict(type="bool", default=False),
        metadata_max_age=dict(type="float", default=3600.0, at_least=0, at_most=2_592_000),
    )
)


def run(task):
    changes = PluginChanges(task, CiService(task), wanted_plugins.wanted(task.params["plugins"]))
    reconcile(
        task,
        "plugins",
        read=changes.read,
        desired=changes.desired,
        update=changes.carry_out,
        foresee=changes.predict_refusal,
        show=changes.show,
    )
    changes.settle()


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
