#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_build_info
short_description: Get Jenkins build information
description:
  - Get information about the builds of a Jenkins job. Without O(build), the builds are listed, newest first.
  - With O(build), the module returns one build. On request, it also returns console output and the result of an XPath
    expression.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_build_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Job/Read permission.
options:
  job:
    description:
      - Full name of the job, such as V(folder/app).
      - Write a slash in the name of a branch as C(%2F), as in V(app/feature%2Flogin).
    type: str
    required: true
  build:
    description:
      - Number of a build, or one of V(last), V(last_completed), V(last_successful) (includes unstable builds),
        V(last_stable), V(last_unstable), V(last_unsuccessful), V(last_failed).
      - If the job has no such build, RV(build) is V(null). If the job does not exist, the task fails.
    type: str
  fields:
    description:
      - Fields to return in addition to job, number and URL. Fewer fields mean less work for the server.
      - If not set, all fields are returned, except for V(artifacts) when builds are listed.
    type: list
    elements: str
    choices:
      artifacts: Archived artifacts.
      building: Whether the build is running.
      built_on: Name of the node.
      causes: Descriptions of the build causes.
      description: Description of the build.
      display_name: Display name.
      duration: Duration in seconds.
      estimated_duration: Estimated duration in seconds.
      full_display_name: Display name including the name of the job.
      id: ID of the build.
      keep_log: Whether the build is kept forever.
      parameters: Parameters of the build.
      queue_id: ID of the build's queue item.
      result: Result of the build.
      timestamp: Start time.
  all_builds:
    description:
      - Whether to list all builds. By default, only the newest 100 builds are considered.
      - The server may have to load each build from disk. Use O(limit) or O(newer_than) to reduce the load.
    type: bool
    default: false
  offset:
    description: Number of builds to skip, starting with the newest. If not set, no build is skipped.
    type: int
  limit:
    description: Maximum number of builds to return. The limit is applied after all other filters.
    type: int
  results:
    description: Return only builds with one of these results. Running builds have no result. Must not be empty.
    type: list
    elements: str
    choices:
      SUCCESS: The build has succeeded.
      UNSTABLE: The build has completed, but for example tests have failed.
      FAILURE: The build has failed.
      NOT_BUILT: The build, or a stage of it, was not run.
      ABORTED: The build was aborted.
  building:
    description: If V(true), return only running builds. If V(false), return only completed builds.
    type: bool
  parameters:
    description:
      - Return only builds with these parameter values. Other parameters of a build are ignored.
      - Password and file parameters never match, because Jenkins does not return their values.
      - Must not be empty.
    type: dict
  newer_than:
    description:
      - Return only builds that started at most this many seconds ago.
      - The clock of the host that runs the module is used.
    type: float
  older_than:
    description: Return only builds that started at least this many seconds ago.
    type: float
  xpath:
    description:
      - XPath expression that selects one element in the XML representation of the build, such as
        V(action/parameter[name='VERSION']/value).
      - Paths without a leading slash are relative to the root element, which is C(/workflowRun) for Pipeline jobs and
        C(/freeStyleBuild) for freestyle jobs.
      - If nothing matches, RV(xpath.matched) is V(false). If the expression matches several elements, or does not
        select an element at all, as C(text(\)) or C(count(\)), Jenkins rejects it and the task fails. The expression
        must not be empty.
    type: str
  console_lines:
    description: Number of console lines to return. The lines are counted from the end of the log and come from its last
      64 KiB.
    type: int
  console_file:
    description:
      - Path to the file to write the console output to. Console annotations are removed.
      - The file is replaced after the download has completed. If the download fails, an existing file is kept. Not
        written in check mode.
    type: path
"""

EXAMPLES = r"""
- name: Get the last successful build
  buildworks.toolchain.ci_build_info:
    job: app
    build: last_successful
  register: last_successful

- name: Get the version of the last deployment
  buildworks.toolchain.ci_build_info:
    job: deploy
    build: last
    xpath: action/parameter[name='VERSION']/value
    fields: [result, timestamp]
  register: deployment

- name: List the failed builds of the last day
  buildworks.toolchain.ci_build_info:
    job: app
    all_builds: true
    newer_than: 86400
    results: [FAILURE, ABORTED]
    fields: [result, timestamp, duration]
  register: failures

- name: Download the console output of a build
  buildworks.toolchain.ci_build_info:
    job: app
    build: 2
    fields: [result]
    console_file: ~/app-2.log
