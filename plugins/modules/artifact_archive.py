#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_archive
short_description: Deploy what is in an archive
description:
  - Sends an archive in one request. The server unpacks it into a folder of a repository and does not keep the archive
    itself.
  - The members of the archive are compared, by size and checksum, with what is in the folder. When all of them are
    there, nothing is sent. What else is in the folder stays.
  - Afterwards they are compared again. When some are missing or different, the task fails and names them.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read and Deploy on the folder, Delete as well to replace what is there; and a paid edition.
  - The archive is read where the module runs, relative paths begin in the folder that it runs in. Those of the type
    C(7z) need the Python package C(py7zr) there, and room for what is in them in the folder for temporary files.
  - When the server takes long to unpack a large archive, raise O(timeout).
requirements:
  - py7zr, for archives of the type C(7z)
options:
  repo:
    description: Key of the repository. A local one, or a virtual one with a default deployment repository.
    type: str
    required: true
  path:
    description: The folder that the members get into, with the paths that they have in the archive. Made when it is
      missing. Empty for the top folder of the repository. Paths that Artifactory takes for another item or does not
      store are refused, as in M(buildworks.toolchain.artifact_file).
    type: str
    required: true
  src:
    description:
      - The archive. Its type is told by the end of its name, C(.zip), C(.tar), C(.tar.gz), C(.tgz), C(.tar.bz2) or
        C(.7z).
      - Members that are no files, such as links, are left out, as the server does.
      - An archive is refused if a member has a path that Artifactory takes for another item or does not store.
    type: path
    required: true
  atomic:
    description: Whether the server deploys all members or none. Without it what it deployed before it failed stays.
    type: bool
    default: true
seealso:
  - module: buildworks.toolchain.artifact_file
  - name: Deploy Artifacts from Archive
    description: The vendor's reference.
    link: https://jfrog.com/help/r/jfrog-rest-apis/deploy-artifacts-from-archive
"""

EXAMPLES = r"""
- name: Have pages to publish
  ansible.builtin.copy:
    dest: "{{ ansible_facts.env.HOME }}/index.html"
    content: <h1>Welcome</h1>
    mode: "0644"

- name: Pack them
  ansible.builtin.command:
    cmd: tar --create --gzip --file site.tar.gz index.html
    chdir: "{{ ansible_facts.env.HOME }}"
    creates: site.tar.gz

- name: Publish them
  buildworks.toolchain.artifact_archive:
    repo: generic-local
    path: site
    src: "{{ ansible_facts.env.HOME }}/site.tar.gz"
"""

RETURN = r"""
archive:
  description: What was compared, and deployed where it differed.
  returned: success
  type: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: The folder.
      type: str
    type:
      description: Type of the archive.
      type: str
    members:
      description: How many files are in the archive.
      type: int
    size:
      description: Their size in bytes, unpacked.
      type: int
  sample: {repo: generic-local, path: site, type: tar.gz, members: 120, size: 1048576}
plan:
  description: What was done, or would be in check mode; V(null) when all members are there already.
  returned: success
  type: dict
  contains:
    counts:
      description: How many members are to be added (C(add)) and how many replace another file (C(replace)).
      type: dict
    first:
      description: The first ten of them by name, each with C(action), C(path) and C(size) in bytes.
      type: list
      elements: dict
  sample:
    counts: {add: 1}
    first: [{action: add, path: site/index.html, size: 16}]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.archives import Archive
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate, planned
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, free="checked as the server reads it; empty for the top folder"),
        src=dict(type="path", required=True, not_empty=True),
        atomic=dict(type="bool", default=True),
    )
)


def run(task):
    archive = Archive(task)
    task.result["archive"] = archive.show()
    operate(task, planned(archive.steps()), archive.deploy, rehearse=archive.rehearse)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
