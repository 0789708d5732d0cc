#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_lockable_resource
short_description: Manage Jenkins lockable resources
description:
  - Create, change, reserve or delete resources that Jenkins builds can lock, such as devices or test environments.
  - To manage several resources in one task, use O(items).
  - Unless O(allow_in_use=true), the module never takes a resource away from a build or another account.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_lockable_resource
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Lockable Resources/View permission.
  - To reserve a resource or to release a reservation, the account needs the Lockable Resources/Reserve permission. To
    take over a resource, it needs Lockable Resources/Steal. To release a lock, it needs Lockable Resources/Unlock.
  - To create, change or delete a resource, or to release the reservation of another account, the account needs the
    Overall/Administer permission. The module creates, changes and deletes resources with its own scripts in the script
    console.
  - Requires the plugin C(lockable-resources).
  - If nothing changes, the module sends one request, regardless of the number of O(items). If O(reserved=true), it
    sends one more request to read the name of the account.
  - Reservations and locks can also be changed if a configuration source declares the resource. Jenkins drops such a
    reservation the next time it applies the source.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  name:
    description:
      - Name of the resource, without control characters. It is case-sensitive. Required if O(items) is not set.
      - Builds can create temporary resources, which Jenkins deletes after use. If the resource is temporary, the task
        makes it permanent.
    type: str
  description:
    description: Description of the resource. An empty string removes the description.
    type: str
  labels:
    description:
      - All labels of the resource. Builds can request any resource with a given label. The order of the labels does not
        matter.
      - Labels that are not listed are removed. An empty list removes all labels.
    type: list
    elements: str
  note:
    description: Note that Jenkins displays with the resource. An empty string removes the note.
    type: str
  properties:
    description:
      - All properties of the resource. The keys are the names of the properties. A build that locks the resource gets
        the properties as environment variables.
      - Properties that are not listed are removed. An empty dictionary removes all properties.
    type: dict
  reserved:
    description:
      - Whether the account of the task reserves the resource. Builds cannot lock a reserved resource.
      - V(false) releases the reservation. If another account has reserved the resource, this requires
        O(allow_in_use=true). A resource that a build has locked remains locked.
      - If not set, the reservation is not changed.
    type: bool
  locked:
    description:
      - Set this option to V(false) to release the lock of a build, for example if the build has ended without releasing
        the resource. This requires O(allow_in_use=true). A running build continues.
      - V(true) is not possible, because only builds can lock resources.
      - If not set, the lock is not changed.
    type: bool
  allow_in_use:
    description:
      - Whether the module may take over, release or delete a resource that a build has locked or that another account
        has reserved.
      - If V(false), the task fails instead, and the message names the build or account.
    type: bool
    default: false
  undeclared:
    description:
      - Whether to keep, report or delete existing resources that are not in O(items).
      - The module never reports or deletes temporary resources. Jenkins itself deletes a temporary resource when a
        build releases it.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the resource, or change it as specified.
      absent: Delete the resource.
  items:
    description:
      - Resources to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      labels:
        description: Value of O(labels) for this item.
        type: list
        elements: str
      note:
        description: Value of O(note) for this item.
        type: str
      properties:
        description: Value of O(properties) for this item.
        type: dict
      reserved:
        description: Value of O(reserved) for this item.
        type: bool
      locked:
        description: Value of O(locked) for this item.
        type: bool
      allow_in_use:
        description: Value of O(allow_in_use) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_lockable_resource_info
"""

EXAMPLES = r"""
- name: Create a resource
  buildworks.toolchain.ci_lockable_resource:
    name: printer-2
    description: Color printer in the office
    labels: [printer, color]
    properties:
      ADDRESS: 192.0.2.17

- name: Reserve a resource for maintenance
  buildworks.toolchain.ci_lockable_resource:
    name: printer-2
    reserved: true
    note: New toner until noon

- name: Release it
  buildworks.toolchain.ci_lockable_resource:
    name: printer-2
    reserved: false
    note: ""

- name: List resources that the playbook does not declare
  buildworks.toolchain.ci_lockable_resource:
    items:
      - name: printer-1
        labels: [printer]
      - name: printer-2
        labels: [printer, color]
    undeclared: report

- name: Delete a resource
  buildworks.toolchain.ci_lockable_resource:
    name: printer-2
    state: absent
