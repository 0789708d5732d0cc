#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_plugin
short_description: Manage Jenkins plugins
description:
  - Install, upgrade, enable, disable and uninstall Jenkins plugins and their dependencies.
  - The module plans all changes first. If a plugin is not available in the requested version, requires a newer Jenkins
    or has a dependency that is not available, the task lists all such problems and changes nothing.
  - After the installation, the module verifies the list of installed plugins. If a plugin was not installed, the task
    fails with the reason that Jenkins reports.
  - Some changes take effect after a restart. The task considers such a change complete once Jenkins has recorded it.
    RV(restart_required) reports the pending restart, and O(restart=when_needed) restarts Jenkins.
  - The plugins can be listed in the task or in the C(plugins.txt) or C(plugins.yaml) file from which an image of
    Jenkins is built. With O(undeclared), the module also reports or removes all other plugins.
  - In check mode, the module returns the plugins that it would install, including dependencies, and whether a restart
    would be needed. It does not refresh the metadata of the update site. If Jenkins has no such metadata yet, the
    module assumes that all plugins are available and issues a warning.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission.
  - Jenkins installs all plugins of a task with one request, one after the other. If the installation is interrupted,
    run the task again to install the rest.
  - If a file is uploaded for a plugin that is already loaded, Jenkins uses it after the next restart and does not
    report its version until then. If Jenkins is not restarted in between, each run uploads the file again.
