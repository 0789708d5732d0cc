#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_build
short_description: Run a Jenkins build and wait for the result
description:
  - Triggers a build of a Jenkins job, waits until it has finished and returns its result. Console output is shown as
    progress while the task waits.
  - The build is followed by the queue item that Jenkins names in its response. Jenkins forgets queue items five minutes
    after the build has started and on restart. The module then finds the build by its queue ID.
  - Parameters are validated against the definition of the job before the build is triggered. Unknown parameters,
    invalid choices and missing values without a default are errors, because Jenkins ignores unknown parameters.
  - If an identical build is already in the queue, Jenkins adds the request to that queue item. The task then reports no
    change and waits for that build.
  - If Jenkins restarts while the task waits, the task continues to wait.
  - In check mode, the module returns the build that it would queue. With Jenkins 2.579 or newer and without O(token),
    the task fails in check mode if the account lacks the Job/Build permission.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_build
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Job/Read and Job/Build permissions. O(on_timeout=stop) also requires Job/Cancel.
  - The request is never sent twice. If the response is lost, the module looks for a build with the same job, parameters
    and account. If it finds none or more than one, the task fails.
  - Some Jenkins responses, and all Hudson responses, do not name the queue item. The module then looks for the build in
    the same way, and RV(matched_by) is V(parameters).
attributes:
  idempotent:
    support: partial
    details: Idempotent with O(skip_if_built). Otherwise, each run starts a build.
  diff_mode:
    support: none
    details: A build has no previous state.
options:
  job:
    description: Full name of the job, such as V(folder/app). Write a slash in the name of a branch as V(%2F).
    type: str
  parameters:
    description:
      - Build parameters as a dictionary of names and values. Parameters that are not set here use the defaults of the
        job.
      - Values can be strings, integers, V(true), V(false) or lists. Put numbers that have a decimal point in quotation
        marks.
      - The elements of a list are joined with commas.
    type: dict
  secret_parameters:
    description: Additional build parameters whose values are never logged or returned.
    type: dict
  files:
    description: File parameters as a dictionary of names and paths on the host that runs the module.
    type: dict
  form:
    description: How to send the parameters.
    type: str
    choices:
      fields: Send each parameter as a form field. Jenkins adds the defaults of the other parameters.
      json:
        Send all parameters in one JSON document, as the Jenkins web interface does. Required for jobs with a parameter
        called V(delay) or V(token), because Jenkins interprets form fields with these names itself.
    default: fields
  delay:
    description:
      - Minimum time in seconds that the build stays in the queue.
      - If not set, the quiet period of the job applies.
    type: int
  token:
    description:
      - Authentication token of the job for remote triggers. With this token, the account does not need the Job/Build
        permission.
      - Ignored by Jenkins if the job has no such token.
    type: str
  skip_if_built:
    description:
      - Skip the build if a build with the same parameters and an accepted result exists. The module returns the
        existing build instead.
      - Values of password and file parameters are not compared, because Jenkins does not return them.
      - Leading and trailing whitespace of string and text parameters is ignored in the comparison, because Jenkins may
        have removed it. The API does not show whether a parameter has the C(trim) attribute.
    type: dict
    suboptions:
      results:
        description: Results with which an existing build is accepted.
        type: list
        elements: str
        choices: &results
          SUCCESS: The build has succeeded.
          UNSTABLE: The build has completed, but for example tests have failed.
          FAILURE: The build has failed.
          NOT_BUILT: The build, or a stage of it, was not run.
          ABORTED: The build was aborted.
        default: [SUCCESS]
      max_age:
        description:
          - Maximum time since the end of the existing build, in seconds.
          - If not set, the age does not matter.
        type: float
  wait:
    description: Whether to wait until the build has finished. If V(false), the task ends after the build is queued.
  wait_timeout:
    description:
      - Maximum time to wait, in seconds. This includes the time that the build spends in the queue.
      - O(on_timeout) determines what happens if the build has not finished when this time expires.
  wait_delay:
    description: Polling interval in seconds. The first polls are more frequent.
  accept:
    description:
      - Results with which the task succeeds. With any other result the task fails and shows the last lines of the
        console output.
    type: list
    elements: str
    choices: *results
    default: [SUCCESS]
  on_timeout:
    description: What to do if the build has not finished within O(wait_timeout).
    type: str
    choices:
      fail: Leave the build running and fail.
      stop:
        Stop the build, or cancel its queue item, and fail. A build that another client has also requested is not
        stopped. If the response to the request was lost, a build that was found by its parameters is not stopped.
        Ctrl-C also stops the build.
      detach: Leave the build running and succeed.
    default: fail
  console_lines:
    description: Number of lines at the end of the console output to return, and to show if the build fails.
    type: int
    default: 20
  items:
    description:
      - Builds to run in parallel, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - O(job) is required in each item unless it is set outside of O(items). Items with the same job and the same
        parameters are not allowed, because Jenkins would merge them into one build.
      - O(workers) limits how many builds run at the same time. Use O(workers=1) to run them one after the other, and
        O(max_failures=1) to start no more builds after a failure.
      - Console output is not shown while the task waits. An interrupted task leaves the builds running.
    type: list
    elements: dict
    suboptions:
      job:
        description: Full name of the job. Overrides O(job) for this item.
        type: str
      parameters:
        description: Build parameters. Overrides O(parameters) for this item.
        type: dict
      secret_parameters:
        description: Build parameters with secret values. Overrides O(secret_parameters) for this item.
        type: dict
      files:
        description: File parameters. Overrides O(files) for this item.
        type: dict
      form:
        description: How to send the parameters. Overrides O(form) for this item.
        type: str
        choices:
          fields: Send each parameter as a form field.
          json: Send all parameters in one JSON document.
      delay:
        description: Minimum time in the queue in seconds. Overrides O(delay) for this item.
        type: int
      token:
        description: Authentication token of the job for remote triggers. Overrides O(token) for this item.
        type: str
      skip_if_built:
        description: Skip the build if a build with the same parameters and an accepted result exists. Overrides
          O(skip_if_built) for this item.
        type: dict
        suboptions:
          results:
            description: Results with which an existing build is accepted.
            type: list
            elements: str
            choices: *results
            default: [SUCCESS]
          max_age:
            description: Maximum time since the end of the existing build, in seconds.
            type: float
      accept:
        description: Results with which the item succeeds. Overrides O(accept) for this item.
        type: list
        elements: str
        choices: *results
      on_timeout:
        description: What to do if the build has not finished within O(wait_timeout). Overrides O(on_timeout) for this
          item.
        type: str
        choices:
          fail: Leave the build running and fail.
          stop: Stop the build, or cancel its queue item, and fail.
          detach: Leave the build running and succeed.
      console_lines:
        description: Number of console lines to return. Overrides O(console_lines) for this item.
        type: int
