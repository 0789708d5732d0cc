#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_job_info
short_description: Get Jenkins job information
description:
  - Get information about one Jenkins job or folder, or list the jobs and folders of a Jenkins controller or of a
    folder.
  - The result includes the parameters of a job, whether it is enabled and queued, and its most recent builds.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_job_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Job/Read permission. Jobs for which the account lacks this permission are not listed.
  - The fields V(config) and V(elements) also require the Job/Configure permission on each job. If the account lacks
    this permission on a listed job, these fields are V(null) and RV(refused) contains the name of the job. If O(job) is
    set, the task fails instead.
options:
  job:
    description:
      - Full name of the job or folder to return, such as V(folder/app).
      - If no job or folder has this name, the task succeeds and RV(job) is V(null).
      - Mutually exclusive with O(folder), O(to_file) and O(mask_secrets).
    type: str
  folder:
    description:
      - Full name of the folder whose jobs and folders are listed, such as V(folder/app). If this folder does not exist,
        the task fails.
      - If not set, the list starts at the top level of the Jenkins controller. O(depth) limits the number of levels.
    type: str
  depth:
    description:
      - Number of folder levels to list, at most 50. V(1) lists only the jobs and folders that O(folder) or the top
        level directly contains.
      - The list includes the folders themselves.
    type: int
    default: 1
  fields:
    description:
      - Fields to return in addition to C(name), C(url) and C(folder). Fewer fields reduce the load on the server.
      - If not set, all fields except V(config) and V(elements) are returned.
    type: list
    elements: str
    choices:
      buildable: Whether Jenkins can build the job.
      config: Configuration of the job as XML. Requires one additional request for each job.
      description: Description of the job.
      elements: Texts and attributes in the configuration, with the paths of the XML elements as keys. Requires one
        additional request for each job.
      in_queue: Whether a build of the job is queued.
      last: The newest build, which can still be running.
      last_completed: The newest completed build.
      last_failed: The newest failed build.
      last_successful: The newest successful or unstable build.
      next_build: Number that the next build of the job will have.
      parameters: Parameters of the job.
      queue_item: The queue item of the job, if a build is queued.
      type: Type of the job.
  workers:
    description: Number of job configurations to read concurrently. Applies only if O(fields) contains V(config) or
      V(elements).
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
  description: Jobs and folders that were found. Each folder precedes the jobs and folders in it. Not returned if
    O(to_file) is set.
  returned: when O(job) is not set
  type: list
  elements: dict
  contains:
    name:
      description: Full name of the job or folder.
      type: str
    url:
      description: URL of the job or folder.
      type: str
    folder:
      description: Whether the entry is a folder or another item that contains jobs, such as a multibranch Pipeline.
        Only the fields C(type), C(description), C(config) and C(elements) apply to folders. The other fields are
        V(null) or empty.
      type: bool
    type:
      description: Type of the job, which is V(freestyle), V(pipeline) or V(multibranch). For a folder or a job of
        another type, this is its Java class. V(null) if the server does not return the class.
      type: str
    config:
      description:
        - Configuration of the job or folder as XML, in the format of O(buildworks.toolchain.ci_job#module:config).
          V((encrypted\)) replaces encrypted values.
        - V(null) if the job was deleted while the task was running, or if it is listed in RV(refused).
      type: str
    elements:
      description:
        - Texts and attributes in the configuration, in the format of
          RV(buildworks.toolchain.ci_job#module:job.elements). Each key is the path of an XML element. V((encrypted\))
          replaces encrypted values.
        - V(null) if the job was deleted while the task was running, or if it is listed in RV(refused).
      type: dict
    description:
      description: Description of the job. An empty string or V(null) if the job has no description.
      type: str
    buildable:
      description: Whether Jenkins can build the job. V(false) if the job is disabled.
      type: bool
    in_queue:
      description: Whether a build of the job is queued.
      type: bool
    queue_item:
      description: The queue item of the job. V(null) if no build of the job is queued.
      type: dict
      contains:
        id:
          description: ID of the queue item.
          type: int
        why:
          description: Reason why the build is waiting in the queue, as shown by Jenkins.
          type: str
    next_build:
      description: Number that the next build of the job will have.
      type: int
    parameters:
      description: Parameters of the job, in the order of their definition. An empty list if the job has no parameters.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the parameter.
          type: str
        type:
          description: Type of the parameter, such as V(string), V(text), V(boolean), V(choice), V(password) or V(file).
            Plugins can provide other types.
          type: str
        default:
          description: Default value of the parameter. V(null) if the parameter has no default value, and always for the
            types V(password) and V(file).
          type: raw
        choices:
          description: Allowed values of the parameter. An empty list if the values are not limited.
          type: list
          elements: str
        description:
          description: Description of the parameter. An empty string or V(null) if the parameter has no description.
          type: str
    last:
      description: The newest build, which can still be running. V(null) if the job has no builds.
      type: dict
      contains:
        number:
          description: Build number.
          type: int
        url:
          description: URL of the build.
          type: str
        result:
          description:
            - Result of the build. V(null) while the build is running.
            - V(SUCCESS) means that the build has succeeded.
            - V(UNSTABLE) means that the build has completed, but for example tests have failed.
            - V(FAILURE) means that the build has failed.
            - V(NOT_BUILT) means that the build, or a stage of it, was not run.
            - V(ABORTED) means that the build was aborted.
          type: str
        building:
          description: Whether the build is still running.
          type: bool
        timestamp:
          description: Start time of the build, in ISO 8601 format (UTC).
          type: str
        duration:
          description: Duration of the build in seconds. V(0) while the build is running.
          type: float
    last_completed:
      description: The newest completed build. It has the same keys as C(last). V(null) if no build has completed.
      type: dict
    last_successful:
      description: The newest successful or unstable build. It has the same keys as C(last). V(null) if the job has no
        successful or unstable build.
      type: dict
    last_failed:
      description: The newest failed build. It has the same keys as C(last). V(null) if no build has failed.
      type: dict
  sample:
    - name: folder/app
      url: https://ci.example.com/job/folder/job/app/
      folder: false
      type: pipeline
      buildable: true
      next_build: 43
count:
  description: Number of jobs and folders that were found.
  returned: when O(job) is not set
  type: int
refused:
  description: Full names of the jobs and folders whose configuration the account is not allowed to read, sorted. An
    empty list if the account can read all configurations.
  returned: when O(fields) contains V(config) or V(elements) and O(job) is not set
  type: list
  elements: str
  version_added: 0.3.0
  sample: []
job:
  description: The job or folder with the name O(job). It has the same keys as an entry of RV(jobs). V(null) if no job
    or folder has this name.
  returned: when O(job) is set
  type: dict
masked:
  description: Summary of the values that O(mask_secrets) replaced.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of replaced values.
      type: int
    places:
      description: Locations of the replaced values. At most 100 locations are returned.
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
