#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_archive
short_description: Have Artifactory extract an uploaded archive
description:
  - Upload an archive to Artifactory in one request. Artifactory extracts its files into a folder of a repository and
    does not keep the archive itself.
  - The module first compares the size and checksum of each file in the archive with the folder. If all files are
    already stored, it uploads nothing. Other files in the folder are not changed.
  - After the upload, the module compares the files again. If files are missing or different, the task fails and lists
    them.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_archive
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.attributes
notes:
  - Requires Artifactory Pro, and the Read and Deploy permissions on the folder. Replacing existing files also requires
    the Delete permission.
  - The module reads the archive on the host where it runs. Relative paths are resolved against its working directory.
  - Archives of type C(7z) require the Python package C(py7zr) on that host, and enough space in its temporary directory
    for the extracted files.
  - If the server needs a long time to extract a large archive, increase O(timeout).
requirements:
  - py7zr, for archives of type C(7z)
options:
  repo:
    description: Key of a local repository, or of a virtual repository with a default deployment repository.
    type: str
    required: true
  path:
    description:
      - Path to the folder into which the files are extracted. The files keep the paths that they have in the archive. A
        missing folder is created. Set to an empty string for the root of the repository.
      - Paths that Artifactory would interpret as another item or does not store are refused, as in
        M(buildworks.toolchain.artifact_file).
    type: str
    required: true
  src:
    description:
      - Path to the archive. The file extension determines its type and must be C(.zip), C(.tar), C(.tar.gz), C(.tgz),
        C(.tar.bz2) or C(.7z).
      - Symbolic links and other members that are not regular files are ignored, because Artifactory ignores them.
      - An archive is refused if it contains a path that Artifactory would interpret as another item or does not store.
    type: path
    required: true
  atomic:
    description: Whether Artifactory stores either all files or none. If V(false) and an error occurs, the files that
      were stored before the error are kept.
    type: bool
    default: true
seealso:
  - module: buildworks.toolchain.artifact_file
  - name: Deploy Artifacts from Archive
    description: Reference documentation of the REST API.
    link: https://jfrog.com/help/r/jfrog-rest-apis/deploy-artifacts-from-archive
"""

EXAMPLES = r"""
- name: Create a page
  ansible.builtin.copy:
    dest: "{{ ansible_facts.env.HOME }}/index.html"
    content: <h1>Welcome</h1>
    mode: "0644"

- name: Create an archive of the page
  ansible.builtin.command:
    cmd: tar --create --gzip --file site.tar.gz index.html
    chdir: "{{ ansible_facts.env.HOME }}"
    creates: site.tar.gz

- name: Upload the archive and extract it in the folder site
  buildworks.toolchain.artifact_archive:
    repo: generic-local
    path: site
    src: "{{ ansible_facts.env.HOME }}/site.tar.gz"
"""

RETURN = r"""
archive:
  description: Archive whose files were compared with the folder.
  returned: success
  type: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path to the folder.
      type: str
    type:
      description: Type of the archive.
      type: str
    members:
      description: Number of files in the archive.
      type: int
    size:
      description: Total size of the extracted files in bytes.
      type: int
  sample: {repo: generic-local, path: site, type: tar.gz, members: 120, size: 1048576}
plan:
  description: Changes that were made or, in check mode, would be made. V(null) if all files were already stored.
  returned: success
  type: dict
  contains:
    counts:
      description: Number of files that are added (C(add)) and number of files that replace another file (C(replace)).
      type: dict
    first:
      description: The first ten files by path, each with C(action), C(path) and C(size) in bytes.
      type: list
      elements: dict
  sample:
    counts: {add: 1}
    first: [{action: add, path: site/index.html, size: 16}]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.files.archive import Archive
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import PREDICT_MISSING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + PREDICT_MISSING) + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, unchecked="checked as the server reads it; empty for the top folder"),
        src=dict(type="path", required=True, not_empty=True),
        atomic=dict(type="bool", default=True),
    )
)


def run(task: Task) -> None:
    archive = Archive(task)
    task.result["archive"] = archive.to_result()
    operate(task, archive.plan(), archive.upload, check=archive.check, predict=archive.predict_refusal)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
