#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build
short_description: Publish and delete the records of builds
description:
  - Publishes the record of a run, from a file or from the playbook, or deletes the runs of a number, with the files
    that belong to them if wanted; with O(items) of as many as you like, side by side.
  - A run is the same when its name, number and start are. Its record is compared as far as it is given; what the server
    knows besides does not matter. Another record replaces it, unless the run was promoted, for that history would be
    lost.
  - After a change the run is read back, and so are the files that were to go.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read and Deploy on the build; with O(state=absent) Delete instead of Deploy, and with
    O(artifacts=true) Read and Delete on the files.
options:
  build:
    description:
      - Name of the build. It may have blanks and slashes.
      - Required with O(state=absent). With O(state=present) it has to be the name in the record.
    type: str
  number:
    description:
      - Number of the run, which is a text.
      - Required with O(state=absent). With O(state=present) it has to be the number in the record.
    type: str
  src:
    description: File in JSON with the record, on the machine that runs the task.
    type: path
  content:
    description:
      - The record itself, in the server's own spelling. It has at least C(name), C(number) and C(started), which is a
        date and time with a zone; C(modules) have what was built and needed.
      - C(statuses) are left out, for promotions alone make a history. C(artifactoryPrincipal) is left out as well,
        because Artifactory sets it to the account that publishes.
      - Either O(content) or O(src) is required with O(state=present).
    type: dict
  artifacts:
    description:
      - With O(state=absent), whether the files go as well whose properties C(build.name) and C(build.number) name the
        run. Neither of the two may have quotation marks then.
      - Artifactory finds these files by name and number, whatever project they come from. With O(project_key), the task
        fails if a build of the same name outside the project has a run of this number. Other projects are not checked.
      - When the server leaves some of them, the task fails and says so.
    type: bool
    default: false
  project_key:
    description: Project that the build belongs to.
    type: str
  state:
    description:
      - V(present) publishes the record.
      - V(absent) deletes all runs of O(number).
  items:
    description:
      - Several runs, each with the options below. What is given beside O(items) is their default.
      - All items are checked before the first request. No two may name the same run.
    type: list
    elements: dict
    suboptions:
      build:
        description: As O(build).
        type: str
      number:
        description: As O(number).
        type: str
      src:
        description: As O(src).
        type: path
      content:
        description: As O(content).
        type: dict
      artifacts:
        description: As O(artifacts).
        type: bool
      project_key:
        description: As O(project_key).
        type: str
      state:
        description: As O(state).
        type: str
        choices: [present, absent]
seealso:
  - module: buildworks.toolchain.artifact_build_info
  - module: buildworks.toolchain.artifact_build_retention
"""

EXAMPLES = r"""
- name: Publish what was built
  buildworks.toolchain.artifact_build:
    content:
      name: web
      number: "51"
      started: "2026-10-01T12:00:00Z"
      url: https://ci.example.com/job/web/51/
      modules:
        - id: org.acme:web:1.0
          artifacts:
            - name: web-1.0.tar.gz
              type: gz
              sha1: 1009800d329ff1455ad11db61f3ad0d3026f204e

- name: See what deleting a run would take with it
  buildworks.toolchain.artifact_build:
    build: app
    number: "1"
    artifacts: true
    state: absent
  check_mode: true
  register: run

- name: Delete several runs
  buildworks.toolchain.artifact_build:
    build: acme/nightly of web
    items:
      - number: "3"
      - number: "4"
    state: absent
"""

RETURN = r"""
build:
  description: The run afterwards, or as it would be in check mode. None when it is absent.
  returned: success, without O(items)
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
      description: Duration in milliseconds. Artifactory stores V(0) if the record has none.
      type: int
    url:
      description: Page of the run on the server that built it.
      type: str
    principal:
      description: The account that published it. Null in check mode if the run would be published.
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
  description: The runs that were deleted, or would be in check mode.
  returned: with O(state=absent), without O(items)
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: When it was started, in ISO 8601.
      type: str
  sample: []
files:
  description: The files that went with them, or would in check mode, sorted. Empty without O(artifacts=true).
  returned: with O(state=absent), without O(items)
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path of the file in it.
      type: str
  sample:
    - repo: generic-local
      path: app/1.0/app-1.0.tar.gz
counts:
  description: How many of O(items) came to which end. Each item has one end.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Changed, or would be in check mode.
      type: int
    ok:
      description: Were as they should be.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: Whether they were changed is not known, for the reply was lost. RV(failures) has them as well.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all O(items) that failed or whose end is unknown, with the members of RV(outcomes).
  returned: with O(items)
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) of O(items), in their order.
  returned: with O(items)
  type: list
  elements: dict
  contains:
    index:
      description: Place in O(items), from 0.
      type: int
    item:
      description: The item as it was given.
      type: dict
    status:
      description: V(changed), V(ok), V(failed), V(unknown) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether the item was changed. A failed one may be as well.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    build:
      description: As RV(build).
      type: dict
    runs:
      description: As RV(runs).
      type: list
      elements: dict
    files:
      description: As RV(files).
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import build_records
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import STATE, one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = STATE + ArgumentSpec(
    dict(
        build=dict(type="str", narrows=True, **NAME),
        number=dict(type="str", narrows=True, **NAME),
        src=dict(type="path", not_empty=True),
        content=dict(type="dict", text_values=True, free="checked as a build record"),
        artifacts=dict(type="bool", narrows=True, default=False),
        project_key=dict(type="str", narrows=True, no_log=False, **NAME),
    ),
    required_if=[("state", "present", ["src", "content"], True), ("state", "absent", ["build", "number"])],
    mutually_exclusive=[("src", "content")],
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, bring_there, check=identity, identity=identity)


def bring_there(task):
    (publish if task.params["state"] == "present" else delete)(task)


def publish(task):
    record, project_key = build_records.wanted(task.params), task.params["project_key"]
    artifact = ArtifactService(task)
    reconcile(
        task,
        "build",
        read=lambda: build_records.find(artifact, record, project_key),
        desired={"record": record},
        create=lambda _fields: build_records.publish(artifact, record, project_key),
        update=lambda _fields: build_records.publish(artifact, record, project_key),
        check=lambda before, _changes: build_records.check_not_promoted(before),
        show=build_records.described,
    )


def delete(task):
    where = task.pick("build", "number", "project_key", "artifacts")
    artifact = ArtifactService(task)
    task.result.update(build_records.going(None))
    reconcile(
        task,
        "build",
        read=lambda: build_records.of_number(artifact, **where),
        desired={},
        delete=lambda: build_records.delete(artifact, **where),
        check=lambda before, _nothing: task.result.update(build_records.going(before)),
        foresee=lambda: artifact.check_pro("The deletion of builds"),
    )


def identity(params):
    if params["state"] == "absent":
        return params["project_key"], params["build"], params["number"], None
    record = build_records.wanted(params)
    return params["project_key"], record["name"], record["number"], record["started"]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