options:
  plugins:
    description: The plugins to manage. At least one of O(plugins) and O(plugins_file) is required.
    type: list
    elements: dict
    suboptions:
      name:
        description: Short name of the plugin, which consists of letters, digits, hyphens and underscores.
        type: str
        required: true
      version:
        description:
          - Minimum version of the plugin, for example V(5.2.1). If the plugin is missing or older, the version that the
            update site offers is installed.
          - V(latest) requires the version that the update site offers.
          - If not set, any installed version is accepted, and a missing plugin is installed from the update site.
        type: str
      exact:
        description:
          - Whether the plugin must have exactly O(plugins[].version). Upgrades or downgrades the plugin if necessary.
          - If the update site offers a different version, Jenkins downloads the requested version from the URL next to
            it. Dependencies are installed from the update site.
        type: bool
        default: false
      state:
        description: Desired state of the plugin.
        type: str
        choices:
          present: The plugin is installed, whether it is enabled or not.
          enabled: The plugin is installed and enabled.
          disabled: The plugin is installed and disabled. A plugin that is not installed cannot be disabled.
          absent: The plugin is not installed.
        default: present
      src:
        description:
          - Path to a C(.hpi) or C(.jpi) file to upload. The plugin must have exactly the version of the file.
          - The module reads the manifest of the file. The task fails before the upload if the file contains another
            plugin or version, or requires a newer Jenkins or a dependency that is neither loaded nor available from the
            update site. Optional dependencies only matter if an older version of them is installed.
          - The task also fails if a new plugin has a dependency that is only usable after a restart. Install such
            dependencies first, in a separate task with O(restart=when_needed).
        type: path
      url:
        description:
          - URL of a C(.hpi) or C(.jpi) file that Jenkins downloads. Requires O(plugins[].version), which must be the
            exact version of the file.
        type: str
  plugins_file:
    description:
      - Path to a file that lists plugins to install, in addition to O(plugins). The file has a format of the Jenkins
        Plugin Installation Manager. A plugin must not occur twice in both options.
      - A C(.txt) file has one plugin per line, as C(NAME), C(NAME:VERSION) or C(NAME:VERSION:URL). Comments start with
        C(#).
      - A C(.yaml) or C(.yml) file has the list C(plugins). Each entry has C(artifactId) and, optionally, C(source) with
        C(version) and C(url). Reading it requires the Python package PyYAML on the host that runs the module.
      - The plugin must have exactly the specified version, as with O(plugins[].exact). The version V(latest), or an
        entry without version and URL, requires the version that the update site offers. An entry with a URL requires
        the exact version of the file.
      - Entries that Jenkins cannot install are refused with their line number. These are V(experimental) and
        incremental versions without a URL.
    type: path
    version_added: 0.3.0
  undeclared:
    description:
      - How to treat installed plugins that are neither in O(plugins) or O(plugins_file) nor dependencies of plugins
        that should exist. Optional dependencies do not count. Plugins that are part of Jenkins are never reported or
        uninstalled.
      - V(report) and V(remove) require at least one plugin that should exist.
      - With V(remove), undeclared plugins are kept with a warning while dependencies of other plugins are unknown. This
        happens if the task installs a plugin from a URL or another version than the update site offers, or if
        an installation waits for a restart. Run the task again once Jenkins has restarted.
    choices:
      keep: Keep these plugins unchanged.
      report: Keep these plugins, return their names in RV(undeclared), and warn if there are any.
      remove: Uninstall these plugins and return their names in RV(undeclared).
    version_added: 0.3.0
  restart:
    description: Whether to restart Jenkins after the changes.
    type: str
    choices:
      never:
        Do not restart Jenkins. Use M(buildworks.toolchain.ci_safe_restart) with C(only_if_required) at the end of the
        play, for example.
      when_needed:
        Restart Jenkins if any change requires it, including changes that were made before the task. The restart is
        queued behind all installations, waits for running builds and is verified.
    default: never
  break_dependents:
    description:
      - Whether to disable or uninstall plugins that other plugins depend on. Jenkins then no longer loads the dependent
        plugins.
      - If V(false), the task fails, lists the dependent plugins and changes nothing.
    type: bool
    default: false
  metadata_max_age:
    description:
      - Maximum age of the update site's metadata in seconds. If the metadata is older, or Jenkins has not fetched it
        since its start, it is refreshed before plugins are installed or V(latest) is resolved.
      - The refresh is verified. If the refresh fails, the task fails if it has to resolve V(latest). Otherwise, it
        continues with a warning.
    type: float
    default: 3600.0
  wait_timeout:
    description:
      - Maximum time to wait for the installation, and again for the restart, in seconds. If the time expires, the task
        fails.
      - O(timeout) applies to each request.
    type: float
    default: 600.0
  wait_delay:
    description: Polling interval in seconds.
    type: float
    default: 1.0
"""

EXAMPLES = r"""
- name: Install plugins and restart Jenkins if necessary
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: git
        version: "5.2.1"
      - name: timestamper
        version: latest
      - name: ssh-slaves
    restart: when_needed

- name: Preview a plugin upgrade
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: git
        version: latest
  check_mode: true
  register: upgrade

- name: Pin the version of one plugin and disable another
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: timestamper
        version: "1.28"
        exact: true
      - name: workflow-aggregator
        state: disabled

- name: Write a list of plugins
  ansible.builtin.copy:
    dest: "{{ playbook_dir }}/plugins.txt"
    content: |
      git:latest
      timestamper:1.28  # keep this version
      ssh-slaves
    mode: "0644"

- name: Install the plugins of the list, and report all other plugins
  buildworks.toolchain.ci_plugin:
    plugins_file: "{{ playbook_dir }}/plugins.txt"
    undeclared: report

- name: Uninstall a plugin that no other plugin depends on
  buildworks.toolchain.ci_plugin:
    plugins:
      - name: git
        state: absent
"""

RETURN = r"""
plan:
  description: Changes that the task made or, in check mode, would make, dependencies first.
  returned: success
  type: list
  elements: dict
  contains:
    action:
      description: One of V(install), V(upload), V(enable), V(disable) or V(uninstall).
      type: str
    name:
      description: Short name of the plugin.
      type: str
    old_version:
      description: Version before the change. V(null) if the plugin was not installed.
      type: str
    version:
      description: Version after the change.
      type: str
    required_by:
      description: The plugin that depends on this one. V(null) for plugins that are not installed as a dependency.
      type: str
    needs_restart:
      description:
        - Whether the change takes effect after a restart. V(null) if unknown before the installation, because only the
          plugin file declares whether the plugin can be loaded without a restart.
      type: bool
  sample:
    - action: install
      name: git
      old_version: 5.2.1
      version: 5.7.0
      required_by: null
      needs_restart: true
plugins:
  description:
    - The plugins in O(plugins) and O(plugins_file) and their new dependencies by short name, as they are after the
      pending restart. If O(undeclared) is V(report) or V(remove), the undeclared plugins are included.
    - In check mode, these are the predicted plugins.
  returned: success
  type: dict
  sample:
    git:
      installed: true
      version: 5.7.0
      enabled: true
undeclared:
  description: Sorted names of the undeclared plugins before the task.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  version_added: 0.3.0
  sample: [mail-watcher]
restart_required:
  description: Whether a restart is pending, including a restart required by changes that other clients made. In check
    mode, the value is predicted.
  returned: success
  type: bool
restart:
  description: Restart that the task performed or waited for. V(null) if Jenkins was not restarted.
  returned: success
  type: dict
  contains:
    completed:
      description: V(true) if the new process has started.
      type: bool
    requested_by:
      description: V(this task), or V(another client) if a restart was already in progress.
      type: str
    session_before:
      description: Session ID before the restart. V(null) if the server has no session IDs.
      type: str
    session_after:
      description: Session ID after the restart. V(null) if the server has no session IDs.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import desired
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.changes import PluginManager
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import DEADLINE, UNDECLARED
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + DEADLINE + UNDECLARED) + ArgumentSpec(
    dict(
        plugins=dict(type="list", elements="dict", not_empty=True, options=desired.PLUGIN_SPEC.options),
        plugins_file=dict(type="path", narrows_scope=True, not_empty=True),
        restart=dict(type="str", choices=["never", "when_needed"], default="never"),
        break_dependents=dict(type="bool", default=False),
        metadata_max_age=dict(type="float", default=3600.0, at_least=0, at_most=2_592_000),
    ),
    required_one_of=[("plugins", "plugins_file")],
)


def run(task: Task) -> None:
    manager = PluginManager(task, CiService(task), desired.parse_desired(task))
    manager.prepare()
    reconcile(
        task,
        "plugins",
        read=manager.read,
        desired=manager.desired,
        update=manager.update,
        predict_refusal=manager.predict_refusal,
        to_result=manager.to_result,
    )
    manager.finish()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
