#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_cleanup_policy
short_description: Manage Artifactory clean-up policies
description:
  - Create, update or delete clean-up policies for packages. Artifactory runs enabled policies on their schedules and
    deletes the packages that they select.
  - The module compares and changes only the options that are set.
  - To manage several policies concurrently, use O(items).
  - To delete artifacts in a playbook, without a policy on the server, use M(buildworks.toolchain.artifact_cleanup).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_cleanup_policy
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions.
  - Requires an Enterprise+ or Enterprise X license, and Artifactory 7.98.2 or later. Self-hosted servers require 7.98.7
    or later with Enterprise+, and 7.139.1 or later with Enterprise X.
  - The module reads the current state with one request, regardless of the number of O(items).
  - A policy cannot be changed or deleted while it is running. In this case, the task fails.
  - Artifactory does not check whether a build or a release bundle uses the packages that a policy deletes.
  - In check mode, the task fails if O(project) or a newly listed repository in O(criteria.repositories) does not exist,
    unless O(predict_missing=true).
  - Artifactory replaces a policy as a whole. The module reads it again immediately before. If another administrator
    changes it between these two requests, the change is lost.
  - The module does not manage archive policies, or clean-up policies for builds and release bundles.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description:
      - Key of the policy, which cannot be changed. Required if O(items) is not set.
      - The key must have at least 3 characters. It may contain letters, digits, hyphens and underscores.
    type: str
  description:
    description: Description of the policy, with at most 256 characters. An empty string removes the description.
    type: str
  cron:
    description: Schedule of the policy as a Quartz cron expression, such as V(0 0 2 ? * SUN) for 2:00 each Sunday. With
      an empty string, the policy has no schedule and runs only when it is started manually.
    type: str
  duration_in_minutes:
    description: Maximum duration of a run in minutes. Artifactory stops a run that takes longer. V(0), which is the
      default for a new policy, removes the limit.
    type: int
  enabled:
    description:
      - Whether the policy is enabled. The default for a new policy is V(false).
      - The module creates the policy disabled, verifies the criteria on the server, and then enables the policy with a
        second request. An enabled policy is disabled while it is changed. If the task fails in between, the policy
        stays disabled. If V(true) is set, the next run enables it.
    type: bool
  skip_trashcan:
    description: Whether Artifactory deletes packages permanently instead of moving them to the trash can. The default
      for a new policy is V(false).
    type: bool
  project:
    description:
      - Key of the project of the policy. If it is not set when the policy is created, the policy is global.
      - The project of an existing policy cannot be changed. With O(state=absent), the task fails if the policy has
        another project.
    type: str
  criteria:
    description:
      - Criteria that select the packages to delete. Suboptions that are not set are not changed. Each list replaces the
        existing list.
      - Set at least one of O(criteria.created_before_days), O(criteria.created_before_months),
        O(criteria.last_downloaded_before_days), O(criteria.last_downloaded_before_months),
        O(criteria.keep_last_versions) and O(criteria.included_properties), unless the existing policy has one.
      - Conditions in days, conditions in months and O(criteria.keep_last_versions) are mutually exclusive. A condition
        in days replaces the same condition in months, and vice versa. The task fails if the existing policy has another
        conflicting condition.
      - Omit the suboptions that you do not want to set. The value V(null) is not allowed.
    type: dict
    suboptions:
      package_types:
        description: Package types to clean up, such as V(docker) or V(maven). Required if the policy does not exist.
        type: list
        elements: str
      repositories:
        description:
          - Keys of the local and federated repositories to clean up. V(**) stands for all repositories, including
            future ones. Required if the policy does not exist.
          - Artifactory does not clean up remote and virtual repositories.
        type: list
        elements: str
      excluded_repositories:
        description: Keys of repositories to exclude from the clean-up. An empty list excludes nothing.
        type: list
        elements: str
      included_packages:
        description: Name patterns of the packages to clean up, such as V(com/example/**). The default for a new policy
          is V(["**"]), which stands for all packages.
        type: list
        elements: str
      excluded_packages:
        description: Name patterns of packages to keep. An empty list excludes nothing.
        type: list
        elements: str
      include_all_projects:
        description: Whether a global policy also cleans up the repositories of all projects. The default for a new
          policy is V(false).
        type: bool
      included_projects:
        description: Keys of the projects whose repositories a global policy also cleans up. An empty list, which is the
          default for a new policy, selects no projects.
        type: list
        elements: str
      created_before_days:
        description: Delete only packages that were created at least this number of days ago. V(0) removes the
          condition.
        type: int
      created_before_months:
        description: Delete only packages that were created at least this number of months ago. V(0) removes the
          condition.
        type: int
      last_downloaded_before_days:
        description: Delete only packages that have not been downloaded for at least this number of days. V(0) removes
          the condition.
        type: int
      last_downloaded_before_months:
        description: Delete only packages that have not been downloaded for at least this number of months. V(0) removes
          the condition.
        type: int
      keep_last_versions:
        description:
          - Number of the latest versions of each package to keep. Artifactory deletes all older versions. V(0)
            removes the condition.
          - Artifactory sorts versions by the time of their creation. It supports this condition only for some package
            types.
        type: int
      included_properties:
        description: Properties that a package must have to be deleted. Each value is a string or a list of strings.
          The dictionary replaces the existing properties. An empty dictionary removes the condition.
        type: dict
      excluded_properties:
        description: Properties of packages to keep. Each value is a string or a list of strings. The dictionary
          replaces the existing properties. An empty dictionary excludes nothing.
        type: dict
  allow_broad_criteria:
    description: Whether to allow a policy that deletes packages regardless of their age, versions and properties, or
      that applies to all package types in all repositories. If V(false), the task fails before it writes or enables
      such a policy.
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing policies that are not in O(items).
      - V(report) and V(remove) apply only to policies of projects that are set in O(items). They apply to global
        policies if at least one item has no project.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the policy.
      absent: Delete the policy. Packages that the policy has already deleted are not restored.
  items:
    description:
      - Policies to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(key). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      cron:
        description: Value of O(cron) for this item.
        type: str
      duration_in_minutes:
        description: Value of O(duration_in_minutes) for this item.
        type: int
      enabled:
        description: Value of O(enabled) for this item.
        type: bool
      skip_trashcan:
        description: Value of O(skip_trashcan) for this item.
        type: bool
      project:
        description: Value of O(project) for this item.
        type: str
      criteria:
        description: Value of O(criteria) for this item.
        type: dict
        suboptions:
          package_types:
            description: Value of O(criteria.package_types) for this item.
            type: list
            elements: str
          repositories:
            description: Value of O(criteria.repositories) for this item.
            type: list
            elements: str
          excluded_repositories:
            description: Value of O(criteria.excluded_repositories) for this item.
            type: list
            elements: str
          included_packages:
            description: Value of O(criteria.included_packages) for this item.
            type: list
            elements: str
          excluded_packages:
            description: Value of O(criteria.excluded_packages) for this item.
            type: list
            elements: str
          include_all_projects:
            description: Value of O(criteria.include_all_projects) for this item.
            type: bool
          included_projects:
            description: Value of O(criteria.included_projects) for this item.
            type: list
            elements: str
          created_before_days:
            description: Value of O(criteria.created_before_days) for this item.
            type: int
          created_before_months:
            description: Value of O(criteria.created_before_months) for this item.
            type: int
          last_downloaded_before_days:
            description: Value of O(criteria.last_downloaded_before_days) for this item.
            type: int
          last_downloaded_before_months:
            description: Value of O(criteria.last_downloaded_before_months) for this item.
            type: int
          keep_last_versions:
            description: Value of O(criteria.keep_last_versions) for this item.
            type: int
          included_properties:
            description: Value of O(criteria.included_properties) for this item.
            type: dict
          excluded_properties:
            description: Value of O(criteria.excluded_properties) for this item.
            type: dict
      allow_broad_criteria:
        description: Value of O(allow_broad_criteria) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_cleanup_policy_info
  - module: buildworks.toolchain.artifact_cleanup
"""

EXAMPLES = r"""
- name: Each Sunday, delete releases that have not been downloaded for 90 days
  buildworks.toolchain.artifact_cleanup_policy:
    key: old-releases
    description: Unused releases
    cron: 0 0 2 ? * SUN
    duration_in_minutes: 120
    enabled: true
    criteria:
      package_types: [maven]
      repositories: [libs-release-local]
      excluded_packages: ["com/example/platform/**"]
      created_before_days: 90
      last_downloaded_before_days: 90

- name: Keep the latest 10 versions of each image, and do not enable the policy yet
  buildworks.toolchain.artifact_cleanup_policy:
    key: old-images
    criteria:
      package_types: [docker]
      repositories: [docker-local]
      keep_last_versions: 10
      excluded_properties: {keep: "yes"}

- name: Disable a policy
  buildworks.toolchain.artifact_cleanup_policy:
    key: old-releases
    enabled: false

- name: Preview the exact global policies of the server
  buildworks.toolchain.artifact_cleanup_policy:
    items:
      - key: old-releases
        enabled: true
      - key: marked-packages
        cron: 0 30 1 * * ?
        criteria:
          package_types: [generic]
          repositories: [generic-local]
          included_properties: {obsolete: ["yes", "true"]}
    undeclared: remove
  check_mode: true

- name: Delete a policy
  buildworks.toolchain.artifact_cleanup_policy:
    key: old-images
    state: absent
"""

RETURN = r"""
policy:
  description: The policy after the task or, in check mode, as predicted. V(null) if the policy does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    key:
      description: Key of the policy.
      type: str
    description:
      description: Description of the policy. An empty string if it has no description.
      type: str
    cron:
      description: Schedule as a Quartz cron expression. An empty string if the policy has no schedule.
      type: str
    duration_in_minutes:
      description: Maximum duration of a run in minutes. V(0) if the duration is not limited.
      type: int
    enabled:
      description: Whether the policy is enabled.
      type: bool
    skip_trashcan:
      description: Whether Artifactory deletes packages permanently instead of moving them to the trash can.
      type: bool
    project:
      description: Key of the project. An empty string if the policy is global.
      type: str
    criteria:
      description: Criteria that select the packages to delete, with all suboptions of O(criteria). Conditions that
        are not set are V(0).
      type: dict
  sample:
    key: old-releases
    description: Unused releases
    cron: 0 0 2 ? * SUN
    duration_in_minutes: 120
    enabled: true
    skip_trashcan: false
    project: ""
    criteria:
      package_types: [maven]
      repositories: [libs-release-local]
      excluded_repositories: []
      included_packages: ["**"]
      excluded_packages: ["com/example/platform/**"]
      include_all_projects: false
      included_projects: []
      created_before_days: 90
      created_before_months: 0
      last_downloaded_before_days: 90
      last_downloaded_before_months: 0
      keep_last_versions: 0
      included_properties: {}
      excluded_properties: {}
undeclared:
  description: Keys of the existing policies that are not in O(items), sorted. Policies of projects that are not set in
    O(items) are omitted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-experiments]
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
    policy:
      description: Value of RV(policy) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup_policies import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup_policies.managed import (
    ManagedPolicy,
    SharedLists,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared_objects,
    deletions_first,
)

_KEY: Option = dict(**NAME, matches=("[a-zA-Z0-9_-]{3,255}", "at least 3 letters, digits, hyphens and underscores"))
_NAMES: Option = dict(type="list", elements="str", each_element=NAME, narrows_scope=True)
_REQUIRED_NAMES: Option = dict(**_NAMES, not_empty=True)
_COUNT: Option = dict(type="int", at_least=0, at_most=100_000, narrows_scope=True)
_PROPERTIES: Option = dict(
    type="dict", text_values=True, narrows_scope=True, unchecked="form.parse_options checks names and values"
)
_CRITERIA: dict[str, Option] = dict(
    package_types=_REQUIRED_NAMES,
    repositories=_REQUIRED_NAMES,
    excluded_repositories=_NAMES,
    included_packages=_REQUIRED_NAMES,
    excluded_packages=_NAMES,
    include_all_projects=dict(type="bool", narrows_scope=True),
    included_projects=_NAMES,
    created_before_days=_COUNT,
    created_before_months=_COUNT,
    last_downloaded_before_days=_COUNT,
    last_downloaded_before_months=_COUNT,
    keep_last_versions=_COUNT,
    included_properties=_PROPERTIES,
    excluded_properties=_PROPERTIES,
)


def declared_fields(params: Fields) -> Fields:
    return {} if params["state"] == "absent" else form.parse_options(params)


ITEM = STATE + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **_KEY),
        description=dict(type="str", matches=("(?s:.{0,256})", "at most 256 characters")),
        cron=dict(type="str", one_line=True),
        duration_in_minutes=dict(type="int", at_least=0, at_most=100_000),
        enabled=dict(type="bool"),
        skip_trashcan=dict(type="bool"),
        project=dict(type="str", one_line=True, narrows_scope=True),
        criteria=dict(type="dict", narrows_scope=True, options=_CRITERIA),
        allow_broad_criteria=dict(type="bool", default=False),
    ),
    checks=[declared_fields],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedLists()
    process_one_or_items(
        task,
        lambda item_task: reconcile_policy(item_task, shared),
        identity=lambda params: params["key"],
        name_option="key",
        expand_all=lambda items: append_undeclared_objects(
            task,
            "clean-up policies",
            items,
            lambda: shared.list_undeclared(ArtifactService(task), items, task.params),
        ),
        level_of=deletions_first(task),
    )


def reconcile_policy(task: Task, shared: SharedLists) -> None:
    policy = ManagedPolicy(task, ArtifactService(task), shared, declared_fields(task.params))
    reconcile(
        task,
        "policy",
        read=policy.find,
        desired=policy.desired,
        create=policy.create,
        update=policy.update,
        delete=policy.delete,
        check=policy.check,
        predict_refusal=policy.predict_refusal,
        to_result=policy.to_result,
        replaces=True,
        enable_last="enabled",
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
