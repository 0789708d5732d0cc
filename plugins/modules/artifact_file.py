#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_file
short_description: Manage Artifactory files
description:
  - Upload a file or a text to Artifactory, or delete a file or folder. With O(items), process several files
    concurrently.
  - The file is read once to compute its checksums. If the repository already contains the file with these checksums,
    nothing is uploaded. If the server already stores the content at another path, only the checksums are sent.
    Otherwise, the content is streamed.
  - Checksums are sent with every upload, so that Artifactory rejects a file that was truncated or changed during the
    upload.
  - In Maven repositories with unique or non-unique snapshots, Artifactory renames snapshot files. The module compares
    the newest snapshot and returns the path at which Artifactory stored the file in RV(file.path). In check mode, it
    returns O(path), because the new path is not known before the upload.
  - After a change, the module reads the item back. The task fails if the server did not store it as requested.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_file
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Read and Deploy permissions on the path. Replacing or deleting an existing item also requires the
    Delete permission. Setting O(properties) also requires the Annotate permission.
  - Files are read on the host where the module runs. Relative paths are resolved against its working directory.
  - If the server needs a long time to store a large file, increase O(timeout).
options:
  repo:
    description:
      - Key of the repository. Files are uploaded to a local repository, or to a virtual repository with a default
        deployment repository.
      - Items can be deleted from local repositories and from the caches of remote repositories (V(<key>-cache)).
    type: str
  path:
    description:
      - Path to the file in the repository. If the path ends with a slash, it refers to a folder, and the file keeps the
        name it has in O(src). V(/) is the root of the repository.
      - If O(state=absent), the path can refer to a file or a folder.
      - Paths that Artifactory would interpret as another item are refused before the first request. These are paths
        that contain V(!) or V(;), and paths that end with V(:properties) or a space.
      - If O(state=present), names that Artifactory does not store are also refused. These are names that contain V(?),
        V(*), V(|) or a double quote, names that begin or end with a space, and the name V(&).
      - If O(state=present), the extensions V(.sha1), V(.sha256) and V(.md5) are refused, because Artifactory interprets
        such files as checksums of other files.
    type: str
  src:
    description:
      - Path to the local file to upload.
      - If O(items) is set, this can be a pattern with V(*), V(?) and V([]), and V(**) for any number of directories.
        The pattern must match at least one file, and O(path) must end with a slash. Each file keeps the part of its
        path that begins with the first wildcard. Wildcards do not match the leading dot of a hidden file.
      - Ignored if O(state=absent).
    type: path
  content:
    description: Text to upload, encoded in UTF-8. An empty text is allowed. Mutually exclusive with O(src). Ignored if
      O(state=absent).
    type: str
  properties:
    description:
      - Properties to set on the file, in the same format as in M(buildworks.toolchain.artifact_properties).
      - If the content does not change, the other existing properties are kept. If it changes, they are removed.
      - Keys and values that consist of ASCII letters, digits and C(_.:/@-) are sent with the upload. Properties with
        other characters, and properties of a file that is not uploaded again, are set with an additional request, which
        requires Artifactory Pro.
      - Ignored if O(state=absent).
    type: dict
  recursive:
    description: Whether to delete a folder with all its contents. If V(false), the task fails if O(path) is a folder.
      Only used if O(state=absent).
    type: bool
    default: false
  state:
    choices:
      present: The file exists with the content of O(src) or O(content).
      absent: The file or folder does not exist. If the trash can is enabled, it is moved there. To delete a Maven
        snapshot that Artifactory renamed, specify the path at which it is stored.
  items:
    description:
      - List of files, each with the options below. Options set outside O(items) are the defaults for all items.
      - Without O(items), O(repo) and O(path) are required. With O(items), each item needs O(repo) and O(path), either
        in the item itself or as a default.
      - All items are validated before the first request. Two items must not have the same path.
    type: list
    elements: dict
    suboptions:
      repo:
        description: Value of O(repo) for this item.
        type: str
      path:
        description: Value of O(path) for this item.
        type: str
      src:
        description: Value of O(src) for this item.
        type: path
      content:
        description: Value of O(content) for this item.
        type: str
      properties:
        description: Value of O(properties) for this item. Replaces the default; the two are not merged.
        type: dict
      recursive:
        description: Value of O(recursive) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_download
  - module: buildworks.toolchain.artifact_archive
  - module: buildworks.toolchain.artifact_properties
  - name: Deploy Artifact
    description: Reference documentation of the REST API.
    link: https://jfrog.com/help/r/jfrog-rest-apis/deploy-artifact
