#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_script
short_description: Run a Groovy script on a CI server
description:
  - Runs a script in the server's script console, on the controller or on another node. Returns what it printed, and
    what it returned, as data.
  - The server answers success whatever becomes of a script. This task fails when the script throws an exception, when
    an assertion in it does not hold, and when it does not compile. The message has the line of the script.
  - Scripts and arguments travel as data and are pasted into nothing. Quotes, dollars, backslashes and line breaks in
    O(args) arrive as they are.
  - In check mode the script is not run, unless O(reads=true), and counts as a change. That of O(unless) is run.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs the permission Overall/Administer. Whoever may run a script may do anything on the server.
  - A task that is interrupted, or waits longer than O(wait_timeout), leaves the script running.
  - As in the server's own console, what is in the packages C(jenkins), C(jenkins.model), C(hudson) and C(hudson.model)
    needs no import. What goes to C(System.out) is in the server's log, not in the result.
attributes:
  idempotent:
    support: partial
    details: With O(unless), or when the script itself does nothing the second time and says so.
  diff_mode:
    support: none
    details: What a script does has no before and after.
options:
  script:
    description:
      - The script, which must not be empty. It finds O(args) in the variable C(args).
      - When it returns a map with C(changed) in it, that is what the task reports as C(changed). Without that a script
        that was run counts as a change.
      - Either this or O(src) is needed.
    type: str
  src:
    description: File with the script, in UTF-8, on the machine where the task runs, in place of O(script).
    type: path
  args:
    description:
      - What the scripts get in the variable C(args), a map. Lists, maps, texts, numbers, booleans and null inside it
        are those of Groovy.
    type: dict
  secret_args:
    description:
      - Like O(args), and found in the same map, but shown nowhere, nor in what the script prints or returns.
      - It must not have a key of O(args).
    type: dict
  node:
    description:
      - Name of the node to run the scripts on. It must be online.
      - When this is not given, they run on the controller, which is V((built-in\)) as well.
    type: str
  unless:
    description:
      - A script that is run first and must not be empty, with the same arguments on the same node. When what it
        returns is true for Groovy, there is nothing to do.
      - It is run in check mode too, and is sent again when an answer is lost. So it must change nothing.
    type: str
  reads:
    description:
      - The script changes nothing. It is run in check mode too, it is sent again when an answer is lost, and C(changed)
        is V(false).
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait for the end of a script, 0.01 to 2,592,000. It counts in place of O(timeout), for the server
        answers nothing before.
    type: float
    default: 600.0
"""

EXAMPLES = r"""
- name: Set the system message, when it is another one
  buildworks.toolchain.ci_script:
    script: |
      Jenkins.instance.systemMessage = args.text
      Jenkins.instance.save()
    unless: Jenkins.instance.systemMessage == args.text
    args:
      text: Maintenance on Friday, "18:00" to $open_end

- name: Have the script say whether it changed something
  buildworks.toolchain.ci_script:
    script: |
      def old = Jenkins.instance.numExecutors
      if (old != args.executors) {
          Jenkins.instance.numExecutors = args.executors
          Jenkins.instance.save()
      }
      return [changed: old != args.executors, before: old]
    args:
      executors: 4

- name: Ask for something that no listing has
  buildworks.toolchain.ci_script:
    script: "return Jenkins.instance.computers.collect { it.name ?: 'controller' }"
    reads: true
  register: nodes
"""

RETURN = r"""
plan:
  description: What the task did, or would do in check mode. None when O(unless) holds.
  returned: success
  type: dict
  contains:
    action:
      description: V(run the script).
      type: str
    node:
      description: The node, as given. None for the controller.
      type: str
  sample:
    action: run the script
    node: null
output:
  description: What the script printed. None when it was not run.
  returned: success, and when a script failed
  type: str
  sample: "done\n"
value:
  description:
    - What the script returned. Maps, lists, texts, numbers, booleans and null are data; a date is a text in ISO 8601
      in UTC, numbers that JSON does not have and all other things are texts.
    - None when it returned nothing or was not run.
  returned: success
  type: raw
  sample:
    changed: true
    before: 2
error:
  description: Why a script failed.
  returned: when a script failed
  type: dict
  contains:
    type:
      description: Class of the exception.
      type: str
    message:
      description: Its message, if it has one.
      type: str
    line:
      description: Line of the script, counted from 1. None when it is not known.
      type: int
    trace:
      description:
        - Where it was thrown, innermost first, at most 50 frames. Frames of Java and Groovy themselves are left out,
          those of the script name C(TaskScript.groovy).
      type: list
      elements: str
  sample:
    type: java.lang.NullPointerException
    message: Cannot invoke method save() on null object
    line: 2
    trace:
      - TaskScript.run(TaskScript.groovy:2)
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import Script
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = CI + ArgumentSpec(
    dict(
        script=dict(type="str", not_empty=True),
        src=dict(type="path", not_empty=True),
        args=dict(type="dict", free="any values"),
        secret_args=dict(type="dict", no_log=True, free="any values"),
        node=dict(type="str", narrows=True, **SEGMENT),
        unless=dict(type="str", narrows=True, not_empty=True),
        reads=dict(type="bool", default=False),
        wait_timeout=dict(type="float", default=600.0, at_least=0.01, at_most=30 * 86400),
    ),
    mutually_exclusive=[("script", "src")],
    required_one_of=[("script", "src")],
)


def run(task):
    script = Script(task, CiService(task))
    operate(
        task,
        script.plan(),
        script.carry_out,
        lasting=not task.params["reads"],
        gives=["output", "value"],
        rehearse=script.rehearse,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
