#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_build
short_description: Start a build on a CI server, and stay with it to its end
description:
  - Starts a build of a job and waits for the end of that very build. It is followed by the item of the queue that the
    server names in its answer; when the queue has forgotten that, which it does five minutes after the build has begun
    and at a restart, by the number of the item, which the build keeps.
  - Parameters are checked against those that the job declares. An unknown name, a value that is no choice, or a missing
    value for which there is no default fail before anything is sent, for the server itself would ignore a name that it
    does not know.
  - When an equal build waits in the queue already, the server adds the request to it. That is not a change, and the
    waiting one is followed.
  - What the build prints is shown while the task waits.
  - A server that restarts while the task waits is waited for as well.
  - In check mode it says what would be queued. With Jenkins 2.579 or newer and without O(token), the task then fails if
    the account lacks the permission Job/Build.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Job/Read and Job/Build, with O(on_timeout=stop) also Job/Cancel.
  - The request is sent once. When its reply is lost, the build is looked for by its job, parameters and account; when
    none is found, or several are, the task fails and says so.
  - Some answers name no item of the queue, those of Hudson never do. The build is looked for in the same way then, and
    RV(found_by) says so.
attributes:
  idempotent:
    support: partial
    details: With O(unless) it is; without that each run starts a build.
  diff_mode:
    support: none
    details: A build has no before and after.
options:
  job:
    description: The full name of a job, such as V(folder/app). A slash in the name of a branch is written V(%2F).
    type: str
  parameters:
    description:
      - Parameters of the build, name to value. Those that are not given have their defaults.
      - A value is a text, an integer, V(true) or V(false). Put numbers with a fraction in quotes.
      - Of a list the elements are sent with commas between them.
    type: dict
  secret_parameters:
    description: More of them, whose values are shown nowhere.
    type: dict
  files:
    description: File parameters, name to the path of a file on the host that runs the module.
    type: dict
  form:
    description:
      - V(fields) sends each parameter as a field. The server adds the defaults of the others.
      - V(json) sends all of them in one field, as the server's own pages do. It is needed for jobs that have a
        parameter V(delay) or V(token), which the server takes for its own otherwise.
    type: str
    choices: [fields, json]
    default: fields
  delay:
    description: Seconds that the build waits in the queue at least, 0 to 2,592,000. By default the job's quiet period.
    type: int
  token:
    description:
      - The job's own trigger token. With it an account needs no permission Job/Build.
      - A job that has none ignores it.
    type: str
  unless:
    description:
      - Start no build when there is one with the same parameters and a good result already. It is the result then.
      - The values of secrets and files are not compared, because Jenkins does not return them.
      - A text parameter also equals its value without leading and trailing whitespace. Jenkins strips it if the
        parameter has the attribute C(trim), which its API does not show.
    type: dict
    suboptions:
      results:
        description: Results that are good enough, of V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT), V(ABORTED).
        type: list
        elements: str
        choices: [SUCCESS, UNSTABLE, FAILURE, NOT_BUILT, ABORTED]
        default: [SUCCESS]
      within:
        description: Seconds since its end at most, 0 to 315,360,000. Without it any age will do.
        type: float
  wait:
    description: Wait for the end of the build. Without that the task ends once the server has taken the request.
  wait_timeout:
    description: Seconds to wait, in the queue and for the build together, 0 to 2,592,000. See O(on_timeout).
  wait_delay:
    description: Seconds between two looks, 0.1 to 86,400. The first ones follow each other faster.
  accept:
    description: Results with which the task succeeds. With any other it fails, with the last lines of the console.
    type: list
    elements: str
    choices: [SUCCESS, UNSTABLE, FAILURE, NOT_BUILT, ABORTED]
    default: [SUCCESS]
  on_timeout:
    description:
      - V(fail) leaves the build as it is, and fails.
      - V(stop) stops the build, or cancels its queue item, and fails. A build that another client requested as well
        is left alone, and the message says so. So is one that was found by its parameters because the response to the
        request was lost.
      - V(detach) leaves the build as it is, and succeeds.
      - When the task is interrupted with Ctrl-C, V(stop) stops the build as well.
    type: str
    choices: [fail, stop, detach]
    default: fail
  console_lines:
    description: How many of the last lines of the console are in the result and in a failure's message, 0 to 1,000.
    type: int
    default: 20
  items:
    description:
      - Several builds side by side, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(job) is required, else each item needs it from here or there. No two may be of the same job
        with the same parameters, for the server would make one of them.
      - O(workers) is how many are followed at the same time; O(workers=1) takes them one after the other. With
        O(max_failures=1) none is begun any more when one has failed.
      - Their consoles are not shown while the task waits, and an interruption leaves them as they are.
    type: list
    elements: dict
    suboptions:
      job:
        description: The full name of a job, as O(job).
        type: str
      parameters:
        description: As O(parameters).
        type: dict
      secret_parameters:
        description: As O(secret_parameters).
        type: dict
      files:
        description: As O(files).
        type: dict
      form:
        description: As O(form).
        type: str
        choices: [fields, json]
      delay:
        description: As O(delay), 0 to 2,592,000.
        type: int
      token:
        description: As O(token).
        type: str
      unless:
        description: As O(unless).
        type: dict
        suboptions:
          results:
            description: As O(unless.results).
            type: list
            elements: str
            choices: [SUCCESS, UNSTABLE, FAILURE, NOT_BUILT, ABORTED]
            default: [SUCCESS]
          within:
            description: As O(unless.within), 0 to 315,360,000.
            type: float
      accept:
        description: As O(accept).
        type: list
        elements: str
        choices: [SUCCESS, UNSTABLE, FAILURE, NOT_BUILT, ABORTED]
      on_timeout:
        description: As O(on_timeout).
        type: str
        choices: [fail, stop, detach]
      console_lines:
        description: As O(console_lines), 0 to 1,000.
        type: int
