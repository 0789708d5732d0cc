#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_cli
short_description: Run a command of a CI server's command-line interface
description:
  - Runs one command of the server's command-line interface, such as V(build), V(list-plugins) or V(groovy), and waits
    until it has ended. What the command writes is shown as progress, and is in the result.
  - By default it speaks the protocol of the server's own client itself, so no Java is needed. It can also run that
    client, or go over SSH.
  - A command is taken for one that changes something, and is not run in check mode. With O(reads=true) it is taken for
    one that only reads.
  - Prefer the modules that are made for a purpose, such as M(buildworks.toolchain.ci_safe_restart). They know whether
    there is something to do, and look whether it was done.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes
notes:
  - The permissions that are needed are those of the command. Anybody may connect.
  - A server interrupts a command whose client is gone, so Ctrl-C, O(wait_timeout) and a lost connection interrupt it.
    Whether it had its effect is not known then. V(build) with C(-s) stops its build when it is interrupted.
  - What the task calls success is an exit code. That the command did what it was for is proven by nothing else.
attributes:
  idempotent:
    support: N/A
    details: The command decides. Each run runs it.
  diff_mode:
    support: none
    details: What a command changes is not known.
options:
  command:
    description: Name of the command. It takes a name that does not begin with '-'.
    type: str
    required: true
  arguments:
    description: What follows the name, each argument by itself, a text without NUL of at most 65535 bytes.
    type: list
    elements: str
    default: []
  stdin:
    description: What the command reads from its standard input. Without it and O(stdin_file) there is nothing to read.
    type: str
  stdin_file:
    description: File with what the command reads from its standard input. It is sent in pieces, however large it is.
    type: path
  via:
    description:
      - V(http) speaks the protocol of the client over two HTTP connections. Proxies between must pass on what they get
        at once, in both directions.
      - V(jar) runs the server's own client with Java, which is told account and password by its environment. That is
        what servers before 2.54 need, and Hudson, whose exit code is 255 whatever went wrong. Hudson's client can log
        in with Java 8 only.
      - V(ssh) runs the command C(ssh) of this host. The server tells its port in C(X-SSH-Endpoint), if its SSH server
        is on.
    type: str
    choices: [http, jar, ssh]
    default: http
  reads:
    description: The command only reads. The task reports no change then, and runs the command in check mode as well.
    type: bool
    default: false
  accept:
    description:
      - Exit codes with which the command counts as done, each 0 to 2,147,483,647.
      - The codes of most commands are 1 for an exception on the server, 2 for wrong usage, 3 for something that is not
        there, 4 for something in the wrong state, 5 when the command gave up, 6 for a missing permission.
      - V(build) with C(-s) or C(-f) ends with 0 for a build that succeeded, 1 for one that is unstable, 2 for one that
        failed, 3 for one that was not built, 4 for one that was stopped.
    type: list
    elements: int
    default: [0]
  wait_timeout:
    description: Seconds that the command may take, 0.1 to 2,592,000.
    type: float
    default: 600
  to_file:
    description:
      - File for what the command writes to its standard output, in place of the result. It is replaced when the command
        has ended as O(accept) says. Without O(mode) a new one is for its owner alone.
      - Without it the result has the last 4 MiB.
    type: path
  java:
    description: The Java that runs the client, for O(via=jar).
    type: path
    default: java
  java_options:
    description:
      - Options of Java itself, for O(via=jar), such as V(-Djavax.net.ssl.trustStore=/etc/ssl/ci.p12). Each is
        a text that begins with '-'.
      - The client knows nothing of O(ca_path), O(client_cert) and O(use_proxy). These options say it in Java's terms.
    type: list
    elements: str
    default: []
  jar_cache:
    description:
      - Folder that keeps the clients of servers, for O(via=jar). A client is fetched again when the server has another.
    type: path
    default: ~/.cache/buildworks.toolchain
  jar_transport:
    description:
      - How the client connects, for O(via=jar). V(websocket) passes more proxies, but needs a server that knows its own
        address.
      - Hudson's client has a way of its own and ignores this.
    type: str
    choices: [http, websocket]
    default: http
  ssh_user:
    description: Name of the account, for O(via=ssh), by default that of O(username).
    type: str
  identity_file:
    description:
      - File with the private key, for O(via=ssh). Without it C(ssh) tries what it is configured to try. It never asks
        for a passphrase or a password.
    type: path
  known_hosts:
    description:
      - File with the server's host key, for O(via=ssh), by default that of C(ssh) itself. A server whose key
        is not in it is refused.
    type: path
