#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_cli
short_description: Run a Jenkins CLI command
description:
  - Run one command of the Jenkins command-line interface, such as V(build), V(list-plugins) or V(groovy), and wait
    until it has finished. The output is shown as progress and returned.
  - By default, the module implements the protocol of C(jenkins-cli.jar) itself and does not need Java. The module can
    also run C(jenkins-cli.jar) or connect over SSH. See O(via).
  - Commands are assumed to change something, so the module does not run them in check mode, and the task reports a
    change. Set O(read_only=true) for commands that only read.
  - If a dedicated module exists, such as M(buildworks.toolchain.ci_safe_restart), use that module, because it is
    idempotent and verifies the result.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_cli
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes
notes:
  - The required permissions depend on the command. Connecting does not require a permission.
  - Jenkins interrupts a command whose client disconnects. After Ctrl-C, at O(wait_timeout) and when the connection is
    lost, it is therefore unknown whether the command took effect. If V(build) is interrupted while it runs with C(-s),
    it stops its build.
  - The task succeeds if the exit code is accepted. It does not verify the effect of the command.
attributes:
  idempotent:
    support: N/A
    details: Depends on the command, which is run every time.
  diff_mode:
    support: none
    details: The changes of a command are unknown.
options:
  command:
    description: Name of the command. It must be a name that does not start with '-'.
    type: str
    required: true
  arguments:
    description:
      - Arguments of the command, one per element.
      - Each must be a string without NUL characters of at most 65535 bytes.
    type: list
    elements: str
    default: []
  stdin:
    description: Standard input of the command. If neither this nor O(stdin_file) is set, the input is empty.
    type: str
  stdin_file:
    description: Path to a file to use as standard input. The file is streamed, so it can be large.
    type: path
  via:
    description: How to connect to the command-line interface.
    type: str
    choices:
      http:
        Use the protocol of C(jenkins-cli.jar) over two HTTP connections. Proxies must forward data in both directions
        without buffering.
      jar:
        Download C(jenkins-cli.jar) from the server and run it with Java. User name and password are passed in
        environment variables. Required for servers before 2.54 and for Hudson. Hudson's client returns the exit code
        255 for every error, and it can log in only with Java 8.
      ssh:
        Run the C(ssh) command of the host that runs the module. The server must have its SSH server enabled and
        announce the port in the C(X-SSH-Endpoint) header.
    default: http
  read_only:
    description:
      - Whether the command is read-only. If V(true), the task reports no change.
      - If the command is also known to the module as one that only reads, such as V(list-jobs), V(get-job), V(console)
        or V(who-am-i), it is run in check mode too, and repeated if the connection is lost. Other commands count as
        writes, because plugins define them.
    type: bool
    default: false
  accept:
    description:
      - Exit codes with which the task succeeds.
      - Most commands return 1 for an exception, 2 for invalid arguments, 3 if an object does not exist, 4 for an
        invalid state, 5 if the command was aborted and 6 for a missing permission.
      - V(build) with C(-s) or C(-f) returns 0 for a successful build, 1 for an unstable one, 2 for a failed one, 3 for
        one that was not built and 4 for an aborted one.
    type: list
    elements: int
    default: [0]
  wait_timeout:
    description: Maximum run time of the command in seconds.
    type: float
    default: 600
  to_file:
    description:
      - Path to the file to write the standard output to, instead of returning it. The file is replaced only if the exit
        code is accepted. If O(mode) is not set, a new file is readable by its owner only.
      - If not set, the last 4 MiB of the output are returned.
    type: path
  java:
    description: Java executable to use with O(via=jar).
    type: path
    default: java
  java_options:
    description:
      - JVM options to use with O(via=jar), such as V(-Djavax.net.ssl.trustStore=/etc/ssl/ci.p12). Each must be an
        option that starts with '-'.
      - The client ignores O(ca_path), O(client_cert) and O(use_proxy). Use JVM options instead.
    type: list
    elements: str
    default: []
  jar_cache:
    description:
      - Directory to cache C(jenkins-cli.jar) in, for O(via=jar). The file is downloaded again if the server has a
        different version.
    type: path
    default: ~/.cache/buildworks.toolchain
  jar_transport:
    description: How C(jenkins-cli.jar) connects, for O(via=jar). Ignored for Hudson.
    type: str
    choices:
      http: Two HTTP connections.
      websocket: A WebSocket, which more proxies support. The server must have its own URL configured.
    default: http
  ssh_user:
    description: User name for O(via=ssh). If not set, O(username) is used.
    type: str
  identity_file:
    description:
      - Path to the private key for O(via=ssh). If not set, the SSH configuration applies.
      - SSH never prompts for a passphrase or a password.
    type: path
  known_hosts:
    description:
      - Path to a file that contains the server's host key, for O(via=ssh). If not set, the known hosts file of C(ssh)
        is used.
      - Servers with an unknown host key are rejected.
    type: path
