#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_environment
short_description: Manage global Artifactory environments
description:
  - Create, rename or delete global environments of Artifactory. Repositories and roles of all projects can use them.
  - To manage several environments in one task, use O(items).
  - The built-in environments V(DEV) and V(PROD) cannot be renamed or deleted.
  - To manage environments of a single project, use O(buildworks.toolchain.artifact_project#module:environments).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_environment
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro 7.53.1 or later.
  - A task that changes no environment sends one request, regardless of the number of O(items).
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the environment. It is case-sensitive. Required if O(items) is not set.
      - The name consists of 2 to 32 letters, digits and hyphens, and starts with a letter.
    type: str
  previous_name:
    description:
      - Current name of the environment to rename to O(name). Repositories and roles that use the environment keep it.
      - Ignored if an environment with the name O(name) exists, or if no environment has the name O(previous_name).
    type: str
  predict_missing:
    description:
      - Whether check mode assumes that all environments with O(state=present) exist, because an earlier task of the
        playbook creates them. Check mode then predicts only deletions.
      - Use it in a playbook that creates environments first and deletes unused ones at the end.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing global environments that are not in O(items).
      - V(DEV), V(PROD) and the environments in O(items[].previous_name) are never reported or deleted.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the environment, or rename it from O(previous_name).
      absent: Delete the environment.
  items:
    description:
      - Environments to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      previous_name:
        description: Value of O(previous_name) for this item.
        type: str
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_environment_info
  - module: buildworks.toolchain.artifact_project
"""

EXAMPLES = r"""
- name: Create an environment
  buildworks.toolchain.artifact_environment:
    name: QA

- name: Manage several environments, and delete all others except DEV and PROD
  buildworks.toolchain.artifact_environment:
    items:
      - name: QA
      - name: STAGING
    undeclared: remove

- name: Rename an environment
  buildworks.toolchain.artifact_environment:
    name: TEST
    previous_name: QA

- name: Delete an environment
  buildworks.toolchain.artifact_environment:
    name: STAGING
    state: absent
"""

RETURN = r"""
environment:
  description: The environment after the task or, in check mode, as predicted. V(null) if the environment does not
    exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the environment.
      type: str
  sample:
    name: QA
undeclared:
  description: Sorted names of the existing global environments that are not in O(items), except V(DEV), V(PROD) and the
    environments in O(items[].previous_name).
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [STAGING]
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
    environment:
      description: Value of RV(environment) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import environments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

_NAME = dict(
    **NAME,
    matches=("[a-zA-Z][a-zA-Z0-9-]{1,31}", "2 to 32 letters, digits and hyphens, of which the first is a letter"),
)


def check_protected(params: Fields) -> None:
    if params["state"] == "absent":
        if params["previous_name"] is not None:
            raise BadOption("previous_name", "must not be set with 'state: absent'")
        if params["name"] in environments.BUILT_IN:
            raise BadOption("name", f"'{params['name']}' is built in and cannot be deleted")
    elif params["previous_name"] in environments.BUILT_IN:
        raise BadOption("previous_name", f"'{params['previous_name']}' is built in and cannot be renamed")


ITEM = STATE + ArgumentSpec(
    dict(name=dict(type="str", required=True, **_NAME), previous_name=dict(type="str", **_NAME)),
    checks=[check_protected],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = environments.Environments()
    process_one_or_items(
        task,
        lambda item_task: reconcile_environment(item_task, shared),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "environments", items, "name", lambda: shared.list_deletable(ArtifactService(task), items)
        ),
    )


def reconcile_environment(task: Task, shared: environments.Environments) -> None:
    check_protected(task.params)  # undeclared objects inherit the options of the task
    name, previous_name = task.params["name"], task.params["previous_name"]
    environment = environments.ManagedEnvironment(ArtifactService(task), shared, name, previous_name)
    is_predicted = task.predicts_missing and task.params["state"] == "present"
    reconcile(
        task,
        "environment",
        read=lambda: {"name": name} if is_predicted else environment.find(),
        desired={"name": name},
        create=environment.create,
        update=environment.rename,
        delete=environment.delete,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
