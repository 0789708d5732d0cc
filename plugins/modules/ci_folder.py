#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_folder
short_description: Manage Jenkins folders
description:
  - Create, update, move, rename or delete Jenkins folders. To manage several folders concurrently, use O(items).
  - The module compares and changes only the options that are set.
  - In a new folder, an option that is not set has the value that Jenkins' own form for a new folder sets.
  - Jenkins replaces the whole configuration of a folder with each write. The module therefore reads the stored
    configuration first. It changes the declared elements and keeps the others, such as credentials, views and
    properties.
  - If O(name) is the name of a multibranch Pipeline, an organization folder or a job, the task fails.
  - A folder that contains jobs or folders is deleted only with O(allow_delete_content=true).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_folder
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.ci_on_dropped
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Jenkins plugin C(cloudbees-folder).
  - Requires the Job/Read permission. Creating a folder also requires Job/Create. Changing a folder also requires
    Job/Configure. Deleting a folder also requires Job/Delete. Moving a folder also requires Job/Move. Renaming a folder
    also requires Job/Configure, or both Job/Create and Job/Delete.
  - Jenkins does not list folders for which the account lacks the Job/Read permission. The module therefore treats them
    as missing. Jenkins refuses to create a folder if an item that is not listed has the same name.
  - If nothing changes, the module sends one request for each parent folder. With O(config), it sends one more request
    for each folder.
  - Each update replaces the whole configuration of a folder, including its credentials and views. The module reads it
    again immediately before it writes, and compares again if another client has changed the declared values. A change
    of another client between this read and the write is lost.
  - At the top level, Jenkins does not distinguish names that differ only in case. If O(name) differs only in case from
    the name of an existing top-level item, the task fails.
  - This module has only been tested against the simulated server (sandbox) that comes with this collection, not against
    a real Jenkins server. The sandbox itself is tested with the Python clients python-jenkins, api4jenkins and
    jenkinsapi.
  - Organization folders are not supported.