seealso:
  - module: buildworks.toolchain.ci_cli_jar
"""

EXAMPLES = r"""
- name: List the plugins, also in check mode
  buildworks.toolchain.ci_cli:
    command: list-plugins
    read_only: true
  register: plugins

- name: Run a Groovy script with an argument
  buildworks.toolchain.ci_cli:
    command: groovy
    arguments: ["=", all]
    stdin: |
      import jenkins.model.Jenkins
      println Jenkins.get().getView(args[0])?.items*.fullName

- name: Run a build and accept an unstable result
  buildworks.toolchain.ci_cli:
    command: build
    arguments: [deploy, -s, -v, -p, VERSION=1.2.3]
    accept: [0, 1]
    wait_timeout: 3600

- name: Download the configuration of a job
  buildworks.toolchain.ci_cli:
    command: get-job
    arguments: [app]
    read_only: true
    to_file: "{{ ansible_facts.env.HOME }}/app.xml"

- name: Run a command with jenkins-cli.jar over a WebSocket
  buildworks.toolchain.ci_cli:
    command: who-am-i
    read_only: true
    via: jar
    jar_transport: websocket

- name: Run a command over SSH with a private key
  buildworks.toolchain.ci_cli:
    command: quiet-down
    via: ssh
    ssh_user: automation
    identity_file: ~/.ssh/ci_ed25519
    known_hosts: /etc/ssh/ci_known_hosts
"""

RETURN = r"""
plan:
  description: Command that the task ran or, in check mode, would run.
  returned: success
  type: dict
  contains:
    command:
      description: Name and arguments of the command.
      type: list
      elements: str
    via:
      description: How the module connected.
      type: str
  sample:
    command: [list-plugins]
    via: http
rc:
  description: Exit code. V(null) if the command was not run or the connection was lost before it ended.
  returned: always
  type: int
  sample: 0
stdout:
  description: Standard output, at most the last 4 MiB. Empty with O(to_file).
  returned: always
  type: str
  sample: "git Git plugin 5.2.1\n"
stdout_lines:
  description: Lines of RV(stdout).
  returned: always
  type: list
  elements: str
stderr:
  description: Standard error, at most the last 4 MiB.
  returned: always
  type: str
  sample: ""
stderr_lines:
  description: Lines of RV(stderr).
  returned: always
  type: list
  elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import RESULT_NAMES, Command
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.transports import TRANSPORTS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_NO_NUL = dict(matches=(r"[^\0]*", "a string without NUL characters"))
SPEC = (CI + TO_FILE) + ArgumentSpec(
    dict(
        command=dict(type="str", required=True, **NAME, matches=("[^-].*", "a name that does not start with '-'")),
        arguments=dict(type="list", elements="str", default=[], each_element=_NO_NUL),
        stdin=dict(type="str", unchecked="checked by the command"),
        stdin_file=dict(type="path", not_empty=True),
        via=dict(type="str", choices=list(TRANSPORTS), default="http"),
        read_only=dict(type="bool", default=False),
        accept=dict(type="list", elements="int", default=[0], each_element=dict(at_least=0, at_most=2**31 - 1)),
        wait_timeout=dict(type="float", default=600.0, at_least=0.1, at_most=2_592_000),
        to_file=dict(type="path", not_empty=True),
        java=dict(type="path", default="java", not_empty=True),
        java_options=dict(
            type="list",
            elements="str",
            default=[],
            each_element=dict(matches=(r"-[^\0]*", "an option that starts with '-'")),
        ),
        jar_cache=dict(type="path", default="~/.cache/buildworks.toolchain", not_empty=True),
        jar_transport=dict(type="str", choices=["http", "websocket"], default="http"),
        ssh_user=dict(type="str", **NAME),
        identity_file=dict(type="path", not_empty=True),
        known_hosts=dict(type="path", not_empty=True),
    ),
    mutually_exclusive=[("stdin", "stdin_file")],
)


def run(task: Task) -> None:
    ci, command = CiService(task), Command(task)
    execute = TRANSPORTS[task.params["via"]]

    def run_command() -> Fields:
        return command.run(lambda: execute(task, ci, command))

    operate(
        task,
        command.plan(),
        run_command,
        changes_state=not task.params["read_only"],
        result_names=RESULT_NAMES,
        predict=run_command if command.read_only else dict,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
