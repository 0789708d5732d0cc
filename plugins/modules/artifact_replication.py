#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_replication
short_description: Manage Artifactory replications
description:
  - Create, change or delete the replications of Artifactory repositories. The module does not run the replications.
  - Push replication copies a local repository to the repositories in O(targets), which are on other Artifactory
    servers. Pull replication fills the cache of a remote repository from its URL, with its user name and password.
  - The module compares and changes only the options that are set. It identifies targets by their URLs. It does not
    change targets that are not listed, unless O(purge=true).
  - By default, a new replication is enabled and does not delete artifacts.
  - To manage the replications of several repositories concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_replication
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.bulk
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory Pro. Replication to several targets requires Artifactory
    Enterprise, which the module verifies if the account may read the license.
  - If O(sync_deletes) or O(targets[].sync_deletes) is V(true), replication deletes artifacts that do not exist in the
    source. Verify that the source and the target are the right repositories before you set it.
  - A replication that deletes artifacts is created and changed while it is disabled, and enabled after its other
    members are verified.
  - Artifactory replaces targets as a whole. The module reads the replication again immediately before. If another
    administrator changes it within the few milliseconds in between, this change can be lost.
  - When a target is added or changed, the request also contains the other targets, but not their passwords. Artifactory
    keeps these passwords.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go. Not tested against a
    real Artifactory server.
