#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_view_info
short_description: Get Jenkins view information
description:
  - Get the views of Jenkins, of a folder or of a nested view, or one of them.
  - You can pass RV(views) to O(buildworks.toolchain.ci_view#module:items).
  - Jenkins lists only the names of views. The module therefore reads each view separately, O(workers) at a time. For 50
    views, it sends 51 requests.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the View/Read permission, for views of folders also the Job/Read permission on the folder. Without the
    View/Read permission, Jenkins lists only the views that contain visible jobs.
  - Tested against the sandbox of this collection, which is itself tested with python-jenkins, api4jenkins and
    jenkinsapi. Not tested against a real Jenkins server.
options:
  name:
    description: Name of the view to return. It is case-sensitive. If not set, all views are returned.
    type: str
  folder:
    description:
      - Full name of the folder whose views are returned, such as V(team/web).
      - If not set, or if it is an empty string, the views of Jenkins itself are returned.
    type: str
  parent:
    description:
      - Path of the nested view whose views are returned, such as V(teams) or V(teams/web).
      - If not set, or if it is an empty string, the views outside of nested views are returned.
    type: str
  include_config:
    description: Whether to return the configuration of all views as C(config).
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
  description: The views, sorted by name, with the options of M(buildworks.toolchain.ci_view). Empty if the view O(name)
    does not exist.
  returned: success
  type: list
  elements: dict
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
      description: Type of the view. One of V(list), V(nested), V(all) and V(my).
      returned: when the view has one of these types
      type: str
    description:
      description: Description of the view. An empty string if it has no description.
      returned: when C(type) is returned
      type: str
    filter_queue:
      description: Whether the view shows only the queue items of its jobs.
      returned: when C(type) is returned
      type: bool
    filter_executors:
      description: Whether the view shows only the executors that can run its jobs.
      returned: when C(type) is returned
      type: bool
    jobs:
      description: Names of the jobs that are selected by their name, sorted. They can include deleted jobs.
      returned: when the type is V(list)
      type: list
      elements: str
    regex:
      description: Regular expression that selects jobs. An empty string if it is not set.
      returned: when the type is V(list)
      type: str
    recurse:
      description: Whether the view can show jobs in subfolders.
      returned: when the type is V(list)
      type: bool
    columns:
      description: Columns of the view, as in O(buildworks.toolchain.ci_view#module:columns).
      returned: when the type is V(list)
      type: list
      elements: str
    status_filter:
      description: Which of the selected jobs are shown. One of V(all), V(enabled) and V(disabled).
      returned: when the type is V(list)
      type: str
    config:
      description: Configuration as an XML document. V((encrypted\)) replaces encrypted values.
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
  description: Name of the view that Jenkins or the folder shows by default. V(null) with O(parent).
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
