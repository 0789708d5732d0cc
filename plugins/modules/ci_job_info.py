#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_job_info
short_description: Get Jenkins job information
description:
  - Get information about one Jenkins job or folder, or list the jobs of a Jenkins controller or of a folder.
  - The result includes the parameters of a job, whether it is enabled and queued, and its most recent builds.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Job/Read permission. Jobs for which the account lacks this permission are not listed.
  - The fields V(config) and V(elements) also require the Job/Configure permission on each job. A list names jobs
    without this permission in RV(refused).
options:
  job:
    description:
      - Full name of the job or folder, such as V(folder/app).
      - If it does not exist, RV(job) is V(null) and the task succeeds.
    type: str
  folder:
    description:
      - Full name of the folder whose jobs are listed, such as V(folder/app). If not set, the jobs of the whole server
        are listed.
    type: str
  depth:
    description:
      - Number of folder levels to list. V(1) lists only the direct children.
      - Folders are included in the list.
    type: int
    default: 1
  fields:
    description:
      - Fields to return in addition to name and URL. Fewer fields mean less work for the server.
      - If not set, all fields except V(config) and V(elements) are returned.
    type: list
    elements: str
    choices:
      buildable: Whether the job can be built.
      config: Configuration as XML. Takes one request for each job.
      description: Description of the job.
      elements: Texts and attributes of the configuration by path. Takes one request for each job.
      in_queue: Whether a build of the job is queued.
      last: The newest build.
      last_completed: The newest completed build.
      last_failed: The newest failed build.
      last_successful: The newest successful or unstable build.
      next_build: Number of the next build.
      parameters: Parameters of the job.
      queue_item: The queue item of the job.
      type: Type of the job.
  workers:
    description: Number of configurations to read concurrently.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.ci_job
"""

EXAMPLES = r"""
- name: List all jobs with their last result
  buildworks.toolchain.ci_job_info:
    depth: 10
    fields: [buildable, last_completed]
  register: all_jobs

- name: Get the parameters of a job
  buildworks.toolchain.ci_job_info:
    job: deploy
    fields: [parameters]
  register: deploy

- name: Get the configuration of a job as XML
  buildworks.toolchain.ci_job_info:
    job: app
    fields: [config]
  register: app
"""

RETURN = r"""
jobs:
  description: The jobs and folders. A folder precedes its children. Not returned with O(to_file).
  returned: when O(job) is not set
  type: list
  elements: dict
  contains:
    name:
      description: Full name of the job.
      type: str
    url:
      description: URL of the job.
      type: str
    folder:
      description: Whether the entry is a folder or another item that contains jobs. Such an entry has a type, a
        description and a configuration, but none of the other fields.
      type: bool
    type:
      description: V(freestyle), V(pipeline), V(multibranch), or the class of another job or folder. V(null) if the
        server does not return it.
      type: str
    config:
      description: Configuration as XML, in the form of O(buildworks.toolchain.ci_job#module:config). V((encrypted\))
        replaces encrypted values. V(null) if the job was deleted in the meantime or is in RV(refused).
      type: str
    elements:
      description: Texts and attributes of the configuration by the path of their elements, in the form of
        RV(buildworks.toolchain.ci_job#module:job.elements). V((encrypted\)) replaces encrypted values. V(null) if the
        job was deleted in the meantime or is in RV(refused).
      type: dict
    description:
      description: Description of the job.
      type: str
    buildable:
      description: Whether the job can be built. V(false) if it is disabled.
      type: bool
    in_queue:
      description: Whether a build of the job is queued.
      type: bool
    queue_item:
      description: The queue item of the job. V(null) if no build is queued.
      type: dict
      contains:
        id:
          description: ID of the queue item.
          type: int
        why:
          description: Reason why the build is waiting, as shown by Jenkins.
          type: str
    next_build:
      description: Number of the next build.
      type: int
    parameters:
      description: Parameters of the job, in the order of their definition.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the parameter.
          type: str
        type:
          description: V(string), V(text), V(boolean), V(choice), V(password), V(file), or the type of a plugin.
          type: str
        default:
          description: Default value. Not returned for passwords, V(null) for files.
          type: raw
        choices:
          description: Allowed values, if they are limited.
          type: list
          elements: str
        description:
          description: Description of the parameter.
          type: str
    last:
      description: The newest build. V(null) if the job has no builds.
      type: dict
      contains:
        number:
          description: Build number.
          type: int
        url:
          description: URL of the build.
          type: str
        result:
          description: V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT) or V(ABORTED). V(null) while the build is
            running.
          type: str
        building:
          description: Whether the build is running.
          type: bool
        timestamp:
          description: Start time, in ISO 8601 format (UTC).
          type: str
        duration:
          description: Duration in seconds. 0 while the build is running.
          type: float
    last_completed:
      description: The newest completed build. Same keys as C(last).
      type: dict
    last_successful:
      description: The newest successful or unstable build. Same keys as C(last).
      type: dict
    last_failed:
      description: The newest failed build. Same keys as C(last).
      type: dict
  sample:
    - name: folder/app
      url: https://ci.example.com/job/folder/job/app/
      folder: false
      type: pipeline
      buildable: true
      next_build: 43
count:
  description: Number of jobs and folders found.
  returned: when O(job) is not set
  type: int
refused:
  description: Full names of the jobs and folders whose configuration the account may not read, sorted.
  returned: when O(fields) contains V(config) or V(elements) and O(job) is not set
  type: list
  elements: str
  version_added: 0.3.0
  sample: []
job:
  description: The job, with the keys of RV(jobs). V(null) if it does not exist.
  returned: when O(job) is set
  type: dict
masked:
  description: Values that O(mask_secrets) replaced.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of replaced values.
      type: int
    places:
      description: Locations of the first 100 replaced values.
      type: list
      elements: str
  sample:
    count: 1
    places: ["folder/app: parameters: DB_PASSWORD: default"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import folders
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import configurations
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING, WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + LISTING + WORKERS) + ArgumentSpec(
    dict(
        job=dict(type="str", **JOB),
        folder=dict(type="str", **JOB),
        depth=dict(type="int", default=1, at_least=1, at_most=50),
        fields=dict(type="list", elements="str", choices=sorted((*folders.FIELDS, *configurations.FIELDS))),
    ),
    mutually_exclusive=[("job", "folder"), ("job", "to_file"), ("job", "mask_secrets")],
)


def run(task: Task) -> None:
    ci = CiService(task)
    fields = list(folders.FIELDS) if task.params["fields"] is None else task.params["fields"]
    basic_fields = [name for name in fields if name in folders.FIELDS]
    if task.params["job"] is not None:
        job = folders.fetch_job(ci, task.params["job"], basic_fields)
        found = configurations.add_configurations(task, ci, [job] if job else [], fields)
        task.result["job"] = next(iter(found), None)
    else:
        jobs = folders.list_jobs(ci, **task.select("folder", "depth"), fields=basic_fields)
        task.result["count"] = output_list(task, "jobs", configurations.add_configurations(task, ci, jobs, fields))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
