#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_job_info
short_description: List the jobs of a CI server or of a folder, or tell of one
description:
  - Lists what is in a folder, or in the server itself, as deep as wanted; or tells of one job.
  - Tells the parameters that a job declares, whether it can be built and waits in the queue, and its last builds.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Job/Read. Jobs that the account may not see are left out.
options:
  job:
    description:
      - The full name of a job or folder, such as V(folder/app).
      - When there is none, RV(job) is none, which is no failure.
    type: str
  folder:
    description: The full name of a job that is a folder, whose jobs are listed; without it those of the server itself.
    type: str
  depth:
    description:
      - Levels of folders to look into, 1 to 50. V(1) lists what is in the folder itself.
      - Folders are in the list, too.
    type: int
    default: 1
  fields:
    description:
      - What to tell of a job besides its name and address; everything by default.
      - The fewer, the less the server has to read.
    type: list
    elements: str
    choices:
      - buildable
      - description
      - in_queue
      - last
      - last_completed
      - last_failed
      - last_successful
      - next_build
      - parameters
      - queue_item
"""

EXAMPLES = r"""
- name: List all jobs, with their last results
  buildworks.toolchain.ci_job_info:
    depth: 10
    fields: [buildable, last_completed]
  register: listed

- name: See what a job takes
  buildworks.toolchain.ci_job_info:
    job: deploy
    fields: [parameters]
  register: deploy
"""

RETURN = r"""
jobs:
  description: The jobs and folders, each folder before what is in it. Not with O(to_file).
  returned: when O(job) is not given
  type: list
  elements: dict
  contains:
    name:
      description: Full name.
      type: str
    url:
      description: Address.
      type: str
    folder:
      description: Whether it is a folder, or another item with jobs in it, which has only a description of its own.
      type: bool
    description:
      description: Description.
      type: str
    buildable:
      description: Whether it can be built, which it cannot while it is disabled.
      type: bool
    in_queue:
      description: Whether a build of it waits.
      type: bool
    queue_item:
      description: The item of the queue that waits, if one does.
      type: dict
      contains:
        id:
          description: Its number.
          type: int
        why:
          description: What it waits for, in the server's words.
          type: str
    next_build:
      description: Number of the next build.
      type: int
    parameters:
      description: The parameters that it declares, in its order.
      type: list
      elements: dict
      contains:
        name:
          description: Name.
          type: str
        type:
          description: V(string), V(text), V(boolean), V(choice), V(password), V(file), or one of a plugin.
          type: str
        default:
          description: Value of a build that does not give it. Not told of secrets, and none of files.
          type: raw
        choices:
          description: The values that it takes, when there are only some.
          type: list
          elements: str
        description:
          description: Description.
          type: str
    last:
      description: The newest build, if there is one.
      type: dict
      contains:
        number:
          description: Number of the build.
          type: int
        url:
          description: Address of the build.
          type: str
        result:
          description: V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT) or V(ABORTED). None while it runs.
          type: str
        building:
          description: Whether it runs.
          type: bool
        timestamp:
          description: When it started, in ISO 8601 with a zone.
          type: str
        duration:
          description: Seconds that it took, 0 while it runs.
          type: float
    last_completed:
      description: The newest build that has ended, as C(last).
      type: dict
    last_successful:
      description: The newest build that has succeeded, or is unstable, as C(last).
      type: dict
    last_failed:
      description: The newest build that has failed, as C(last).
      type: dict
  sample:
    - name: folder/app
      url: https://ci.example.com/job/folder/job/app/
      folder: false
      buildable: true
      next_build: 43
count:
  description: Number of jobs and folders that were found.
  returned: when O(job) is not given
  type: int
job:
  description: The job, as those in RV(jobs). None when there is none of that name.
  returned: when O(job) is given
  type: dict
masked:
  description: What O(mask_secrets) masked.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Where they were, the first 100 of them.
      type: list
      elements: str
  sample:
    count: 1
    places: ["folder/app: parameters: DB_PASSWORD: default"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import folders
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import gather
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (CI + LISTING) + ArgumentSpec(
    dict(
        job=dict(type="str", **JOB),
        folder=dict(type="str", **JOB),
        depth=dict(type="int", default=1, at_least=1, at_most=50),
        fields=dict(type="list", elements="str", choices=sorted(folders.FIELDS)),
    ),
    mutually_exclusive=[("job", "folder"), ("job", "to_file"), ("job", "mask_secrets")],
)


def run(task):
    ci = CiService(task)
    fields = list(folders.FIELDS) if task.params["fields"] is None else task.params["fields"]
    if task.params["job"] is not None:
        task.result["job"] = folders.found(ci, task.params["job"], fields)
    else:
        task.result["count"] = gather(task, "jobs", folders.below(ci, **task.pick("folder", "depth"), fields=fields))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