options:
  repo:
    description: Key of the local repository to push, or of the remote repository to pull into. Required if O(items) is
      not set.
    type: str
  type:
    description:
      - Direction of the replication, which cannot be changed. Local repositories require V(push), remote repositories
        V(pull).
      - If this option is not set, the type is V(push) if O(targets) is set. Otherwise, it is the type of the existing
        replication or, for a new replication, V(pull).
    type: str
    choices:
      push: Copy artifacts of a local repository to repositories on other Artifactory servers.
      pull: Copy artifacts from the URL of a remote repository to its cache.
  cron:
    description:
      - Schedule of the replication as a Quartz cron expression. For example, V(0 0 2 * * ?) runs it at 2:00 every day.
        Required for a new replication.
      - The expression has 6 or 7 fields, starting with the seconds. All targets share the schedule.
    type: str
  event_replication:
    description: Whether to replicate uploads, deletions and property changes immediately, in addition to the schedule
      in O(cron).
    type: bool
  targets:
    description:
      - Target repositories of a push replication. Required for a new push replication. The list must not be empty.
      - If O(state=absent), only these targets are deleted.
    type: list
    elements: dict
    suboptions:
      url:
        description:
          - URL of the target repository, such as V(https://east.example.com/artifactory/libs-release-local). Required.
        type: str
      username:
        description: Name of the user that replicates artifacts to the target server. Required for a new target.
        type: str
      password:
        description:
          - Password or token of O(targets[].username) on the target server.
          - It is sent when the target is added. O(update_secret) defines whether it is sent for an existing target.
        type: str
      enabled:
        description: Whether to replicate artifacts to this target. The default for a new target is V(true).
        type: bool
      sync_deletes:
        description:
          - Whether replication deletes artifacts on the target that do not exist in the source. The default for a new
            target is V(false).
          - V(null) is an error, because it may come from an empty variable by mistake.
        type: bool
      sync_properties:
        description: Whether to replicate the properties of artifacts. The default for a new target is V(true).
        type: bool
      sync_statistics:
        description: Whether to replicate the download statistics of artifacts. The default for a new target is
          V(false).
        type: bool
      include_path_prefix_pattern:
        description:
          - Comma-separated Ant patterns of the paths to replicate. If it is an empty string, all paths are replicated.
          - Requires Artifactory 7.24.4 or later.
        type: str
      exclude_path_prefix_pattern:
        description:
          - Comma-separated Ant patterns of the paths not to replicate. If it is an empty string, no path is excluded.
          - Requires Artifactory 7.24.4 or later.
        type: str
      socket_timeout_millis:
        description: Timeout of the connection to the target, in milliseconds. The default for a new target is V(15000).
        type: int
      proxy:
        description:
          - Key of the proxy through which Artifactory connects to the target.
          - If it is an empty string, Artifactory uses its default proxy, unless O(targets[].disable_proxy=true).
        type: str
      disable_proxy:
        description: Whether to connect to the target without the default proxy of Artifactory if O(targets[].proxy) is
          empty.
        type: bool
      check_binary_existence_in_filestore:
        description:
          - Whether to look for a binary in the file store of the target before uploading the binary. Use it if both
            servers share a file store.
          - Requires Artifactory Enterprise+. The module refuses it if the server has a license of Artifactory Pro.
        type: bool
  enabled:
    description: Whether the pull replication runs. The default for a new replication is V(true).
    type: bool
  sync_deletes:
    description:
      - Whether the pull replication deletes artifacts from the cache that do not exist on the remote server. The
        default for a new replication is V(false).
      - V(null) is an error, because it may come from an empty variable by mistake.
    type: bool
  sync_properties:
    description: Whether the pull replication copies the properties of artifacts. The default for a new replication is
      V(true).
    type: bool
  include_path_prefix_pattern:
    description:
      - Comma-separated Ant patterns of the paths that the pull replication copies. If it is an empty string, all paths
        are copied.
      - Requires Artifactory 7.24.4 or later.
    type: str
  exclude_path_prefix_pattern:
    description:
      - Comma-separated Ant patterns of the paths that the pull replication does not copy. If it is an empty string, no
        path is excluded.
      - Requires Artifactory 7.24.4 or later.
    type: str
  check_binary_existence_in_filestore:
    description:
      - Whether the pull replication looks for a binary in the file store before it downloads the binary. Use it if both
        servers share a file store.
      - Requires Artifactory Enterprise+. The module refuses it if the server has a license of Artifactory Pro.
    type: bool
  purge:
    description: Whether to delete the targets of a push replication that are not in O(targets). Requires O(targets) and
      O(state=present).
  undeclared:
    description:
      - How to treat existing replications of repositories that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item. V(remove) cannot be combined with O(targets) or
        O(purge) outside O(items).
  state:
    choices:
      present: Create the replication, or change it and O(targets) as specified.
      absent: Delete O(targets). If O(targets) is not set, delete the whole replication of the repository.
  items:
    description:
      - Replications to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(repo). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      repo:
        description: Value of O(repo) for this item.
        type: str
      type:
        description: Value of O(type) for this item.
        type: str
        choices:
          push: Same as O(type=push).
          pull: Same as O(type=pull).
      cron:
        description: Value of O(cron) for this item.
        type: str
      event_replication:
        description: Value of O(event_replication) for this item.
        type: bool
      targets:
        description: Value of O(targets) for this item. Replaces the default completely.
        type: list
        elements: dict
        suboptions:
          url:
            description: URL of the target repository. Required.
            type: str
          username:
            description: Name of the user that replicates artifacts to the target server. Required for a new target.
            type: str
          password:
            description: Password or token of the user on the target server.
            type: str
          enabled:
            description: Whether to replicate artifacts to this target.
            type: bool
          sync_deletes:
            description: Whether replication deletes artifacts on the target that do not exist in the source.
            type: bool
          sync_properties:
            description: Whether to replicate the properties of artifacts.
            type: bool
          sync_statistics:
            description: Whether to replicate the download statistics of artifacts.
            type: bool
          include_path_prefix_pattern:
            description: Comma-separated Ant patterns of the paths to replicate.
            type: str
          exclude_path_prefix_pattern:
            description: Comma-separated Ant patterns of the paths not to replicate.
            type: str
          socket_timeout_millis:
            description: Timeout of the connection to the target, in milliseconds.
            type: int
          proxy:
            description: Key of the proxy through which Artifactory connects to the target.
            type: str
          disable_proxy:
            description: Whether to connect to the target without the default proxy of Artifactory.
            type: bool
          check_binary_existence_in_filestore:
            description: Whether to look for a binary in the file store of the target before uploading the binary.
            type: bool
      enabled:
        description: Value of O(enabled) for this item.
        type: bool
      sync_deletes:
        description: Value of O(sync_deletes) for this item.
        type: bool
      sync_properties:
        description: Value of O(sync_properties) for this item.
        type: bool
      include_path_prefix_pattern:
        description: Value of O(include_path_prefix_pattern) for this item.
        type: str
      exclude_path_prefix_pattern:
        description: Value of O(exclude_path_prefix_pattern) for this item.
        type: str
      check_binary_existence_in_filestore:
        description: Value of O(check_binary_existence_in_filestore) for this item.
        type: bool
      purge:
        description: Value of O(purge) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
seealso:
  - module: buildworks.toolchain.artifact_replication_info
"""

EXAMPLES = r"""
- name: Replicate a local repository to another site
  buildworks.toolchain.artifact_replication:
    repo: libs-release-local
    cron: "0 0 2 * * ?"
    event_replication: true
    targets:
      - url: https://east.example.com/artifactory/libs-release-local
        username: replicator
        password: "{{ lookup('ansible.builtin.env', 'REPLICATION_PASSWORD') }}"

- name: Preview the replication to two sites, which requires an Enterprise license
  buildworks.toolchain.artifact_replication:
    repo: generic-local
    cron: "0 0 2 * * ?"
    targets:
      - url: https://east.example.com/artifactory/generic-local
        username: replicator
        password: "{{ lookup('ansible.builtin.env', 'REPLICATION_PASSWORD') }}"
        sync_deletes: false
      - url: https://west.example.com/artifactory/generic-local
        username: replicator
        password: "{{ lookup('ansible.builtin.env', 'REPLICATION_PASSWORD') }}"
  check_mode: true

- name: Set the account with which a remote repository is replicated
  buildworks.toolchain.artifact_repository:
    key: libs-remote
    type: remote
    package_type: maven
    remote_url: https://central.example.com/artifactory/libs-release-local
    remote_username: replicator
    remote_password: "{{ lookup('ansible.builtin.env', 'REPLICATION_PASSWORD') }}"

- name: Pull from the remote repository each night
  buildworks.toolchain.artifact_replication:
    repo: libs-remote
    cron: "0 30 1 * * ?"
    include_path_prefix_pattern: "com/example/**"

- name: Replace the password of a target
  buildworks.toolchain.artifact_replication:
    repo: libs-release-local
    targets:
      - url: https://east.example.com/artifactory/libs-release-local
        password: "{{ lookup('ansible.builtin.env', 'NEW_REPLICATION_PASSWORD') }}"
    update_secret: always

- name: Stop replicating to one site
  buildworks.toolchain.artifact_replication:
    repo: generic-local
    targets:
      - url: https://west.example.com/artifactory/generic-local
    state: absent

- name: List replications that are not declared
  buildworks.toolchain.artifact_replication:
    items:
      - repo: libs-release-local
    undeclared: report

- name: Delete the replications of several repositories
  buildworks.toolchain.artifact_replication:
    items:
      - repo: libs-release-local
      - repo: generic-local
    state: absent
"""

RETURN = r"""
replication:
  description:
    - The replication after the task or, in check mode, as predicted. V(null) if the repository has no replication.
    - A push replication contains C(targets). A pull replication contains C(enabled), C(sync_deletes),
      C(sync_properties), C(include_path_prefix_pattern), C(exclude_path_prefix_pattern) and
      C(check_binary_existence_in_filestore) instead.
    - Passwords are not returned.
  returned: success, when O(items) is not set
  type: dict
  contains:
    repo:
      description: Key of the replicated repository.
      type: str
    type:
      description: Direction of the replication, which is V(push) or V(pull).
      type: str
    cron:
      description: Schedule of the replication as a Quartz cron expression. V(null) if the targets have different
        schedules.
      type: str
    event_replication:
      description: Whether uploads, deletions and property changes are replicated immediately. V(null) if the targets
        have different values.
      type: bool
    targets:
      description: Targets of a push replication, sorted by URL. Each contains the suboptions of O(targets) except
        C(password).
      type: list
      elements: dict
  sample:
    repo: libs-release-local
    type: push
    cron: 0 0 2 * * ?
    event_replication: true
    targets:
      - url: https://east.example.com/artifactory/libs-release-local
        enabled: true
        sync_deletes: false
        sync_properties: true
        include_path_prefix_pattern: ""
        exclude_path_prefix_pattern: ""
        check_binary_existence_in_filestore: false
        username: replicator
        sync_statistics: false
        socket_timeout_millis: 15000
        proxy: ""
        disable_proxy: false
undeclared:
  description: Sorted keys of the repositories that have a replication but are not in O(items). If O(type) is set beside
    O(items), only those with a replication of this type.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-libs-local]
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
  sample: {changed: 1, ok: 11, failed: 0, unknown: 0, skipped: 0}
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
    replication:
      description: Value of RV(replication) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import replications
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    UPDATE_SECRET,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    deletions_first,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

