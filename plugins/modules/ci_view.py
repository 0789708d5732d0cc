#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_view
short_description: Manage Jenkins views
description:
  - Create, update or delete views of Jenkins, of its folders and of nested views.
  - The options manage list views, nested views, views with all jobs and My Views. O(config) manages views of other
    types.
  - Settings that are not specified are kept. Jobs in a view are only removed with O(purge).
  - To manage several views in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the permissions View/Read, and View/Create, View/Configure or View/Delete for changes. Views of folders and
    jobs in views require the Job/Read permission on the folders and jobs.
  - Nested views require the plugin C(nested-view), views of folders the plugin C(cloudbees-folder).
  - The primary view cannot be deleted. It is the view that Jenkins or a folder shows by default.
  - An existing nested view cannot be changed, because writing its configuration can break the views inside.
  - The module cannot rename views.
  - If a source of Configuration as Code (JCasC) lists views, each application of it replaces all views of Jenkins
    itself. Do not manage these views with both.
  - A task that changes no view sends one request for each view, and one for Jenkins itself and each folder and nested
    view that contains some of them.
  - Tested against the sandbox of this collection, which is itself tested with python-jenkins, api4jenkins and
    jenkinsapi. Not tested against a real Jenkins server.
options:
  name:
    description:
      - Name of the view. It is case-sensitive. Required if O(items) is not set.
      - It must not contain control characters or C(?*/\%!@#$^&|<>[]:;), or end with a period.
    type: str
  folder:
    description:
      - Full name of the folder that the view belongs to, such as V(team/web).
      - If not set, or if it is an empty string, the view belongs to Jenkins itself.
    type: str
  parent:
    description:
      - Path of the nested view that contains the view, such as V(teams) or V(teams/web).
      - If not set, or if it is an empty string, no nested view contains the view.
    type: str
  type:
    description:
      - Type of the view. The type of an existing view cannot be changed.
      - The default for a new view is V(list), unless O(config) is set.
    type: str
    choices:
      list: Shows the selected jobs.
      nested: Contains other views. It can only be created and deleted.
      all: Shows all jobs.
      my: Shows the jobs that the user may configure.
  description:
    description: Description of the view. An empty string removes it.
    type: str
  jobs:
    description:
      - Names of the jobs and folders in a list view, relative to O(folder), such as V(app). A name in a subfolder, such
        as V(sub/app), requires O(recurse=true).
      - Jobs that the task adds must exist.
      - By default, other jobs in the view are kept. See O(purge).
    type: list
    elements: str
  purge:
    description: Whether to remove the jobs that are not in O(jobs) from the view. Ignored if O(jobs) is not set.
  regex:
    description:
      - Java regular expression. A list view also shows the jobs whose whole name matches it. With O(recurse), the name
        is relative to O(folder).
      - An empty string removes it. The task fails if Jenkins does not accept the expression.
    type: str
  recurse:
    description: Whether a list view can show jobs in subfolders.
    type: bool
  columns:
    description:
      - Columns of a list view, in their order. The columns are V(status), V(weather), V(job), V(last_success),
        V(last_failure), V(last_stable), V(last_duration) and V(build_button). For the column of a plugin, specify its
        Java class.
      - Existing columns keep their settings.
      - The default for a new view is the columns that Jenkins selects. An empty list removes all columns.
    type: list
    elements: str
  status_filter:
    description:
      - Which of the selected jobs a list view shows, depending on whether they are enabled.
      - On versions of Jenkins before 2021, the filter of a view without one cannot be set.
    type: str
    choices:
      all: Shows all selected jobs.
      enabled: Shows only enabled jobs.
      disabled: Shows only disabled jobs.
  filter_queue:
    description: Whether the view shows only the queue items of its jobs.
    type: bool
  filter_executors:
    description: Whether the view shows only the executors that can run its jobs.
    type: bool
  config:
    description:
      - Configuration of the view as an XML document, for types and settings without an option. Its root element is the
        class of the view.
      - Elements that are not in the document are kept, with one exception. Lists, such as the columns, are replaced as
        a whole.
      - Declaration, comments, order of elements, attributes C(plugin), and the elements C(name) and C(owner) are
        ignored.
      - Must not be set together with the other options for settings.
    type: str
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create the missing folders, nested views and jobs that the view
        requires, and install the plugin C(nested-view).
      - If V(false), check mode fails if such an object is missing.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing views that are not in O(items), in the folders and nested views of the items. Only if an
        item belongs to Jenkins itself are the views of Jenkins included.
      - Primary views, views with the type V(all), and views that contain declared ones are never reported or deleted.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the view.
      absent: Delete the view. If it is a nested view, the views inside are deleted as well.
  items:
    description:
      - Views to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      folder:
        description: Value of O(folder) for this item.
        type: str
      parent:
        description: Value of O(parent) for this item.
        type: str
      type:
        description: Value of O(type) for this item.
        type: str
        choices:
          list: Same as O(type=list).
          nested: Same as O(type=nested).
          all: Same as O(type=all).
          my: Same as O(type=my).
      description:
        description: Value of O(description) for this item.
        type: str
      jobs:
        description: Value of O(jobs) for this item.
        type: list
        elements: str
      purge:
        description: Value of O(purge) for this item.
        type: bool
      regex:
        description: Value of O(regex) for this item.
        type: str
      recurse:
        description: Value of O(recurse) for this item.
        type: bool
      columns:
        description: Value of O(columns) for this item.
        type: list
        elements: str
      status_filter:
        description: Value of O(status_filter) for this item.
        type: str
        choices:
          all: Same as O(status_filter=all).
          enabled: Same as O(status_filter=enabled).
          disabled: Same as O(status_filter=disabled).
      filter_queue:
        description: Value of O(filter_queue) for this item.
        type: bool
      filter_executors:
        description: Value of O(filter_executors) for this item.
        type: bool
      config:
        description: Value of O(config) for this item.
        type: str
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_view_info
"""

EXAMPLES = r"""
- name: Show the release jobs in a view
  buildworks.toolchain.ci_view:
    name: Releases
    description: Jobs that build a release
    jobs: [app]
    regex: release-.*
    columns: [status, weather, job, last_success, last_duration]

- name: Show exactly two jobs
  buildworks.toolchain.ci_view:
    name: Deployments
    jobs: [app, deploy]
    purge: true

- name: Manage several views, and delete all others except the primary one
  buildworks.toolchain.ci_view:
    items:
      - name: Enabled jobs
        regex: .*
        status_filter: enabled
      - name: Disabled jobs
        regex: .*
        status_filter: disabled
    undeclared: remove

- name: Create a view of a type without options
  buildworks.toolchain.ci_view:
    name: Mine
    config: |
      <hudson.model.MyView>
        <description>Jobs that I may configure</description>
      </hudson.model.MyView>

- name: Delete a view
  buildworks.toolchain.ci_view:
    name: Releases
    state: absent
"""

RETURN = r"""
view:
  description: The view after the task or, in check mode, as predicted. V(null) if the view does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the view.
      type: str
    folder:
      description: Full name of the folder. An empty string if the view belongs to Jenkins itself.
      type: str
    parent:
      description: Path of the nested view that contains the view. An empty string if no nested view contains it.
      type: str
    type:
      description: Type of the view, as in O(type), or the Java class of a view of another type.
      type: str
    description:
      description: Description of the view. An empty string if it has no description.
      returned: when O(config) is not set
      type: str
    filter_queue:
      description: Whether the view shows only the queue items of its jobs.
      returned: when O(config) is not set
      type: bool
    filter_executors:
      description: Whether the view shows only the executors that can run its jobs.
      returned: when O(config) is not set
      type: bool
    jobs:
      description: Names of the jobs that are selected by their name, sorted. They can include deleted jobs.
      returned: when the type is V(list) and O(config) is not set
      type: list
      elements: str
    regex:
      description: Regular expression that selects jobs. An empty string if it is not set.
      returned: when the type is V(list) and O(config) is not set
      type: str
    recurse:
      description: Whether the view can show jobs in subfolders.
      returned: when the type is V(list) and O(config) is not set
      type: bool
    columns:
      description: Columns of the view, as in O(columns).
      returned: when the type is V(list) and O(config) is not set
      type: list
      elements: str
    status_filter:
      description: Which of the selected jobs are shown, as in O(status_filter).
      returned: when the type is V(list) and O(config) is not set
      type: str
    elements:
      description: Texts and attributes of the configuration by path, such as C(columns/hudson.views.JobColumn).
      returned: when O(config) is set
      type: dict
  sample:
    name: Deployments
    folder: ""
    parent: ""
    type: list
    description: ""
    filter_queue: false
    filter_executors: false
    jobs: [app, deploy]
    regex: ""
    recurse: false
    columns: [status, weather, job, last_success, last_failure, last_duration, build_button]
    status_filter: all
undeclared:
  description: Paths of the existing views that are not in O(items), sorted. Protected views are not included. The paths
    are not percent-encoded.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: ["/view/Old releases", /job/team/view/Nightly]
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
  sample: {changed: 12, ok: 487, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of the first O(result_limit) items, in the order of O(items). To save the outcomes of all items,
    set O(to_file).
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
    view:
      description: Value of RV(view) for this item.
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views import form, options, owners
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views.managed import ManagedView
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared_objects,
    check_undeclared,
)

ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **options.NAME),
        folder=dict(type="str", narrows_scope=True, **options.FOLDER),
        parent=dict(type="str", narrows_scope=True, **options.PARENT),
        type=dict(type="str", choices=list(form.CLASSES)),
        description=dict(type="str", **options.TEXT),
        jobs=dict(type="list", elements="str", each_element=JOB),
        regex=dict(type="str", **options.TEXT),
        recurse=dict(type="bool"),
        columns=dict(type="list", elements="str", each_element=options.COLUMN),
        status_filter=dict(type="str", choices=["all", "enabled", "disabled"]),
        filter_queue=dict(type="bool"),
        filter_executors=dict(type="bool"),
        config=dict(type="str", unchecked="checked when it is parsed"),
    )
)
SPEC = (CI + PREDICT_MISSING + UNDECLARED) + with_items(ITEM)


