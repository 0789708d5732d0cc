#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_cli_jar
short_description: Download jenkins-cli.jar from a Jenkins controller
description:
  - Download C(jenkins-cli.jar) from a Jenkins controller if the local file differs from the file on the server.
  - The files are compared by size and modification time. The local file gets the modification time of the file on the
    server.
  - The download is verified to be a client of the server's version before it replaces the existing file atomically.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_cli_jar
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - No permission is needed, except on Hudson.
attributes:
  idempotent:
    support: full
  diff_mode:
    support: full
options:
  dest:
    description: Path to the file to write. The parent directory is created if it does not exist.
    type: path
    required: true
seealso:
  - module: buildworks.toolchain.ci_cli
"""

EXAMPLES = r"""
- name: Download jenkins-cli.jar
  buildworks.toolchain.ci_cli_jar:
    dest: /opt/ci/jenkins-cli.jar
"""

RETURN = r"""
jar:
  description: State of the file after the task or, in check mode, the predicted state.
  returned: success
  type: dict
  contains:
    path:
      description: Path to the file.
      type: str
    size:
      description: Size in bytes.
      type: int
    modified:
      description: Modification time on the server, in ISO 8601 format.
      type: str
    version:
      description: Jenkins version of the client. V(null) for Hudson, whose client has no version.
      type: str
  sample:
    path: /opt/ci/jenkins-cli.jar
    size: 3453711
    modified: "2026-11-21T04:57:51Z"
    version: "2.579"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.jar import LocalJar
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(dict(dest=dict(type="path", required=True, not_empty=True)))


def run(task: Task) -> None:
    jar = LocalJar.from_dest(task, CiService(task))
    reconcile(
        task,
        "jar",
        read=jar.read,
        desired=jar.desired,
        create=jar.download,
        update=jar.download,
        to_result=jar.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
