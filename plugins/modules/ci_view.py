#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_view
short_description: Manage Jenkins views
description:
  - Create, update or delete views of a Jenkins controller, a folder or a nested view.
  - The options of the module manage list views, nested views, views of all jobs, and My Views. For views of other
    types, use O(config).
  - Settings that are not specified are kept. Jobs are removed from a view only with O(purge=true).
  - In a new view, an option that is not set has the value that Jenkins' own form for a new view sets.
  - To manage several views in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_view
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.ci_on_dropped
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the View/Read permission. Creating a view also requires View/Create. Changing a view also requires
    View/Configure. Deleting a view also requires View/Delete.
  - For views of folders, the account also requires the Job/Read permission on the folders. For jobs in views, it
    requires the Job/Read permission on the jobs.
  - Nested views require the Jenkins plugin C(nested-view). Views of folders require the plugin C(cloudbees-folder).
  - The primary view cannot be deleted. It is the view that Jenkins or a folder shows by default.
  - The module cannot change an existing nested view, because writing its configuration can break the views inside it.
  - The module cannot rename views.
  - If nothing changes, the module sends one request for each view. It sends one more request for each place that
    contains these views. A place is the top level of Jenkins, a folder or a nested view.
  - Each update replaces the whole configuration of a view. The module reads the configuration again immediately before
    it writes, and compares again if another client has changed it. A change of another client between this read and
    the write is lost.
  - This module has only been tested against the simulated server (sandbox) that comes with this collection, not against
    a real Jenkins server. The sandbox itself is tested with the Python clients python-jenkins, api4jenkins and
    jenkinsapi.