seealso:
  - module: buildworks.toolchain.ci_cli_jar
"""

EXAMPLES = r"""
- name: List the plugins, in check mode too
  buildworks.toolchain.ci_cli:
    command: list-plugins
    reads: true
  register: plugins

- name: Run a script
  buildworks.toolchain.ci_cli:
    command: groovy
    arguments: ["=", all]
    stdin: |
      import jenkins.model.Jenkins
      println Jenkins.get().getView(args[0])?.items*.fullName

- name: Build and wait, an unstable build is good enough
  buildworks.toolchain.ci_cli:
    command: build
    arguments: [deploy, -s, -v, -p, VERSION=1.2.3]
    accept: [0, 1]
    wait_timeout: 3600

- name: Keep the configuration of a job
  buildworks.toolchain.ci_cli:
    command: get-job
    arguments: [app]
    reads: true
    to_file: "{{ ansible_facts.env.HOME }}/app.xml"

- name: Let the server's own client do it
  buildworks.toolchain.ci_cli:
    command: who-am-i
    reads: true
    via: jar
    jar_transport: websocket

- name: Over SSH, by key
  buildworks.toolchain.ci_cli:
    command: quiet-down
    via: ssh
    ssh_user: automation
    identity_file: ~/.ssh/ci_ed25519
    known_hosts: /etc/ssh/ci_known_hosts
"""

RETURN = r"""
plan:
  description: What was run, or would be in check mode.
  returned: success
  type: dict
  contains:
    command:
      description: Name and arguments of the command.
      type: list
      elements: str
    via:
      description: The way that was taken.
      type: str
  sample:
    command: [list-plugins]
    via: http
rc:
  description: Exit code of the command. None when it was not run, or its end was not seen.
  returned: always
  type: int
  sample: 0
stdout:
  description: What it wrote to its standard output, of more than 4 MiB the end. Empty with O(to_file).
  returned: always
  type: str
  sample: "git Git plugin 5.2.1\n"
stdout_lines:
  description: The lines of RV(stdout).
  returned: always
  type: list
  elements: str
stderr:
  description: What it wrote to its standard error, of more than 4 MiB the end.
  returned: always
  type: str
  sample: ""
stderr_lines:
  description: The lines of RV(stderr).
  returned: always
  type: list
  elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import GIVES, Command
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.ways import WAYS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

WITHOUT_NUL = dict(matches=(r"[^\0]*", "a text without NUL"))
SPEC = (CI + TO_FILE) + ArgumentSpec(
    dict(
        command=dict(type="str", required=True, **NAME, matches=("[^-].*", "a name that does not begin with '-'")),
        arguments=dict(type="list", elements="str", default=[], each=WITHOUT_NUL),
        stdin=dict(type="str", free="the command says what it reads"),
        stdin_file=dict(type="path", not_empty=True),
        via=dict(type="str", choices=list(WAYS), default="http"),
        reads=dict(type="bool", default=False),
        accept=dict(type="list", elements="int", default=[0], each=dict(at_least=0, at_most=2**31 - 1)),
        wait_timeout=dict(type="float", default=600.0, at_least=0.1, at_most=2_592_000),
        to_file=dict(type="path", not_empty=True),
        java=dict(type="path", default="java", not_empty=True),
        java_options=dict(
            type="list", elements="str", default=[], each=dict(matches=(r"-[^\0]*", "a text that begins with '-'"))
        ),
        jar_cache=dict(type="path", default="~/.cache/buildworks.toolchain", not_empty=True),
        jar_transport=dict(type="str", choices=["http", "websocket"], default="http"),
        ssh_user=dict(type="str", **NAME),
        identity_file=dict(type="path", not_empty=True),
        known_hosts=dict(type="path", not_empty=True),
    ),
    mutually_exclusive=[("stdin", "stdin_file")],
)


def run(task):
    ci, command = CiService(task), Command(task)
    way = WAYS[task.params["via"]]

    def carry_out():
        return command.run(lambda: way(task, ci, command))

    operate(
        task,
        command.plan(),
        carry_out,
        lasting=not command.reads,
        gives=GIVES,
        rehearse=carry_out if command.reads else dict,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