seealso:
  - module: buildworks.toolchain.ci_build_info
  - module: buildworks.toolchain.ci_build_stop
"""

EXAMPLES = r"""
- name: Run a build and fail if the build fails
  buildworks.toolchain.ci_build:
    job: app
    wait_timeout: 1800

- name: Run a parameterized build and accept an unstable result
  buildworks.toolchain.ci_build:
    job: deploy
    parameters:
      VERSION: "1.2"
      TARGET: production
    secret_parameters:
      SECRET: "{{ deploy_secret }}"
    accept: [SUCCESS, UNSTABLE]
    on_timeout: stop
  vars:
    deploy_secret: only-an-example

- name: Deploy version 1.2 unless it was deployed within the last day
  buildworks.toolchain.ci_build:
    job: deploy
    parameters:
      VERSION: "1.2"
    skip_if_built:
      max_age: 86400

- name: Run three builds in parallel
  buildworks.toolchain.ci_build:
    job: deploy
    items:
      - parameters: {VERSION: "1.2", TARGET: staging}
      - parameters: {VERSION: "1.3", TARGET: staging}
      - job: app

- name: Trigger a build without waiting for it
  buildworks.toolchain.ci_build:
    job: app
    wait: false
"""

RETURN = r"""
plan:
  description: Action that the task performed or, in check mode, would perform. V(null) if an existing build is
    accepted.
  returned: success, without O(items)
  type: dict
  contains:
    action:
      description: V(start) to start a build, or V(join) if an identical build is already in the queue.
      type: str
    job:
      description: Full name of the job.
      type: str
    parameters:
      description:
        - Parameters of the build by name, including the defaults. V(null) for a default that the server does not
          return. The value of a file parameter is the path to the file.
      type: dict
  sample:
    action: start
    job: deploy
    parameters:
      VERSION: "1.2"
      TARGET: production
      DRY_RUN: "false"
      SECRET: null
