#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_file
short_description: Deploy files to a repository, or remove files and folders
description:
  - Deploys a file, or a text; with O(items) as many as you like, side by side. Or removes files and folders.
  - The file is read once for all its checksums. When the repository has it with these, nothing is sent. When the server
    has the content elsewhere, only the checksums are sent. Otherwise it is sent in pieces, however large it is.
  - The checksums always go with it, so what is cut off on its way, or changes meanwhile, is not stored.
  - Artifactory renames Maven snapshots if the repository has unique or non-unique snapshots. The newest snapshot is
    compared then, and RV(file.path) is the path at which Artifactory stored it. Check mode returns O(path), because the
    new path is not known before the upload.
  - After a change the item is read back; when the server did not keep it as asked for, the task fails.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read and Deploy on the path; Delete as well to replace or remove what is there, Annotate for
    O(properties).
  - Files are read where the module runs; relative paths begin in the folder that it runs in.
  - When the server takes long to store a large file, raise O(timeout).
options:
  repo:
    description:
      - Key of the repository. A local one; or a virtual one with a default deployment repository, which gets the file.
      - Items are removed from local repositories, and from the caches of remote ones (V(<key>-cache)).
    type: str
  path:
    description:
      - Path of the file in the repository. With a slash at its end it is a folder, in which the file of O(src) keeps
        its name; V(/) alone is the top folder.
      - With O(state=absent) the path of a file or folder.
      - Paths that Artifactory takes for another item are refused before the first request. These are paths with C(!) or
        C(;), paths that end with C(:properties), and paths that end with a blank.
      - With O(state=present), names with C(?), C(*), C(|) or a double quotation mark, names that begin or end with a
        blank, and the name C(&) are refused as well, because Artifactory does not store them. The extensions V(.sha1),
        V(.sha256) and V(.md5) are refused because Artifactory takes such files for checksums of other files.
    type: str
  src:
    description:
      - The file to deploy.
      - In O(items), or as their default, it may be a pattern with V(*), V(?), V([]), and V(**) for any depth; O(path)
        must end with a slash then. It stands for all files that it matches, at least one. Each keeps the part of its
        path that begins with the first wildcard. Hidden files are matched by what begins with a dot.
      - Not used with O(state=absent).
    type: path
  content:
    description: The text to deploy, in UTF-8, in place of O(src). It may be empty. Not used with O(state=absent).
    type: str
  properties:
    description:
      - Properties that the file gets with its deployment, as in M(buildworks.toolchain.artifact_properties).
      - Others stay as long as the content does. With another content the properties of the old one go.
      - The upload carries keys and values of ASCII letters, digits and C(_.:/@-). Other properties, and those of a file
        that is not uploaded again, need a request of their own and Artifactory Pro.
      - Not used with O(state=absent).
    type: dict
  recursive:
    description: Whether to remove a folder, which goes with all that is in it. Without it the task fails for a folder.
    type: bool
    default: false
  state:
    description:
      - V(present) deploys O(src) or O(content).
      - V(absent) removes the file or folder. Where the server has a trash can, it goes there. A Maven snapshot that
        Artifactory renamed is removed only by the path at which it is stored.
  items:
    description:
      - Several files, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(repo) and O(path) are required, else each item needs them from here or there. No two may go
        to the same place.
      - All are checked before the first request.
    type: list
    elements: dict
    suboptions:
      repo:
        description: As O(repo).
        type: str
      path:
        description: As O(path).
        type: str
      src:
        description: As O(src).
        type: path
      content:
        description: As O(content).
        type: str
      properties:
        description: As O(properties), in place of them.
        type: dict
      recursive:
        description: As O(recursive).
        type: bool
      state:
        description: As O(state).
        type: str
        choices: [present, absent]
seealso:
  - module: buildworks.toolchain.artifact_download
  - module: buildworks.toolchain.artifact_archive
  - module: buildworks.toolchain.artifact_properties
  - name: Deploy Artifact
    description: The vendor's reference.
    link: https://jfrog.com/help/r/jfrog-rest-apis/deploy-artifact
"""

EXAMPLES = r"""
- name: Have something to release
  ansible.builtin.copy:
    dest: "{{ ansible_facts.env.HOME }}/app-1.2.txt"
    content: the third release
    mode: "0644"