seealso:
  - module: buildworks.toolchain.ci_build_info
  - module: buildworks.toolchain.ci_build_stop
"""

EXAMPLES = r"""
- name: Build, and fail when the build does
  buildworks.toolchain.ci_build:
    job: app
    wait_timeout: 1800

- name: Deploy, and take an unstable build as well
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

- name: Deploy what was not deployed today
  buildworks.toolchain.ci_build:
    job: deploy
    parameters:
      VERSION: "1.2"
    unless:
      within: 86400

- name: Deploy two versions and build another job, side by side
  buildworks.toolchain.ci_build:
    job: deploy
    items:
      - parameters: {VERSION: "1.2", TARGET: staging}
      - parameters: {VERSION: "1.3", TARGET: staging}
      - job: app

- name: Start a build and go on
  buildworks.toolchain.ci_build:
    job: app
    wait: false
"""

RETURN = r"""
plan:
  description: What the task did, or would do in check mode. None when there was a build that is good enough.
  returned: success, without O(items)
  type: dict
  contains:
    action:
      description: V(start), or V(join one that waits).
      type: str
    job:
      description: Full name of the job.
      type: str
    parameters:
      description:
        - The parameters of the build by name, with the defaults of those that were not given. None for a default that
          the server does not tell. Of a file its path.
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
    - The build. After O(wait=true) as it ended, after O(on_timeout=detach) as it is. None when it has not begun, when
      the task did not wait, and in check mode.
  returned: success, without O(items)
  type: dict
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
      description: V(SUCCESS), V(UNSTABLE), V(FAILURE), V(NOT_BUILT) or V(ABORTED); none while it runs.
      type: str
    building:
      description: Whether it runs.
      type: bool
    timestamp:
      description: When it began, in ISO 8601.
      type: str
    duration:
      description: How long it took, in seconds.
      type: float
    estimated_duration:
      description: How long the server expects such a build to take, in seconds, if it knows.
      type: float
    id:
      description: Its number as a text.
      type: str
    display_name:
      description: What its page is headed with.
      type: str
    full_display_name:
      description: The same with the job's name.
      type: str
    description:
      description: What somebody wrote about it.
      type: str
    queue_id:
      description: The item of the queue that it came of.
      type: int
    built_on:
      description: The node that it ran on; empty for the controller, none for a Pipeline.
      type: str
    kept:
      description: Whether it is kept for good.
      type: bool
    parameters:
      description: Its parameters by name; none for the value of a secret or a file.
      type: dict
    causes:
      description: Why it was built, in the server's words.
      type: list
      elements: str
    artifacts:
      description: Its artifacts, each with V(name), V(path) and V(url).
      type: list
      elements: dict
queue_item:
  description: The item of the queue. None where the server does not tell.
  returned: success, without O(items)
  type: int
  sample: 4711
found_by:
  description:
    - V(queue item) when the server named the item of the queue in its answer. The build is surely that of this task.
    - V(parameters) when it did not. The build is the only one with these parameters that this account asked for since.
  returned: success, without O(items)
  type: str
  sample: queue item
console:
  description: The last lines of the console, up to O(console_lines).
  returned: success, without O(items)
  type: list
  elements: str
  sample:
    - Deploying 1.2 to production
    - "Finished: SUCCESS"
counts:
  description: How many of O(items) came to which end. Each has one.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Built, or would be in check mode.
      type: int
    ok:
      description: Were built already, or joined one that waits.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: What came of them is not known, for the reply was lost. RV(failures) has them as well.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 12, ok: 30, failed: 1, unknown: 0, skipped: 0}
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
      description: Whether something was changed. With a failed one it may be as well.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    plan:
      description: As RV(plan).
      type: dict
    build:
      description: As RV(build).
      type: dict
    queue_item:
      description: As RV(queue_item).
      type: int
    found_by:
      description: As RV(found_by).
      type: str
    console:
      description: As RV(console).
      type: list
      elements: str
"""

import json

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.run import GIVES, RESULTS, Run
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT, one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

_DECLARED = "checked against what the job declares"

ITEM = ArgumentSpec(
    dict(
        job=dict(type="str", required=True, **JOB),
        parameters=dict(type="dict", text_values=True, free=_DECLARED),
        secret_parameters=dict(type="dict", text_values=True, no_log=True, free=_DECLARED),
        files=dict(
            type="dict",
            text_values=True,
            free="the names are checked against what the job declares, each path by its file",
        ),
        form=dict(type="str", choices=["fields", "json"], default="fields"),
        delay=dict(type="int", at_least=0, at_most=2592000),
        token=dict(type="str", no_log=True, not_empty=True, one_line=True),
        unless=dict(
            type="dict",
            narrows=True,
            options=dict(
                results=dict(type="list", elements="str", choices=list(RESULTS), default=["SUCCESS"], not_empty=True),
                within=dict(type="float", at_least=0, at_most=315360000),
            ),
        ),
        accept=dict(type="list", elements="str", choices=list(RESULTS), default=["SUCCESS"], not_empty=True),
        on_timeout=dict(type="str", choices=["fail", "stop", "detach"], default="fail"),
        console_lines=dict(type="int", default=20, at_least=0, at_most=1000),
    ),
)
SPEC = (CI + WAIT) + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, build_one, identity=run_of)


def run_of(params):
    return json.dumps([params[name] for name in ("job", "parameters", "secret_parameters", "files")], sort_keys=True)


def build_one(task):
    build = Run(task, CiService(task))
    plan = build.plan()
    operate(task, plan, build.carry_out, lasting=not build.joins, gives=GIVES, rehearse=build.rehearse)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
