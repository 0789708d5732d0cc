#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_permission
short_description: Manage Artifactory permissions
description:
  - Create, update or delete permissions (permission targets) of Artifactory. With O(items), manage several permissions
    concurrently.
  - A permission gives users and groups actions on targets, such as repositories. It has a part for each type of target.
  - What a task declares is set exactly for each listed user, group and target. Users, groups, targets and types that it
    does not list are not changed. With O(purge=true), they are removed, so that the permission is exactly as declared.
  - Uses the Access API of Artifactory 7.72.0 and later, version 2 of the permission targets API since Artifactory 6.6,
    and version 1 before. What an older version cannot express is refused before the first write.
  - Some servers return all repositories besides or instead of V(ANY LOCAL) and similar names, or a section for
    destinations that is not declared. The module ignores these additions.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires an administrator. With the Manage action on a permission, other accounts may change the actions of its
    users and groups. Since Artifactory 7.72.0, servers may accept only an access token, so set O(token).
  - Requires Artifactory Pro.
  - An unchanged permission costs one request. One more request lists the repositories for all items together, unless
    the permissions have only targets such as V(ANY LOCAL).
  - The repositories, users and groups must exist before this module runs. In check mode, the task fails if one of them
    is missing, unless O(predict_missing=true).
  - Verified on the sandbox, which is itself verified with jfrog-client-go and pyartifactory. Not verified on a real
    Artifactory.
