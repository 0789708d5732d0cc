#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project_info
short_description: Get Klocwork project information
description:
  - Get the Klocwork projects that the account can see. Other modules identify a project by its name. The ID appears in
    URLs.
  - For a single project, the module can also return the configuration of a build and the taxonomies.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_project_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access). Projects that the account cannot see are not returned.
options:
  name:
    description: Return only the project with this exact name.
    type: str
  streams:
    description: Whether to also return streams, whose names have the form C(project/stream). Requires Klocwork 2023 or
      later.
    type: bool
    default: false
  configuration:
    description:
      - Whether to return the configuration of O(build), such as its analysis version and code size. The project must
        have a build.
      - Requires O(name).
    type: bool
    default: false
  build:
    description: Name of the build for O(configuration). If not set, the latest build is used.
    type: str
  taxonomies:
    description: Whether to return the taxonomies of the project. Requires O(name).
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_project
"""

EXAMPLES = r"""
- name: Get all projects
  buildworks.toolchain.review_project_info:
  register: review

- name: Get a project with the configuration of its latest build
  buildworks.toolchain.review_project_info:
    name: mobile-app
    configuration: true
    taxonomies: true
  register: app

- name: Print the code size
  ansible.builtin.debug:
    msg: "{{ app.configuration.figures.linesOfCode }} lines of code"
"""

RETURN = r"""
projects:
  description: The projects, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    creator:
      description: Account that created the project.
      type: str
    description:
      description: Description of the project.
      type: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
configuration:
  description: Configuration of the build. V(null) if it was not requested or the project does not exist.
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
      description: The numeric values in C(raw), with the names that Klocwork uses, such as C(linesOfCode).
      type: dict
    raw:
      description: All values as strings, as the server returns them. The date is in the time zone of the server.
      type: dict
taxonomies:
  description: The taxonomies, sorted by name. V(null) if they were not requested or the project does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the taxonomy.
      type: str
    custom:
      description: Whether the taxonomy is a custom one.
      type: bool
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

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


def run(task: Task) -> None:
    name, review = task.params["name"], ReviewService(task)
    matches = [
        project for project in projects.list_projects(review, task.params["streams"]) if name in (None, project["name"])
    ]
    task.result = {"projects": matches, "configuration": None, "taxonomies": None}
    if matches and task.params["configuration"]:
        task.result["configuration"] = projects.read_configuration(review, name, task.params["build"])
    if matches and task.params["taxonomies"]:
        task.result["taxonomies"] = projects.list_taxonomies(review, name)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
