#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_view_info
short_description: Get Jenkins view information
description:
  - Get the views of a Jenkins controller, a folder or a nested view. To get only one view, set O(name).
  - If O(include_config) is V(false), you can pass RV(views) to O(buildworks.toolchain.ci_view#module:items).
  - Jenkins lists only the names of views. The module therefore reads each view with a separate request, up to
    O(workers) at the same time. For 50 views, it sends 51 requests.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_view_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the View/Read permission. Views of a folder also require the Job/Read permission on the folder. Without the
    View/Read permission, Jenkins lists only the views that contain visible jobs.
  - This module has only been tested against the simulated server (sandbox) that comes with this collection, not against
    a real Jenkins server. The sandbox itself is tested with the Python clients python-jenkins, api4jenkins and
    jenkinsapi.
options:
  name:
    description: Name of the view to return. The name is case-sensitive. If not set, all views are returned.
    type: str
  folder:
    description:
      - Full name of the folder whose views are returned, such as V(team/web).
      - If not set, or if it is an empty string, the views of Jenkins itself are returned.
    type: str
  parent:
    description:
      - Path of the nested view whose views are returned, such as V(teams) or V(teams/web).
      - If not set, or if it is an empty string, the views that are not inside a nested view are returned.
    type: str
  include_config:
    description: Whether to return the configuration of each view as XML in C(config). For views of other types than
      V(list), V(nested), V(all) and V(my), the configuration is always returned.
    type: bool
    default: false
  workers:
    description: Number of views to read at the same time.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.ci_view
"""

EXAMPLES = r"""
- name: Get all views of Jenkins
  buildworks.toolchain.ci_view_info:
  register: ci

- name: List the names of the views that use a regular expression
  ansible.builtin.debug:
    msg: "{{ ci.views | selectattr('regex', 'defined') | selectattr('regex') | map(attribute='name') }}"

- name: Get one view
  buildworks.toolchain.ci_view_info:
    name: all
"""

RETURN = r"""
views:
  description: Views that were found, sorted by name. The keys are options of M(buildworks.toolchain.ci_view). An empty
    list if no view has the name O(name).
  returned: success
  type: list
  elements: dict
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
      description: Type of the view. V(list) shows selected jobs, V(nested) contains other views, V(all) shows all jobs,
        and V(my) shows the jobs that the user may configure.
      returned: when the view has one of these types
      type: str
    description:
      description: Description of the view. An empty string if it has no description.
      returned: when C(type) is returned
      type: str
    filter_queue:
      description: Whether the view shows only the queue items that belong to its jobs.
      returned: when C(type) is returned
      type: bool
    filter_executors:
      description: Whether the view shows only the executors that can run its jobs.
      returned: when C(type) is returned
      type: bool
    jobs:
      description: Names of the jobs that were added to the view individually, sorted. Jobs that only match C(regex) are
        not included. The list can include jobs that no longer exist.
      returned: when the type is V(list)
      type: list
      elements: str
    regex:
      description: Regular expression that selects jobs by their name. An empty string if the view has no regular
        expression.
      returned: when the type is V(list)
      type: str
    recurse:
      description: Whether the view can show jobs in subfolders.
      returned: when the type is V(list)
      type: bool
    columns:
      description: Columns of the view, in their order. O(buildworks.toolchain.ci_view#module:columns) lists the names.
        A column that a plugin provides is returned as its Java class.
      returned: when the type is V(list)
      type: list
      elements: str
    status_filter:
      description: Which of the selected jobs the view shows. V(all) means all of them, V(enabled) only enabled jobs,
        and V(disabled) only disabled jobs.
      returned: when the type is V(list)
      type: str
    config:
      description: Configuration of the view as an XML document. V((encrypted\)) replaces encrypted values.
      returned: when the view has another type, or O(include_config) is V(true)
      type: str
  sample:
    - name: Deployments
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
primary:
  description: Name of the view that Jenkins or the folder shows by default. V(null) if O(parent) is set.
  returned: success
  type: str
  sample: all
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views import managed, options
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views.owners import Owner
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + WORKERS) + ArgumentSpec(
    dict(
        name=dict(type="str", **options.NAME),
        folder=dict(type="str", **options.FOLDER),
        parent=dict(type="str", **options.PARENT),
        include_config=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    task.result.update(managed.describe_views(task, Owner.from_params(task.params), task.params["name"]))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
