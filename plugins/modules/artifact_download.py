#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_download
short_description: Download Artifactory files and folders
description:
  - Download a file, or all files in a folder, from Artifactory. With O(items), download several files and folders.
    Files are downloaded concurrently.
  - A file is not downloaded if O(dest) already has the size and checksum that Artifactory reports.
  - If the connection is lost, the download is resumed. The checksum is verified before an existing file is replaced, so
    that O(dest) always contains either the old or the new file.
  - Local files that do not exist in the repository are not deleted.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_download
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Read permission on the files. Downloading a folder also requires Artifactory Pro and a user account,
    because anonymous users cannot list folders.
  - Files are stored on the host where the module runs. Relative paths are resolved against its working directory.
options:
  repo:
    description: Key of the repository. All repository types are supported. If a file is not in the cache of a remote
      repository, Artifactory fetches it.
    type: str
  path:
    description:
      - Path to the file in the repository.
      - If the path ends with a slash, it refers to a folder, and all files in the folder are downloaded recursively.
        V(/) refers to the whole repository.
    type: str
  dest:
    description:
      - Path at which the file is stored. If this path is an existing directory or ends with a slash, the file keeps its
        name.
      - If O(path) is a folder, this is the directory in which its files are stored.
      - Missing directories are created. Symbolic links are followed. The mode of a new file depends on the umask. A
        replaced file keeps its owner, group and mode.
    type: path
  items:
    description:
      - List of files and folders, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Without O(items), O(repo), O(path) and O(dest) are required. With O(items), each item needs O(repo), O(path) and
        O(dest), either in the item itself or as a default.
      - All items are validated before the first request. Two files must not have the same destination.
    type: list
    elements: dict
    suboptions:
      repo:
        description: Value of O(repo) for this item.
        type: str
      path:
        description: Value of O(path) for this item.
        type: str
      dest:
        description: Value of O(dest) for this item.
        type: path
seealso:
  - module: buildworks.toolchain.artifact_file
  - module: buildworks.toolchain.artifact_item_info
  - name: Retrieve Artifact
    description: Reference documentation of the REST API.
    link: https://jfrog.com/help/r/jfrog-rest-apis/retrieve-artifact
"""

EXAMPLES = r"""
- name: Download a release
  buildworks.toolchain.artifact_download:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    dest: "{{ ansible_facts.env.HOME }}/downloads/"

- name: Download all releases, eight files at a time
  buildworks.toolchain.artifact_download:
    repo: generic-local
    path: app/
    dest: "{{ ansible_facts.env.HOME }}/releases"
    workers: 8

- name: Download the parts of an image from two repositories
  buildworks.toolchain.artifact_download:
    dest: "{{ ansible_facts.env.HOME }}/parts/"
    items:
      - repo: libs-release
        path: org/acme/app/1.0/app-1.0.jar
      - repo: generic-local
        path: app/README.txt
"""

RETURN = r"""
file:
  description: The file that was stored or, in check mode, would be stored.
  returned: success, when O(items) is not set and O(path) is a file
  type: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path to the file in the repository.
      type: str
    dest:
      description: Path to the local file, with symbolic links resolved.
      type: str
    size:
      description: Size in bytes.
      type: int
    checksums:
      description: Checksum that was compared, by algorithm. The algorithm is C(sha256) if the server reports this
        checksum.
      type: dict
  sample:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    dest: /home/ci/downloads/app-1.0.tar.gz
    size: 1048576
    checksums:
      sha256: 30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58
counts:
  description: Number of files by outcome. Each item is counted once.
  returned: when O(items) is set or O(path) is a folder
  type: dict
  contains:
    changed:
      description: Files that were downloaded or, in check mode, would be downloaded.
      type: int
    ok:
      description: Files that already existed with the same checksum.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Always V(0).
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items that failed, with the same keys as RV(outcomes).
  returned: when O(items) is set or O(path) is a folder
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) files. Failures come first, then deletions, changes that open access, other
    changes and unchanged files, each in the order of O(items). Files of a folder are in the order returned by the
    server.
  returned: when O(items) is set or O(path) is a folder
  type: list
  elements: dict
  contains:
    index:
      description: Index of the file among all files, starting at 0.
      type: int
    item:
      description: Item as specified. For a file of a folder, O(path) and O(dest) are those of the file, and C(remote)
        has the size and checksums that the server reported.
      type: dict
    status:
      description: Outcome of the item, which is V(changed), V(ok), V(failed) or V(skipped). RV(counts) explains these
        values.
      type: str
    changed:
      description: Whether the file was stored.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    file:
      description: Value of RV(file) for this item.
      type: dict
hidden:
  description: Number of files that RV(outcomes) does not contain, by kind. Kinds without such files are left out.
  returned: when O(items) is set or O(path) is a folder
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

import functools

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.files import download
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_items, process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, unchecked="may have any character but a semicolon"),
        dest=dict(type="path", required=True, not_empty=True),
    ),
    checks=[download.check_path],
)
SPEC = ARTIFACT + with_items(ITEM)


def run(task: Task) -> None:
    expand_folders = functools.partial(download.expand_folders, task)
    if task.params["items"] is None and download.is_folder(task.params):
        download.check_destination(task.params)
        process_items(task, expand_folders([{}]), download_file)
    else:
        process_one_or_items(
            task,
            download_file,
            check=download.check_destination,
            identity=download.destination,
            expand_all=expand_folders,
        )


def download_file(task: Task) -> None:
    file = download.Download(task)
    reconcile(
        task,
        "file",
        read=file.read,
        desired=file.get_desired,
        create=file.fetch,
        update=file.fetch,
        to_result=file.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
