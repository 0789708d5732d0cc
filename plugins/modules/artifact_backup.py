#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_backup
short_description: Manage Artifactory backups
description:
  - Create, update or delete scheduled backups of Artifactory.
  - The module compares and changes only the options that are set.
  - To manage several backups in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_backup
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory 5.8 or later. The open-source edition is sufficient.
  - A task without changes sends one request, regardless of the number of O(items).
  - The module sends one request per change, so a refused change does not affect other O(items). The requests are sent
    one after another, because Artifactory applies configuration changes one at a time.
  - Deleting a backup stops its schedule. Existing backup files remain in the file system of the server.
  - O(undeclared=remove) also deletes the predefined backups V(backup-daily) and V(backup-weekly), unless they are in
    O(items).
  - If two administrators change a backup at the same time, both changes are kept, because the module sends only the
    members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description:
      - Key of the backup. Required if O(items) is not set.
      - The key may contain letters, digits, V(_), V(-) and V(.), and must start with a letter or V(_). Repositories,
        backups, proxies, property sets, layouts and LDAP settings share one namespace, in which the key must be unique.
    type: str
  enabled:
    description: Whether Artifactory runs the backup. The default for a new backup is V(true).
    type: bool
  cron:
    description: Schedule as a Quartz cron expression, such as V(0 0 2 ? * SUN) for 2:00 on Sundays. The expression has
      6 or 7 fields, starting with the seconds. If one day is V(*) and the other is not V(?), the module warns that the
      backup does not run. Required if the backup does not exist.
    type: str
  retention_period_hours:
    description:
      - Number of hours for which Artifactory keeps old backups, from 0 to 2147483647. The default for a new backup is
        V(168).
      - V(0) makes the backup incremental. Artifactory then keeps a single backup and updates it on each run.
    type: int
  create_archive:
    description: Whether to store the backup in a ZIP archive instead of a directory. The default for a new backup is
      V(false).
    type: bool
  excluded_repositories:
    description:
      - Keys of the repositories to exclude from the backup, in any order. The list replaces the existing one. An empty
        list excludes nothing.
      - In check mode, the task fails if a newly excluded repository does not exist, unless O(predict_missing=true).
    type: list
    elements: str
  exclude_new_repositories:
    description: Whether repositories that are created later are excluded automatically. The default for a new backup is
      V(false).
    type: bool
  send_mail_on_error:
    description:
      - Whether Artifactory notifies administrators by email if the backup fails. The default for a new backup is
        V(true).
      - Requires a mail server, see M(buildworks.toolchain.artifact_mail).
    type: bool
  verify_disk_space:
    description: Whether Artifactory runs the backup only if enough disk space is available. The default for a new
      backup is V(false).
    type: bool
  export_mission_control:
    description: Whether the backup contains the data of JFrog Mission Control. The default for a new backup is
      V(false).
    type: bool
  state:
    choices:
      present: Create or update the backup.
      absent: Delete the backup.
  items:
    description:
      - Backups to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(key). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      enabled:
        description: Value of O(enabled) for this item.
        type: bool
      cron:
        description: Value of O(cron) for this item.
        type: str
      retention_period_hours:
        description: Value of O(retention_period_hours) for this item.
        type: int
      create_archive:
        description: Value of O(create_archive) for this item.
        type: bool
      excluded_repositories:
        description: Value of O(excluded_repositories) for this item.
        type: list
        elements: str
      exclude_new_repositories:
        description: Value of O(exclude_new_repositories) for this item.
        type: bool
      send_mail_on_error:
        description: Value of O(send_mail_on_error) for this item.
        type: bool
      verify_disk_space:
        description: Value of O(verify_disk_space) for this item.
        type: bool
      export_mission_control:
        description: Value of O(export_mission_control) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_backup_info
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Back up all repositories except a cache on Sundays
  buildworks.toolchain.artifact_backup:
    key: weekly
    cron: 0 0 2 ? * SUN
    retention_period_hours: 336
    excluded_repositories: [libs-remote]
    verify_disk_space: true

- name: Manage all backups of the server
  buildworks.toolchain.artifact_backup:
    items:
      - key: daily
        cron: 0 0 1 ? * MON-SAT
        retention_period_hours: 0
      - key: weekly
        cron: 0 0 2 ? * SUN
        create_archive: true
    undeclared: remove

- name: Delete a backup
  buildworks.toolchain.artifact_backup:
    key: weekly
    state: absent
"""

RETURN = r"""
backup:
  description: The backup after the task or, in check mode, as predicted. V(null) if the backup does not exist.
  returned: success, when O(items) is not set
  type: dict
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
    key: weekly
    enabled: true
    cron: 0 0 2 ? * SUN
    retention_period_hours: 336
    create_archive: false
    excluded_repositories: [libs-remote]
    exclude_new_repositories: false
    send_mail_on_error: true
    verify_disk_space: true
    export_mission_control: false
undeclared:
  description: Keys of the existing backups that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [backup-daily]
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 1, ok: 3, failed: 0, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    backup:
      description: Value of RV(backup) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = STATE + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **objects.NAME),
        enabled=dict(type="bool"),
        cron=dict(type="str", **NAME),
        retention_period_hours=dict(type="int", at_least=0, at_most=2**31 - 1),
        create_archive=dict(type="bool"),
        excluded_repositories=dict(type="list", elements="str", each_element=SEGMENT),
        exclude_new_repositories=dict(type="bool"),
        send_mail_on_error=dict(type="bool"),
        verify_disk_space=dict(type="bool"),
        export_mission_control=dict(type="bool"),
    ),
    checks=[forms.BACKUPS.parse],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    objects.reconcile_items(task, forms.BACKUPS)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
