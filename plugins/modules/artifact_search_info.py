#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_search_info
short_description: Search Artifactory for files by name or path
description:
  - Search Artifactory for files by a part of their name (O(name)), or by a pattern of their path in one repository
    (O(pattern)).
  - For other criteria and for large results, use M(buildworks.toolchain.artifact_query_info).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_search_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Read permission on the files. O(pattern) also requires a user account and Artifactory Pro.
options:
  name:
    description:
      - Part of the file name. It must not be empty. V(*) matches any text, and V(?) matches one character.
      - Other text can precede and follow this part of the name, unless it begins or ends with V(*) or V(?). For
        example, V(app-1.0*) also matches V(webapp-1.0.zip).
      - Folder names are not searched. The database of the server determines whether the search is case-sensitive.
    type: str
  repos:
    description:
      - Repositories or folders in which to search for O(name). Each entry is a repository key or C(key/path). If not
        set, all repositories are searched.
      - For a remote repository, its cache is searched. For a virtual repository, all its repositories are searched.
    type: list
    elements: str
  pattern:
    description:
      - Repository key, a colon, and a path in which V(*) and V(?) match anything except a slash.
      - The pattern must not be empty. Virtual repositories are not supported.
    type: str
  detail:
    description: Additional information to return for each file. Only used together with O(name).
    type: list
    elements: str
    choices:
      info: Size, checksums and times.
      properties: Properties.
seealso:
  - module: buildworks.toolchain.artifact_query_info
"""

EXAMPLES = r"""
- name: Find all archives of a release
  buildworks.toolchain.artifact_search_info:
    name: "app-1.0.*"
    repos: [generic-local/app, libs-release-local]
    detail: [info, properties]
  register: found

- name: Find the JAR files of all versions
  buildworks.toolchain.artifact_search_info:
    pattern: "libs-release-local:org/acme/app/*/*.jar"

- name: Write a list of all JAR files of a repository to a file
  buildworks.toolchain.artifact_search_info:
    name: "*.jar"
    repos: [libs-release-local]
    detail: [info]
    to_file: "{{ ansible_facts.env.HOME }}/jars.jsonl"
"""

RETURN = r"""
matches:
  description: The matching files, sorted by repository and path. In O(to_file), they are in the order returned by the
    server.
  returned: success, when O(to_file) is not set
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path in the repository, without a leading slash.
      type: str
    info:
      description: Size, checksums and times, as in RV(buildworks.toolchain.artifact_item_info#module:item).
      returned: when O(detail) contains V(info)
      type: dict
    properties:
      description: Properties of the file. Each value is a sorted list.
      returned: when O(detail) contains V(properties)
      type: dict
  sample:
    - repo: generic-local
      path: app/1.0/app-1.0.tar.gz
count:
  description: Number of matching files.
  returned: success
  type: int
  sample: 1
capped:
  description:
    - Whether the result may be incomplete. Artifactory returns at most 1,000 results to users who are not
      administrators, and does not report that it omitted the rest. If the task receives exactly 1,000 results, it
      issues a warning.
    - Always V(false) with O(pattern).
  returned: success
  type: bool
  sample: false
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import quick_search
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        name=dict(type="str", not_empty=True),
        repos=dict(
            type="list", elements="str", each_element=dict(matches=("[^,/][^,]*", "a repository key, or key/path"))
        ),
        pattern=dict(type="str", not_empty=True),
        detail=dict(type="list", elements="str", choices=["info", "properties"]),
    ),
    required_one_of=[("name", "pattern")],
    mutually_exclusive=[("pattern", "name"), ("pattern", "repos"), ("pattern", "detail")],
)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    name, pattern = task.params["name"], task.params["pattern"]
    counts = {"reported": 0}
    if pattern:
        quick_search.check_pattern(pattern, "pattern")
        matches = quick_search.search_by_pattern(artifact, pattern)
    else:
        quick_search.check_name(name, "name")
        matches = quick_search.search_by_name(
            artifact,
            name,
            task.params["repos"] or [],
            task.params["detail"] or [],
            counts=counts,
            streamed=task.params["to_file"] is not None,
        )
    task.result["count"] = output_list(task, "matches", matches, order=["repo", "path"])
    capped = task.result["capped"] = counts["reported"] == quick_search.MAX_RESULTS
    if capped:
        task.warn(
            f"The search returned {quick_search.MAX_RESULTS:,} results, the maximum for this account. There may be "
            "more. Search in fewer repositories or use artifact_query_info."
        )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
