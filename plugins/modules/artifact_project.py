#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_project
short_description: Manage Artifactory projects
description:
  - Create, update or delete projects of Artifactory with their environments, roles, members and repositories.
  - The module compares and changes only the options that are set. Several tasks can therefore manage different parts of
    a project. For example, a later task can add members after their users have been created.
  - A new project gets its environments, roles, members and repositories in this order. If the task fails in between,
    the next run completes the project.
  - Before the first change, the module verifies that all users, groups, roles, environments and repositories to which
    the task refers exist. Changes that take access away come before those that give it.
  - The built-in project V(default) cannot be managed.
  - To manage several projects concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_project
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
  - Requires platform administrator permissions. Project administrators can manage O(members), O(roles) and
    O(environments) if O(admin_privileges) permits this.
  - Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro. The license limits the number of projects.
  - Reading the current state of a project takes one request, plus one for each of O(environments), O(roles) and
    O(repositories) that is set. O(members) takes two additional requests.
  - Artifactory needs a moment before it can attach a new repository, or delete a project whose repositories were
    detached. The module retries these requests for up to O(visibility_timeout) seconds.
  - If two administrators change a project at the same time, changes of different members, repositories and environments
    are both kept. Settings and roles are replaced as a whole and read again immediately before. A change of another
    field that arrives between these two requests is lost.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go, except for the
    environments, roles, users and shared repositories of projects. Not tested against a real Artifactory server.
