#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_build_info
short_description: Tell of a build, or list the builds of a job
description:
  - Without O(build) it lists builds, newest first. The server is asked for a page at a time, and only for what is
    wanted of them.
  - With O(build) it tells of one build, and on demand what one element of its XML view is, and what it has printed.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Job/Read.
options:
  job:
    description:
      - The full name of a job, such as V(folder/app).
      - A branch with a slash in its name is a job whose name has C(%2F) in its place, V(app/feature%2Flogin).
    type: str
    required: true
  build:
    description:
      - The number of a build, or one of V(last), V(last_completed), V(last_successful) (which may be unstable),
        V(last_stable), V(last_unstable), V(last_unsuccessful), V(last_failed).
      - A job that has no such build is no failure, RV(build) is none then. A job that is not there is one.
    type: str
  fields:
    description:
      - What to tell of a build besides its job, number and address. The fewer, the less the server has to read.
      - By default everything; of builds that are listed, everything but V(artifacts).
    type: list
    elements: str
    choices:
      - artifacts
      - building
      - built_on
      - causes
      - description
      - display_name
      - duration
      - estimated_duration
      - full_display_name
      - id
      - kept
      - parameters
      - queue_id
      - result
      - timestamp
  all_builds:
    description:
      - List all builds. By default only the newest 100 are looked at, which is all that the server gives without being
        asked for more.
      - A server may have to read each of them from its disk. Narrow it by O(limit) or O(newer_than).
    type: bool
    default: false
  offset:
    description: Number of newest builds to pass over, 0 to 2,147,483,647; none when not given.
    type: int
  limit:
    description: Number of builds to list at most, 1 to 2,147,483,647, of those that the other options leave.
    type: int
  results:
    description: Only builds with one of these results. A build that runs has none. It must not be empty.
    type: list
    elements: str
    choices: [SUCCESS, UNSTABLE, FAILURE, NOT_BUILT, ABORTED]
  building:
    description: Only builds that run, or only those that have ended.
    type: bool
  parameters:
    description:
      - Only builds with these parameters, name to value. Others that a build has do not matter.
      - The value of a secret or a file is told by no server, so it is never equal to one that is given.
      - It must not be empty.
    type: dict
  newer_than:
    description:
      - Only builds that started within so many seconds, 0 to 31,536,000,000, by the clock of the machine that runs the
        task.
    type: float
  older_than:
    description: Only builds that started longer ago than so many seconds, 0 to 31,536,000,000.
    type: float
  xpath:
    description:
      - XPath of one element in the XML view of the build, such as V(action/parameter[name='VERSION']/value).
      - A path that does not begin with a slash begins below the root, whatever the kind of the job is; C(/workflowRun)
        is the root for Pipelines, C(/freeStyleBuild) for freestyle jobs.
      - No match is no failure. Several are one, and so is what is no element, such as C(text(\)) or C(count(\)), which
        servers refuse. It must not be empty.
    type: str
  console_lines:
    description: Number of last lines of the build's log to tell, 1 to 10,000, of its last 64 KiB.
    type: int
  console_file:
    description:
      - File for what the build has printed until now, without the notes that the server hides in it.
      - It is replaced when all of it was read; if that fails, the old file stays. Not written in check mode.
    type: path
"""

EXAMPLES = r"""
- name: Look at the last successful build
  buildworks.toolchain.ci_build_info:
    job: app
    build: last_successful
  register: good

- name: See with which version it was deployed last
  buildworks.toolchain.ci_build_info:
    job: deploy
    build: last
    xpath: action/parameter[name='VERSION']/value
    fields: [result, timestamp]
  register: deployed

- name: List the failures of the last day
  buildworks.toolchain.ci_build_info:
    job: app
    all_builds: true
    newer_than: 86400
    results: [FAILURE, ABORTED]
    fields: [result, timestamp, duration]
  register: failures

- name: Keep what a build has printed
  buildworks.toolchain.ci_build_info:
    job: app
    build: 2
    fields: [result]
    console_file: ~/app-2.log
"""

RETURN = r"""
builds:
  description: The builds, newest first. Not with O(to_file).
  returned: when O(build) is not given
  type: list
  elements: dict
  contains:
    job:
      description: Full name of the job.
      type: str
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
    estimated_duration:
      description: Seconds that the server expects it to take. None when it cannot tell.
      type: float
    id:
      description: Its id, which is the number as a text on all but very old servers.
      type: str
    display_name:
      description: Its name, such as V(#42).
      type: str
    full_display_name:
      description: Its name with that of its job.
      type: str
    description:
      description: What somebody has said of it.
      type: str
    queue_id:
      description: Number of the queue item that it was. None on servers that do not tell.
      type: int
    built_on:
      description: Name of the node that it ran on, empty for the server itself. None for Pipelines, which have no
        single one.
      type: str
    kept:
      description: Whether it is kept for good.
      type: bool
    parameters:
      description: Its parameters, name to value. The values of secrets and files are none.
      type: dict
    causes:
      description: Why it was started, in the server's words.
      type: list
      elements: str
    artifacts:
      description: What it has archived.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the file.
          type: str
        path:
          description: Its path below the archive.
          type: str
        url:
          description: Where to get it.
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
  description: Number of builds that were found.
  returned: when O(build) is not given
  type: int
build:
  description: The build, as those in RV(builds). None when the job has no such build.
  returned: when O(build) is given
  type: dict
xpath:
  description: What O(xpath) finds. None without that, and when there is no such build.
  returned: when O(build) is given
  type: dict
  contains:
    matched:
      description: Whether there is such an element.
      type: bool
    text:
      description: Its text. None when there is no such element.
      type: str
    xml:
      description: The element as the server gives it. None when there is no such element.
      type: str
console:
  description: The last lines of the log. None without O(console_lines), and when there is no such build.
  returned: when O(build) is given
  type: list
  elements: str
console_file:
  description: The file that was written. None without O(console_file), in check mode, and when there is no such build.
  returned: when O(build) is given
  type: dict
  contains:
    path:
      description: Its path.
      type: str
    size:
      description: Its size in bytes.
      type: int
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
    places: ["parameters: DB_PASSWORD: value"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import history, one_build, parameters
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import BUILD, FIELDS, RESULTS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import gather
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

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
        parameters=dict(type="dict", text_values=True, not_empty=True, free="checked when they become texts"),
        newer_than=_SECONDS,
        older_than=_SECONDS,
        xpath=dict(type="str", not_empty=True, free="the server knows what it takes"),
        console_lines=dict(type="int", at_least=1, at_most=10_000),
        console_file=dict(type="path", not_empty=True),
    ),
    mutually_exclusive=[("build", name) for name in _LISTING],
    required_by=dict(xpath="build", console_lines="build", console_file="build"),
)


def run(task):
    ci = CiService(task)
    params, fields = task.params, task.params["fields"]
    if params["build"] is not None:
        task.result.update(one_build.told(task, ci, FIELDS if fields is None else fields))
        return
    wanted = history.Wanted(
        **task.pick("results", "building", "newer_than", "older_than"),
        parameters=parameters.texts(params["parameters"] or {}, "parameters"),
    )
    found = history.listed(
        ci,
        params["job"],
        [name for name in FIELDS if name != "artifacts"] if fields is None else fields,
        wanted,
        everything=params["all_builds"],
        offset=params["offset"] or 0,
        limit=params["limit"],
    )
    task.result["count"] = gather(task, "builds", found)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
