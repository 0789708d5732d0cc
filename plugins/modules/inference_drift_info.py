# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_drift_info
short_description: Compare an organization with its declared state
description:
  - Tells what an organization has other than it is declared to have, and for each finding the options of the module
    that mends it. Nothing is changed.
  - Only what is given is compared. An empty list is given too, so that whatever is there is not declared.
  - The role P(buildworks.toolchain.inference_governance#role) reports the findings and mends them when told.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(admin_key).
  - It costs the pages of the lists, and a request for each declared project with limits. O(max_key_age_days), and
    projects of O(users), cost one more for each project there is. Such requests are made at the pace of
    O(admin_pace).
options:
  projects:
    description: All projects that the organization has beside its default one.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the project.
        type: str
        required: true
      id:
        description: Id of the project. It is needed when several have the name, or when it is not yet called so.
        type: str
      external_key_id:
        description: Id of a key outside the service, with which its data are encrypted.
        type: str
      residency:
        description: Where the data of a new project are kept and processed. It is not compared.
        type: str
      limits:
        description: Rate limits of the project, for each model those that are given.
        type: list
        elements: dict
        suboptions:
          model:
            description: Id of the model.
            type: str
            required: true
          max_requests_per_1_minute:
            description: Requests in a minute, 0 to 2,147,483,647.
            type: int
          max_tokens_per_1_minute:
            description: Tokens in a minute, 0 to 2,147,483,647.
            type: int
          max_images_per_1_minute:
            description: Images in a minute, 0 to 2,147,483,647.
            type: int
          max_audio_megabytes_per_1_minute:
            description: Megabytes of audio in a minute, 0 to 2,147,483,647.
            type: int
          max_requests_per_1_day:
            description: Requests in a day, 0 to 2,147,483,647.
            type: int
          batch_1_day_max_input_tokens:
            description: Tokens that wait in batches in a day, 0 to 2,147,483,647.
            type: int
      state:
        description: One that is V(absent) is not declared, just as if it were left out.
        type: str
        choices: [present, absent]
        default: present
  users:
    description: All users of the organization. Who has an invite that is pending counts as a user.
    type: list
    elements: dict
    suboptions:
      email:
        description: An e-mail address, in upper or lower case.
        type: str
        required: true
      role:
        description: Role in the organization.
        type: str
        choices: [owner, reader]
      projects:
        description: All projects that the user belongs to.
        type: list
        elements: dict
        suboptions:
          id:
            description: Id of the project. This or C(name) says which one is meant.
            type: str
          name:
            description: Name of the project.
            type: str
          role:
            description: Role in the project.
            type: str
            choices: [owner, member]
            default: member
      state:
        description: One that is V(absent) is not declared, just as if it were left out.
        type: str
        choices: [present, absent]
        default: present
  max_key_age_days:
    description: Days, 1 to 36,500, that admin keys and keys of projects may be old.
    type: int
seealso:
  - module: buildworks.toolchain.inference_project
  - module: buildworks.toolchain.inference_rate_limit
  - module: buildworks.toolchain.inference_user
  - module: buildworks.toolchain.inference_admin_key
"""

EXAMPLES = r"""
- name: Compare the organization with what it shall be
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

- name: Tell how it differs
  ansible.builtin.debug:
    msg: "{{ organization.drift | map(attribute='text') }}"
"""

RETURN = r"""
drift:
  description: What is other than declared, in the order in which it is mended. Empty when all is as declared.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(projects), V(limits), V(users) or V(keys).
      type: str
    problem:
      description:
        - V(missing), V(undeclared) or V(differs); V(ambiguous) when several projects have the name.
        - A limit is V(above) or V(below) the declared one, or V(missing) when there is no such limit.
        - A key is V(too_old).
      type: str
    text:
      description: All of it as a sentence.
      type: str
    name:
      description: Name of the project or key, e-mail address of the user, model of the limit.
      type: str
    id:
      description: Id of the project, user or key. For a limit that of its project.
      type: str
    project:
      description: Name of the project that a limit or key belongs to.
      type: str
    what:
      description: What of it differs, such as C(external_key_id), C(role) or C(max_tokens_per_1_minute).
      type: str
    declared:
      description: What it shall be.
      type: raw
    found:
      description: What it is.
      type: raw
    mend:
      description:
        - Options of the module that mends it, M(buildworks.toolchain.inference_project),
          M(buildworks.toolchain.inference_rate_limit), M(buildworks.toolchain.inference_user) or
          M(buildworks.toolchain.inference_admin_key). Findings that are mended together have the same.
        - None when that needs a decision, as for projects that have the same name, keys of projects, the admin key
          that the task itself uses, and admin keys of a name that others have, too, which are not too old.
      type: dict
  sample:
    - kind: limits
      problem: above
      text: The project 'Search' has 500 as max_requests_per_1_minute of gpt-4o, but shall have 100.
      name: gpt-4o
      id: proj_1
      project: Search
      what: max_requests_per_1_minute
      declared: 100
      found: 500
      mend:
        project_id: proj_1
        limits:
          - model: gpt-4o
            max_requests_per_1_minute: 100
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import drift
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(
        projects=drift.PROJECTS,
        users=drift.USERS,
        max_key_age_days=dict(type="int", no_log=False, at_least=1, at_most=36_500),
    ),
    required_one_of=[("projects", "users", "max_key_age_days")],
)


def run(task):
    task.result["drift"] = drift.of(Admin(task), drift.Declared(task.params))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