options:
  key:
    description:
      - Key of the project, which cannot be changed. Required if O(items) is not set.
      - The key consists of 2 to 32 lowercase letters, digits and hyphens, and starts with a letter.
    type: str
  display_name:
    description: Name of the project in the user interface. It must be unique and have at most 128 characters. Required
      if the project does not exist.
    type: str
  description:
    description: Description of the project. An empty string removes the description.
    type: str
  storage_quota:
    description:
      - Maximum storage for the artifacts of the project, such as V(100 GB), or V(unlimited). The default for a new
        project is V(unlimited).
      - The units are V(B), V(KB), V(MB), V(GB), V(TB) and V(PB), where 1 GB is 1024 MB. The quota must be at least
        V(1 GB).
    type: str
  soft_limit:
    description: Whether to accept uploads when O(storage_quota) is exceeded. If V(false), Artifactory rejects them. The
      default for a new project is V(false).
    type: bool
  storage_quota_email_notification:
    description: Whether the project administrators get an email when O(storage_quota) is almost exceeded. The default
      for a new project is V(true).
    type: bool
  admin_privileges:
    description: What the project administrators may do. Privileges that are not set are not changed.
    type: dict
    suboptions:
      manage_members:
        description: Whether project administrators may manage the members of the project.
        type: bool
      manage_resources:
        description: Whether project administrators may manage the resources of the project, such as repositories.
        type: bool
      manage_remote_repository:
        description: Whether project administrators may create and change remote repositories of the project. Requires
          O(admin_privileges.manage_resources) and Artifactory 7.134.0 or later.
        type: bool
      index_resources:
        description: Whether project administrators may enable Xray indexing for the repositories of the project.
        type: bool
  environments:
    description:
      - Names of the environments of the project, in addition to the global environments.
      - The full name of an environment consists of the key of the project, a hyphen and a name, such as V(web-qa). It
        has at most 32 characters. You can omit the key and the hyphen.
      - Requires Artifactory 7.53.1 or later.
    type: list
    elements: str
  roles:
    description: Custom roles of the project, which can be assigned to its members.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the role, which is required. It must differ from the names of predefined roles, such as
          V(Developer), because these cannot be changed.
        type: str
      description:
        description: Description of the role. An empty string removes the description.
        type: str
      environments:
        description:
          - Environments in which the role applies. Environments that are not listed are removed from the role.
          - The names are those of global environments, such as V(DEV), or of environments of the project, such as
            V(web-qa). You can omit the key of the project and the hyphen. If the project has an environment V(web-qa),
            V(qa) is this one and not a global environment.
        type: list
        elements: str
      actions:
        description:
          - Actions that the role permits. Actions that are not listed are removed from the role.
          - Actions on repositories are V(READ_REPOSITORY), V(ANNOTATE_REPOSITORY),
            V(DEPLOY_CACHE_REPOSITORY), V(DELETE_OVERWRITE_REPOSITORY) and V(MANAGE_XRAY_MD_REPOSITORY).
          - Actions on builds are V(READ_BUILD), V(ANNOTATE_BUILD), V(DEPLOY_BUILD), V(DELETE_BUILD) and
            V(MANAGE_XRAY_MD_BUILD).
          - Actions on release bundles are V(READ_RELEASE_BUNDLE), V(ANNOTATE_RELEASE_BUNDLE),
            V(CREATE_RELEASE_BUNDLE), V(DISTRIBUTE_RELEASE_BUNDLE), V(DELETE_RELEASE_BUNDLE) and
            V(MANAGE_XRAY_MD_RELEASE_BUNDLE).
          - Other actions are V(TRIGGER_PIPELINE), V(TRIGGER_SECURITY), V(MANAGE_MEMBERS) and V(MANAGE_RESOURCES).
        type: list
        elements: str
  members:
    description: Users and groups that have roles in the project. Each entry requires either O(members[].user) or
      O(members[].group).
    type: list
    elements: dict
    suboptions:
      user:
        description: Name of an existing user. Each entry requires either this option or O(members[].group).
        type: str
      group:
        description: Name of an existing group. Each entry requires either this option or O(members[].user).
        type: str
      roles:
        description:
          - Names of the roles that the user or group has in the project. This list is required.
          - A role is predefined, such as V(Project Admin), V(Developer), V(Contributor) or V(Viewer), or a custom role
            in O(roles).
          - If the member has other roles, the module removes them.
        type: list
        elements: str
  repositories:
    description: Keys of existing repositories to attach to the project. A repository can be attached to only one
      project.
    type: list
    elements: str
  shared_repositories:
    description:
      - Repositories to share with the project, or to stop sharing with it. They belong to other projects or to no
        project.
      - Repositories that are not listed remain shared, even with O(purge=true), because Artifactory does not list
        shared repositories.
      - Reading the current state takes one request for each entry. Requires Artifactory 7.90.1 or later.
    type: list
    elements: dict
    suboptions:
      key:
        description: Key of the existing repository. Required.
        type: str
      read_only:
        description:
          - Whether the projects with which the repository is shared can only read it. If not set, the value is not
            changed.
          - Artifactory has one value for all these projects. V(true) requires Artifactory 7.94 or later.
        type: bool
      state:
        description: Whether to share the repository with the project.
        type: str
        default: present
        choices:
          present: Share the repository with the project.
          absent: Stop sharing the repository with the project.
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing users, groups, roles, repositories and
        environments. If V(false), check mode fails if one of them does not exist.
      - For a project to delete, check mode also assumes that earlier tasks delete or detach its repositories.
      - If the task sets only O(members), O(repositories) or O(shared_repositories) of the project, check mode also
        assumes that an earlier task creates a missing project.
      - Ignored outside of check mode.
  purge:
    description:
      - Whether to remove from the project all environments, roles, members and repositories that are not listed.
      - This applies to each of O(environments), O(roles), O(members) and O(repositories) that is set. An empty list
        removes all entries. Repositories are detached, not deleted.
  allow_move:
    description: Whether entries of O(repositories) may be moved from other projects to this project. If V(false), the
      task fails if a repository is attached to another project.
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether to allow a change of O(members) that removes the role V(Project Admin) from the account of this task.
      - If V(false), the task fails before such a change. It also fails if a member loses the role and the account of
        the task is unknown.
      - Platform administrators do not need this option, because they keep their rights without the role.
    type: bool
    default: false
  detach_repositories:
    description: Whether to detach all repositories from a project before deleting it. The repositories are kept. If
      V(false), the task fails if a project to delete has repositories.
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing projects that are not in O(items). The project V(default) is never deleted. Projects with
        repositories are deleted only if O(detach_repositories=true).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the project, or change it as specified.
      absent: Delete the project.
  items:
    description:
      - Projects to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(key). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      display_name:
        description: Value of O(display_name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      storage_quota:
        description: Value of O(storage_quota) for this item.
        type: str
      soft_limit:
        description: Value of O(soft_limit) for this item.
        type: bool
      storage_quota_email_notification:
        description: Value of O(storage_quota_email_notification) for this item.
        type: bool
      admin_privileges:
        description: Value of O(admin_privileges) for this item.
        type: dict
        suboptions:
          manage_members:
            description: Value of O(admin_privileges.manage_members) for this item.
            type: bool
          manage_resources:
            description: Value of O(admin_privileges.manage_resources) for this item.
            type: bool
          manage_remote_repository:
            description: Value of O(admin_privileges.manage_remote_repository) for this item.
            type: bool
          index_resources:
            description: Value of O(admin_privileges.index_resources) for this item.
            type: bool
      environments:
        description: Value of O(environments) for this item.
        type: list
        elements: str
      roles:
        description: Value of O(roles) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(roles[].name) for this item.
            type: str
          description:
            description: Value of O(roles[].description) for this item.
            type: str
          environments:
            description: Value of O(roles[].environments) for this item.
            type: list
            elements: str
          actions:
            description: Value of O(roles[].actions) for this item.
            type: list
            elements: str
      members:
        description: Value of O(members) for this item.
        type: list
        elements: dict
        suboptions:
          user:
            description: Value of O(members[].user) for this item.
            type: str
          group:
            description: Value of O(members[].group) for this item.
            type: str
          roles:
            description: Value of O(members[].roles) for this item.
            type: list
            elements: str
      repositories:
        description: Value of O(repositories) for this item.
        type: list
        elements: str
      shared_repositories:
        description: Value of O(shared_repositories) for this item.
        type: list
        elements: dict
        suboptions:
          key:
            description: Value of O(shared_repositories[].key) for this item.
            type: str
          read_only:
            description: Value of O(shared_repositories[].read_only) for this item.
            type: bool
          state:
            description: Value of O(shared_repositories[].state) for this item.
            type: str
            default: present
            choices:
              present: Same as O(shared_repositories[].state=present).
              absent: Same as O(shared_repositories[].state=absent).
      purge:
        description: Value of O(purge) for this item.
        type: bool
      allow_move:
        description: Value of O(allow_move) for this item.
        type: bool
      allow_lockout:
        description: Value of O(allow_lockout) for this item.
        type: bool
      detach_repositories:
        description: Value of O(detach_repositories) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_project_info
  - module: buildworks.toolchain.artifact_environment
  - module: buildworks.toolchain.artifact_repository
"""

EXAMPLES = r"""
- name: Create a project
  buildworks.toolchain.artifact_project:
    key: web
    display_name: Web
    description: Everything of the web team
    storage_quota: 100 GB
    admin_privileges:
      manage_members: true
      manage_resources: true
      index_resources: false
    environments: [qa]
    roles:
      - name: deployer
        environments: [DEV, web-qa]
        actions: [READ_REPOSITORY, DEPLOY_CACHE_REPOSITORY]

- name: Add members and attach repositories
  buildworks.toolchain.artifact_project:
    key: web
    members:
      - user: reader
        roles: [deployer, Viewer]
      - group: readers
        roles: [Developer]
    repositories: [generic-local]

- name: Set the exact members of a project
  buildworks.toolchain.artifact_project:
    key: web
    members:
      - group: readers
        roles: [Viewer]
    purge: true

- name: Manage several projects
  buildworks.toolchain.artifact_project:
    items:
      - key: web
        display_name: Web
      - key: mobile
        display_name: Mobile

- name: Delete a project, and keep its repositories
  buildworks.toolchain.artifact_project:
    key: web
    detach_repositories: true
    state: absent
"""

RETURN = r"""
project:
  description: The project after the task or, in check mode, as predicted. V(null) if the project does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    key:
      description: Key of the project.
      type: str
    display_name:
      description: Name of the project in the user interface.
      type: str
    description:
      description: Description of the project. An empty string if it has no description.
      type: str
    storage_quota:
      description: Maximum storage for the artifacts of the project, such as V(100 GB), or V(unlimited).
      type: str
    soft_limit:
      description: Whether Artifactory accepts uploads when RV(project.storage_quota) is exceeded.
      type: bool
    storage_quota_email_notification:
      description: Whether the project administrators get an email when RV(project.storage_quota) is almost exceeded.
      type: bool
    admin_privileges:
      description: Privileges of the project administrators. The keys are V(manage_members), V(manage_resources),
        V(manage_remote_repository) and V(index_resources), the values booleans.
      type: dict
    environments:
      description: Sorted full names of the environments of the project, such as V(web-qa). V(null) if O(environments)
        is not set.
      type: list
      elements: str
    roles:
      description: Custom roles of the project, sorted by name. Each contains C(name), C(description), C(environments)
        and C(actions). V(null) if O(roles) is not set.
      type: list
      elements: dict
    members:
      description: Members of the project, first groups, then users, sorted by name. Each contains C(roles) and either
        C(user) or C(group). V(null) if O(members) is not set.
      type: list
      elements: dict
    repositories:
      description: Sorted keys of the repositories that are attached to the project. V(null) if O(repositories) is not
        set.
      type: list
      elements: str
    shared_repositories:
      description: Entries of O(shared_repositories) that are shared with the project, sorted by key. Each contains
        C(key) and C(read_only). V(null) if O(shared_repositories) is not set.
      type: list
      elements: dict
  sample:
    key: web
    display_name: Web
    description: Everything of the web team
    storage_quota: 100 GB
    soft_limit: false
    storage_quota_email_notification: true
    admin_privileges:
      manage_members: true
      manage_resources: true
      manage_remote_repository: false
      index_resources: false
    environments: [web-qa]
    roles:
      - name: deployer
        description: ""
        environments: [DEV]
        actions: [DEPLOY_CACHE_REPOSITORY, READ_REPOSITORY]
    members:
      - user: reader
        roles: [Developer]
    repositories: [generic-local]
    shared_repositories: null
undeclared:
  description: Sorted keys of the existing projects that are not in O(items), except V(default).
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
    project:
      description: Value of RV(project) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import form, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects.managed import ManagedProject
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
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

_KEY = dict(
    **NAME,
    matches=("[a-z][a-z0-9-]{1,31}", "2 to 32 lowercase letters, digits and hyphens, of which the first is a letter"),
)
_QUOTA = dict(
    matches=("unlimited|[0-9]{1,18}(\\.[0-9]{1,3})? ?(B|KB|MB|GB|TB|PB)", "a size such as '100 GB', or 'unlimited'")
)
_ENVIRONMENT = dict(
    **NAME, matches=("[a-zA-Z][a-zA-Z0-9-]{0,31}", "letters, digits and hyphens, of which the first is a letter")
)
_ROLE = dict(
    name=dict(type="str", **SEGMENT),
    description=dict(type="str", unchecked="a description may be any text"),
    environments=dict(type="list", elements="str", each_element=_ENVIRONMENT, narrows_scope=True),
    actions=dict(
        type="list",
        elements="str",
        each_element=dict(**NAME, matches=("[A-Z]+(_[A-Z]+)+", "an action such as READ_REPOSITORY")),
        narrows_scope=True,
    ),
)
_MEMBER = dict(
    user=dict(type="str", **SEGMENT),
    group=dict(type="str", **SEGMENT),
    roles=dict(type="list", elements="str", not_empty=True, each_element=SEGMENT),
)
_SHARED = dict(
    key=dict(type="str", no_log=False, **SEGMENT),
    read_only=dict(type="bool", narrows_scope=True),
    state=dict(type="str", choices=["present", "absent"], default="present"),
)


def declared_project(params: Fields) -> Fields:
    if params["key"] == form.DEFAULT_PROJECT:
        raise BadOption("key", f"'{form.DEFAULT_PROJECT}' is built in and cannot be managed")
    return {} if params["state"] == "absent" else form.parse_options(params)


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **_KEY),
        display_name=dict(type="str", **NAME, matches=(".{1,128}", "at most 128 characters")),
        description=dict(type="str", unchecked="a description may be any text"),
        storage_quota=dict(type="str", **_QUOTA),
        soft_limit=dict(type="bool"),
        storage_quota_email_notification=dict(type="bool"),
        admin_privileges=dict(type="dict", options={name: dict(type="bool") for name in form.PRIVILEGES}),
        environments=dict(type="list", elements="str", each_element=_ENVIRONMENT),
        roles=dict(type="list", elements="dict", options=_ROLE),
        members=dict(type="list", elements="dict", options=_MEMBER),
        repositories=dict(type="list", elements="str", each_element=SEGMENT),
        shared_repositories=dict(type="list", elements="dict", options=_SHARED),
        allow_move=dict(type="bool", default=False),
        allow_lockout=dict(type="bool", default=False),
        detach_repositories=dict(type="bool", default=False),
    ),
    checks=[declared_project],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(
        task,
        reconcile_project,
        identity=lambda params: params["key"],
        name_option="key",
        expand_all=lambda items: append_undeclared(
            task,
            "projects",
            items,
            "key",
            lambda: [project.text("project_key") for project in projects.list_all(ArtifactService(task))],
        ),
    )


def reconcile_project(task: Task) -> None:
    project = ManagedProject(task, ArtifactService(task), declared_project(task.params))
    reconcile(
        task,
        "project",
        read=project.find,
        desired=project.desired,
        create=project.create,
        update=project.update,
        delete=project.delete,
        check=project.check,
        predict_refusal=project.predict_refusal,
        to_result=project.to_result,
        cumulative=True,
        grants_access=True,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