options:
  name:
    description:
      - Name of the view. The name is case-sensitive. Required if O(items) is not set.
      - The name must not contain control characters or any of the characters C(?*/\%!@#$^&|<>[]:;). It must not end
        with a period.
    type: str
  folder:
    description:
      - Full name of the folder that the view belongs to, such as V(team/web).
      - If not set, or if it is an empty string, the view belongs to Jenkins itself.
    type: str
  parent:
    description:
      - Path of the nested view that contains the view, such as V(teams) or V(teams/web).
      - If not set, or if it is an empty string, the view is not inside a nested view.
    type: str
  type:
    description:
      - Type of the view. The type of an existing view cannot be changed.
      - The default for a new view is V(list), unless O(config) is set.
    type: str
    choices:
      list: Shows the jobs that O(jobs) and O(regex) select.
      nested: Contains other views. The module can create and delete nested views, but cannot change them.
      all: Shows all jobs.
      my: Shows the jobs that the current user is allowed to configure.
  description:
    description: Description of the view. An empty string removes the description.
    type: str
  jobs:
    description:
      - Names of the jobs and folders to show in a list view, relative to O(folder), such as V(app). For a job in a
        subfolder, specify its path, such as V(sub/app), and set O(recurse=true).
      - Jobs that the task adds to the view must exist.
      - Jobs that are already in the view are kept, unless O(purge=true).
    type: list
    elements: str
  purge:
    description: Whether to remove all jobs from the view that are not in O(jobs). Ignored if O(jobs) is not set.
  regex:
    description:
      - Java regular expression that selects jobs by their name. A list view shows the jobs whose whole name matches, in
        addition to O(jobs).
      - With O(recurse=true), the expression must match the name of the job relative to O(folder), such as V(sub/app).
      - An empty string removes the expression. The task fails if Jenkins does not accept the expression.
    type: str
  recurse:
    description: Whether a list view can show jobs in subfolders. Applies only to list views.
    type: bool
  columns:
    description:
      - Columns of a list view, in this order. The available columns are V(status), V(weather), V(job), V(last_success),
        V(last_failure), V(last_stable), V(last_duration) and V(build_button).
      - For a column that a plugin provides, specify its Java class.
      - Columns that are already in the view keep their settings.
      - If not set, Jenkins selects the columns of a new view. An empty list removes all columns.
    type: list
    elements: str
  status_filter:
    description:
      - Whether a list view shows all selected jobs, only the enabled ones or only the disabled ones.
      - In Jenkins versions released before 2021, the option can change an existing filter, but cannot add a filter to a
        view that has none.
    type: str
    choices:
      all: Shows all selected jobs.
      enabled: Shows only enabled jobs.
      disabled: Shows only disabled jobs.
  filter_queue:
    description: Whether the view shows only the queue items that belong to its jobs.
    type: bool
  filter_executors:
    description: Whether the view shows only the executors that can run its jobs.
    type: bool
  config:
    description:
      - Configuration of the view as an XML document. Use it for view types and settings that have no option in this
        module. The root element is the Java class of the view.
      - Stored elements that are not in the document are kept. Lists, such as the list of columns, are replaced as a
        whole.
      - The module ignores the XML declaration, comments, the order of elements, the attribute C(plugin), and the
        elements C(name) and C(owner).
      - Must not be set together with O(type), O(description), O(jobs), O(regex), O(recurse), O(columns),
        O(status_filter), O(filter_queue) or O(filter_executors).
      - For nested views, use O(type=nested) instead.
    type: str
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing folders, nested views and jobs that the view
        requires.
      - If V(false), check mode fails if a folder, a nested view or a job is missing.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing views that are not in O(items). Only the folders and nested views that directly contain at
        least one of the O(items) are considered. The top level of Jenkins is considered only if it contains one of the
        O(items).
      - Primary views, views with the type V(all), and nested views that contain one of the O(items) are never reported
        or deleted.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the view.
      absent: Delete the view. If it is a nested view, the views inside it are deleted as well.
  items:
    description:
      - Views to manage. Options that are set outside O(items) are the defaults for all items.
      - Each item requires a C(name). The module validates all items before it sends the first request.
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
  description: State of the view after the task. In check mode, this is the predicted state. V(null) if the view does
    not exist after the task.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the view.
      type: str
    folder:
      description: Full name of the folder that the view belongs to. An empty string if the view belongs to Jenkins
        itself.
      type: str
    parent:
      description: Path of the nested view that contains the view. An empty string if the view is not inside a nested
        view.
      type: str
    type:
      description: Type of the view, which is V(list), V(nested), V(all) or V(my). O(type) explains these values. For a
        view of another type, this is its Java class.
      type: str
    description:
      description: Description of the view. An empty string if it has no description.
      returned: when O(config) is not set
      type: str
    filter_queue:
      description: Whether the view shows only the queue items that belong to its jobs.
      returned: when O(config) is not set
      type: bool
    filter_executors:
      description: Whether the view shows only the executors that can run its jobs.
      returned: when O(config) is not set
      type: bool
    jobs:
      description: Names of the jobs that were added to the view individually, sorted. Jobs that only match C(regex) are
        not included. The list can include jobs that no longer exist.
      returned: when the type is V(list) and O(config) is not set
      type: list
      elements: str
    regex:
      description: Regular expression that selects jobs by their name. An empty string if the view has no regular
        expression.
      returned: when the type is V(list) and O(config) is not set
      type: str
    recurse:
      description: Whether the view can show jobs in subfolders.
      returned: when the type is V(list) and O(config) is not set
      type: bool
    columns:
      description: Columns of the view, in their order. O(columns) lists the names. A column that a plugin provides is
        returned as its Java class.
      returned: when the type is V(list) and O(config) is not set
      type: list
      elements: str
    status_filter:
      description: Which of the selected jobs the view shows. V(all) means all of them, V(enabled) only enabled jobs,
        and V(disabled) only disabled jobs.
      returned: when the type is V(list) and O(config) is not set
      type: str
    elements:
      description: Texts and attributes of the view configuration. Each key is the path of an element, such as
        C(columns/hudson.views.JobColumn).
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
  description: Paths of the existing views that are not in O(items), sorted. The paths are not percent-encoded. Primary
    views, views with the type V(all), and nested views that contain one of the O(items) are not included. If O(type) is
    set beside O(items), only views of this type. An empty list if there are no undeclared views.
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
    view:
      description: Value of RV(view) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views import form, options, owners
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views.managed import ManagedView
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import ON_DROPPED
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    VISIBILITY,
    inherit_options,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared_objects


def declared_fields(params: Fields) -> Fields:
    identify(params)[0].view_path(params["name"])
    if params["state"] == "absent":
        return {}
    form.parse_config(params["config"])
    return form.parse_options(params)


ITEM = (PURGE + STATE + ON_DROPPED) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **options.NAME),
        folder=dict(type="str", narrows_scope=True, **options.FOLDER),
        parent=dict(type="str", narrows_scope=True, **options.PARENT),
        type=dict(type="str", choices=list(form.CLASSES), narrows_scope=True),
        description=dict(type="str", **options.TEXT),
        jobs=dict(type="list", elements="str", each_element=JOB),
        regex=dict(type="str", **options.TEXT),
        recurse=dict(type="bool"),
        columns=dict(type="list", elements="str", each_element=options.COLUMN),
        status_filter=dict(type="str", choices=["all", "enabled", "disabled"]),
        filter_queue=dict(type="bool"),
        filter_executors=dict(type="bool"),
        config=dict(type="str", secret_elements=True, unchecked="checked when it is parsed"),
    ),
    checks=[declared_fields],
)
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    declared = [inherit_options(task.params, item) for item in task.params["items"] or ()]
    shared = owners.SharedListings(identify(params) for params in declared if params["state"] == "present")

    def list_undeclared() -> dict[str, Fields]:
        views = dict.fromkeys(map(identify, declared))
        return owners.list_undeclared(task, CiService(task), shared, views)

    process_one_or_items(
        task,
        lambda item_task: reconcile_view(item_task, shared),
        identity=identify,
        name_option="name",
        expand_all=lambda items: append_undeclared_objects(task, "views", items, list_undeclared),
        level_of=lambda item: find_level(inherit_options(task.params, item)),
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
        replaces=True,
        delete=view.delete,
        check=view.check,
        to_result=view.to_result,
        explain_shortfall=view.explain_loss,
    )


def identify(params: Fields) -> tuple[owners.Owner, str]:
    return owners.Owner.from_params(params), params["name"]


def find_level(params: Fields) -> int:
    depth = owners.Owner.from_params(params).depth
    return depth if params["state"] == "present" else -depth


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
