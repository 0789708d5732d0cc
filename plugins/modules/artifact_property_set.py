#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_property_set
short_description: Manage Artifactory property sets
description:
  - Create, update or delete property sets of Artifactory. A property set defines properties and their possible values.
    Users can set these properties on artifacts in the repositories that use the property set.
  - The properties of artifacts are not changed. To set them, use M(buildworks.toolchain.artifact_properties).
  - The module compares and changes only the options that are set.
  - To manage several property sets in one task, use O(items).
  - A property set cannot be deleted while a repository uses it. The built-in property set V(artifactory) cannot be
    deleted.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_property_set
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
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
  - Before a deletion, the module verifies that no repository uses the property set. If this cannot be verified, the
    task fails. The open-source edition 7.49 or later does not return the necessary information.
  - If two administrators change a property set at the same time, both changes are kept, because the module sends only
    the members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the property set. Required if O(items) is not set.
      - The name may contain letters, digits, V(_), V(-) and V(.), and must start with a letter or V(_). Repositories,
        backups, proxies, property sets, layouts and LDAP settings share one namespace, in which the name must be
        unique.
    type: str
  visible:
    description: Whether users can see the property set and select its properties. The default for a new property set is
      V(true).
    type: bool
  properties:
    description: Properties of the set, in any order. Existing properties that are not listed are kept, unless
      O(purge=true).
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the property. Required.
        type: str
      type:
        description: Which values users can select. The default for a new property is V(any).
        type: str
        choices:
          any: Any values, predefined or not.
          single: One of the predefined values.
          multi: One or more of the predefined values.
      values:
        description: Predefined values, in any order. Existing values that are not listed are kept, unless
          O(purge=true).
        type: list
        elements: str
      default_values:
        description:
          - Values in O(properties[].values) that are selected by default. All other values are not selected.
          - If not set, the default selection of existing values does not change, and new values are not selected by
            default.
        type: list
        elements: str
  purge:
    description:
      - Whether to delete existing properties that are not in O(properties), and existing values that are not in
        O(properties[].values). Values are kept if O(properties[].values) is not set.
      - Requires O(properties).
  predict_missing:
    description:
      - Whether check mode assumes that no repository uses the property sets to delete.
      - Set this to V(true) if an earlier task changes these repositories. Check mode does not apply that change, so
        this task would otherwise fail.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing property sets that are not in O(items).
      - The property set V(artifactory) is never reported or deleted.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the property set.
      absent: Delete the property set.
  items:
    description:
      - Property sets to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      visible:
        description: Value of O(visible) for this item.
        type: bool
      properties:
        description: Value of O(properties) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(properties[].name) for this item.
            type: str
          type:
            description: Value of O(properties[].type) for this item.
            type: str
            choices:
              any: Same as O(properties[].type=any).
              single: Same as O(properties[].type=single).
              multi: Same as O(properties[].type=multi).
          values:
            description: Value of O(properties[].values) for this item.
            type: list
            elements: str
          default_values:
            description: Value of O(properties[].default_values) for this item.
            type: list
            elements: str
      purge:
        description: Value of O(purge) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_property_set_info
  - module: buildworks.toolchain.artifact_properties
  - module: buildworks.toolchain.artifact_repository
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Create a property set for the quality of artifacts
  buildworks.toolchain.artifact_property_set:
    name: quality
    properties:
      - name: qa.status
        type: single
        values: [open, passed, failed]
        default_values: [open]
      - name: qa.platforms
        type: multi
        values: [linux, macos, windows]
      - name: qa.comment

- name: Define exactly the values of a property, and delete all other properties of the set
  buildworks.toolchain.artifact_property_set:
    name: quality
    properties:
      - name: qa.status
        values: [passed, failed]
    purge: true

- name: Delete a property set
  buildworks.toolchain.artifact_property_set:
    name: quality
    state: absent
"""

RETURN = r"""
property_set:
  description: The property set after the task or, in check mode, as predicted. V(null) if the property set does not
    exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the property set.
      type: str
    visible:
      description: Whether users can see the property set.
      type: bool
    properties:
      description: Properties of the set, in the order in which Artifactory returns them.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the property.
          type: str
        type:
          description: Which values users can select. One of V(any), V(single) and V(multi).
          type: str
        values:
          description: Predefined values, in the order in which Artifactory returns them.
          type: list
          elements: str
        default_values:
          description: Values that are selected by default.
          type: list
          elements: str
  sample:
    name: quality
    visible: true
    properties:
      - name: qa.status
        type: single
        values: [open, passed, failed]
        default_values: [open]
undeclared:
  description: Names of the existing property sets that are not in O(items), sorted. The built-in V(artifactory) is
    omitted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-set]
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
    property_set:
      description: Value of RV(property_set) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import objects, property_sets
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Options
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

PROPERTY: Options = dict(
    name=dict(type="str", **NAME),
    type=dict(type="str", choices=list(property_sets.TYPES)),
    values=dict(type="list", elements="str", narrows_scope=True, each_element=NAME),
    default_values=dict(type="list", elements="str", each_element=NAME),
)
ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **objects.NAME),
        visible=dict(type="bool"),
        properties=dict(type="list", elements="dict", narrows_scope=True, options=PROPERTY),
    ),
    checks=[property_sets.PROPERTY_SETS.parse],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    objects.reconcile_items(task, property_sets.PROPERTY_SETS)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
