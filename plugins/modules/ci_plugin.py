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
    RV(restart_required) reports the pending restart. With O(restart=when_needed), the module restarts Jenkins.
  - List the plugins in the task or in a C(plugins.txt) or C(plugins.yaml) file. Images of Jenkins are often built from
    such a file. With O(undeclared), the module also reports or removes all other plugins.
  - In check mode, the module returns the plugins that it would install, including dependencies. It also returns whether
    a restart would be required.
  - Check mode does not refresh the metadata of the update site. If Jenkins has no metadata yet, the module assumes that
    all plugins are available and issues a warning.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_plugin
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission.
  - Jenkins installs the plugins of a task one after the other. If the installation is interrupted, run the task again
    to install the remaining plugins.
  - If a file is uploaded for a plugin that is already loaded, Jenkins uses the file after the next restart. Until then,
    Jenkins does not report the version of the file. Each run therefore uploads the file again until Jenkins is
    restarted.
options:
  plugins:
    description: List of plugins to manage. At least one of O(plugins) and O(plugins_file) is required.
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
          - Whether the plugin must have exactly the version in O(plugins[].version). If necessary, the module upgrades
            or downgrades the plugin. Requires a version number in O(plugins[].version) or a file in O(plugins[].src).
          - If the update site offers another version, the module derives the URL of the requested version from the URL
            of the offered version. Jenkins downloads the plugin from this URL. Dependencies are installed from the
            update site.
        type: bool
        default: false
      state:
        description: Desired state of the plugin.
        type: str
        choices:
          present: The plugin is installed. It can be enabled or disabled.
          enabled: The plugin is installed and enabled.
          disabled: The plugin is installed and disabled. A plugin that is not installed cannot be disabled.
          absent: The plugin is not installed.
        default: present
      src:
        description:
          - Path to a C(.hpi) or C(.jpi) file to upload. The plugin must have exactly the version of the file.
          - The module reads the manifest of the file before the upload. If the file contains another plugin or version,
            or requires a newer Jenkins, the task fails.
          - The task also fails if a dependency of the plugin is neither loaded nor available from the update site.
            Optional dependencies are checked only if an older version of them is installed.
          - The task also fails if the plugin is new and has a dependency that is only usable after a restart. Install
            such dependencies first, in a separate task with O(restart=when_needed).
        type: path
      url:
        description:
          - URL of a C(.hpi) or C(.jpi) file that Jenkins downloads. Requires O(plugins[].version), which must be the
            exact version of the file.
          - Before the installation, and in check mode, Jenkins reads the manifest of the file with a script. It
            downloads only the beginning of the file. If the file contains another plugin or version, or if Jenkins
            cannot read it, the task fails.
        type: str
  plugins_file:
    description:
      - Path to a file that lists plugins to install, in addition to O(plugins). The file must have one of the formats
        of the Jenkins Plugin Installation Manager. A plugin must not be listed in both O(plugins) and the file.
      - A C(.txt) file has one plugin per line, as C(NAME), C(NAME:VERSION) or C(NAME:VERSION:URL). Whitespace in a line
        is ignored. Comments start with C(#) at the beginning of a line or after whitespace.
      - A C(.yaml) or C(.yml) file has the list C(plugins). Each entry has C(artifactId) and, optionally, C(source) with
        C(version) and C(url). Reading it requires the Python package PyYAML on the host that runs the module.
      - Each plugin must have exactly the version that the file specifies, as with O(plugins[].exact).
      - With the version V(latest), the plugin must have the version that the update site offers. This also applies to
        an entry that has neither a version nor a URL.
      - An entry with a URL must also specify the exact version of the plugin file.
      - If Jenkins cannot install an entry, the task fails and reports the line number. This applies to the version
        V(experimental) and to incremental versions without a URL.
    type: path
    version_added: 0.3.0
  undeclared:
    description:
      - Whether to keep, report or uninstall undeclared plugins. An installed plugin is undeclared if it is neither
        listed in O(plugins) or O(plugins_file) nor a dependency of a plugin that should exist. Optional dependencies do
        not count.
      - Plugins that are part of Jenkins are never reported or uninstalled.
      - V(report) and V(remove) require at least one plugin that should exist.
      - With V(remove), undeclared plugins are kept with a warning while the dependencies of other plugins are unknown.
        This happens if an installation waits for a restart. It also happens if the task installs a plugin from a URL or
        in another version than the update site offers. Run the task again once Jenkins has restarted.
    type: str
    choices:
      keep: Keep undeclared plugins unchanged.
      report: Keep undeclared plugins, return their names in RV(undeclared), and warn if there are any.
      remove: Uninstall undeclared plugins and return their names in RV(undeclared).
    default: keep
    version_added: 0.3.0
  restart:
    description: Whether to restart Jenkins after the changes.
    type: str
    choices:
      never: Do not restart Jenkins. You can restart Jenkins later, for example at the end of the play with
        M(buildworks.toolchain.ci_safe_restart) and its option C(only_if_required).
      when_needed: Restart Jenkins if any change requires it, including changes that were made before the task. The
        restart takes place after all installations and running builds. The module verifies the restart.
    default: never
  break_dependents:
    description:
      - Whether to disable or uninstall a plugin even if other plugins depend on it. Jenkins then no longer loads the
        dependent plugins.
      - If V(false) and other plugins depend on the plugin, the task fails, lists the dependent plugins and changes
        nothing.
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether to allow the task to disable or uninstall a plugin without which Jenkins cannot load its authorization
        strategy or its security realm. Jenkins then fails to start after the next restart.
      - If V(false), the task fails, names the plugins and changes nothing.
    type: bool
    default: false
    version_added: 0.3.0
  metadata_max_age:
    description:
      - Maximum age of the metadata of the update site, in seconds. The module refreshes older metadata before it
        installs plugins or resolves the version V(latest). It also refreshes the metadata if Jenkins has not fetched it
        since its start.
      - The module verifies the refresh. If the refresh fails and the version V(latest) must be resolved, the task
        fails. Otherwise, the task continues with a warning.
    type: float
    default: 3600.0
  wait_timeout:
    description:
      - Maximum time to wait for the installation and, after it, for the restart. Each of the two steps can take this
        time, in seconds. If a step takes longer, the task fails.
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
  description: Changes that the task made or, in check mode, would make. Dependencies precede the plugins that depend on
    them. Empty if no change is necessary.
  returned: success
  type: list
  elements: dict
  contains:
    action:
      description: Type of the change. V(install) installs or upgrades the plugin from the update site. V(upload)
        installs it from a file or a URL. V(enable), V(disable) and V(uninstall) enable, disable and uninstall it.
      type: str
    name:
      description: Short name of the plugin.
      type: str
    old_version:
      description: Version of the plugin before the change. V(null) if the plugin was not installed.
      type: str
    version:
      description: Version of the plugin after the change. V(null) if the plugin is uninstalled, or if check mode cannot
        predict the version.
      type: str
    required_by:
      description: Short name of the plugin that depends on this plugin. V(null) if this plugin is not changed as a
        dependency of another plugin.
      type: str
    needs_restart:
      description: Whether the change takes effect only after a restart. V(null) if this is unknown before the
        installation, because only the plugin file declares whether Jenkins can load the plugin without a restart.
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
    - State of the plugins in O(plugins) and O(plugins_file), and of their dependencies that the task changes. If
      O(undeclared) is V(report) or V(remove), the undeclared plugins are included.
    - The keys are the short names of the plugins. The values are dictionaries with the keys C(installed), C(version)
      and C(enabled). C(version) and C(enabled) are V(null) if the plugin is not installed.
    - If a restart is pending, this is the state after the restart. In check mode, it is the predicted state.
  returned: success
  type: dict
  sample:
    git:
      installed: true
      version: 5.7.0
      enabled: true
undeclared:
  description: Short names of the undeclared plugins that were installed before the task, sorted. O(undeclared)
    describes which plugins these are.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  version_added: 0.3.0
  sample: [mail-watcher]
restart_required:
  description:
    - Whether a restart is pending, including a restart required by changes that other clients made.
    - In check mode, the value is a prediction for the changes without the restart of O(restart=when_needed). Changes
      whose RV(plan[].needs_restart) is V(null) are not considered.
  returned: success
  type: bool
restart:
  description: Restart that the task performed or waited for. V(null) if Jenkins was not restarted. Always V(null) in
    check mode.
  returned: success
  type: dict
  contains:
    completed:
      description: Whether the new Jenkins process has started.
      type: bool
    requested_by:
      description: Client that requested the restart. V(this task), or V(another client) if a restart was already in
        progress.
      type: str
    session_before:
      description: Session ID of the Jenkins process before the restart. V(null) if the server has no session IDs.
      type: str
    session_after:
      description: Session ID of the Jenkins process after the restart. V(null) if the server has no session IDs.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import desired
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.changes import PluginManager
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    DEADLINE,
    UNDECLARED_ENTRIES,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + DEADLINE + UNDECLARED_ENTRIES + VISIBILITY) + ArgumentSpec(
    dict(
        plugins=dict(type="list", elements="dict", not_empty=True, options=desired.PLUGIN_SPEC.options),
        plugins_file=dict(type="path", narrows_scope=True, not_empty=True),
        restart=dict(type="str", choices=["never", "when_needed"], default="never"),
        break_dependents=dict(type="bool", default=False),
        allow_lockout=dict(type="bool", default=False),
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
        check=manager.check,
        predict_refusal=manager.predict_refusal,
        to_result=manager.to_result,
    )
    manager.finish()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
