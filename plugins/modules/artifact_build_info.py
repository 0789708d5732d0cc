#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build_info
short_description: List builds, the runs of a build, or read the record of a run
description:
  - Without O(build) lists all builds; with O(build) the runs of that build; with O(number) as well reads one run, with
    its environment, its status history and the record as it was published.
  - What is not there gives an empty list or V(null), which is no error. A build that the account may not see, or that
    is in a project that was not named, is not there.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Read on the build. A caller without credentials is refused, even where anonymous access is on.
options:
  build:
    description: Name of the build. It may have blanks and slashes.
    type: str
  number:
    description: Number of the run, which is a text.
    type: str
  started:
    description:
      - When the run was started, a date and time with a zone (ISO 8601), where several have this O(number).
      - Without it the newest of them is read.
    type: str
  project_key:
    description: Project that the build was published into. Without it only builds outside of projects are found.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_build
"""

EXAMPLES = r"""
- name: List all builds
  buildworks.toolchain.artifact_build_info:

- name: See which run of a build is the newest
  buildworks.toolchain.artifact_build_info:
    build: app
  register: app

- name: See whether a run was staged
  buildworks.toolchain.artifact_build_info:
    build: app
    number: "1"
  register: app
  failed_when: app.build is none or 'staged' not in app.build.statuses | map(attribute='status')
"""

RETURN = r"""
build:
  description: The run. None when there is none.
  returned: with O(number)
  type: dict
  contains:
    name:
      description: Name of the build.
      type: str
    number:
      description: Number of the run.
      type: str
    started:
      description: When it was started, in ISO 8601.
      type: str
    duration_ms:
      description: How long it took, in milliseconds, if the record says so.
      type: int
    url:
      description: Page of the run on the server that built it.
      type: str
    principal:
      description: The account that published it.
      type: str
    agent:
      description: Name of what built it.
      type: str
    environment:
      description: Variables of the environment that it ran in.
      type: dict
    properties:
      description: Its other properties.
      type: dict
    artifacts:
      description: How many files it made.
      type: int
    dependencies:
      description: How many files it needed.
      type: int
    statuses:
      description: Its promotions, the oldest first.
      type: list
      elements: dict
      contains:
        status:
          description: The status that it got.
          type: str
        repository:
          description: The repository that its files were taken to.
          type: str
        comment:
          description: What was said of it.
          type: str
        user:
          description: The account that promoted it.
          type: str
        ci_user:
          description: Who asked for it on the server that built it.
          type: str
        timestamp:
          description: When, in ISO 8601.
          type: str
    record:
      description: The record as the server has it, in its own spelling, with all modules.
      type: dict
  sample:
    name: app
    number: "1"
    started: "2026-05-01T10:11:12.000Z"
    duration_ms: 60000
    url: https://ci.example.com/job/app/1/
    principal: ci
    agent: Jenkins
    environment: {JOB_NAME: app}
    properties: {}
    artifacts: 1
    dependencies: 0
    statuses:
      - status: staged
        repository: generic-local
        comment: tested
        user: admin
        ci_user: builder
        timestamp: "2026-05-02T08:00:00.000Z"
    record: {name: app, number: "1", started: "2026-05-01T10:11:12.000+0000", modules: []}
runs:
  description: The runs of the build, the newest first. A number may have several.
  returned: with O(build), without O(number)
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: When it was started, in ISO 8601.
      type: str
  sample:
    - number: "1"
      started: "2026-05-01T10:11:12.000Z"
builds:
  description: All builds, sorted by name.
  returned: without O(build)
  type: list
  elements: dict
  contains:
    name:
      description: Name of the build.
      type: str
    last_started:
      description: When its newest run was started, in ISO 8601.
      type: str
  sample:
    - name: app
      last_started: "2026-05-01T10:11:12.000Z"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.times import TIME
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        build=dict(type="str", **NAME),
        number=dict(type="str", **NAME),
        started=dict(type="str", **TIME),
        project_key=dict(type="str", no_log=False, **NAME),
    ),
    required_by=dict(number=["build"], started=["number"]),
)


def run(task):
    artifact = ArtifactService(task)
    of_project = task.given("project_key")
    build, number = task.params["build"], task.params["number"]
    if number:
        task.result["build"] = builds.find(artifact, build, number, **task.given("started"), **of_project)
    elif build:
        task.result["runs"] = builds.runs(artifact, build, **of_project)
    else:
        task.result["builds"] = builds.listed(artifact, **of_project)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