"""

RETURN = r"""
resource:
  description: State of the resource after the task or, in check mode, the predicted state. V(null) if the resource does
    not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the resource.
      type: str
    description:
      description: Description of the resource. An empty string if it has no description.
      type: str
    labels:
      description: Sorted labels of the resource. An empty list if it has no labels.
      type: list
      elements: str
    note:
      description: Note that Jenkins displays with the resource. An empty string if it has no note.
      type: str
    properties:
      description: Properties of the resource. The keys are the names of the properties. An empty dictionary if it has
        no properties.
      type: dict
    ephemeral:
      description: Whether the resource is temporary. Jenkins deletes a temporary resource when a build releases it.
      type: bool
    reserved_by:
      description: Full name of the account that has reserved the resource. V(null) if the resource is not reserved.
      type: str
    locked_by:
      description: Name of the build that has locked the resource. V(null) if the resource is not locked.
      type: str
    stolen:
      description: Whether the account that has reserved the resource has taken it over from a build or another account.
      type: bool
  sample:
    name: printer-2
    description: Color printer in the office
    labels: [color, printer]
    note: ""
    properties: {ADDRESS: 192.0.2.17}
    ephemeral: false
    reserved_by: null
    locked_by: null
    stolen: false
undeclared:
  description: Sorted names of the existing resources that are not in O(items), except temporary resources.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [printer-9]
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
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
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
    resource:
      description: State of the resource after the item was processed or, in check mode, the predicted state. It has the
        same keys as RV(resource).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

import functools

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.lockable_resources import resources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.object_names import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    add_removals,
    reconcile,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared


def check_options(params: Fields) -> None:
    if params["locked"]:
        raise BadOption("locked", "must be false, because only builds lock resources")
    if params["state"] == "absent":
        for option in ("reserved", "locked"):
            if params[option] is not None:
                raise BadOption(option, "must not be set with 'state: absent'")


ITEM = STATE + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        description=dict(type="str", unchecked="a description may be any text"),
        labels=dict(
            type="list",
            elements="str",
            each_element=dict(matches=(r"\S+", "a label without blanks")),
            refused_with_undeclared=True,
        ),
        note=dict(type="str", unchecked="a note may be any text"),
        properties=dict(type="dict", text_values=True, refuses_null=True, unchecked="names and values may be any text"),
        reserved=dict(type="bool", narrows_scope=True),
        locked=dict(type="bool", narrows_scope=True),
        allow_in_use=dict(type="bool", default=False, narrows_scope=True),
    ),
    checks=[check_options],
)
SPEC = (CI + PREDICTED_PLUGINS + UNDECLARED + VISIBILITY) + with_items(ITEM)
_DEFAULTS: Fields = dict(
    description="",
    labels=[],
    note="",
    properties={},
    ephemeral=False,
    reserved_by=None,
    locked_by=None,
    stolen=False,
)


def run(task: Task) -> None:
    shared = resources.Resources()
    process_one_or_items(
        task,
        lambda item_task: reconcile_resource(item_task, shared),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "lockable resources", items, "name", lambda: shared.list_persistent(CiService(task))
        ),
    )


def reconcile_resource(task: Task, shared: resources.Resources) -> None:
    params = task.params
    check_options(params)  # undeclared objects inherit the options of the task
    ci = CiService(task)
    resource = resources.ManagedResource(ci, shared, params["name"])

    def desired(before: Fields | None) -> Fields:
        fields = {"name": params["name"], "ephemeral": False, **task.select_provided("description", "note")}
        if params["labels"] is not None:
            fields["labels"] = sorted(set(params["labels"]))
        if params["properties"] is not None:
            fields["properties"] = add_removals(before and before["properties"], params["properties"])
        if params["reserved"] is not None:
            fields["reserved_by"] = shared.account(ci) if params["reserved"] else None
        if params["locked"] is not None:
            fields["locked_by"] = None
        return fields

    def write(changes: Fields) -> None:
        if resources.is_configured(changes):
            resource.save(task.select_provided("description", "labels", "note", "properties"))
        resource.change_use(changes)

    reconcile(
        task,
        "resource",
        read=resource.find,
        desired=desired,
        create=write,
        update=write,
        delete=lambda: resource.delete(force=params["allow_in_use"]),
        check=functools.partial(resource.check, allow_in_use=params["allow_in_use"]),
        predict_refusal=resource.predict_refusal,
        to_result=lambda fields: {**_DEFAULTS, **fields},
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