options:
  name:
    description:
      - Name of the permission, at most 255 characters without V(/). Required without O(items). Before Artifactory
        7.72.0, a name must not contain V(+), which the server would read as a space.
    type: str
  repositories:
    description:
      - Permissions on the artifacts of repositories.
      - The options for builds, release bundles, destinations and pipeline sources have the same form. The actions of a
        user or group apply to all targets of the same type.
    type: dict
    suboptions:
      targets:
        description:
          - Dictionary of repository keys, each with its patterns. V(ANY LOCAL), V(ANY REMOTE), V(ANY DISTRIBUTION) and
            V(ANY) stand for all current and future repositories of a kind. A remote repository and its cache
            (V(<key>-cache)) are the same target.
          - The patterns are the lists C(include_patterns) and C(exclude_patterns) of Ant-style paths, such as
            V(web/**). By default, all paths are included and none is excluded, so that V({}) selects the whole
            repository.
          - Other targets of the permission are kept unless O(purge=true). Required if the permission has no targets of
            this type yet.
          - Before Artifactory 7.72.0, all targets of a type have the same patterns.
        type: dict
      users:
        description:
          - Dictionary of user names, each with its list of actions. A listed user gets exactly these actions. An empty
            list removes all actions of the user. Other users are kept unless O(purge=true).
          - The actions are V(read), V(annotate), V(write) (upload), V(delete) (and overwrite), V(manage) (change the
            actions of this permission), V(scan) (Xray metadata), V(distribute) and V(execute). Not every type has all
            actions. V(execute) requires Artifactory 7.72.0, V(distribute) requires Artifactory 6.6.
        type: dict
      groups:
        description:
          - Dictionary of group names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
  builds:
    description:
      - Permissions on builds.
    type: dict
    suboptions:
      targets:
        description:
          - The one repository with build information, which is V(artifactory-build-info) or, for a project,
            V(<project>-build-info). Its patterns match names of builds, for example V(web-*).
          - Otherwise, the rules of O(repositories.targets) apply.
        type: dict
      users:
        description:
          - Dictionary of user names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
      groups:
        description:
          - Dictionary of group names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
  release_bundles:
    description:
      - Permissions on release bundles.
    type: dict
    suboptions:
      targets:
        description:
          - Dictionary of the keys of release bundle repositories, each with its patterns. The patterns match names of
            release bundles.
          - Otherwise, the rules of O(repositories.targets) apply.
        type: dict
      users:
        description:
          - Dictionary of user names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
      groups:
        description:
          - Dictionary of group names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
  destinations:
    description:
      - Permissions on the Distribution Edge nodes that receive release bundles. Requires Artifactory 7.72.0 or later.
    type: dict
    suboptions:
      targets:
        description:
          - Dictionary of the names of destinations, each with its patterns. V(*) stands for all destinations.
          - Otherwise, the rules of O(repositories.targets) apply.
        type: dict
      users:
        description:
          - Dictionary of user names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
      groups:
        description:
          - Dictionary of group names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
  pipeline_sources:
    description:
      - Permissions on sources of JFrog Pipelines. Requires Artifactory 7.72.0 or later.
    type: dict
    suboptions:
      targets:
        description:
          - Dictionary of the names of pipeline sources, each with its patterns. V(*) stands for all sources. The
            patterns match full names of repositories, such as V(team/**).
          - Otherwise, the rules of O(repositories.targets) apply.
        type: dict
      users:
        description:
          - Dictionary of user names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
      groups:
        description:
          - Dictionary of group names, each with its list of actions. Same rules as for O(repositories.users).
        type: dict
  purge:
    description: Whether to remove types, targets, users and groups of the permission that are not listed.
  allow_lockout:
    description:
      - Whether to allow a change or deletion that takes V(manage), or all actions of a type, from the account of this
        task, directly or through a group. Administrators are never locked out.
      - If V(false), the task fails before such a change. It also fails if a user or group loses these actions and the
        name of the account is unknown, which is the case with O(api_key), or if its groups are unknown.
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing permissions that are not in O(items). The permissions of a new server, V(Anything) and
        V(Any Remote), are never deleted in this way. Delete them with O(state=absent).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: The permission exists.
      absent: The permission does not exist.
  items:
    description:
      - List of permissions, each with the options below. Options set outside O(items) are the defaults for all items.
      - All items are validated before the first request. Two items must not have the same name.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      repositories:
        description: Value of O(repositories) for this item. Replaces the default completely.
        type: dict
        suboptions:
          targets:
            description: Value of O(repositories.targets) for this item.
            type: dict
          users:
            description: Value of O(repositories.users) for this item.
            type: dict
          groups:
            description: Value of O(repositories.groups) for this item.
            type: dict
      builds:
        description: Value of O(builds) for this item. Replaces the default completely.
        type: dict
        suboptions:
          targets:
            description: Value of O(builds.targets) for this item.
            type: dict
          users:
            description: Value of O(builds.users) for this item.
            type: dict
          groups:
            description: Value of O(builds.groups) for this item.
            type: dict
      release_bundles:
        description: Value of O(release_bundles) for this item. Replaces the default completely.
        type: dict
        suboptions:
          targets:
            description: Value of O(release_bundles.targets) for this item.
            type: dict
          users:
            description: Value of O(release_bundles.users) for this item.
            type: dict
          groups:
            description: Value of O(release_bundles.groups) for this item.
            type: dict
      destinations:
        description: Value of O(destinations) for this item. Replaces the default completely.
        type: dict
        suboptions:
          targets:
            description: Value of O(destinations.targets) for this item.
            type: dict
          users:
            description: Value of O(destinations.users) for this item.
            type: dict
          groups:
            description: Value of O(destinations.groups) for this item.
            type: dict
      pipeline_sources:
        description: Value of O(pipeline_sources) for this item. Replaces the default completely.
        type: dict
        suboptions:
          targets:
            description: Value of O(pipeline_sources.targets) for this item.
            type: dict
          users:
            description: Value of O(pipeline_sources.users) for this item.
            type: dict
          groups:
            description: Value of O(pipeline_sources.groups) for this item.
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
  - module: buildworks.toolchain.artifact_permission_info
  - module: buildworks.toolchain.artifact_group
  - module: buildworks.toolchain.artifact_user
"""

EXAMPLES = r"""
- name: Let the readers upload to a folder and read a remote repository
  buildworks.toolchain.artifact_permission:
    name: web-team
    repositories:
      targets:
        generic-local:
          include_patterns: ["web/**"]
      groups:
        readers: [read, annotate, write, delete]
      users:
        reader: [read, write]
    builds:
      targets:
        artifactory-build-info: {}
      groups:
        readers: [read]

- name: Take all actions from a user, and change nothing else
  buildworks.toolchain.artifact_permission:
    name: web-team
    repositories:
      users:
        reader: []

- name: Set the exact permission, without other types, targets, users and groups
  buildworks.toolchain.artifact_permission:
    name: web-team
    repositories:
      targets:
        ANY LOCAL: {}
      groups:
        readers: [read]
    purge: true

- name: Manage several permissions
  buildworks.toolchain.artifact_permission:
    items:
      - name: read-everything
        repositories:
          targets:
            ANY: {}
          groups:
            readers: [read]
      - name: web-team
        state: absent
"""

RETURN = r"""
permission:
  description: State of the permission after the task or, in check mode, the predicted state, in the form of the
    options. V(null) if the permission does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the permission.
      type: str
    repositories:
      description: Permissions on artifacts.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Targets by name, with C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Sorted actions by user name.
          type: dict
        groups:
          description: Sorted actions by group name.
          type: dict
    builds:
      description: Permissions on builds.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Targets by name, with C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Sorted actions by user name.
          type: dict
        groups:
          description: Sorted actions by group name.
          type: dict
    release_bundles:
      description: Permissions on release bundles.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Targets by name, with C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Sorted actions by user name.
          type: dict
        groups:
          description: Sorted actions by group name.
          type: dict
    destinations:
      description: Permissions on destinations.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Targets by name, with C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Sorted actions by user name.
          type: dict
        groups:
          description: Sorted actions by group name.
          type: dict
    pipeline_sources:
      description: Permissions on pipeline sources.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Targets by name, with C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Sorted actions by user name.
          type: dict
        groups:
          description: Sorted actions by group name.
          type: dict
  sample:
    name: web-team
    repositories:
      targets:
        npm-local:
          include_patterns: ["web/**"]
          exclude_patterns: []
      users: {}
      groups:
        developers: [annotate, read, write]

undeclared:
  description: Names of existing permissions that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-team]
counts:
  description: Number of O(items) by outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Items that were already in the desired state.
      type: int
    failed:
      description: Items that failed. RV(failures) has the reasons.
      type: int
    unknown:
      description: Items whose outcome is unknown because the response was lost. RV(failures) lists these items.
      type: int
    skipped:
      description: Items that were skipped because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Entries for all items with the status V(failed) or V(unknown), with the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of the first O(result_limit) items, in the order of O(items).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Index of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items).
      type: dict
    status:
      description: Outcome of the item, which is V(changed), V(ok), V(failed), V(unknown) or V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server. Can be V(true) even if the item failed.
      type: bool
    reason:
      description: Reason why the item failed or was skipped.
      type: str
    permission:
      description: Value of RV(permission) for this item.
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions import form, permissions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions.managed import (
    ManagedPermission,
    SharedLists,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    check_undeclared,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_CHECKED = "names, patterns and actions are checked when they are parsed"
_TYPE = dict(
    targets=dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED),
    users=dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED),
    groups=dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED),
)
ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(
            type="str", required=True, **NAME, matches=("[^/]{1,255}", "a name of at most 255 characters without '/'")
        ),
        **{option: dict(type="dict", narrows_scope=True, options=_TYPE) for option in form.TYPES},
        allow_lockout=dict(type="bool", default=False),
    )
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED) + with_items(ITEM)


def run(task: Task) -> None:
    check_undeclared(task)
    shared = SharedLists()
    process_one_or_items(
        task,
        ITEM,
        lambda item_task: reconcile_permission(item_task, shared),
        check=declared_resources,
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "permissions", items, "name", lambda: permissions.list_deletable(ArtifactService(task))
        ),
    )


def reconcile_permission(task: Task, shared: SharedLists) -> None:
    permission = ManagedPermission(task, ArtifactService(task), shared, declared_resources(task.params))
    reconcile(
        task,
        "permission",
        read=permission.find,
        desired=permission.desired,
        create=permission.create,
        update=permission.update,
        delete=permission.delete,
        check=permission.check,
        predict_refusal=permission.predict_refusal,
        to_result=permission.to_result,
    )


def declared_resources(params: Fields) -> Fields:
    encode_path(params["name"], option="name")
    return {} if params["state"] == "absent" else form.parse_options(params)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