PATTERN: Option = dict(type="str", one_line=True, narrows_scope=True)
MEMBERS: dict[str, Option] = dict(
    enabled=dict(type="bool"),
    sync_deletes=dict(type="bool", narrows_scope=True),
    sync_properties=dict(type="bool"),
    include_path_prefix_pattern=PATTERN,
    exclude_path_prefix_pattern=PATTERN,
    check_binary_existence_in_filestore=dict(type="bool"),
)
TARGET: dict[str, Option] = dict(
    url=dict(type="str", address=True, one_line=True, not_empty=True),
    username=dict(type="str", not_empty=True, one_line=True),
    password=dict(type="str", no_log=True, unchecked="a password may be any text"),
    sync_statistics=dict(type="bool"),
    socket_timeout_millis=dict(type="int", at_least=0, at_most=2147483647),
    proxy=dict(type="str", one_line=True),
    disable_proxy=dict(type="bool"),
    **MEMBERS,
)
ITEM = (PURGE + STATE + UPDATE_SECRET) + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        type=dict(type="str", choices=["push", "pull"], narrows_scope=True),
        cron=dict(type="str", unchecked="checked as Quartz does"),
        event_replication=dict(type="bool"),
        targets=dict(type="list", elements="dict", not_empty=True, narrows_scope=True, options=TARGET),
        **MEMBERS,
    ),
    checks=[replications.parse_replication],
)


