#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_item_info
short_description: Get Artifactory file and folder information
description:
  - Get the size, checksums and times of a file in Artifactory, or the contents of a folder. Optionally, also get
    properties, download statistics and the last modified file. With O(items), read several items concurrently.
  - An item that does not exist, or that the server hides from the account, is not an error. If the server reports that
    the account is not allowed to read the item, the task fails.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_item_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Read permission on the item.
options:
  repo:
    description:
      - Key of the repository.
      - For a remote repository, the item is read from its cache. For a virtual repository, it is read from the first of
        its repositories that contains it.
    type: str
  path:
    description: Path to the file or folder in the repository. Set to an empty string for the root of the repository.
    type: str
  properties:
    description: Whether to also return the properties of the item. Requires one more request, or two if the item has no
      properties.
    type: bool
    default: false
  statistics:
    description: Whether to also return the download statistics of the item. Requires one more request.
    type: bool
    default: false
  last_modified:
    description:
      - Whether to also return the file below the folder that was modified last. Requires one more request.
      - Not supported for virtual and remote repositories. Use the cache of a remote repository (V(<key>-cache))
        instead.
    type: bool
    default: false
  items:
    description:
      - List of files and folders, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Without O(items), O(repo) and O(path) are required. With O(items), each item needs O(repo) and O(path), either
        in the item itself or as a default.
    type: list
    elements: dict
    suboptions:
      repo:
        description: Value of O(repo) for this item.
        type: str
      path:
        description: Value of O(path) for this item.
        type: str
      properties:
        description: Value of O(properties) for this item.
        type: bool
      statistics:
        description: Value of O(statistics) for this item.
        type: bool
      last_modified:
        description: Value of O(last_modified) for this item.
        type: bool
seealso:
  - module: buildworks.toolchain.artifact_properties_info
"""

EXAMPLES = r"""
- name: Get information about a release
  buildworks.toolchain.artifact_item_info:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
  register: release

- name: Fail unless the release exists
  ansible.builtin.assert:
    that: release.item is not none

- name: Find the file of a folder that was modified last
  buildworks.toolchain.artifact_item_info:
    repo: generic-local
    path: app
    last_modified: true

- name: Get the download statistics of two releases
  buildworks.toolchain.artifact_item_info:
    repo: generic-local
    statistics: true
    items:
      - path: app/1.0/app-1.0.tar.gz
      - path: app/1.1/app-1.1.tar.gz
"""

RETURN = r"""
item:
  description: The file or folder. V(null) if it does not exist or the server hides it. RV(missing) shows what is
    missing.
  returned: success, when O(items) is not set
  type: dict
  contains:
    repo:
      description: Key of the repository, as reported by the server. For a remote repository, the key of its cache.
      type: str
    path:
      description: Path in the repository, without a leading slash. Empty for the root of the repository.
      type: str
    type:
      description: Either V(file) or V(folder).
      type: str
    size:
      description: Size of the file in bytes. V(null) for a folder.
      type: int
    created:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    created_by:
      description: User who created the item.
      type: str
    modified:
      description: Time at which the content last changed, in ISO 8601 format (UTC).
      type: str
    modified_by:
      description: User who last changed the content.
      type: str
    updated:
      description: Time at which the item last changed in this repository, for example because it was copied, in ISO
        8601 format (UTC).
      type: str
    mime_type:
      description: Media type of the file.
      type: str
    checksums:
      description: C(sha1), C(md5) and C(sha256) of the stored file.
      type: dict
    original_checksums:
      description: Checksums that the client specified when it uploaded the file. A checksum that the client did not
        specify is V(null).
      type: dict
    download_uri:
      description: URL of the content.
      type: str
    remote_url:
      description: URL from which a cached file was fetched.
      type: str
    children:
      description: Contents of the folder, sorted by name. V(null) for a file.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the file or folder.
          type: str
        type:
          description: Either V(file) or V(folder).
          type: str
    properties:
      description: Properties of the item. Each value is a sorted list.
      returned: when O(properties=true)
      type: dict
    statistics:
      description: Download statistics. C(downloads) is the number of downloads, C(downloaded) and C(downloaded_by) are
        the time (in UTC) and user of the last one. C(remote_downloads) and C(remote_downloaded) are the same for
        downloads through other servers.
      returned: when O(statistics=true)
      type: dict
    last_modified:
      description: C(path) of the file that was modified last and the time of that change (C(modified), in UTC). If the
        item is a file, the file itself. V(null) for a folder without files.
      returned: when O(last_modified=true)
      type: dict
  sample:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    type: file
    size: 1024
    created: "2026-10-01T12:00:00.000Z"
    created_by: ci
    modified: "2026-10-01T12:00:00.000Z"
    modified_by: ci
    updated: "2026-10-01T12:00:00.001Z"
    mime_type: application/x-gzip
    checksums:
      sha1: 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12
      md5: 9e107d9d372bb6826bd81d3542a419d6
      sha256: d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592
    original_checksums: {}
    download_uri: https://repo.example.com/artifactory/generic-local/app/1.0/app-1.0.tar.gz
    remote_url: null
    children: null
missing:
  description:
    - V(repository) if the repository does not exist, V(item) if only the item does not exist. V(null) if the item
      exists.
    - A server that hides unreadable resources responds in the same way, so the item may exist but be hidden from the
      account.
  returned: success, when O(items) is not set
  type: str
  sample: item
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Always V(0).
      type: int
    ok:
      description: Items that were read successfully.
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
  sample: {changed: 0, ok: 4999, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items that failed, with the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item, which is V(ok), V(failed) or V(skipped). RV(counts) explains these values.
      type: str
    changed:
      description: Always V(false).
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    item_info:
      description: Value of RV(item) for this item.
      type: dict
    missing:
      description: Value of RV(missing) for this item.
      type: str
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, unchecked="may have any character; empty for the repository itself"),
        properties=dict(type="bool", default=False),
        statistics=dict(type="bool", default=False),
        last_modified=dict(type="bool", default=False),
    )
)
SPEC = ARTIFACT + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, get_item_info)


def get_item_info(task: Task) -> None:
    artifact = ArtifactService(task)
    selection = task.select("repo", "path")
    item = item_info.find_item(artifact, **selection)
    for option, read in DETAILS.items():
        if item and task.params[option]:
            item[option] = read(artifact, **selection)
    task.result["item" if task.params["items"] is None else "item_info"] = item
    task.result["missing"] = None if item else item_info.find_missing(artifact, selection["repo"])


DETAILS: dict[str, t.Callable[..., t.Any]] = {
    "properties": ArtifactService.fetch_properties,
    "statistics": item_info.fetch_statistics,
    "last_modified": item_info.find_newest,
}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