"""

RETURN = r"""
builds:
  description: The builds, newest first. Not returned with O(to_file).
  returned: when O(build) is not set
  type: list
  elements: dict
  contains:
    job:
      description: Full name of the job.
      type: str
    number:
      description: Build number.
      type: int
    url:
      description: URL of the build.
      type: str
    result:
      description: V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT) or V(ABORTED). V(null) while the build is running.
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
    estimated_duration:
      description: Duration in seconds that Jenkins estimates. V(null) if unknown.
      type: float
    id:
      description: ID of the build. On all but very old servers, the build number as a string.
      type: str
    display_name:
      description: Display name, such as V(#42).
      type: str
    full_display_name:
      description: Display name including the name of the job.
      type: str
    description:
      description: Description of the build.
      type: str
    queue_id:
      description: ID of the build's queue item. V(null) if the server does not return it.
      type: int
    built_on:
      description: Name of the node. Empty for the Jenkins controller. V(null) for Pipeline builds, which can use
        several nodes.
      type: str
    keep_log:
      description: Whether the build is kept forever.
      type: bool
    parameters:
      description: Parameters by name. The values of password and file parameters are V(null).
      type: dict
    causes:
      description: Descriptions of the build causes.
      type: list
      elements: str
    artifacts:
      description: Archived artifacts.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the file.
          type: str
        path:
          description: Path to the file, relative to the archive.
          type: str
        url:
          description: Download URL.
          type: str
  sample:
    - job: folder/app
      number: 42
      url: https://ci.example.com/job/folder/job/app/42/
      result: SUCCESS
      building: false
      timestamp: "2026-03-01T12:00:00.123Z"
      duration: 12.345
count:
  description: Number of builds found.
  returned: when O(build) is not set
  type: int
build:
  description: The build, with the keys of RV(builds). V(null) if the job has no such build.
  returned: when O(build) is set
  type: dict
xpath:
  description: The element that O(xpath) selects. V(null) if O(xpath) is not set or the build does not exist.
  returned: when O(build) is set
  type: dict
  contains:
    matched:
      description: Whether the expression matched an element.
      type: bool
    text:
      description: Text of the element. V(null) if nothing matched.
      type: str
    xml:
      description: XML of the element as returned by the server. V(null) if nothing matched.
      type: str
console:
  description: Last lines of the console output. V(null) if O(console_lines) is not set or the build does not exist.
  returned: when O(build) is set
  type: list
  elements: str
console_file:
  description:
    - The file with the console output. V(null) if O(console_file) is not set, if the build does not exist, and in check
      mode.
  returned: when O(build) is set
  type: dict
  contains:
    path:
      description: Path to the file.
      type: str
    size:
      description: Size in bytes.
      type: int
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
    places: ["parameters: DB_PASSWORD: value"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import details, history, parameters
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.builds import BUILD, FIELDS, RESULTS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_SECONDS = dict(type="float", at_least=0, at_most=31_536_000_000)
_LISTING = (
    "offset",
    "limit",
    "results",
    "building",
    "parameters",
    "newer_than",
    "older_than",
    "to_file",
    "mask_secrets",
)

SPEC = (CI + LISTING) + ArgumentSpec(
    dict(
        job=dict(type="str", required=True, **JOB),
        build=dict(type="str", **BUILD),
        fields=dict(type="list", elements="str", choices=sorted(FIELDS)),
        all_builds=dict(type="bool", default=False),
        offset=dict(type="int", at_least=0, at_most=2**31 - 1),
        limit=dict(type="int", at_least=1, at_most=2**31 - 1),
        results=dict(type="list", elements="str", choices=RESULTS, not_empty=True),
        building=dict(type="bool"),
        parameters=dict(
            type="dict", text_values=True, not_empty=True, unchecked="checked when they are converted to strings"
        ),
        newer_than=_SECONDS,
        older_than=_SECONDS,
        xpath=dict(type="str", not_empty=True, unchecked="checked by the server"),
        console_lines=dict(type="int", at_least=1, at_most=10_000),
        console_file=dict(type="path", not_empty=True),
    ),
    mutually_exclusive=[("build", name) for name in _LISTING],
    required_by=dict(xpath="build", console_lines="build", console_file="build"),
)


def run(task: Task) -> None:
    ci = CiService(task)
    params, fields = task.params, task.params["fields"]
    if params["build"] is not None:
        task.result.update(details.fetch_details(task, ci, FIELDS if fields is None else fields))
        return
    conditions = history.BuildFilter(
        **task.select("results", "building", "newer_than", "older_than"),
        parameters=parameters.to_strings(params["parameters"] or {}, "parameters"),
    )
    builds = history.list_builds(
        ci,
        params["job"],
        [name for name in FIELDS if name != "artifacts"] if fields is None else fields,
        conditions,
        all_builds=params["all_builds"],
        offset=params["offset"] or 0,
        limit=params["limit"],
    )
    task.result["count"] = output_list(task, "builds", builds)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
