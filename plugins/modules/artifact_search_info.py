#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_search_info
short_description: Find files by their name or path
description:
  - Looks for files by a part of their names (O(name)), or by a pattern of their paths in one repository (O(pattern)).
  - For anything else, and for very many, see M(buildworks.toolchain.artifact_query_info).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Read on what is to be found. Patterns also need an account, and an edition that is not the open
    source one.
options:
  name:
    description:
      - A part of the file's name; must not be empty. V(*) stands for anything in it, V(?) for one character.
      - Anything may stand before and after it, unless it begins or ends with V(*) or V(?). So V(app-1.0*) finds
        V(webapp-1.0.zip) as well.
      - Folders before the name are not looked at. Whether upper and lower case differ depends on the server's database.
    type: str
  repos:
    description:
      - Where to look for O(name), everywhere when not given. Each is a repository's key, or key/path for a folder
        in it.
      - Of a remote repository the cache is searched, of a virtual one all of its repositories.
    type: list
    elements: str
  pattern:
    description:
      - Key of a repository, a colon, and a path in which V(*) and V(?) stand for anything but a slash.
      - It must not be empty. Virtual repositories cannot be searched so.
    type: str
  detail:
    description: What to tell of each file beside its place. Only with O(name).
    type: list
    elements: str
    choices: [info, properties]
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

- name: Find the libraries of all versions
  buildworks.toolchain.artifact_search_info:
    pattern: "libs-release-local:org/acme/app/*/*.jar"

- name: Keep a list of all jars of a repository, however many there are
  buildworks.toolchain.artifact_search_info:
    name: "*.jar"
    repos: [libs-release-local]
    detail: [info]
    to_file: "{{ ansible_facts.env.HOME }}/jars.jsonl"
"""

RETURN = r"""
matches:
  description: The files that were found, sorted; in O(to_file) in the server's order.
  returned: success, without O(to_file)
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path in the repository, without a slash at its beginning.
      type: str
    info:
      description: Size, checksums and times, as in RV(buildworks.toolchain.artifact_item_info#module:item). Only with
        V(info) in O(detail).
      type: dict
    properties:
      description: Key to the list of its values, sorted. Only with V(properties) in O(detail).
      type: dict
  sample:
    - repo: generic-local
      path: app/1.0/app-1.0.tar.gz
count:
  description: Number of files that were found.
  returned: success
  type: int
  sample: 1
capped:
  description:
    - Whether there may be more files than the server gives. It gives no more than 1,000 to accounts that are no
      administrators, and does not say so; the task warns when there are just so many.
    - Always V(false) with O(pattern).
  returned: success
  type: bool
  sample: false
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import search
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import gather
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        name=dict(type="str", not_empty=True),
        repos=dict(type="list", elements="str", each=dict(matches=("[^,/][^,]*", "a repository's key, or key/path"))),
        pattern=dict(type="str", not_empty=True),
        detail=dict(type="list", elements="str", choices=["info", "properties"]),
    ),
    required_one_of=[("name", "pattern")],
    mutually_exclusive=[("pattern", "name"), ("pattern", "repos"), ("pattern", "detail")],
)


def run(task):
    artifact = ArtifactService(task)
    name, pattern = task.params["name"], task.params["pattern"]
    counts = {"reported": 0}
    if pattern:
        search.check_pattern(pattern, "pattern")
        matches = search.by_pattern(artifact, pattern)
    else:
        search.check_name(name, "name")
        matches = search.by_name(
            artifact,
            name,
            task.params["repos"] or [],
            task.params["detail"] or [],
            counts=counts,
            streamed=task.params["to_file"] is not None,
        )
    task.result["count"] = gather(task, "matches", matches, order=["repo", "path"])
    capped = task.result["capped"] = counts["reported"] == search.CAP
    if capped:
        task.warn(
            f"The server gave {search.CAP:,} results, which is as many as it gives at most: there may be more. Search "
            "in fewer repositories, or use artifact_query_info."
        )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
