#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_layout
short_description: Manage Artifactory repository layouts
description:
  - Create, update or delete repository layouts of Artifactory. A layout describes where in a path Artifactory finds the
    organization, the module and the revision of an artifact.
  - The module compares and changes only the options that are set.
  - To manage several layouts in one task, use O(items).
  - A layout cannot be deleted as long as a repository uses it.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_layout
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory 5 or later. The open-source edition is sufficient.
  - A task without changes sends one request, regardless of the number of O(items).
  - Each change is sent in a request of its own, so that a change that Artifactory refuses does not affect other
    O(items). The requests are sent one after another, because Artifactory merges only one change of its configuration
    at a time.
  - If the module cannot read what uses the layout, it refuses the deletion. This always applies to the open-source
    edition since version 7.49.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the layout. Required if O(items) is not set.
      - It consists of letters, digits, V(_), V(-) and V(.), and starts with a letter or V(_). It must differ from the
        names of all repositories, backups, proxies, property sets, layouts and LDAP settings.
    type: str
  artifact_path_pattern:
    description:
      - Pattern for the paths of artifacts, with tokens such as C([module]). Text in parentheses is optional. Required
        if the layout does not exist.
      - The pattern must contain C([module]), C([baseRev]), and C([org]) or C([orgPath]). This is not verified for
        layouts whose names end with V(-default).
    type: str
  distinctive_descriptor_path_pattern:
    description: Whether descriptors, such as POM files, have a path pattern of their own. If V(true),
      O(descriptor_path_pattern) is required. The default for a new layout is V(false).
    type: bool
  descriptor_path_pattern:
    description: Pattern for the paths of descriptors, with the same rules as O(artifact_path_pattern). An empty string
      removes the pattern.
    type: str
  folder_integration_revision_regexp:
    description: Regular expression for integration revisions in the names of folders, such as V(SNAPSHOT). V(.*)
      matches all. Required if the layout does not exist.
    type: str
  file_integration_revision_regexp:
    description: Regular expression for integration revisions in the names of files. It must not contain capturing
      groups. Required if the layout does not exist.
    type: str
  predict_missing:
    description:
      - Whether check mode assumes that no repository uses the layouts to delete, because an earlier task of the
        playbook changes them.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing layouts that are not in O(items).
      - Layouts whose names end with V(-default) are never reported or deleted, because the layouts of a new server have
        such names.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the layout.
      absent: Delete the layout.
  items:
    description:
      - Layouts to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      artifact_path_pattern:
        description: Value of O(artifact_path_pattern) for this item.
        type: str
      distinctive_descriptor_path_pattern:
        description: Value of O(distinctive_descriptor_path_pattern) for this item.
        type: bool
      descriptor_path_pattern:
        description: Value of O(descriptor_path_pattern) for this item.
        type: str
      folder_integration_revision_regexp:
        description: Value of O(folder_integration_revision_regexp) for this item.
        type: str
      file_integration_revision_regexp:
        description: Value of O(file_integration_revision_regexp) for this item.
        type: str
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_layout_info
  - module: buildworks.toolchain.artifact_repository
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Create a layout for firmware images
  buildworks.toolchain.artifact_layout:
    name: firmware
    artifact_path_pattern: "[orgPath]/[module]/[baseRev](-[folderItegRev])/[module]-[baseRev](-[fileItegRev]).[ext]"
    folder_integration_revision_regexp: SNAPSHOT
    file_integration_revision_regexp: "[0-9]{8}"

- name: Give descriptors a pattern of their own
  buildworks.toolchain.artifact_layout:
    name: firmware
    distinctive_descriptor_path_pattern: true
    descriptor_path_pattern: "[orgPath]/[module]/[baseRev]/[module]-[baseRev].json"

- name: Delete a layout
  buildworks.toolchain.artifact_layout:
    name: firmware
    state: absent
"""

RETURN = r"""
layout:
  description: The layout after the task or, in check mode, as predicted. V(null) if the layout does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the layout.
      type: str
    artifact_path_pattern:
      description: Pattern for the paths of artifacts.
      type: str
    distinctive_descriptor_path_pattern:
      description: Whether descriptors have a path pattern of their own.
      type: bool
    descriptor_path_pattern:
      description: Pattern for the paths of descriptors. An empty string if it is not set.
      type: str
    folder_integration_revision_regexp:
      description: Regular expression for integration revisions in the names of folders.
      type: str
    file_integration_revision_regexp:
      description: Regular expression for integration revisions in the names of files.
      type: str
  sample:
    name: firmware
    artifact_path_pattern: "[orgPath]/[module]/[module]-[baseRev].[ext]"
    distinctive_descriptor_path_pattern: false
    descriptor_path_pattern: ""
    folder_integration_revision_regexp: SNAPSHOT
    file_integration_revision_regexp: "[0-9]{8}"
undeclared:
  description: Sorted names of the existing layouts that are not in O(items), except those that end with V(-default).
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-layout]
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
  description: Outcomes of the first O(result_limit) items, in the order of O(items). To save the outcomes of all items,
    set O(to_file).
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
    layout:
      description: Value of RV(layout) for this item.
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
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
        name=dict(type="str", required=True, **objects.NAME),
        artifact_path_pattern=dict(type="str", **NAME),
        distinctive_descriptor_path_pattern=dict(type="bool"),
        descriptor_path_pattern=dict(type="str", one_line=True),
        folder_integration_revision_regexp=dict(type="str", **NAME),
        file_integration_revision_regexp=dict(type="str", **NAME),
    ),
    checks=[forms.LAYOUTS.parse],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    objects.reconcile_items(task, forms.LAYOUTS)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
