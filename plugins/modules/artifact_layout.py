#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_layout
short_description: Manage Artifactory repository layouts
description:
  - Create, update or delete repository layouts of Artifactory. A layout defines how Artifactory determines the
    organization, module and revision of an artifact from its path.
  - The module compares and changes only the options that are set.
  - To manage several layouts in one task, use O(items).
  - A layout cannot be deleted while a repository uses it.
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
  - Requires administrator permissions and Artifactory 5.8 or later. The open-source edition is sufficient, except for
    deletions with version 7.49 or later.
  - A task without changes sends one request, regardless of the number of O(items).
  - The module sends one request per change, so a refused change does not affect other O(items). The requests are sent
    one after another, because Artifactory applies configuration changes one at a time.
  - Before a deletion, the module verifies that no repository uses the layout. If this cannot be verified, the task
    fails. The open-source edition 7.49 or later does not return the necessary information.
  - If two administrators change a layout at the same time, both changes are kept, because the module sends only the
    members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the layout. Required if O(items) is not set.
      - The name may contain letters, digits, V(_), V(-) and V(.), and must start with a letter or V(_). Repositories,
        backups, proxies, property sets, layouts and LDAP settings share one namespace, in which the name must be
        unique.
    type: str
  artifact_path_pattern:
    description:
      - Pattern for the paths of artifacts, such as
        V([orgPath]/[module]/[baseRev](-[folderItegRev]\)/[module]-[baseRev](-[fileItegRev]\).[ext]). Parts in
        parentheses are optional. Required if the layout does not exist.
      - The pattern must contain C([module]), C([baseRev]) and one of C([org]) and C([orgPath]). Layouts whose names end
        with V(-default) are exempt from this rule.
    type: str
  distinctive_descriptor_path_pattern:
    description: Whether descriptors, such as POM files, have their own path pattern. If V(true),
      O(descriptor_path_pattern) is required. The default for a new layout is V(false).
    type: bool
  descriptor_path_pattern:
    description:
      - Pattern for the paths of descriptors, such as V([orgPath]/[module]/[baseRev]/[module]-[baseRev].pom). An empty
        string removes the pattern.
      - The pattern must contain C([module]), C([baseRev]) and one of C([org]) and C([orgPath]). Layouts whose names end
        with V(-default) are exempt from this rule.
    type: str
  folder_integration_revision_regexp:
    description: Regular expression for the integration revision (such as a Maven snapshot) in folder names, for example
      V(SNAPSHOT). V(.*) matches any text. Required if the layout does not exist.
    type: str
  file_integration_revision_regexp:
    description: Regular expression for the integration revision (such as a Maven snapshot) in file names. The
      expression must not contain capturing groups. Required if the layout does not exist.
    type: str
  predict_missing:
    description:
      - Whether check mode assumes that no repository uses the layouts to delete.
      - Set this to V(true) if an earlier task changes these repositories. Check mode does not apply that change, so
        this task would otherwise fail.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing layouts that are not in O(items).
      - Layouts whose names end with V(-default) are never reported or deleted, because the predefined layouts have such
        names.
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
      description: Whether descriptors, such as POM files, have their own path pattern.
      type: bool
    descriptor_path_pattern:
      description: Pattern for the paths of descriptors. An empty string if it is not set.
      type: str
    folder_integration_revision_regexp:
      description: Regular expression for the integration revision in folder names.
      type: str
    file_integration_revision_regexp:
      description: Regular expression for the integration revision in file names.
      type: str
  sample:
    name: firmware
    artifact_path_pattern: "[orgPath]/[module]/[module]-[baseRev].[ext]"
    distinctive_descriptor_path_pattern: false
    descriptor_path_pattern: ""
    folder_integration_revision_regexp: SNAPSHOT
    file_integration_revision_regexp: "[0-9]{8}"
undeclared:
  description: Names of the existing layouts that are not in O(items), sorted. Names that end with V(-default) are
    omitted.
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
    layout:
      description: Value of RV(layout) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
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
