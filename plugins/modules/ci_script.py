#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_script
short_description: Run a Jenkins Groovy script
description:
  - Run a Groovy script in the Jenkins script console, on the Jenkins controller or on another node. The module returns
    the output of the script and its return value as data.
  - The task fails if the script does not compile, throws an exception or contains a failing assertion. The error
    message includes the line of the script. The script console itself returns HTTP status 200 even for a script that
    fails.
  - Scripts and arguments are transferred as data, not inserted into source code. Quotes, dollar signs, backslashes and
    line breaks in O(args) do not need to be escaped.
  - In check mode, the script is not run unless O(read_only=true), and the task reports a change.
  - O(unless) and scripts with O(read_only=true) run in check mode only if the module can prove that they change
    nothing. It accepts one expression of literals, properties, comparisons and simple calls that read, such as
    V(Jenkins.instance.numExecutors == args.count) or V(Jenkins.get().getItem(args.name\) != null). Other scripts are
    not run in check mode, and the task warns.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_script
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission. Scripts have full control of the Jenkins controller.
  - If the task is interrupted or O(wait_timeout) expires, the script continues to run.
  - As in the script console, the packages C(jenkins), C(jenkins.model), C(hudson) and C(hudson.model) are imported
    automatically. Output to C(System.out) appears in the log of Jenkins, not in the result.
attributes:
  idempotent:
    support: partial
    details: Idempotent with O(unless), or if the script itself is idempotent and reports whether it changed something.
  diff_mode:
    support: none
    details: The changes of a script are unknown.
options:
  script:
    description:
      - The script. It can access the arguments in the C(args) variable. Must not be empty.
      - If the script returns a map with the key C(changed), its value is reported as C(changed). Otherwise, the task
        reports a change.
      - Mutually exclusive with O(src). One of them is required.
    type: str
  src:
    description: Path to a file with the script, encoded in UTF-8, on the host that runs the module.
    type: path
  args:
    description:
      - Arguments that the scripts can access as a map in the C(args) variable. Lists, dictionaries, strings, numbers,
        booleans and V(null) are converted to their Groovy equivalents.
    type: dict
  secret_args:
    description:
      - Secret arguments, which the scripts can access in the same map as O(args). Their values are never logged, and
        they are masked in the output and the return value of the script.
      - Must not contain keys of O(args).
    type: dict
  node:
    description:
      - Name of the node to run the scripts on. The node must be online.
      - If not set, or V((built-in\)), the scripts run on the Jenkins controller.
    type: str
  unless:
    description:
      - A script that is run first, with the same arguments and on the same node. If it returns a value that Groovy
        considers true, O(script) is not run and the task reports no change. Must not be empty.
      - This script must not change anything. If the module can prove this, the script is also run in check mode and
        sent again if the response is lost. Otherwise, check mode predicts that O(script) is run.
    type: str
  read_only:
    description:
      - Whether the script is read-only. If V(true), the task reports no change. If the module can prove that the script
        changes nothing, it is also run in check mode and sent again if the response is lost.
    type: bool
    default: false
  wait_timeout:
    description:
      - Maximum run time of a script in seconds. Used instead of O(timeout), because the server does not respond before
        the script has finished.
    type: float
    default: 600.0
"""

EXAMPLES = r"""
- name: Set the system message
  buildworks.toolchain.ci_script:
    script: |
      Jenkins.instance.systemMessage = args.text
      Jenkins.instance.save()
    unless: Jenkins.instance.systemMessage == args.text
    args:
      text: Maintenance on Friday, "18:00" to $open_end

- name: Set the number of executors and report whether it changed
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

- name: Get the names of all nodes
  buildworks.toolchain.ci_script:
    script: "return Jenkins.instance.computers.collect { it.name ?: 'controller' }"
    read_only: true
  register: nodes
"""

RETURN = r"""
plan:
  description: Action that the task performed or, in check mode, would perform. V(null) if O(unless) returned true.
  returned: success
  type: dict
  contains:
    action:
      description: V(run).
      type: str
    node:
      description: Name of the node. V(null) for the Jenkins controller.
      type: str
  sample:
    action: run
    node: null
output:
  description: Output of the script. V(null) if the script was not run.
  returned: success, and when a script failed
  type: str
  sample: "done\n"
value:
  description:
    - Return value of the script. Maps, lists, strings, numbers, booleans and null are returned as data. Dates are
      returned in ISO 8601 format, UTC. Numbers that JSON does not support and all other objects are returned as
      strings.
    - V(null) if the script returned nothing or was not run.
  returned: success
  type: raw
  sample:
    changed: true
    before: 2
error:
  description: Error that the script caused.
  returned: when a script failed
  type: dict
  contains:
    type:
      description: Class of the exception.
      type: str
    message:
      description: Message of the exception. V(null) if it has no message.
      type: str
    line:
      description: Line of the script, starting at 1. V(null) if unknown.
      type: int
    trace:
      description:
        - Stack trace, innermost frame first, at most 50 frames. Frames of Java and Groovy itself are omitted. Frames of
          the script refer to C(TaskScript.groovy).
      type: list
      elements: str
  sample:
    type: java.lang.NullPointerException
    message: Cannot invoke method save() on null object
    line: 2
    trace:
      - TaskScript.run(TaskScript.groovy:2)
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.script import Script
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(
    dict(
        script=dict(type="str", not_empty=True),
        src=dict(type="path", not_empty=True),
        args=dict(type="dict", unchecked="any values"),
        secret_args=dict(type="dict", no_log=True, unchecked="any values"),
        node=dict(type="str", narrows_scope=True, **SEGMENT),
        unless=dict(type="str", narrows_scope=True, not_empty=True),
        read_only=dict(type="bool", default=False),
        wait_timeout=dict(type="float", default=600.0, at_least=0.01, at_most=30 * 86400),
    ),
    mutually_exclusive=[("script", "src")],
    required_one_of=[("script", "src")],
)


def run(task: Task) -> None:
    script = Script(task, CiService(task))
    operate(
        task,
        script.plan(),
        script.apply,
        changes_state=not task.params["read_only"],
        result_names=["output", "value"],
        predict=script.predict,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