def check_deletions(params: Fields) -> None:
    for option in ("targets", "purge"):
        if params["undeclared"] == "remove" and params[option]:
            raise BadOption(option, "cannot be combined with 'undeclared: remove'. Set it in 'items'")


SPEC = (
    (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY)
    + with_items(ITEM)
    + ArgumentSpec({}, checks=[check_deletions])
)


def run(task: Task) -> None:
    process_one_or_items(
        task,
        reconcile_replication,
        identity=lambda params: params["repo"],
        name_option="repo",
        expand_all=lambda items: append_undeclared(
            task,
            "replications",
            items,
            "repo",
            lambda: replications.list_selected(task),
        ),
        level_of=deletions_first(task),
    )


def reconcile_replication(task: Task) -> None:
    params = task.params
    fields = replications.parse_replication(params)
    replication = replications.Replication(task)
    secrets = WriteOnlySecrets(("password",), params["update_secret"])
    if params["state"] == "absent" and params["targets"] is not None:
        reconcile(
            task,
            "replication",
            read=replication.find_targets,
            desired={"targets": dict.fromkeys(fields["targets"])},
            update=replication.update,
            to_result=replications.to_result,
        )
        if not task.result["replication"]["targets"]:
            task.result["replication"] = None
        return
    reconcile(
        task,
        "replication",
        read=replication.find,
        desired=lambda before: replications.complete_desired(before, fields, params["purge"]),
        create=replication.create,
        update=replication.update,
        delete=replication.delete,
        check=replication.check,
        predict_refusal=replication.predict_refusal,
        to_result=lambda current: replications.to_result({"repo": params["repo"], **current}),
        cumulative=params["purge"],
        replaces=True,
        enable_last="enabled",
        may_disable=replication.deletes_artifacts,
        secrets=secrets,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
