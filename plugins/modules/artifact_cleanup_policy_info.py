#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_cleanup_policy_info
short_description: Get Artifactory clean-up policy information
description:
  - Get the clean-up policies for packages of Artifactory, with one request.
  - You can pass RV(policies) to O(buildworks.toolchain.artifact_cleanup_policy#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_cleanup_policy_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions.
  - Requires an Enterprise+ or Enterprise X license, and Artifactory 7.98.2 or later. Self-hosted servers require 7.98.7
    or later with Enterprise+, and 7.139.1 or later with Enterprise X.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description: Key of the policy to return. If not set, all global policies and all policies of projects are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_cleanup_policy
"""

EXAMPLES = r"""
- name: Get all clean-up policies
  buildworks.toolchain.artifact_cleanup_policy_info:
  register: artifact

- name: List the enabled policies that delete packages for good
  ansible.builtin.debug:
    msg: "{{ artifact.policies | selectattr('enabled') | selectattr('skip_trashcan') | map(attribute='key') }}"

- name: Get one policy
  buildworks.toolchain.artifact_cleanup_policy_info:
    key: old-releases
"""

RETURN = r"""
policies:
  description: The policies, sorted by key. The list is empty if no policy exists, or if the policy O(key) does not
    exist.
  returned: success
  type: list
  elements: dict
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
      description: Criteria that select the packages to delete, with all suboptions of
        O(buildworks.toolchain.artifact_cleanup_policy#module:criteria). Conditions that are not set are V(0).
      type: dict
  sample:
    - key: old-releases
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
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup_policies import form, policies
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(key=dict(type="str", no_log=False, **SEGMENT)))


def run(task: Task) -> None:
    key = task.params["key"]
    artifact = ArtifactService(task)
    if key is None:
        found = policies.list_all(artifact)
    else:
        policy = policies.find(artifact, key)
        found = {key: policy} if policy else {}
    task.result["policies"] = [form.to_result(name, form.read_fields(record)) for name, record in found.items()]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
