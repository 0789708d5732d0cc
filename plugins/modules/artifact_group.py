#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_group
short_description: Manage Artifactory groups
description:
  - Create, update or delete groups of Artifactory and their members. With O(items), the module manages several groups
    concurrently.
  - The module compares and changes only the options that are set. If O(members) is not set, the members of the group
    are not changed.
  - Artifactory 7.49.3 and later may store group names in lower case. If the group O(name) does not exist, the module
    therefore uses the group with this name in lower case. With O(state=absent), it deletes only a group with exactly
    this name.
  - The module uses the Access API on Artifactory 7.49.3 and later, and the Security API (C(/artifactory/api/security))
    on older versions.
  - The built-in group V(readers) cannot be deleted. Unless O(allow_lockout=true), the module refuses to remove
    administrator permissions from the account of the task.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_group
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
  - Requires administrator permissions. On Artifactory 7.49.3 and later, set O(token), because the server may accept
    only access tokens for this API.
  - Requires Artifactory Pro.
  - If nothing changes, the module sends one request for each group.
  - Manage memberships either with O(members) or with O(buildworks.toolchain.artifact_user#module:groups), but not with
    both. If both are used with C(purge) and different lists, the tasks undo each other's changes.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  name:
    description: Name of the group, at most 64 characters. Required if O(items) is not set.
    type: str
  description:
    description: Description of the group. An empty string removes it.
    type: str
  external_id:
    description: ID of the group in an external directory such as Azure AD. An empty string removes it.
    type: str
  members:
    description:
      - Names of the users that should be members of the group. The users must exist. Other members are kept unless
        O(purge=true).
      - If the group comes from an external directory such as LDAP, the directory may overwrite changes to its members.
        The module warns about such changes.
      - Requires Artifactory 6.13 or later.
    type: list
    elements: str
  purge:
    description: Whether to remove members of the group that are not in O(members). Ignored if O(members) is not set.
  auto_join:
    description: Whether users that are created later join the group automatically. V(true) is refused for a group with
      O(admin_privileges=true).
    type: bool
  admin_privileges:
    description: Whether members of the group are administrators. V(true) is refused for a group with O(auto_join=true).
    type: bool
  watch_manager:
    description: Whether members of the group may manage Xray watches. Requires Artifactory 7.128 or later.
    type: bool
  policy_viewer:
    description: Whether members of the group may view Xray policies. Requires Artifactory 7.128 or later.
    type: bool
  policy_manager:
    description: Whether members of the group may manage Xray policies. If V(true), Artifactory also sets
      O(policy_viewer=true). Requires Artifactory 7.128 or later.
    type: bool
  reports_manager:
    description: Whether members of the group may manage Xray reports. Requires Artifactory 7.128 or later.
    type: bool
  resources_manager:
    description: Whether members of the group may manage resources and their permissions in the default project.
      Requires Artifactory 7.128 or later.
    type: bool
  manage_webhook:
    description: Whether members of the group may manage webhooks. Requires Artifactory 7.128 or later.
    type: bool
  allow_lockout:
    description:
      - Whether to allow a change that removes administrator permissions from the account of this task, if it has them
        only through groups that the task changes or deletes.
      - If V(false), the task fails before such a change. All O(items) and the groups that O(undeclared=remove) deletes
        are considered together. Permissions that other items add do not count, because these items may fail.
      - The task also fails if it cannot verify that the account remains an administrator. The name of the account is
        unknown with O(api_key) and, on Artifactory before 7.53, with a reference token.
      - If V(true) and the account loses its administrator permissions, the module cannot read the changed group. The
        task then fails with the error of the server, although the change took effect.
    type: bool
    default: false
  withhold_grants:
    description:
      - Whether to leave out what gives access, namely new members, and V(true) in O(auto_join), O(admin_privileges),
        O(watch_manager) and similar options. New groups are created without it. Everything else is changed.
      - Plays use it to remove members before they change permissions. A later task without this option then adds the
        new members.
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing users. If V(false), check mode fails if a user to
        add does not exist.
      - If the task sets only O(members) and options that V(true) gives access with, check mode also assumes that an
        earlier task creates a missing group.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing groups that are not in O(items).
      - The module never reports or deletes V(readers) and groups of external directories. To identify the latter, it
        reads each group that is not in O(items), O(workers) at a time.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the group or change it as specified.
      absent: Delete the group.
  items:
    description:
      - List of groups, each with the options below. Options that are set outside O(items) are the defaults for all
        items.
      - All items are validated before the first request. Two items must not have the same name.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      external_id:
        description: Value of O(external_id) for this item.
        type: str
      members:
        description: Value of O(members) for this item.
        type: list
        elements: str
      purge:
        description: Value of O(purge) for this item.
        type: bool
      auto_join:
        description: Value of O(auto_join) for this item.
        type: bool
      admin_privileges:
        description: Value of O(admin_privileges) for this item.
        type: bool
      watch_manager:
        description: Value of O(watch_manager) for this item.
        type: bool
      policy_viewer:
        description: Value of O(policy_viewer) for this item.
        type: bool
      policy_manager:
        description: Value of O(policy_manager) for this item.
        type: bool
      reports_manager:
        description: Value of O(reports_manager) for this item.
        type: bool
      resources_manager:
        description: Value of O(resources_manager) for this item.
        type: bool
      manage_webhook:
        description: Value of O(manage_webhook) for this item.
        type: bool
      allow_lockout:
        description: Value of O(allow_lockout) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_group_info
  - module: buildworks.toolchain.artifact_user
"""

EXAMPLES = r"""
- name: Create a group, or add members
  buildworks.toolchain.artifact_group:
    name: developers
    description: Developers of the web team
    members: [reader]
    auto_join: false

- name: Set the exact members of a group
  buildworks.toolchain.artifact_group:
    name: developers
    members: [admin, reader]
    purge: true

- name: Manage several groups
  buildworks.toolchain.artifact_group:
    items:
      - name: deployers
        description: Accounts of CI servers
      - name: administrators
        admin_privileges: true
        members: [admin]

- name: Delete a group
  buildworks.toolchain.artifact_group:
    name: developers
    state: absent
"""

RETURN = r"""
group:
  description: State of the group after the task or, in check mode, the predicted state. V(null) if the group does not
    exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the group as the server stores it.
      type: str
    description:
      description: Description of the group. Empty if it is not set.
      type: str
    external_id:
      description: ID of the group in an external directory. Empty if it is not set.
      type: str
    auto_join:
      description: Whether users that are created later join the group automatically.
      type: bool
    admin_privileges:
      description: Whether members of the group are administrators.
      type: bool
    watch_manager:
      description: Whether members of the group may manage Xray watches. V(null) on Artifactory before 7.128.
      type: bool
    policy_viewer:
      description: Whether members of the group may view Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    policy_manager:
      description: Whether members of the group may manage Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    reports_manager:
      description: Whether members of the group may manage Xray reports. V(null) on Artifactory before 7.128.
      type: bool
    resources_manager:
      description: Whether members of the group may manage resources and their permissions in the default project.
        V(null) on Artifactory before 7.128.
      type: bool
    manage_webhook:
      description: Whether members of the group may manage webhooks. V(null) on Artifactory before 7.128.
      type: bool
    members:
      description: Names of the users in the group, sorted. Empty on Artifactory before 6.13, which does not return
        members.
      type: list
      elements: str
    realm:
      description: Realm that the group comes from, such as V(internal), V(ldap) or V(saml).
      type: str
    realm_attributes:
      description: Attributes of the group in its external directory. V(null) if the server does not return any.
      type: str
  sample:
    name: developers
    description: Developers of the web team
    external_id: ""
    auto_join: false
    admin_privileges: false
    watch_manager: null
    policy_viewer: null
    policy_manager: null
    reports_manager: null
    resources_manager: null
    manage_webhook: null
    members: [reader]
    realm: internal
    realm_attributes: null
undeclared:
  description:
    - Names of the existing groups that are not in O(items), sorted. Protected groups are not included.
    - With O(undeclared=remove), the module processes these groups like items with O(state=absent). RV(counts) and
      RV(outcomes) include them.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-team]
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
    group:
      description: State of the group after the item was processed or, in check mode, the predicted state. It has the
        same keys as RV(group).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import (
    groups,
    identity_fields,
    managed_group,
    memberships,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access.administration import GroupGuard
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_FLAGS = tuple(name for name in groups.FIELDS.names if name not in ("description", "external_id"))
_GROUP_NAME = dict(**NAME, matches=("[^/]{1,64}", "a name of at most 64 characters without '/'"))


def desired_group(params: Fields) -> Fields:
    encode_path(params["name"], option="name")
    if params["state"] == "absent":
        return {}
    managed_group.check_auto_join(params)
    return identity_fields.select_desired(params, groups.FIELDS.names)


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **_GROUP_NAME),
        description=dict(type="str", unchecked="a description may be any text"),
        external_id=dict(type="str", unchecked="an empty string means none"),
        members=dict(type="list", elements="str", narrows_scope=True, each_element=SEGMENT),
        **{name: dict(type="bool") for name in _FLAGS},
        allow_lockout=dict(type="bool", default=False),
    ),
    checks=[desired_group],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY + memberships.WITHHOLD_GRANTS) + with_items(ITEM)


def run(task: Task) -> None:
    guard = GroupGuard(task)
    process_one_or_items(
        task,
        lambda item_task: reconcile_group(item_task, guard),
        identity=lambda params: params["name"].lower(),
        name_option="name",
        expand_all=lambda items: guard.watch(
            append_undeclared(task, "groups", items, "name", lambda: groups.list_deletable(task, items))
        ),
    )


def reconcile_group(task: Task, guard: GroupGuard) -> None:
    params = task.params
    group = managed_group.ManagedGroup(task, ArtifactService(task), guard, desired_group(params))
    reconcile(
        task,
        "group",
        read=group.find,
        desired=group.desired_for,
        create=group.create,
        update=group.update,
        delete=group.delete,
        check=lambda before, fields: group.check(before, fields, params["allow_lockout"]),
        to_result=group.to_result,
        grants_access=True,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
