#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_authorization
short_description: Manage Jenkins permissions and roles
description:
  - Manage the permissions of users and groups in Jenkins.
  - If O(folder), O(job) or O(node) is set, the module manages the permission matrix of this folder, job or node.
    Otherwise, it manages the authorization strategy of the whole server, which is a permission matrix or a set of roles
    with members.
  - To manage several folders, jobs or nodes concurrently, use O(items). Items that only remove permissions come first,
    and items that only grant permissions come last. Items that do both come in between, the whole server after the
    folders, jobs and nodes. If an item fails, items that only grant permissions on the same object, its folders or its
    content are skipped.
  - The module changes only the users, groups and roles that are declared. Other users, groups and roles are kept unless
    O(purge=true).
  - A declared user or group gets exactly the permissions in its list. Of a declared role, the module changes only the
    keys that are set.
  - In roles and in the matrices of folders, jobs and nodes, Jenkins ignores unknown permissions without an error. If
    the account of the task has the Overall/Administer permission, the module refuses unknown permissions before it
    changes anything. With any other account, a task with unknown permissions fails only after the change.
  - Unless O(allow_lockout=true), the module refuses a change after which the account of the task would no longer have
    the Overall/Administer permission. No request could undo such a change.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_authorization
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - To manage the whole server, the account needs the Overall/Administer permission. Jenkins needs the plugin
    C(configuration-as-code). The strategies V(global_matrix) and V(project_matrix) also require the plugin
    C(matrix-auth). The strategy V(role_based) requires the plugin C(role-strategy).
  - Check mode for the whole server requires that the plugin C(configuration-as-code) is active, even if it is in
    O(predicted_plugins).
  - The module reads the authorization strategy from the export of the Configuration as Code plugin (JCasC). It replaces
    the strategy as a whole, so that an interrupted task never leaves a role without its members. When Jenkins applies
    the strategy, it also applies its configuration sources again.
  - Jenkins replaces the strategy, or the configuration of the folder, job or node, as a whole. The module therefore
    reads it again immediately before the change, and compares it again if another client changed the permissions in
    between. What another client changes between this read and the change is overwritten.
  - To manage a folder or job, the account needs the Job/Configure permission on it. To manage a node, the account needs
    the Agent/Configure permission. Jenkins needs the plugin C(matrix-auth).
  - The matrix of a folder, job or node has an effect only if the server uses the strategy V(project_matrix).
  - Names of users and groups are case-sensitive. The users and groups need not exist.
  - If nothing changes, the module sends one request for each item. If a plugin provides permissions that the module
    does not know, one more request reads their names. If patterns of roles change, one more request checks them.
  - Manage the authorization strategy either with this module or with M(buildworks.toolchain.ci_configuration), but not
    with both.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  folder:
    description:
      - Full name of the folder whose permission matrix is managed, such as V(team/web). Mutually exclusive with O(job)
        and O(node).
      - If neither O(folder), O(job) nor O(node) is set, the module manages the authorization strategy of the whole
        server.
    type: str
  job:
    description: Full name of the job whose permission matrix is managed, such as V(team/web/deploy). Mutually exclusive
      with O(folder) and O(node).
    type: str
  node:
    description: Name of the node whose permission matrix is managed. The built-in node has none. Mutually exclusive
      with O(folder) and O(job).
    type: str
  strategy:
    description:
      - Authorization strategy of the server. If not set, the current strategy is kept.
      - If O(strategy) differs from the current strategy, the permissions of the current strategy are discarded. Only a
        change between V(global_matrix) and V(project_matrix) keeps them.
      - Applies only to the whole server. It must not be set with O(folder), O(job) or O(node).
    type: str
    choices:
      global_matrix: A permission matrix for the whole server.
      project_matrix: A permission matrix for the whole server, and additional matrices for single folders, jobs and
        nodes.
      role_based: Roles with permissions and members, as the plugin C(role-strategy) provides them.
  users:
    description:
      - Permissions of users. The keys are user names. The values are lists of permissions, such as V(Job/Read). An
        empty list removes the user from the matrix.
      - Not possible with the strategy V(role_based), for which O(roles) is used instead.
    type: dict
  groups:
    description:
      - Permissions of groups. The keys are group names. The values are lists of permissions, such as V(Job/Read). An
        empty list removes the group from the matrix.
      - The group V(authenticated) contains all users who are logged in.
      - Not possible with the strategy V(role_based), for which O(roles) is used instead.
    type: dict
  users_or_groups:
    description:
      - Permissions of names that can be the name of a user or of a group. The matrices of older versions of the plugin
        C(matrix-auth) contain such names.
      - The keys are the names. The values are lists of permissions, such as V(Job/Read). An empty list removes the name
        from the matrix.
      - Not possible with the strategy V(role_based), for which O(roles) is used instead.
    type: dict
  inheritance:
    description:
      - Which permissions apply to a folder, job or node in addition to its own matrix.
      - If not set, the inheritance of an existing matrix is kept, and a new matrix gets V(parent).
      - Requires O(folder), O(job) or O(node).
    type: str
    choices:
      parent: The permissions of the folder that contains the object, including those that the folder inherits, up to
        the permissions of the server.
      global: The permissions of the server.
      none: No other permissions. Administrators keep their permissions.
  roles:
    description:
      - Roles of the strategy V(role_based). The suboptions are dictionaries whose keys are the names of the roles.
      - Each role is a dictionary with the keys that are described below. To remove a role, set V(null) instead of the
        dictionary.
      - C(permissions) lists the permissions of the role. C(users), C(groups) and C(users_or_groups) list its members. A
        list that is set replaces the existing list. A new role requires C(permissions).
      - C(description) is the description of the role.
      - C(pattern) is a regular expression that must match the full name of a job or folder, or the name of an agent.
        The default is V(.*). Global roles have no pattern. If the account of the task has the Overall/Administer
        permission, the module refuses a pattern that Java cannot read before it changes anything.
      - Applies only to the whole server. It must not be set with O(folder), O(job) or O(node).
    type: dict
    suboptions:
      global:
        description: Roles that apply to the whole server. O(roles) describes the format.
        type: dict
      item:
        description: Roles that apply to the jobs and folders whose full names match the C(pattern) of the role.
          O(roles) describes the format. They cannot contain the permissions C(Overall) and C(Agent).
        type: dict
      agent:
        description: Roles that apply to the agents whose names match the C(pattern) of the role. O(roles) describes the
          format. They cannot contain the permissions C(Overall), C(Job), C(Run), C(SCM) and C(View).
        type: dict
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing folders, jobs and nodes.
      - If V(false), check mode fails if the folder, job or node is missing.
      - Ignored outside of check mode.
  purge:
    description:
      - Whether to remove users, groups and roles that are not declared.
      - If O(users), O(groups) or O(users_or_groups) is set, the module removes all users and groups that are in none of
        these three options.
      - If O(roles) is set, the module removes all roles that are not in O(roles).
      - If none of these options is set, nothing is removed.
  allow_lockout:
    description:
      - Whether to allow a change after which the account of this task no longer has the Overall/Administer permission.
        If V(false), the task fails and does not make such a change.
      - If the account loses the permission, the module cannot read the changed strategy. The task then fails with the
        error of the server, although the change took effect.
      - Applies only to the whole server. It must not be set with O(folder), O(job) or O(node).
    type: bool
    default: false
  state:
    choices:
      present: Create or change the permissions as specified.
      absent: Remove the permission matrix of the folder, job or node. Not allowed for the whole server.
  items:
    description:
      - Folders, jobs and nodes whose permissions are managed, each with the options below. An item that sets neither
        C(folder), C(job) nor C(node) manages the whole server.
      - Options that are set outside O(items) are the defaults for all items.
      - Only one item may manage a given folder, job or node, or the whole server. All items are validated before the
        first request.
    type: list
    elements: dict
    suboptions:
      folder:
        description: Value of O(folder) for this item.
        type: str
      job:
        description: Value of O(job) for this item.
        type: str
      node:
        description: Value of O(node) for this item.
        type: str
      strategy:
        description: Value of O(strategy) for this item.
        type: str
        choices:
          global_matrix: Same as O(strategy=global_matrix).
          project_matrix: Same as O(strategy=project_matrix).
          role_based: Same as O(strategy=role_based).
      users:
        description: Value of O(users) for this item.
        type: dict
      groups:
        description: Value of O(groups) for this item.
        type: dict
      users_or_groups:
        description: Value of O(users_or_groups) for this item.
        type: dict
      inheritance:
        description: Value of O(inheritance) for this item.
        type: str
        choices:
          parent: Same as O(inheritance=parent).
          global: Same as O(inheritance=global).
          none: Same as O(inheritance=none).
      roles:
        description: Value of O(roles) for this item.
        type: dict
        suboptions:
          global:
            description: Value of O(roles.global) for this item.
            type: dict
          item:
            description: Value of O(roles.item) for this item.
            type: dict
          agent:
            description: Value of O(roles.agent) for this item.
            type: dict
      purge:
        description: Value of O(purge) for this item.
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
  - module: buildworks.toolchain.ci_authorization_info
  - module: buildworks.toolchain.ci_configuration
