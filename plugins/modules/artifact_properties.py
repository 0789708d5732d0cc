#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_properties
short_description: Set the properties of an artifact or folder
description:
  - Sets properties of one item of an artifact repository, or removes them.
  - Values of one property are a set. Their order does not matter, and equal ones are one.
  - After a change the properties are read back; when the server did not keep them as asked for, the task fails.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
options:
  repo:
    description: Key of the repository. A local one, or the cache of a remote one (V(<key>-cache)).
    type: str
    required: true
  path:
    description:
      - Path of the file or folder in the repository.
      - A folder's properties are its own; those of the items below it are left alone.
    type: str
    required: true
  properties:
    description:
      - Key to value, or to a list of values. Numbers and booleans are kept as text (V(true), V(false)).
      - Keys begin with a letter and have neither blanks nor special characters other than C(.), C(_), C(-), C(:), C(?),
        C(|) and quotes. Values may have any character.
      - An empty text is a value. An empty list removes the property.
      - Required with O(state=present).
    type: dict
  purge:
    description: Remove all properties that are not in O(properties).
    type: bool
    default: false
  keys:
    description: Keys of the properties to remove. Required with O(state=absent).
    type: list
    elements: str
  state:
    description:
      - V(present) sets O(properties).
      - V(absent) removes the properties named by O(keys).
    type: str
    choices: [present, absent]
    default: present
seealso:
  - module: buildworks.toolchain.artifact_properties_info
"""

EXAMPLES = r"""
- name: Mark a build as tested
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    properties:
      qa.status: passed
      qa.platforms: [linux, windows]

- name: Have these properties and no others
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    properties:
      release: "1.0"
    purge: true

- name: Take back a mark
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    keys: [qa.status]
    state: absent
"""

RETURN = r"""
properties:
  description: All properties of the item afterwards, or as they would be in check mode. Values are sorted.
  returned: success
  type: dict
  sample:
    qa.platforms: [linux, windows]
    qa.status: [passed]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.properties import (
    check_key,
    normalised,
    write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import purged, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True),
        path=dict(type="str", required=True),
        properties=dict(type="dict"),
        purge=dict(type="bool", default=False),
        keys=dict(type="list", elements="str", no_log=False),
        state=dict(type="str", choices=["present", "absent"], default="present"),
    ),
    required_if=[("state", "present", ["properties"]), ("state", "absent", ["keys"])],
    mutually_exclusive=[("properties", "keys")],
)


def run(task):
    where = task.pick("repo", "path")
    desired = normalised(task.params["properties"] or {}, "properties")
    desired.update({check_key(key, "keys"): None for key in task.params["keys"] or ()})
    artifact = ArtifactService(task)
    reconcile(
        task,
        "properties",
        read=lambda: artifact.properties(**where),
        desired=lambda before: purged(before, desired) if task.params["purge"] else desired,
        update=lambda fields: write(artifact, fields=fields, **where),
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
