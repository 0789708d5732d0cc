#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build_info
short_description: Get Artifactory build information
description:
  - Get build info from Artifactory. Without options, list all builds. With O(build), list the runs of a build. With
    O(build) and O(number), get one run with its environment, promotion history and complete build info.
  - For a build that does not exist, the result is an empty list or V(null). The same applies to a build that the
    account may not read and to a build that belongs to a project other than O(project_key).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_build_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Read permission on the build. Anonymous requests are refused, even if anonymous access is enabled.
options:
  build:
    description: Name of the build. It can contain spaces and slashes.
    type: str
  number:
    description: Build number, as a string. Requires O(build).
    type: str
  started:
    description:
      - Start time of the run, a date and time with a time zone in ISO 8601 format. Set this option to select one of
        several runs with the same O(number).
      - If not set, the newest of these runs is returned.
    type: str
  project_key:
    description: Key of the project to which the build was published. If not set, only builds outside of projects are
      returned. Requires Artifactory 7.17.4 or later.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_build
"""

EXAMPLES = r"""
- name: List all builds
  buildworks.toolchain.artifact_build_info:

- name: List the runs of a build, newest first
  buildworks.toolchain.artifact_build_info:
    build: app
  register: app

- name: Fail unless a run was staged
  buildworks.toolchain.artifact_build_info:
    build: app
    number: "1"
  register: app
  failed_when: app.build is none or 'staged' not in app.build.statuses | map(attribute='status')
"""

RETURN = r"""
build:
  description: The run. V(null) if it does not exist.
  returned: when O(number) is set
  type: dict
  contains:
    name:
      description: Name of the build.
      type: str
    number:
      description: Number of the run.
      type: str
    started:
      description: Start time, in ISO 8601 format.
      type: str
    duration_ms:
      description: Duration in milliseconds, if the build info contains it.
      type: int
    url:
      description: URL of the build on the CI server.
      type: str
    principal:
      description: User who published the build info.
      type: str
    agent:
      description: Name of the software that ran the build.
      type: str
    environment:
      description: Environment variables of the build.
      type: dict
    properties:
      description: Other properties of the build info.
      type: dict
    artifacts:
      description: Number of artifacts that the build produced.
      type: int
    dependencies:
      description: Number of dependencies that the build used.
      type: int
    statuses:
      description: Promotion history, oldest first.
      type: list
      elements: dict
      contains:
        status:
          description: Status that the promotion set.
          type: str
        repository:
          description: Repository to which the files were promoted.
          type: str
        comment:
          description: Comment on the promotion.
          type: str
        user:
          description: User who promoted the build.
          type: str
        ci_user:
          description: User of the CI server who requested the promotion.
          type: str
        timestamp:
          description: Time of the promotion, in ISO 8601 format.
          type: str
    record:
      description: Complete build info as stored by the server, with all modules, in the format of the REST API.
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
  description: The runs of the build, newest first. Several runs can have the same number.
  returned: when O(build) is set and O(number) is not set
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: Start time, in ISO 8601 format.
      type: str
  sample:
    - number: "1"
      started: "2026-05-01T10:11:12.000Z"
builds:
  description: All builds, sorted by name.
  returned: when O(build) is not set
  type: list
  elements: dict
  contains:
    name:
      description: Name of the build.
      type: str
    last_started:
      description: Start time of the newest run, in ISO 8601 format.
      type: str
  sample:
    - name: app
      last_started: "2026-05-01T10:11:12.000Z"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.times import TIME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        build=dict(type="str", **NAME),
        number=dict(type="str", **NAME),
        started=dict(type="str", **TIME),
        project_key=dict(type="str", no_log=False, **NAME),
    ),
    required_by=dict(number=["build"], started=["number"]),
)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    project = task.select_provided("project_key")
    build, number = task.params["build"], task.params["number"]
    build_info.check_project(artifact, task.params["project_key"])
    if number:
        task.result["build"] = build_info.find_run(
            artifact, build, number, **task.select_provided("started"), **project
        )
    elif build:
        task.result["runs"] = build_info.list_runs(artifact, build, **project)
    else:
        task.result["builds"] = build_info.list_builds(artifact, **project)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