"""

EXAMPLES = r"""
- name: Use a matrix with permissions for the whole server
  buildworks.toolchain.ci_authorization:
    strategy: project_matrix
    users:
      admin: [Overall/Administer]
    groups:
      authenticated: [Overall/Read, Job/Read]

- name: Let a team build and configure a job
  buildworks.toolchain.ci_authorization:
    job: deploy
    groups:
      developers: [Job/Build, Job/Configure, Job/Read]
    purge: true

- name: Manage the permissions of several objects
  buildworks.toolchain.ci_authorization:
    items:
      - job: app
        groups:
          testers: [Job/Read]
      - job: deploy
        inheritance: none

- name: Use roles instead, and remove all other roles
  buildworks.toolchain.ci_authorization:
    strategy: role_based
    roles:
      global:
        administrators:
          permissions: [Overall/Administer]
          users: [admin]
        readers:
          permissions: [Overall/Read]
          groups: [authenticated]
      item:
        developers:
          pattern: team/.*
          permissions: [Job/Build, Job/Read]
          groups: [developers]
    purge: true

- name: Remove the matrix of a job
  buildworks.toolchain.ci_authorization:
    job: deploy
    state: absent
"""

RETURN = r"""
authorization:
  description: Permissions or roles after the task or, in check mode, the predicted state. V(null) if the folder, job or
    node has no permission matrix.
  returned: success, when O(items) is not set
  type: dict
  contains:
    strategy:
      description: Authorization strategy of the server, one of the choices of O(strategy).
      returned: when the server is managed
      type: str
    inheritance:
      description: Which permissions apply in addition to the matrix. V(parent) for the permissions of the folder that
        contains the object, V(global) for the permissions of the server, V(none) for no other permissions.
      returned: when a folder, job or node is managed
      type: str
    users:
      description: Permissions of users. The keys are user names. The values are sorted lists of permissions.
      returned: when a matrix is managed
      type: dict
    groups:
      description: Permissions of groups. The keys are group names. The values are sorted lists of permissions.
      returned: when a matrix is managed
      type: dict
    users_or_groups:
      description: Permissions of names that can be the name of a user or of a group. The keys are these names. The
        values are sorted lists of permissions.
      returned: when a matrix is managed
      type: dict
    roles:
      description:
        - Roles of the strategy V(role_based). The keys are V(global), V(item) and V(agent).
        - Each value is a dictionary of roles. The keys are the names of the roles. Each role is a dictionary with the
          keys that O(roles) describes. Global roles have no C(pattern).
      returned: when the strategy is V(role_based)
      type: dict
  sample:
    strategy: project_matrix
    users:
      admin: [Overall/Administer]
    groups:
      authenticated: [Job/Read, Overall/Read]
    users_or_groups: {}
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
    authorization:
      description: Permissions or roles after the item was processed or, in check mode, the predicted state. The
        dictionary has the same keys as RV(authorization).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues, process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import (
    form,
    matrix_property,
    permissions,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.matrix_property import (
    MatrixProperty,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.order import Order, Snapshots
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.strategy import GlobalAuthorization
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_CHECKED = "names and permissions are checked when they are parsed"
_NAMED = dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED)
_ROLES = dict.fromkeys(("global", "item", "agent"), _NAMED)
_SERVER_ONLY = ("strategy", "roles", "allow_lockout")


def check_options(params: Fields) -> None:
    target = matrix_property.find_target(params)
    holders = form.parse_holders(params, permissions.find_common_name)
    if target is None:
        form.parse_roles(params["roles"], permissions.find_common_name)
        if params["state"] == "absent":
            raise BadOption("state", "must be 'present' without 'folder', 'job' and 'node'")
        if params["inheritance"] is not None:
            raise BadOption("inheritance", "requires 'folder', 'job' or 'node'")
        return
    matrix_property.check_permissions(target, holders)
    for option in _SERVER_ONLY:
        if params[option]:
            raise BadOption(option, f"must not be set with '{target.option}'")


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        folder=dict(type="str", narrows_scope=True, **JOB),
        job=dict(type="str", narrows_scope=True, **JOB),
        node=dict(type="str", narrows_scope=True, **SEGMENT),
        strategy=dict(type="str", choices=[*form.STRATEGIES]),
        users=_NAMED,
        groups=_NAMED,
        users_or_groups=_NAMED,
        inheritance=dict(type="str", choices=["parent", "global", "none"]),
        roles=dict(type="dict", narrows_scope=True, options=_ROLES),
        allow_lockout=dict(type="bool", default=False),
    ),
    mutually_exclusive=[("folder", "job", "node")],
    checks=[check_options],
)
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared, sources = SharedValues(), SharedSources()
    snapshots: Snapshots = {}

    def open_managed(item_task: Task) -> MatrixProperty | GlobalAuthorization:
        ci, target = CiService(item_task), matrix_property.find_target(item_task.params)
        if target:
            return MatrixProperty(item_task, ci, shared, target, snapshots)
        return GlobalAuthorization(item_task, ci, shared, snapshots)

    def act(item_task: Task) -> None:
        managed = open_managed(item_task)
        with order.follow(item_task.params):
            if isinstance(managed, MatrixProperty):
                reconcile_property(item_task, managed, sources)
            else:
                reconcile_strategy(item_task, managed, sources)

    order = Order(task, snapshots, open_managed)
    process_one_or_items(
        task,
        act,
        identity=lambda params: matrix_property.find_target(params) or "the server",
        name_option="folder",
        expand_all=order.prepare,
        level_of=order.find_level,
    )


def reconcile_strategy(task: Task, authorization: GlobalAuthorization, sources: SharedSources) -> None:
    reconcile(
        task,
        "authorization",
        read=authorization.find,
        desired=authorization.desired,
        update=authorization.update,
        check=lambda _before, changes: authorization.check(sources, changes),
        replaces=True,
        cumulative=task.params["purge"],
        grants_access=True,
    )


def reconcile_property(task: Task, matrix: MatrixProperty, sources: SharedSources) -> None:
    reconcile(
        task,
        "authorization",
        read=matrix.find,
        desired=matrix.desired,
        create=matrix.create,
        update=matrix.write,
        delete=matrix.delete,
        check=lambda _before, changes: matrix.check(sources, changes),
        to_result=matrix.to_result,
        replaces=True,
        cumulative=task.params["purge"],
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
