#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project_info
short_description: List the projects of a code-analysis server
description:
  - Lists the projects that the account may see. A project's name is what other modules take; its id is in addresses.
  - Of one project it also tells, when asked, what was analysed in a build, and its taxonomies.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission; shows the projects that the account may see.
options:
  name:
    description: Only the project of exactly this name.
    type: str
  streams:
    description: Whether streams are listed as well, as C(project/stream). Servers before 2023 have none.
    type: bool
    default: false
  configuration:
    description: Whether to tell what was analysed in O(build). Needs O(name), and a build.
    type: bool
    default: false
  build:
    description: Name of the build for O(configuration). Without it the latest one is meant.
    type: str
  taxonomies:
    description: Whether to tell the taxonomies. Needs O(name).
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_project
"""

EXAMPLES = r"""
- name: List all projects
  buildworks.toolchain.review_project_info:
  register: review

- name: Look at one project and its latest build
  buildworks.toolchain.review_project_info:
    name: mobile-app
    configuration: true
    taxonomies: true
  register: app

- name: Show how large it is
  ansible.builtin.debug:
    msg: "{{ app.configuration.figures.linesOfCode }} lines of code"
"""

RETURN = r"""
projects:
  description: The projects, sorted by name. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    creator:
      description: The account that created it.
      type: str
    description:
      description: Its description.
      type: str
    tags:
      description: Its tags, sorted.
      type: list
      elements: str
configuration:
  description: What was analysed in the build. None when it was not asked for, or there is no such project.
  returned: success
  type: dict
  contains:
    build:
      description: Name of the build.
      type: str
    version:
      description: Version of the analysis.
      type: str
    taxonomies:
      description: Names of the taxonomies of the build, sorted.
      type: list
      elements: str
    figures:
      description: What is a number in C(raw), by the server's own names, such as C(linesOfCode).
      type: dict
    raw:
      description: All as the server says it, in texts. The date in it has the server's own zone.
      type: dict
taxonomies:
  description: The taxonomies, sorted by name. None when they were not asked for, or there is no such project.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the taxonomy.
      type: str
    custom:
      description: Whether it is one of the site's own.
      type: bool
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(
        name=dict(type="str", **NAME),
        streams=dict(type="bool", default=False),
        configuration=dict(type="bool", default=False),
        build=dict(type="str", **NAME),
        taxonomies=dict(type="bool", default=False),
    ),
    required_if=[("configuration", True, ["name"]), ("taxonomies", True, ["name"])],
)


def run(task):
    name, review = task.params["name"], ReviewService(task)
    found = [one for one in projects.listed(review, task.params["streams"]) if name in (None, one["name"])]
    task.result = {"projects": found, "configuration": None, "taxonomies": None}
    if found and task.params["configuration"]:
        task.result["configuration"] = projects.configuration(review, name, task.params["build"])
    if found and task.params["taxonomies"]:
        task.result["taxonomies"] = projects.taxonomies(review, name)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