"""

EXAMPLES = r"""
- name: Create a file to release
  ansible.builtin.copy:
    dest: "{{ ansible_facts.env.HOME }}/app-1.2.txt"
    content: the third release
    mode: "0644"

- name: Upload the file and set its build properties
  buildworks.toolchain.artifact_file:
    repo: generic-local
    path: app/1.2/
    src: "{{ ansible_facts.env.HOME }}/app-1.2.txt"
    properties:
      build.name: app
      build.number: "7"

- name: Store a text in a file
  buildworks.toolchain.artifact_file:
    repo: generic-local
    path: app/LATEST
    content: "1.2"

- name: Upload all text files and a README, eight files at a time
  buildworks.toolchain.artifact_file:
    repo: generic-local
    items:
      - src: "{{ ansible_facts.env.HOME }}/*.txt"
        path: app/1.2/texts/
      - path: app/1.2/README
        content: See the texts.
    workers: 8

- name: Delete a release
  buildworks.toolchain.artifact_file:
    repo: generic-local
    path: app/1.2
    recursive: true
    state: absent
"""

RETURN = r"""
file:
  description:
    - State of the item after the task. V(null) if the item does not exist.
    - In check mode, the predicted state, in which values that only the server can determine are V(null).
  returned: success, when O(items) is not set
  type: dict
  contains:
    repo:
      description: Key of the repository, as reported by the server.
      type: str
    path:
      description: Path of the item in the repository.
      type: str
    type:
      description: Either V(file) or V(folder).
      type: str
    size:
      description: Size in bytes.
      type: int
    checksums:
      description: Checksums of the content, C(sha256), C(sha1) and C(md5).
      type: dict
    mime_type:
      description: Media type of the content.
      type: str
    download_uri:
      description: URL of the content.
      type: str
    created:
      description: Time at which the file was first uploaded, in ISO 8601 format.
      type: str
    created_by:
      description: User who first uploaded the file.
      type: str
    modified:
      description: Time at which the content last changed, in ISO 8601 format.
      type: str
    modified_by:
      description: User who last changed the content.
      type: str
    properties:
      description: All properties of the file. Values are sorted.
      type: dict
      returned: when O(properties) is set
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
  description: Number of files by outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Files that were uploaded or deleted or, in check mode, would be.
      type: int
    ok:
      description: Files that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) files. Failures come first, then deletions, changes that open access, other
    changes and unchanged files, each in the order of O(items).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Index of the file among all files, starting at 0. A pattern counts as all files that it matches.
      type: int
    item:
      description: Item as specified. For a file that a pattern matched, O(src) and O(path) are those of the file.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    file:
      description: Value of RV(file) for this item.
      type: dict
hidden:
  description: Number of files that RV(outcomes) does not contain, by kind. Kinds without such files are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.files import upload
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = STATE + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, unchecked="checked as the server reads it"),
        src=dict(type="path", not_empty=True),
        content=dict(type="str", unchecked="any text, also none"),
        properties=dict(type="dict", text_values=True, unchecked="keys and values are checked as the server does"),
        recursive=dict(type="bool", narrows_scope=True, default=False),
    ),
    required_if=[("state", "present", ["src", "content"], True)],
    mutually_exclusive=[("src", "content")],
)
SPEC = (ARTIFACT + PREDICT_MISSING + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(
        task, reconcile_file, check=upload.check, expand=upload.expand_pattern, identity=upload.item_key
    )


def reconcile_file(task: Task) -> None:
    file = upload.File(task)
    reconcile(
        task,
        "file",
        read=file.read,
        desired=file.get_desired,
        create=file.deploy,
        update=file.annotate,
        delete=file.delete,
        replace_reason=file.replace_reason,
        replace=file.deploy,
        check=file.check,
        predict_refusal=file.predict_refusal,
        to_result=file.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