options:
  name:
    description:
      - Full name of the folder, such as V(team/web). The folder that contains it must exist. Required if O(items) is
        not set.
      - Each part of the name can have at most 255 bytes. It must not contain control characters or any of the
        characters C(?*\%!@#$^&|<>[]:;). It must not start or end with whitespace, or end with a period.
    type: str
  previous_name:
    description:
      - Current full name of a folder to move or rename to O(name). The folder keeps its content.
      - Jenkins refuses to rename a folder while a job in it is running.
      - If both the parent folder and the last part of the name differ, the module moves the folder first and then
        renames it. If the renaming fails, the module moves the folder back.
      - Ignored if a folder with the name O(name) already exists, or if no folder has the name O(previous_name).
      - Must not be set with O(state=absent).
    type: str
  description:
    description: Description of the folder. An empty string removes the description.
    type: str
  display_name:
    description: Name that Jenkins displays for the folder in the web interface. An empty string removes the display
      name, so that Jenkins displays the last part of O(name).
    type: str
  config:
    description:
      - Additional configuration of the folder as XML, such as health metrics or properties of plugins. The root element
        must be C(com.cloudbees.hudson.plugins.folder.Folder).
      - Only the elements and attributes in this XML are compared and changed. The attribute C(plugin) is ignored.
      - Groups of elements with the same name are replaced as a whole. Lists of objects are also replaced as a whole,
        except for C(properties).
      - Secrets in this XML are written only when the folder or the element that contains them is created. Jenkins
        encrypts secrets, so the module cannot compare them.
      - The elements C(folderViews) and C(views), and the property with credentials, are refused. Changing them here
        could lose views and credentials. With O(on_dropped=warn), the outdated element C(views) is left out instead.
      - The element C(description) is refused if O(description) is set. The element C(displayName) is refused if
        O(display_name) is set.
    type: str
  allow_delete_content:
    description:
      - Whether to delete a folder that contains jobs or folders, with all its content. Running builds are aborted.
      - If V(false), deleting a folder with content fails. The module cannot detect content that the account may not
        read.
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing parent folders.
      - If V(false), check mode fails if a parent folder is missing. Parent folders that are in O(items) do not count as
        missing.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing folders that are not in O(items). Jobs, multibranch Pipelines and organization folders are
        never reported or deleted.
      - Folders that contain one of the O(items), and folders that are named in O(items[].previous_name), are never
        reported or deleted either.
      - V(report) and V(remove) require O(items) with at least one item. Deleting a folder with content also requires
        O(allow_delete_content=true).
  undeclared_in:
    description:
      - Full name of the folder to which O(undeclared) is limited. All folders inside this folder, at any depth, are
        considered.
      - If not set, all folders of the Jenkins controller are considered.
    type: str
  state:
    choices:
      present: Create or update the folder, or move it from O(previous_name).
      absent: Delete the folder. If the folder has content, this requires O(allow_delete_content=true).
  items:
    description:
      - Folders to manage. Options that are set outside O(items) are the defaults for all items.
      - Each item requires a unique C(name). The module validates all items before it sends the first request.
      - The order of the items does not matter. The module creates folders before their subfolders. Deletions come last,
        and subfolders are deleted before the folders that contain them.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      previous_name:
        description: Value of O(previous_name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      display_name:
        description: Value of O(display_name) for this item.
        type: str
      config:
        description: Value of O(config) for this item.
        type: str
      allow_delete_content:
        description: Value of O(allow_delete_content) for this item.
        type: bool
      on_dropped:
        description: Value of O(on_dropped) for this item.
        type: str
        choices:
          fail: Same as O(on_dropped=fail).
          warn: Same as O(on_dropped=warn).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_folder_info
  - module: buildworks.toolchain.ci_job_info
"""

EXAMPLES = r"""
- name: Create a folder
  buildworks.toolchain.ci_folder:
    name: team
    display_name: The Team
    description: Jobs of the team

- name: Manage several folders
  buildworks.toolchain.ci_folder:
    items:
      - name: team
      - name: team/web
        description: Builds of the web site
      - name: team/backend

- name: Show the health of the worst job of a folder
  buildworks.toolchain.ci_folder:
    name: team/web
    config: |
      <com.cloudbees.hudson.plugins.folder.Folder>
        <healthMetrics>
          <com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric>
            <nonRecursive>false</nonRecursive>
          </com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric>
        </healthMetrics>
      </com.cloudbees.hudson.plugins.folder.Folder>

- name: Move a folder with its content, and rename it
  buildworks.toolchain.ci_folder:
    name: frontend
    previous_name: team/web

- name: Preview which folders in a folder are not declared
  buildworks.toolchain.ci_folder:
    items:
      - name: team/web
    undeclared: remove
    undeclared_in: team
  check_mode: true

- name: Delete a folder with its jobs
  buildworks.toolchain.ci_folder:
    name: team
    state: absent
    allow_delete_content: true
"""

RETURN = r"""
folder:
  description: State of the folder after the task. In check mode, this is the predicted state. V(null) if the folder
    does not exist after the task.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Full name of the folder.
      type: str
    description:
      description: Description of the folder. An empty string if it has no description.
      type: str
    display_name:
      description: Name that Jenkins displays for the folder in the web interface. An empty string if no display name is
        set. Jenkins then displays the last part of the name.
      type: str
    elements:
      description: Texts and attributes of the configuration elements that O(config) manages. Each key is the path of an
        element. Encrypted secrets are returned as V((encrypted\)).
      returned: when O(config) is set
      type: dict
  sample:
    name: team/web
    description: Builds of the web site
    display_name: ""
undeclared:
  description: Full names of the existing folders that are not in O(items), sorted. Folders that contain one of the
    O(items) are not included. An empty list if there are no undeclared folders.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [team/old]
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
    folder:
      description: Value of RV(folder) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import folder_options, names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.folder import ManagedFolder, SharedFolders
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import ON_DROPPED
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

ITEM = (STATE + ON_DROPPED) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **JOB),
        previous_name=dict(type="str", **JOB),
        description=dict(
            type="str", matches=("[^\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*", "without control characters")
        ),
        display_name=dict(type="str", one_line=True),
        config=dict(type="str", secret_elements=True, unchecked="checked when it is parsed"),
        allow_delete_content=dict(type="bool", default=False),
    ),
    checks=[folder_options.parse],
)
_UNDECLARED_IN = ArgumentSpec(dict(undeclared_in=dict(type="str", narrows_scope=True, **JOB)))
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + UNDECLARED + _UNDECLARED_IN + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedFolders()

    def expand(items: list[Fields]) -> list[Fields]:
        declared = [folder_options.resolve(task, item) for item in items]
        folder_options.check_together(declared)
        return append_undeclared(
            task, "folders", items, "name", lambda: shared.list_undeclared(CiService(task), task, declared)
        )

    process_one_or_items(
        task,
        lambda item_task: reconcile_folder(item_task, shared),
        identity=lambda params: names.identify(params["name"]),
        name_option="name",
        expand_all=expand,
        level_of=lambda item: folder_options.find_level(folder_options.resolve(task, item)),
    )


def reconcile_folder(task: Task, shared: SharedFolders) -> None:
    folder = ManagedFolder(task, CiService(task), shared, folder_options.parse(task.params))
    reconcile(
        task,
        "folder",
        read=folder.find,
        desired=folder.desired,
        create=folder.create,
        update=folder.update,
        replaces=True,
        delete=folder.delete,
        check=folder.check,
        to_result=folder.to_result,
        explain_shortfall=folder.explain_loss,
    )
    folder.record_change()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
