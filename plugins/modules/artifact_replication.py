#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_replication
short_description: Manage Artifactory replications
description:
  - Configure the replication of Artifactory repositories. With O(items), process several repositories concurrently.
  - Push replication copies a local repository to the repositories in O(targets), which are on other Artifactory
    servers. Pull replication fills the cache of a remote repository from its URL, with its user name and password.
  - Only the options that are set are compared. Targets are identified by their URL. Targets that are not listed are not
    changed, unless O(purge=true).
  - A new replication is enabled and does not delete artifacts, unless the options say otherwise.
  - The module configures replications, but does not run them.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
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
  - Requires administrator permissions and Artifactory Pro. Several targets require an Enterprise license. Check mode
    cannot verify the license.
  - With the option sync_deletes, replication deletes artifacts that do not exist in the source. Verify that the
    source and the target are the right repositories before you set it.
  - If a target is added or changed, the request contains the settings of the other targets without their passwords,
    which Artifactory keeps.
  - Verified on the sandbox, which is itself verified with jfrog-client-go. Not verified on a real Artifactory.
options:
  repo:
    description: Key of the repository. A local repository is pushed, a remote repository pulls.
    type: str
  type:
    description:
      - Type of the replication. It depends on the type of the repository and cannot be changed.
      - If not set, it is V(push) if O(targets) is set, otherwise the type of the existing replication or V(pull).
    type: str
    choices:
      push: Copy a local repository to other servers.
      pull: Copy from the URL of a remote repository to its cache.
  cron:
    description:
      - Schedule of the replication as a Quartz cron expression with 6 or 7 fields, the first of which are the seconds.
        For example, V(0 0 2 * * ?) stands for 2:00 every day. All targets share the schedule.
      - Required for a new replication.
    type: str
  event_replication:
    description: Whether uploads, deletions and property changes are replicated immediately, in addition to O(cron).
    type: bool
  targets:
    description:
      - Targets of a push replication. Required for a new push replication.
      - If O(state=absent), only these targets are deleted. An empty list is refused.
    type: list
    elements: dict
    suboptions:
      url:
        description:
          - URL of the target repository, such as V(https://east.example.com/artifactory/libs-release-local).
          - Required.
        type: str
      username:
        description: User name on the target server. Required for a new target.
        type: str
      password:
        description:
          - Password or token on the target server. It is sent with a new target. For existing targets, see
            O(update_secret).
        type: str
      enabled:
        description: Whether the target is replicated to.
        type: bool
      sync_deletes:
        description:
          - Whether replication deletes artifacts on the target that do not exist in the source.
          - V(null) is refused.
        type: bool
      sync_properties:
        description: Whether properties are replicated.
        type: bool
      sync_statistics:
        description: Whether download statistics are replicated.
        type: bool
      include_path_prefix_pattern:
        description:
          - Comma-separated Ant patterns of the paths to replicate. An empty string stands for all paths.
          - Requires Artifactory 7.24.4 or later.
        type: str
      exclude_path_prefix_pattern:
        description:
          - Comma-separated Ant patterns of the paths that are not replicated.
          - Requires Artifactory 7.24.4 or later.
        type: str
      socket_timeout_millis:
        description: Timeout of the connection to the target, in milliseconds.
        type: int
      proxy:
        description: Key of the proxy for the connection to the target. An empty string stands for no own proxy.
        type: str
      disable_proxy:
        description: Whether the default proxy of the server is not used either.
        type: bool
      check_binary_existence_in_filestore:
        description:
          - Whether the replication looks for a binary in the file store of the target before it uploads the binary. Use
            it if both servers share a file store.
          - Requires Artifactory Enterprise+.
        type: bool
  enabled:
    description: Whether a pull replication runs.
    type: bool
  sync_deletes:
    description:
      - Whether a pull replication deletes artifacts from the cache that do not exist on the remote server.
      - V(null) is refused.
    type: bool
  sync_properties:
    description: Whether a pull replication copies properties.
    type: bool
  include_path_prefix_pattern:
    description:
      - Comma-separated Ant patterns of the paths that a pull replication copies. An empty string stands for all paths.
      - Requires Artifactory 7.24.4 or later.
    type: str
  exclude_path_prefix_pattern:
    description:
      - Comma-separated Ant patterns of the paths that a pull replication does not copy.
      - Requires Artifactory 7.24.4 or later.
    type: str
  check_binary_existence_in_filestore:
    description:
      - Whether a pull replication looks for a binary in the file store before it downloads the binary. Use it if both
        servers share a file store.
      - Requires Artifactory Enterprise+.
    type: bool
  purge:
    description: Whether to delete targets that are not in O(targets).
  undeclared:
    description:
      - How to treat existing replications of repositories that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item. V(remove) cannot be combined with O(targets) or
        O(purge) outside O(items).
  state:
    choices:
      present: The replication and the O(targets) exist.
      absent: The O(targets) do not exist. Without O(targets), the repository has no replication.
  items:
    description:
      - List of replications, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Without O(items), O(repo) is required. With O(items), each item needs O(repo).
      - All items are validated before the first request. Two items must not have the same repository.
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
            description: User name on the target server.
            type: str
          password:
            description: Password or token on the target server.
            type: str
          enabled:
            description: Whether the target is replicated to.
            type: bool
          sync_deletes:
            description: Whether replication deletes artifacts on the target that do not exist in the source.
            type: bool
          sync_properties:
            description: Whether properties are replicated.
            type: bool
          sync_statistics:
            description: Whether download statistics are replicated.
            type: bool
          include_path_prefix_pattern:
            description: Comma-separated Ant patterns of the paths to replicate.
            type: str
          exclude_path_prefix_pattern:
            description: Comma-separated Ant patterns of the paths that are not replicated.
            type: str
          socket_timeout_millis:
            description: Timeout of the connection to the target, in milliseconds.
            type: int
          proxy:
            description: Key of the proxy for the connection to the target.
            type: str
          disable_proxy:
            description: Whether the default proxy of the server is not used either.
            type: bool
          check_binary_existence_in_filestore:
            description: Whether the server checks if the target already has a binary.
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
    - The replication after the task, with the names of the options and without passwords. V(null) if the repository has
      no replication. In check mode, the predicted replication.
    - Push replications have C(targets), sorted by URL. Pull replications have the other options instead.
  returned: success, when O(items) is not set
  type: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    type:
      description: V(push) or V(pull).
      type: str
    cron:
      description: Schedule of all targets. V(null) if the targets have different ones.
      type: str
    event_replication:
      description: Whether changes are replicated immediately. V(null) if the targets differ.
      type: bool
    targets:
      description: The targets, with the suboptions of O(targets) except C(password).
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
  description: Keys of the repositories whose replication is not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-libs-local]
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
  sample: {changed: 1, ok: 11, failed: 0, unknown: 0, skipped: 0}
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
    replication:
      description: Value of RV(replication) for this item.
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import replications
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    check_undeclared,
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
        type=dict(type="str", choices=["push", "pull"]),
        cron=dict(type="str", unchecked="checked as Quartz does"),
        event_replication=dict(type="bool"),
        targets=dict(type="list", elements="dict", not_empty=True, narrows_scope=True, options=TARGET),
        **MEMBERS,
    )
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    check_undeclared(task)
    check_deletions(task)
    process_one_or_items(
        task,
        ITEM,
        reconcile_replication,
        check=replications.parse_replication,
        identity=lambda params: params["repo"],
        name_option="repo",
        expand_all=lambda items: append_undeclared(
            task,
            "replications",
            items,
            "repo",
            lambda: [replication["repo"] for replication in replications.list_replications(ArtifactService(task))],
        ),
    )


def check_deletions(task: Task) -> None:
    for option in ("targets", "purge"):
        if task.params["undeclared"] == "remove" and task.params[option]:
            raise BadOption(option, "cannot be combined with 'undeclared: remove'. Set it in 'items'")


def reconcile_replication(task: Task) -> None:
    params = task.params
    fields = replications.parse_replication(params)
    replication = replications.Replication(ArtifactService(task), params["repo"], task.predicts_missing)
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
        secrets=secrets,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
