# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_drift_info
short_description: Compare an OpenAI organization with its declared state
description:
  - Compare the projects, rate limits, users and API keys of an OpenAI organization with their declared state. For each
    difference, the result names the module that remediates it, with its options. This module changes nothing.
  - Only the options that are set are compared. With an empty list, every existing item is reported as undeclared.
  - The role P(buildworks.toolchain.inference_governance#role) reports the drift and can remediate it.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_drift_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(admin_key).
  - The module reads lists page by page, with one request for each page. It sends another request for each declared
    project that sets O(projects[].limits). O(max_key_age_days) and O(users[].projects) each require one more request
    for each existing project. O(admin_requests_per_minute) limits the request rate.
options:
  projects:
    description: All projects of the organization, except the default project.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the project.
        type: str
        required: true
      id:
        description: ID of the project. Required if several projects have this name or if the project must be renamed.
        type: str
      external_key_id:
        description: ID of the external key that encrypts the project's data.
        type: str
      residency:
        description: Data residency of a new project. The module does not compare it with the residency of an existing
          project.
        type: str
      limits:
        description: Rate limits of the project. Only the limits that are set are compared.
        type: list
        elements: dict
        suboptions:
          model:
            description: ID of the model.
            type: str
            required: true
          max_requests_per_1_minute:
            description: Maximum number of requests per minute.
            type: int
          max_tokens_per_1_minute:
            description: Maximum number of tokens per minute.
            type: int
          max_images_per_1_minute:
            description: Maximum number of images per minute.
            type: int
          max_audio_megabytes_per_1_minute:
            description: Maximum number of megabytes of audio per minute.
            type: int
          max_requests_per_1_day:
            description: Maximum number of requests per day.
            type: int
          batch_1_day_max_input_tokens:
            description: Maximum number of input tokens in queued batches per day.
            type: int
      state:
        description: Whether the project must exist in the organization.
        type: str
        choices:
          present: The project is declared.
          absent: The project is not declared. This is equivalent to removing the entry.
        default: present
  users:
    description: All users of the organization. A pending invitation counts as a user.
    type: list
    elements: dict
    suboptions:
      email:
        description: Email address. Not case-sensitive.
        type: str
        required: true
      role:
        description: Role in the organization. If not set, the role is not compared.
        type: str
        choices:
          owner: Can administer the organization.
          reader: Can use the API but not administer the organization.
      projects:
        description: All projects of the user. If not set, the projects are not compared.
        type: list
        elements: dict
        suboptions:
          id:
            description: ID of the project. Mutually exclusive with O(users[].projects[].name). One of them is required.
            type: str
          name:
            description: Name of the project.
            type: str
          role:
            description: Role in the project.
            type: str
            choices:
              owner: Can administer the project.
              member: Can use the project.
            default: member
      state:
        description: Whether the user must exist in the organization.
        type: str
        choices:
          present: The user is declared.
          absent: The user is not declared. This is equivalent to removing the entry.
        default: present
  max_key_age_days:
    description: Maximum age of admin keys and project API keys in days.
    type: int
seealso:
  - module: buildworks.toolchain.inference_project
  - module: buildworks.toolchain.inference_rate_limit
  - module: buildworks.toolchain.inference_user
  - module: buildworks.toolchain.inference_admin_key
"""

EXAMPLES = r"""
- name: Compare the organization with its declared state
  buildworks.toolchain.inference_drift_info:
    projects:
      - name: Search
        limits:
          - model: gpt-4o
            max_requests_per_1_minute: 100
    users:
      - email: olivia@sandbox.example
        role: owner
      - email: alice@sandbox.example
        projects:
          - name: Search
    max_key_age_days: 90
  register: organization

- name: Print the differences
  ansible.builtin.debug:
    msg: "{{ organization.drift | map(attribute='text') }}"
"""

RETURN = r"""
drift:
  description: Differences between the declared and the current state, in the order in which they must be remediated.
    Empty if there are no differences.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the difference, V(projects), V(limits), V(users) or V(keys).
      type: str
    problem:
      description:
        - V(missing), V(undeclared) or V(differs) for a project or user.
        - V(ambiguous) if several projects have the declared name.
        - V(above) or V(below) for a limit that differs from the declared one, V(missing) if the model has no such
          limit.
        - V(too_old) for a key.
      type: str
    text:
      description: The difference as a sentence.
      type: str
    name:
      description: Name of the project or key, email address of the user, or ID of the model.
      type: str
    id:
      description: ID of the project, user or key. For a limit, the ID of its project.
      type: str
    project:
      description: Name of the project that the limit or key belongs to.
      type: str
    field:
      description: The field that differs, such as C(external_key_id), C(role) or C(max_tokens_per_1_minute).
      type: str
    declared:
      description: The declared value.
      type: raw
    current:
      description: The current value.
      type: raw
    remediation:
      description:
        - Options of the module that remediates the difference. The module is
          M(buildworks.toolchain.inference_project), M(buildworks.toolchain.inference_rate_limit),
          M(buildworks.toolchain.inference_user) or M(buildworks.toolchain.inference_admin_key), depending on
          RV(drift[].kind). Differences that one task remediates have the same options.
        - V(null) if a decision is required. This applies to ambiguous projects, project API keys, the admin key of the
          task itself, and old admin keys that share their name with a newer one.
      type: dict
  sample:
    - kind: limits
      problem: above
      text: "Project 'Search': max_requests_per_1_minute of gpt-4o is 500, but 100 is declared."
      name: gpt-4o
      id: proj_1
      project: Search
      field: max_requests_per_1_minute
      declared: 100
      current: 500
      remediation:
        project_id: proj_1
        limits:
          - model: gpt-4o
            max_requests_per_1_minute: 100
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import drift
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(
        projects=drift.PROJECT_OPTIONS,
        users=drift.USER_OPTIONS,
        max_key_age_days=dict(type="int", no_log=False, at_least=1, at_most=36_500),
    ),
    required_one_of=[("projects", "users", "max_key_age_days")],
)


def run(task: Task) -> None:
    task.result["drift"] = drift.find_drift(AdminClient(task), drift.Declaration(task.params))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