- name: Release it
  buildworks.toolchain.artifact_file:
    repo: generic-local
    path: app/1.2/
    src: "{{ ansible_facts.env.HOME }}/app-1.2.txt"
    properties:
      build.name: app
      build.number: "7"

- name: Keep a text in the repository
  buildworks.toolchain.artifact_file:
    repo: generic-local
    path: app/LATEST
    content: "1.2"

- name: Deploy all that was built, eight at a time
  buildworks.toolchain.artifact_file:
    repo: generic-local
    items:
      - src: "{{ ansible_facts.env.HOME }}/*.txt"
        path: app/1.2/texts/
      - path: app/1.2/README
        content: See the texts.
    workers: 8

- name: Remove a release
  buildworks.toolchain.artifact_file:
    repo: generic-local
    path: app/1.2
    recursive: true
    state: absent
"""

RETURN = r"""
file:
  description:
    - The item afterwards, or as it would be in check mode; what the server has yet to say is V(null) then.
    - V(null) when it is absent.
  returned: success, without O(items)
  type: dict
  contains:
    repo:
      description: Key of the repository, as the server tells it.
      type: str
    path:
      description: Path in the repository.
      type: str
    type:
      description: V(file) or V(folder).
      type: str
    size:
      description: Size in bytes.
      type: int
    checksums:
      description: Checksums of the content, C(sha256), C(sha1) and C(md5).
      type: dict
    mime_type:
      description: Type of the content.
      type: str
    download_uri:
      description: Where it can be downloaded.
      type: str
    created:
      description: When it was deployed first, in ISO 8601.
      type: str
    created_by:
      description: Who deployed it first.
      type: str
    modified:
      description: When its content changed last, in ISO 8601.
      type: str
    modified_by:
      description: Who changed it last.
      type: str
    properties:
      description: All its properties. Values are sorted.
      type: dict
      returned: with O(properties)
  sample:
    repo: generic-local
    path: app/1.2/app-1.2.tar.gz
    type: file
    size: 1048576
    checksums:
      sha256: 30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58
      sha1: 3b71f43ff30f4b15b5cd85dd9e95ebc7e84eb5a3
      md5: b6d81b360a5672d80c27430f39153e2c
    mime_type: application/x-gzip
    download_uri: https://repo.example.com/artifactory/generic-local/app/1.2/app-1.2.tar.gz
    created: "2026-10-01T10:11:12.345Z"
    created_by: ci
    modified: "2026-10-01T10:11:12.345Z"
    modified_by: ci
counts:
  description: How many files came to which end. Each has one end; a pattern stands for as many as it matches.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Deployed or removed, or would be in check mode.
      type: int
    ok:
      description: Were as they should be.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: Whether they were changed is not known, for the reply was lost. RV(failures) has them as well.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all files that failed or whose end is unknown, with the members of RV(outcomes).
  returned: with O(items)
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) files, in the order of O(items).
  returned: with O(items)
  type: list
  elements: dict
  contains:
    index:
      description: Place among all files, from 0.
      type: int
    item:
      description: The item as it was given; of a pattern, with O(src) and O(path) of the file.
      type: dict
    status:
      description: V(changed), V(ok), V(failed), V(unknown) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether the file was changed. A failed one may be as well.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    file:
      description: As RV(file).
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import files
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import STATE, one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = STATE + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, free="checked as the server reads it"),
        src=dict(type="path", not_empty=True),
        content=dict(type="str", free="any text, also none"),
        properties=dict(type="dict", text_values=True, free="keys and values are checked as the server does"),
        recursive=dict(type="bool", narrows=True, default=False),
    ),
    required_if=[("state", "present", ["src", "content"], True)],
    mutually_exclusive=[("src", "content")],
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, bring_there, check=files.check, expand=files.expanded, identity=files.location)


def bring_there(task):
    file = files.File(task)
    reconcile(
        task,
        "file",
        read=file.read,
        desired=file.desired,
        create=file.deploy,
        update=file.annotate,
        delete=file.delete,
        stale=file.stale,
        replace=file.deploy,
        check=file.check,
        foresee=file.predict_refusal,
        show=file.show,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
