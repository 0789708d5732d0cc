#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_item_info
short_description: Read what is known of files and folders
description:
  - Reads the size, the checksums and the times of a file, or what is in a folder; on demand also properties, download
    statistics and what was modified last. With O(items) of as many as you like, side by side.
  - One that is not there is no error, and neither is one that the server hides from the account. One that the account
    may not read is, when the server says so.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Read on the item.
options:
  repo:
    description:
      - Key of the repository.
      - Of a remote repository the cache is looked into. In a virtual one the first of its repositories that has the
        item counts.
    type: str
  path:
    description: Path of the file or folder in the repository; empty for the repository itself.
    type: str
  properties:
    description: Also read its properties. One more request, or two for an item without any.
    type: bool
    default: false
  statistics:
    description: Also read how often it was downloaded. One more request.
    type: bool
    default: false
  last_modified:
    description:
      - Also look for the file below it that was modified last. One more request.
      - Not in virtual repositories, nor in remote ones but in their caches (V(<key>-cache)).
    type: bool
    default: false
  items:
    description:
      - Several files or folders. What is given beside O(items) is their default.
      - Without O(items), O(repo) and O(path) are required, else each item needs them from here or there.
    type: list
    elements: dict
    suboptions:
      repo:
        description: As O(repo).
        type: str
      path:
        description: As O(path).
        type: str
      properties:
        description: As O(properties).
        type: bool
      statistics:
        description: As O(statistics).
        type: bool
      last_modified:
        description: As O(last_modified).
        type: bool
seealso:
  - module: buildworks.toolchain.artifact_properties_info
"""

EXAMPLES = r"""
- name: See whether a release is there, and since when
  buildworks.toolchain.artifact_item_info:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
  register: release

- name: Go on only when it is
  ansible.builtin.assert:
    that: release.item is not none

- name: See which file of a folder was changed last
  buildworks.toolchain.artifact_item_info:
    repo: generic-local
    path: app
    last_modified: true

- name: See how often some releases were downloaded
  buildworks.toolchain.artifact_item_info:
    repo: generic-local
    statistics: true
    items:
      - path: app/1.0/app-1.0.tar.gz
      - path: app/1.1/app-1.1.tar.gz
"""

RETURN = r"""
item:
  description: The file or folder. None when there is none, or when the server hides it, see RV(missing).
  returned: success, without O(items)
  type: dict
  contains:
    repo:
      description: Key of the repository, as the server names it; for a remote one its cache.
      type: str
    path:
      description: Path in the repository, without a slash at its beginning. Empty for the repository itself.
      type: str
    type:
      description: V(file) or V(folder).
      type: str
    size:
      description: Bytes of the file. None for a folder.
      type: int
    created:
      description: When it was made, in UTC.
      type: str
    created_by:
      description: Who made it.
      type: str
    modified:
      description: When its content was last changed, in UTC.
      type: str
    modified_by:
      description: Who changed it.
      type: str
    updated:
      description: When it was last changed in this repository, by a copy for example, in UTC.
      type: str
    mime_type:
      description: Media type of the file.
      type: str
    checksums:
      description: V(sha1), V(md5) and V(sha256) of the file as it is stored.
      type: dict
    original_checksums:
      description: The same as the client that sent the file gave them; None for those that it did not.
      type: dict
    download_uri:
      description: Address of the content.
      type: str
    remote_url:
      description: Where a file in a cache came from.
      type: str
    children:
      description: What is in the folder, by name. None for a file.
      type: list
      elements: dict
      contains:
        name:
          description: Its name.
          type: str
        type:
          description: V(file) or V(folder).
          type: str
    properties:
      description: Key to the list of its values, sorted. Only with O(properties).
      type: dict
    statistics:
      description: V(downloads) and when (V(downloaded), in UTC) and by whom (V(downloaded_by)) the last one was;
        V(remote_downloads) and V(remote_downloaded) for those through other servers. Only with O(statistics).
      type: dict
    last_modified:
      description: V(path) of the file that was modified last, and when (V(modified), in UTC). Of a file itself. None
        for a folder without files. Only with O(last_modified).
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
    - What is not there when RV(item) is none, V(repository) or V(item). None when the item is there.
    - The account may not be allowed to see it. A server that hides what may not be read says the same then.
  returned: success, without O(items)
  type: str
  sample: item
counts:
  description: How many of O(items) came to which end. Each item has one end.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Always 0 here.
      type: int
    ok:
      description: Were read.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: Always 0 here.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 0, ok: 4999, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all O(items) that failed, with the members of RV(outcomes).
  returned: with O(items)
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) of O(items), in their order.
  returned: with O(items)
  type: list
  elements: dict
  contains:
    index:
      description: Place in O(items), from 0.
      type: int
    item:
      description: The item as it was given.
      type: dict
    found:
      description: As RV(item).
      type: dict
    missing:
      description: As RV(missing).
      type: str
    status:
      description: V(ok), V(failed) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Always V(false) here.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import items
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, free="may have any character; empty for the repository itself"),
        properties=dict(type="bool", default=False),
        statistics=dict(type="bool", default=False),
        last_modified=dict(type="bool", default=False),
    )
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, look)


def look(task):
    artifact = ArtifactService(task)
    where = task.pick("repo", "path")
    item = items.find(artifact, **where)
    for option, read in MORE.items():
        if item and task.params[option]:
            item[option] = read(artifact, **where)
    task.result["item" if task.params["items"] is None else "found"] = item
    task.result["missing"] = None if item else items.missing(artifact, where["repo"])


MORE = {
    "properties": ArtifactService.properties,
    "statistics": items.statistics,
    "last_modified": items.newest,
}


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