def run(task: Task) -> None:
    check_undeclared(task)
    declared = [resolve(task, item) for item in task.params["items"] or ()]
    shared = owners.SharedListings(identify(params) for params in declared if params["state"] == "present")

    def list_undeclared() -> dict[str, Fields]:
        views = dict.fromkeys(map(identify, declared))
        return owners.list_undeclared(CiService(task), shared, views, allow_missing=task.predicts_missing)

    process_one_or_items(
        task,
        ITEM,
        lambda item_task: reconcile_view(item_task, shared),
        check=declared_fields,
        identity=identify,
        name_option="name",
        expand_all=lambda items: append_undeclared_objects(task, "views", items, list_undeclared),
        level_of=lambda item: find_level(resolve(task, item)),
    )


def reconcile_view(task: Task, shared: owners.SharedListings) -> None:
    view = ManagedView(task, CiService(task), shared, declared_fields(task.params))
    reconcile(
        task,
        "view",
        read=view.find,
        desired=view.desired,
        create=view.create,
        update=view.update,
        delete=view.delete,
        check=view.check,
        to_result=view.to_result,
    )


def declared_fields(params: Fields) -> Fields:
    identify(params)[0].view_path(params["name"])
    if params["state"] == "absent":
        return {}
    form.parse_config(params["config"])
    return form.parse_options(params)


def identify(params: Fields) -> tuple[owners.Owner, str]:
    return owners.Owner.from_params(params), params["name"]


def resolve(task: Task, item: Fields) -> Fields:
    return {**task.params, **{name: value for name, value in item.items() if value is not None}}


def find_level(params: Fields) -> int:
    depth = owners.Owner.from_params(params).depth
    return depth if params["state"] == "present" else -depth


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
