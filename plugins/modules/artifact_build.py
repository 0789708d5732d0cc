#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build
short_description: Manage Artifactory build info
description:
  - Publish the build info of a CI build to Artifactory, from a file or from the playbook. Alternatively, delete all
    runs with a build number, optionally with their artifacts. With O(items), process several runs concurrently.
  - A run is identified by name, number and start time. The module compares only the values that are specified. If they
    differ, it publishes the build info again, which replaces the existing one. This requires Artifactory 7 or later. A
    run that was promoted is never replaced, because its promotion history would be lost.
  - After a change, the module reads the run back and verifies that deleted files no longer exist.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_build
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - O(state=present) requires the Read and Deploy permissions on the build.
  - O(state=absent) requires the Read and Delete permissions on the build and, with O(artifacts=true), on the files.
options:
  build:
    description:
      - Name of the build. It can contain spaces and slashes.
      - Required if O(state=absent). If O(state=present), it must be equal to the name in the build info.
    type: str
  number:
    description:
      - Build number, as a string.
      - Required if O(state=absent). If O(state=present), it must be equal to the number in the build info.
    type: str
  src:
    description:
      - Path to a JSON file with the build info, on the host where the module runs.
      - One of O(content) and O(src) is required if O(state=present).
    type: path
  content:
    description:
      - Build info in the format of the REST API. It must contain C(name), C(number) and C(started), which is a date and
        time with a time zone. C(modules) contains the artifacts and dependencies.
      - C(statuses) and C(artifactoryPrincipal) are ignored. Only promotions change the status of a build, and
        Artifactory sets the principal to the account that publishes.
      - One of O(content) and O(src) is required if O(state=present).
    type: dict
  artifacts:
    description:
      - Whether to also delete the files whose properties C(build.name) and C(build.number) refer to the run. Only used
        if O(state=absent). If V(true), the name and number of the build must not contain quotation marks.
      - Artifactory selects these files by name and number, regardless of the project. With O(project_key), the task
        fails if a build with the same name outside the project has a run with this number. Other projects are not
        checked.
      - If the server does not delete some of the files, the task fails and lists them.
    type: bool
    default: false
  project_key:
    description: Key of the project to which the build belongs. Requires Artifactory 7.17.4 or later.
    type: str
  state:
    choices:
      present: The build info is published.
      absent: No runs with O(number) exist.
  items:
    description:
      - List of runs, each with the options below. Options set outside O(items) are the defaults for all items.
      - All items are validated before the first request. Two items must not refer to the same run.
    type: list
    elements: dict
    suboptions:
      build:
        description: Value of O(build) for this item.
        type: str
      number:
        description: Value of O(number) for this item.
        type: str
      src:
        description: Value of O(src) for this item.
        type: path
      content:
        description: Value of O(content) for this item.
        type: dict
      artifacts:
        description: Value of O(artifacts) for this item.
        type: bool
      project_key:
        description: Value of O(project_key) for this item.
        type: str
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_build_info
  - module: buildworks.toolchain.artifact_build_retention
"""

EXAMPLES = r"""
- name: Publish the build info of a build
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

- name: List the runs and files that would be deleted with a build number
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
  description: State of the run after the task or, in check mode, the predicted state. V(null) if the run does not
    exist.
  returned: success, when O(items) is not set
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
      description: Duration in milliseconds. Artifactory stores V(0) if the build info has no duration.
      type: int
    url:
      description: URL of the build on the CI server.
      type: str
    principal:
      description: User who published the build info. V(null) in check mode if the task would publish the build info,
        because the server sets the user.
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
          description: User who requested the promotion on the CI server.
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
  description: The runs that were deleted or, in check mode, would be deleted.
  returned: when O(state=absent) and O(items) is not set
  type: list
  elements: dict
  contains:
    number:
      description: Number of the run.
      type: str
    started:
      description: Start time, in ISO 8601 format.
      type: str
  sample: []
files:
  description: The files that were deleted or, in check mode, would be deleted with the runs, sorted. Empty if
    O(artifacts=false).
  returned: when O(state=absent) and O(items) is not set
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path to the file in the repository.
      type: str
  sample:
    - repo: generic-local
      path: app/1.0/app-1.0.tar.gz
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    build:
      description: Value of RV(build) for this item.
      type: dict
    runs:
      description: Value of RV(runs) for this item.
      type: list
      elements: dict
    files:
      description: Value of RV(files) for this item.
      type: list
      elements: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_info, publication
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY, with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = STATE + ArgumentSpec(
    dict(
        build=dict(type="str", narrows_scope=True, **NAME),
        number=dict(type="str", narrows_scope=True, **NAME),
        src=dict(type="path", not_empty=True),
        content=dict(type="dict", text_values=True, unchecked="checked as a build record"),
        artifacts=dict(type="bool", narrows_scope=True, default=False),
        project_key=dict(type="str", narrows_scope=True, no_log=False, **NAME),
    ),
    required_if=[("state", "present", ["src", "content"], True), ("state", "absent", ["build", "number"])],
    mutually_exclusive=[("src", "content")],
)
SPEC = (ARTIFACT + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, reconcile_build, check=identity, identity=identity)


def reconcile_build(task: Task) -> None:
    (publish if task.params["state"] == "present" else delete)(task)


def publish(task: Task) -> None:
    record, project_key = publication.parse_build_info(task.params), task.params["project_key"]
    artifact = ArtifactService(task)
    build_info.check_project(artifact, project_key)
    reconcile(
        task,
        "build",
        read=lambda: publication.find(artifact, record, project_key),
        desired={"record": record},
        create=lambda _fields: publication.publish(artifact, record, project_key),
        update=lambda _fields: publication.publish(artifact, record, project_key),
        check=lambda before, _changes: publication.check_replaceable(artifact, before),
        to_result=publication.to_result,
    )


def delete(task: Task) -> None:
    selection = task.select("build", "number", "project_key", "artifacts")
    artifact = ArtifactService(task)
    build_info.check_project(artifact, task.params["project_key"])
    task.result.update(publication.list_deletions(None))

    def check_deletion(before: Fields | None, _nothing: Fields | None) -> None:
        publication.check_deletable(artifact, selection["build"], selection["number"])
        task.result.update(publication.list_deletions(before))

    reconcile(
        task,
        "build",
        read=lambda: publication.find_runs(artifact, **selection),
        desired={},
        delete=lambda: publication.delete(artifact, **selection),
        check=check_deletion,
    )


def identity(params: Fields) -> tuple[str | None, str, str, str | None]:
    if params["state"] == "absent":
        return params["project_key"], params["build"], params["number"], None
    record = publication.parse_build_info(params)
    return params["project_key"], record["name"], record["number"], record["started"]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
