#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_properties
short_description: Manage Artifactory file and folder properties
description:
  - Set or delete properties of a file or folder in Artifactory. With O(items), process several items concurrently.
  - The values of a property are a set, so order and duplicates are ignored.
  - After a change, the module reads the properties back. The task fails if the server did not store them as requested.
  - All properties of an item are changed in one request. Artifactory before 6.1, and servers behind a proxy that blocks
    C(PATCH), receive them in several requests with limited URL length. A property that does not fit into one request is
    refused.
  - In check mode, virtual and remote repositories are refused if the server reports their type to the account. The
    Annotate permission cannot be verified in advance. A missing item is refused, unless O(predict_missing=true).
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_properties
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Read and Annotate permissions on the item.
options:
  repo:
    description: Key of a local repository, or of the cache of a remote repository (V(<key>-cache)).
    type: str
  path:
    description:
      - Path to the file or folder in the repository.
      - Paths that Artifactory would interpret as another item are refused before the first request. These are paths
        that contain V(!), and paths that end with V(:properties) or a space.
      - For a folder, only its own properties are changed, unless O(recursive=true).
    type: str
  recursive:
    description:
      - Whether to change a folder together with all files and folders below it. One query reads the properties of all
        these items, and one request changes them.
      - AQL strings cannot contain quotation marks or line breaks. Therefore, O(path) must not contain these characters.
      - Anonymous users cannot run queries.
    type: bool
    default: false
  properties:
    description:
      - Properties to set, each with a value or a list of values. Integers and booleans are stored as strings
        (V(true), V(false)). Put decimal numbers in quotes.
      - A key must begin with a letter. It must not contain spaces or special characters other than C(.), C(_), C(-),
        C(:), C(?), C(|) and quotes. Values can contain any character.
      - An empty string is a valid value. An empty list deletes the property.
      - Put keys such as V(on), V(no) and V(1) in quotes. The module refuses unquoted keys of this kind, because YAML
        does not read them as strings.
      - Required if O(state=present).
    type: dict
  purge:
    description:
      - Whether to delete all properties that are not in O(properties). With O(properties={}), all properties are
        deleted.
      - Not allowed if O(state=absent).
  keys:
    description: Keys of the properties to delete. Required if O(state=absent).
    type: list
    elements: str
  state:
    choices:
      present: The O(properties) are set.
      absent: The properties named by O(keys) do not exist.
  items:
    description:
      - List of files and folders, each with the options below. Options set outside O(items) are the defaults for all
        items.
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
      properties:
        description: Value of O(properties) for this item. Replaces the default completely.
        type: dict
      purge:
        description: Value of O(purge) for this item.
        type: bool
      keys:
        description: Value of O(keys) for this item. Replaces the default completely.
        type: list
        elements: str
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
  - module: buildworks.toolchain.artifact_properties_info
"""

EXAMPLES = r"""
- name: Mark a build as tested
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    properties:
      qa.status: passed
      qa.platforms: [linux, windows]

- name: Set a property and delete all others
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    properties:
      release: "1.0"
    purge: true

- name: Delete a property
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    keys: [qa.status]
    state: absent

- name: Set a property of a folder and everything below it
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.1
    properties:
      released: "2026-10-01"
    recursive: true

- name: Set properties of several items, eight at a time
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    properties:
      released: "2026-10-01"
    items:
      - path: app/1.0/app-1.0.tar.gz
      - path: app/1.0
        properties:
          released: "2026-10-01"
          notes: "https://example.com/app/1.0"
    workers: 8
    to_file: "{{ ansible_facts.env.HOME }}/released.jsonl"
"""

RETURN = r"""
properties:
  description:
    - All properties of the item after the task, with sorted values. In check mode, the predicted properties.
    - With O(recursive=true), these are the properties of all items in the tree. V(differs from item to item) replaces
      the values of a property whose values are not the same for all items.
  returned: success, when O(items) is not set
  type: dict
  sample:
    qa.platforms: [linux, windows]
    qa.status: [passed]
tree_items:
  description: Number of files and folders in the tree, including the folder itself. In check mode with
    O(predict_missing=true), V(0) if the folder does not exist.
  returned: success, when O(recursive=true) and O(items) is not set
  type: int
  sample: 1200
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
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
    properties:
      description: Value of RV(properties) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from types import ModuleType

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import paths, properties
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def desired_properties(params: Fields) -> Fields:
    if params["purge"] and params["state"] == "absent":
        raise BadOption("purge", "cannot be combined with 'state: absent'")
    paths.check_path(params["repo"], params["path"])
    if params["recursive"]:
        property_tree().check_path(params)
    desired: Fields = properties.normalize(params["properties"] or {}, "properties")
    desired.update({properties.check_key(key, "keys"): None for key in params["keys"] or ()})
    return desired


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(
            type="str", required=True, unchecked="checked as the server reads it; empty for the repository itself"
        ),
        properties=dict(type="dict", text_values=True, unchecked="keys and values are checked as the server does"),
        keys=dict(type="list", elements="str", no_log=False, unchecked="checked as the server does"),
        recursive=dict(type="bool", narrows_scope=True, default=False),
    ),
    required_if=[("state", "present", ["properties"]), ("state", "absent", ["keys"])],
    mutually_exclusive=[("properties", "keys")],
    checks=[desired_properties],
)
SPEC = (ARTIFACT + PREDICT_MISSING + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, reconcile_properties, identity=location)


def reconcile_properties(task: Task) -> None:
    selection = task.select("repo", "path")
    may_be_missing = task.predicts_missing
    desired = desired_properties(task.params)
    artifact = ArtifactService(task)
    recursive = task.params["recursive"]

    def read() -> Fields:
        if not recursive:
            return artifact.fetch_properties(**selection, may_be_missing=may_be_missing)
        tree = property_tree()
        current, task.result["tree_items"] = tree.read_tree(artifact, **selection, may_be_missing=may_be_missing)
        return current

    reconcile(
        task,
        "properties",
        read=read,
        desired=lambda before: add_removals(before, desired) if task.params["purge"] else desired,
        update=lambda fields: properties.write_properties(artifact, fields=fields, recursive=recursive, **selection),
        check=lambda _before, _fields: editions.check(artifact, features.PROPERTIES),
        predict_refusal=lambda: properties.check_writable(artifact, selection["repo"]),
    )


def property_tree() -> ModuleType:
    # few tasks are recursive, and an ordinary module compiles its imports in each run
    from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import property_tree

    return property_tree


def location(params: Fields) -> tuple[str, str]:
    return params["repo"], params["path"].strip("/")


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
