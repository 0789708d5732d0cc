#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_download
short_description: Download files and folders from a repository
description:
  - Downloads a file, or all files of a folder; with O(items) as many of both as you like. Several files come side by
    side.
  - A file that is here already, with the size and the checksum that the repository tells, is not downloaded.
  - When the connection breaks, the rest of the file is asked for. What came is verified against the checksum; only
    then it takes the place of an older file, so O(dest) is always either old or new.
  - Files of a folder that are here, but not in the repository, stay.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permission Read on the files. To list a folder the server wants a login, and a paid edition.
  - Files are stored where the module runs; relative paths begin in the folder that it runs in.
options:
  repo:
    description: Key of the repository, of whatever type. A remote one fetches what it does not have yet.
    type: str
  path:
    description:
      - Path of the file in the repository.
      - With a slash at its end it is a folder, of which all files are downloaded, at any depth; V(/) alone is the
        whole repository.
    type: str
  dest:
    description:
      - Where to store the file. In a folder that is there, or with a slash at the end, it keeps its name.
      - For a folder, the folder that its files are stored in.
      - Folders that are missing are made. A link stands for what it leads to. A new file is readable as the umask says,
        an older one keeps its owner, group and mode.
    type: path
  items:
    description:
      - Several files or folders, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(repo), O(path) and O(dest) are required, else each item needs them from here or there. No
        two may be stored in the same place.
      - All are checked before the first request. Then the folders are listed.
    type: list
    elements: dict
    suboptions:
      repo:
        description: As O(repo).
        type: str
      path:
        description: As O(path).
        type: str
      dest:
        description: As O(dest).
        type: path
seealso:
  - module: buildworks.toolchain.artifact_file
  - module: buildworks.toolchain.artifact_item_info
  - name: Retrieve Artifact
    description: The vendor's reference.
    link: https://jfrog.com/help/r/jfrog-rest-apis/retrieve-artifact
"""

EXAMPLES = r"""
- name: Have a release here
  buildworks.toolchain.artifact_download:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    dest: "{{ ansible_facts.env.HOME }}/downloads/"

- name: Have all releases here, eight at a time
  buildworks.toolchain.artifact_download:
    repo: generic-local
    path: app/
    dest: "{{ ansible_facts.env.HOME }}/releases"
    workers: 8

- name: Collect what an image is made of
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
  description: The file that was stored, or would be in check mode.
  returned: success, without O(items), for a file
  type: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    path:
      description: Path in the repository.
      type: str
    dest:
      description: Where it is stored, with links followed.
      type: str
    size:
      description: Size in bytes.
      type: int
    checksums:
      description: The checksum that was compared, by its name; C(sha256) where the server tells it.
      type: dict
  sample:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    dest: /home/ci/downloads/app-1.0.tar.gz
    size: 1048576
    checksums:
      sha256: 30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58
counts:
  description: How many files came to which end. Each has one end; a folder stands for all that is in it.
  returned: with O(items), and for a folder
  type: dict
  contains:
    changed:
      description: Downloaded, or would be in check mode.
      type: int
    ok:
      description: Were here already.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: Always 0, for what is downloaded is known.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all files that failed, with the members of RV(outcomes).
  returned: with O(items), and for a folder
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) files, in the order of O(items), and within a folder in the server's.
  returned: with O(items), and for a folder
  type: list
  elements: dict
  contains:
    index:
      description: Place among all files, from 0.
      type: int
    item:
      description:
        - The item as it was given; of a folder, with O(path) and O(dest) of the file, and under C(told) the size and
          the checksums that the server told.
      type: dict
    status:
      description: V(changed), V(ok), V(failed) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether the file was stored.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    file:
      description: As RV(file).
      type: dict
"""

import functools

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import downloads
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import each, one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, free="may have any character but a semicolon"),
        dest=dict(type="path", required=True, not_empty=True),
    )
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    spread = functools.partial(downloads.spread, task)
    if task.params["items"] is None and downloads.is_folder(task.params):
        ITEM.check_rules(task.params)
        downloads.check(task.params)
        each(task, spread([{}]), bring_here)
    else:
        one_or_each(task, ITEM, bring_here, check=downloads.check, identity=downloads.destination, spread=spread)


def bring_here(task):
    file = downloads.Download(task)
    reconcile(
        task,
        "file",
        read=file.read,
        desired=file.wanted,
        create=file.fetch,
        update=file.fetch,
        show=file.show,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
