#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_backup_info
short_description: Get Artifactory backup information
description:
  - Get all backups of Artifactory, or one of them, with one request.
  - You can pass RV(backups) to O(buildworks.toolchain.artifact_backup#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_backup_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. The open-source edition is sufficient.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description: Key of the backup to return. If not set, all backups are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_backup
"""

EXAMPLES = r"""
- name: Get all backups
  buildworks.toolchain.artifact_backup_info:
  register: artifact

- name: List the backups that do not run
  ansible.builtin.debug:
    msg: "{{ artifact.backups | rejectattr('enabled') | map(attribute='key') }}"

- name: Get one backup
  buildworks.toolchain.artifact_backup_info:
    key: weekly
"""

RETURN = r"""
backups:
  description: The backups, sorted by key. The list is empty if no backup exists, or if the backup O(key) does not
    exist.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the backup.
      type: str
    enabled:
      description: Whether Artifactory runs the backup.
      type: bool
    cron:
      description: Schedule as a Quartz cron expression.
      type: str
    retention_period_hours:
      description: Number of hours for which Artifactory keeps old backups.
      type: int
    create_archive:
      description: Whether the backup is stored in a ZIP archive.
      type: bool
    excluded_repositories:
      description: Keys of the repositories that are excluded from the backup, sorted.
      type: list
      elements: str
    exclude_new_repositories:
      description: Whether repositories that are created later are excluded automatically.
      type: bool
    send_mail_on_error:
      description: Whether Artifactory notifies administrators by email if the backup fails.
      type: bool
    verify_disk_space:
      description: Whether the backup runs only if enough disk space is available.
      type: bool
    export_mission_control:
      description: Whether the backup contains the data of JFrog Mission Control.
      type: bool
  sample:
    - key: weekly
      enabled: true
      cron: 0 0 2 ? * SUN
      retention_period_hours: 336
      create_archive: false
      excluded_repositories: [libs-remote]
      exclude_new_repositories: false
      send_mail_on_error: true
      verify_disk_space: true
      export_mission_control: false
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(key=dict(type="str", no_log=False, **NAME)))


def run(task: Task) -> None:
    task.result["backups"] = objects.list_objects(task, forms.BACKUPS, task.params["key"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
