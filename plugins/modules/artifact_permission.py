#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_permission
short_description: Manage Artifactory permissions
description:
  - Create, update or delete permissions (permission targets) of Artifactory. With O(items), the module manages several
    permissions concurrently.
  - A permission grants users and groups actions on targets, such as repositories. It has a separate section for each
    type of target.
  - The module sets exactly the specified actions of each listed user and group, and the specified patterns of each
    listed target. Users, groups, targets and types that are not listed are kept unless O(purge=true).
  - The module uses the Access API on Artifactory 7.72.0 and later. On older versions, it uses the permission targets
    API, in version 2 on Artifactory 6.6 and later. If the API does not support an option or action, the task fails
    before it changes the permission.
  - For targets such as V(ANY LOCAL), some servers return the individual repositories, in addition to this target or
    instead of it. Some servers also return a section for destinations that was not set. The module ignores these
    additions.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_permission
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
  - Requires administrator permissions. An account with the action V(manage) on a permission may also change the actions
    of its users and groups.
  - On Artifactory 7.72.0 and later, set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro.
  - If nothing changes, the module sends one request for each permission. At most one additional request lists the
    repositories for all items.
  - The repositories, users and groups must exist before this module runs. If one of them is missing, check mode fails
    unless O(predict_missing=true).
  - If two administrators change a permission at the same time, both changes are kept on Artifactory 7.72.0 and later,
    which has requests for single users, groups and targets. To remove a target, and on earlier versions, the module
    replaces the permission and reads it again immediately before. A change that arrives between these two requests is
    lost.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the permission, at most 255 characters. It must not contain V(/). Required if O(items) is not set.
      - On Artifactory before 7.72.0, the name must not contain V(+), which the server would read as a space.
    type: str
  repositories:
    description:
      - Permissions on artifacts in repositories.
      - The actions of a user or group apply to all O(repositories.targets).
    type: dict
    suboptions:
      targets:
        description:
          - Repositories to which the actions apply. The keys are repository keys. The values are dictionaries with the
            optional lists C(include_patterns) and C(exclude_patterns).
          - The patterns are Ant-style paths, such as V(web/**). By default, all paths are included and none is
            excluded, so that V({}) selects the whole repository.
          - V(ANY LOCAL), V(ANY REMOTE) and V(ANY DISTRIBUTION) select all local, remote or distribution repositories.
            V(ANY) selects all repositories. These targets include repositories that are created later.
          - A remote repository and its cache (V(<key>-cache)) are the same target.
          - Other targets of this type are kept unless O(purge=true).
          - Required if the permission does not have targets of this type yet, or if O(purge=true).
          - On Artifactory before 7.72.0, all targets of a type must have the same patterns.
        type: dict
      users:
        description:
          - Actions that users may perform on artifacts in repositories. The keys are user names, the values are lists
            of actions.
          - A listed user gets exactly the listed actions. An empty list removes all actions of the user. Other users
            are kept unless O(purge=true).
          - The actions are V(read), V(annotate), V(write), V(delete), V(manage), V(scan), V(distribute) and V(execute).
            Not every type supports all of them.
          - V(write) permits uploading, V(delete) permits deleting and overwriting, V(manage) permits changing the
            actions in this permission, and V(scan) permits managing Xray metadata.
          - V(distribute) requires Artifactory 6.6 or later. V(execute) requires Artifactory 7.72.0 or later.
        type: dict
      groups:
        description:
          - Actions that groups may perform on artifacts in repositories. The keys are group names, the values are lists
            of actions.
          - A listed group gets exactly the listed actions, and an empty list removes all actions. Other groups are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
  builds:
    description:
      - Permissions on builds.
      - The actions of a user or group apply to all builds that O(builds.targets) selects.
    type: dict
    suboptions:
      targets:
        description:
          - Build-info repository with the builds. The only key is V(artifactory-build-info) or, for a project,
            V(<project>-build-info). The value is a dictionary with the optional lists C(include_patterns) and
            C(exclude_patterns), which match names of builds, such as V(web-*).
          - Other targets are kept or removed as described for O(repositories.targets).
        type: dict
      users:
        description:
          - Actions that users may perform on builds. The keys are user names, the values are lists of actions.
          - A listed user gets exactly the listed actions, and an empty list removes all actions. Other users are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
      groups:
        description:
          - Actions that groups may perform on builds. The keys are group names, the values are lists of actions.
          - A listed group gets exactly the listed actions, and an empty list removes all actions. Other groups are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
  release_bundles:
    description:
      - Permissions on release bundles.
      - The actions of a user or group apply to all release bundles that O(release_bundles.targets) selects.
    type: dict
    suboptions:
      targets:
        description:
          - Release bundle repositories to which the actions apply. The keys are repository keys. The values are
            dictionaries with the optional lists C(include_patterns) and C(exclude_patterns), which match names of
            release bundles.
          - Other targets are kept or removed as described for O(repositories.targets).
        type: dict
      users:
        description:
          - Actions that users may perform on release bundles. The keys are user names, the values are lists of actions.
          - A listed user gets exactly the listed actions, and an empty list removes all actions. Other users are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
      groups:
        description:
          - Actions that groups may perform on release bundles. The keys are group names, the values are lists of
            actions.
          - A listed group gets exactly the listed actions, and an empty list removes all actions. Other groups are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
  destinations:
    description:
      - Permissions on destinations, which are the Distribution Edge nodes that receive release bundles.
      - The actions of a user or group apply to all O(destinations.targets).
      - Requires Artifactory 7.72.0 or later.
    type: dict
    suboptions:
      targets:
        description:
          - Destinations to which the actions apply. The keys are names of destinations, or V(*) for all destinations.
            The values are dictionaries with the optional lists C(include_patterns) and C(exclude_patterns).
          - Other targets are kept or removed as described for O(repositories.targets).
        type: dict
      users:
        description:
          - Actions that users may perform on destinations of release bundles. The keys are user names, the values are
            lists of actions.
          - A listed user gets exactly the listed actions, and an empty list removes all actions. Other users are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
      groups:
        description:
          - Actions that groups may perform on destinations of release bundles. The keys are group names, the values are
            lists of actions.
          - A listed group gets exactly the listed actions, and an empty list removes all actions. Other groups are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
  pipeline_sources:
    description:
      - Permissions on pipeline sources of JFrog Pipelines.
      - The actions of a user or group apply to all O(pipeline_sources.targets).
      - Requires Artifactory 7.72.0 or later.
    type: dict
    suboptions:
      targets:
        description:
          - Pipeline sources to which the actions apply. The keys are names of pipeline sources, or V(*) for all
            sources. The values are dictionaries with the optional lists C(include_patterns) and C(exclude_patterns),
            which match full names of source repositories, such as V(team/**).
          - Other targets are kept or removed as described for O(repositories.targets).
        type: dict
      users:
        description:
          - Actions that users may perform on pipeline sources. The keys are user names, the values are lists of
            actions.
          - A listed user gets exactly the listed actions, and an empty list removes all actions. Other users are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
      groups:
        description:
          - Actions that groups may perform on pipeline sources. The keys are group names, the values are lists of
            actions.
          - A listed group gets exactly the listed actions, and an empty list removes all actions. Other groups are kept
            unless O(purge=true).
          - O(repositories.users) describes the possible actions.
        type: dict
  purge:
    description: Whether to remove types, targets, users and groups of the permission that are not listed. If V(true),
      options that are not set count as empty.
  allow_lockout:
    description:
      - Whether to allow a change or deletion that locks out the account of this task. Such a change removes V(manage),
        or all actions of a type, from the account, directly or through a group. Administrators are never locked out.
      - If V(false), the task fails before such a change. It also fails if it cannot verify the effect. This is the case
        if the name of the account is unknown, as with O(api_key), or if its groups are unknown.
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing permissions that are not in O(items).
      - V(Anything) and V(Any Remote), the permissions of a new server, are never reported or deleted. To delete them,
        use O(state=absent).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the permission or change it as specified.
      absent: Delete the permission.
  items:
    description:
      - List of permissions, each with the options below. Options that are set outside O(items) are the defaults for all
        items.
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
  description: State of the permission after the task or, in check mode, the predicted state. It has the same keys as
    the options of this module. V(null) if the permission does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the permission.
      type: str
    repositories:
      description: Permissions on artifacts in repositories.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Repositories to which the actions apply. The keys are repository keys or names such as V(ANY
            LOCAL). The values are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on artifacts in repositories. The keys are user names, the values
            are sorted lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on artifacts in repositories. The keys are group names, the
            values are sorted lists of actions.
          type: dict
    builds:
      description: Permissions on builds.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Build-info repository to which the actions apply. The key is its repository key. The value is a
            dictionary with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on builds. The keys are user names, the values are sorted lists of
            actions.
          type: dict
        groups:
          description: Actions that groups may perform on builds. The keys are group names, the values are sorted lists
            of actions.
          type: dict
    release_bundles:
      description: Permissions on release bundles.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Release bundle repositories to which the actions apply. The keys are repository keys. The values
            are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on release bundles. The keys are user names, the values are sorted
            lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on release bundles. The keys are group names, the values are
            sorted lists of actions.
          type: dict
    destinations:
      description: Permissions on destinations of release bundles.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Destinations to which the actions apply. The keys are names of destinations, or V(*) for all. The
            values are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on destinations of release bundles. The keys are user names, the
            values are sorted lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on destinations of release bundles. The keys are group names, the
            values are sorted lists of actions.
          type: dict
    pipeline_sources:
      description: Permissions on pipeline sources of JFrog Pipelines.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Pipeline sources to which the actions apply. The keys are names of sources, or V(*) for all. The
            values are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on pipeline sources. The keys are user names, the values are
            sorted lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on pipeline sources. The keys are group names, the values are
            sorted lists of actions.
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
  description:
    - Names of the existing permissions that are not in O(items), sorted. Protected permissions are not included.
    - With O(undeclared=remove), the module processes these permissions like items with O(state=absent). RV(counts) and
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
    permission:
      description: State of the permission after the item was processed or, in check mode, the predicted state. It has
        the same keys as RV(permission).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
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
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    deletions_first,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_CHECKED = "names, patterns and actions are checked when they are parsed"
_TYPE = dict(
    targets=dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED),
    users=dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED),
    groups=dict(type="dict", text_values=True, narrows_scope=True, unchecked=_CHECKED),
)


def declared_resources(params: Fields) -> Fields:
    encode_path(params["name"], option="name")
    return {} if params["state"] == "absent" else form.parse_options(params)


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(
            type="str", required=True, **NAME, matches=("[^/]{1,255}", "a name of at most 255 characters without '/'")
        ),
        **{option: dict(type="dict", narrows_scope=True, options=_TYPE) for option in form.TYPES},
        allow_lockout=dict(type="bool", default=False),
    ),
    checks=[declared_resources],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedLists()
    process_one_or_items(
        task,
        lambda item_task: reconcile_permission(item_task, shared),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "permissions", items, "name", lambda: permissions.list_deletable(ArtifactService(task))
        ),
        level_of=deletions_first(task),
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
        cumulative=task.params["purge"],
        grants_access=True,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
