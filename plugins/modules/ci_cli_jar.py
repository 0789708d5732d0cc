#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_cli_jar
short_description: Keep the client of a CI server's command-line interface
description:
  - Puts the client program that the server offers (C(jenkins-cli.jar)) into a file, unless it is there already.
  - It is there when the file has the size and the time that the server tells of its own. The file has that time for
    this reason.
  - What was fetched is put there only when it is a client of the server's own version, and the file is either old or
    new, never half written.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
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
    description: The file. Its folder is made when it is missing.
    type: path
    required: true
seealso:
  - module: buildworks.toolchain.ci_cli
"""

EXAMPLES = r"""
- name: Have the client at hand
  buildworks.toolchain.ci_cli_jar:
    dest: /opt/ci/jenkins-cli.jar
"""

RETURN = r"""
jar:
  description: The client, in check mode as it would be.
  returned: success
  type: dict
  contains:
    path:
      description: Where it is.
      type: str
    size:
      description: Size in bytes.
      type: int
    modified:
      description: When it was made, as the server tells, in ISO 8601.
      type: str
    version:
      description: The release of the server that it belongs to. None for Hudson's, which does not tell.
      type: str
  sample:
    path: /opt/ci/jenkins-cli.jar
    size: 3453711
    modified: "2026-11-21T04:57:51Z"
    version: "2.579"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.client import Copy
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = CI + ArgumentSpec(dict(dest=dict(type="path", required=True, not_empty=True)))


def run(task):
    copy = Copy.at_dest(task, CiService(task))
    reconcile(
        task,
        "jar",
        read=copy.read,
        desired=copy.wanted,
        create=copy.fetch,
        update=copy.fetch,
        show=copy.show,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
