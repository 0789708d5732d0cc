#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_properties_info
short_description: Read the properties of an artifact or folder
description:
  - Reads all properties of one item of an artifact repository.
  - An item without properties gives none. An item that does not exist is an error.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
options:
  repo:
    description: Key of the repository.
    type: str
    required: true
  path:
    description: Path of the file or folder in the repository.
    type: str
    required: true
seealso:
  - module: buildworks.toolchain.artifact_properties
"""

EXAMPLES = r"""
- name: See whether a build was tested
  buildworks.toolchain.artifact_properties_info:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
  register: build
"""

RETURN = r"""
properties:
  description: Key to the list of its values, sorted. Empty when the item has no properties.
  returned: success
  type: dict
  sample:
    qa.platforms: [linux, windows]
    qa.status: [passed]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(repo=dict(type="str", required=True), path=dict(type="str", required=True)))


def run(task):
    task.result["properties"] = ArtifactService(task).properties(**task.pick("repo", "path"))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