build:
  description:
    - Build that the task ran or found. With O(on_timeout=detach), its state at the timeout. V(null) if the build has
      not started, if the task did not wait, and in check mode.
  returned: success, without O(items)
  type: dict
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
      description: Start time, in ISO 8601 format.
      type: str
    duration:
      description: Duration in seconds.
      type: float
    estimated_duration:
      description: Duration in seconds that Jenkins estimates. V(null) if unknown.
      type: float
    id:
      description: Build number as a string.
      type: str
    display_name:
      description: Display name, such as C(#42).
      type: str
    full_display_name:
      description: Display name including the name of the job.
      type: str
    description:
      description: Description of the build.
      type: str
    queue_id:
      description: ID of the build's queue item.
      type: int
    built_on:
      description: Name of the node. Empty for the Jenkins controller, V(null) for Pipeline builds.
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
      description: Archived artifacts, each with V(name), V(path) and V(url).
      type: list
      elements: dict
queue_item:
  description: ID of the queue item. V(null) if the server does not return it.
  returned: success, without O(items)
  type: int
  sample: 4711
matched_by:
  description:
    - How the module identified the build.
    - V(queue_item) if the server named the queue item in its response, so the build was definitely started by this
      task.
    - V(parameters) if the build is the only one with these parameters that this account has requested since the task
      started.
  returned: success, without O(items)
  type: str
  sample: queue_item
console:
  description: Last lines of the console output, at most O(console_lines).
  returned: success, without O(items)
  type: list
  elements: str
  sample:
    - Deploying 1.2 to production
    - "Finished: SUCCESS"
counts:
  description: Number of O(items) by status.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Builds that were run. In check mode, builds that would be run.
      type: int
    ok:
      description: Builds that already existed or that joined an identical build in the queue.
      type: int
    failed:
      description: Failed items. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Items with unknown outcome because the response was lost. RV(failures) lists these items.
      type: int
    skipped:
      description: Items that were not started because of O(max_failures).
      type: int
  sample: {changed: 12, ok: 30, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: with O(items)
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: with O(items)
  type: list
  elements: dict
  contains:
    index:
      description: Index in O(items), starting at 0.
      type: int
    item:
      description: The item as specified.
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
      description: Why the item failed or was skipped.
      type: str
    plan:
      description: Action for the item, with the same keys as RV(plan).
      type: dict
    build:
      description: Build of the item, with the same keys as RV(build).
      type: dict
    queue_item:
      description: ID of the queue item, as in RV(queue_item).
      type: int
    matched_by:
      description: How the module identified the build, as in RV(matched_by).
      type: str
    console:
      description: Last lines of the console output, as in RV(console).
      type: list
      elements: str
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: with O(items)
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.builds import RESULTS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.run import RESULT_NAMES, BuildRun
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT, with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_CHECKED = "checked against the definition of the job"

ITEM = ArgumentSpec(
    dict(
        job=dict(type="str", required=True, **JOB),
        parameters=dict(type="dict", text_values=True, unchecked=_CHECKED),
        secret_parameters=dict(type="dict", text_values=True, no_log=True, unchecked=_CHECKED),
        files=dict(
            type="dict",
            text_values=True,
            unchecked="the names are checked against the definition of the job, the paths by reading the files",
        ),
        form=dict(type="str", choices=["fields", "json"], default="fields"),
        delay=dict(type="int", at_least=0, at_most=2592000),
        token=dict(type="str", no_log=True, not_empty=True, one_line=True),
        skip_if_built=dict(
            type="dict",
            narrows_scope=True,
            options=dict(
                results=dict(type="list", elements="str", choices=RESULTS, default=["SUCCESS"], not_empty=True),
                max_age=dict(type="float", at_least=0, at_most=315360000),
            ),
        ),
        accept=dict(type="list", elements="str", choices=RESULTS, default=["SUCCESS"], not_empty=True),
        on_timeout=dict(type="str", choices=["fail", "stop", "detach"], default="fail"),
        console_lines=dict(type="int", default=20, at_least=0, at_most=1000),
    ),
)
SPEC = (CI + WAIT) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, run_build, identity=identify_build)


def identify_build(params: dict[str, t.Any]) -> str:
    return json.dumps([params[name] for name in ("job", "parameters", "secret_parameters", "files")], sort_keys=True)


def run_build(task: Task) -> None:
    build = BuildRun(task, CiService(task))
    operate(
        task,
        build.plan(),
        build.apply,
        changes_state=lambda: not build.joins,
        result_names=RESULT_NAMES,
        predict=build.predict,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
