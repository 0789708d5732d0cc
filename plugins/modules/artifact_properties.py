#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_properties
short_description: Set the properties of artifacts and folders
description:
  - Sets properties of an artifact or folder, or removes them; with O(items) of as many as you like, side by side.
  - Values of one property are a set. Their order does not matter, and equal ones are one.
  - After a change the properties are read back; when the server did not keep them as asked for, the task fails.
  - All properties of an item change at once. Servers before 6.1, and such behind a proxy that lets no C(PATCH) through,
    get them in as many requests as their request lines ask for; a property that fits into none is refused.
  - Check mode refuses virtual and remote repositories where the server tells their type to the account. Whether the
    account may annotate, no server tells beforehand.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read and Annotate on the item.
options:
  repo:
    description: Key of the repository. A local one, or the cache of a remote one (V(<key>-cache)).
    type: str
  path:
    description:
      - Path of the file or folder in the repository.
      - Paths that Artifactory takes for another item are refused before the first request. These are paths with C(!),
        paths that end with C(:properties), and paths that end with a blank.
      - A folder's properties are its own; those of what is below it are left alone, unless O(recursive=true).
    type: str
  recursive:
    description:
      - Whether a folder stands for itself and all that is below it, however many files and folders. One query reads the
        properties of all of them, and one request changes them all.
      - The query language has no quotation marks and no line breaks, so O(path) cannot have them then.
      - Anonymous callers may not query.
    type: bool
    default: false
  properties:
    description:
      - Key to value, or to a list of values. Integers and booleans are kept as text (V(true), V(false)).
      - Put numbers with a fraction in quotes.
      - Keys begin with a letter and have neither blanks nor special characters other than C(.), C(_), C(-), C(:), C(?),
        C(|) and quotes. Values may have any character.
      - An empty text is a value. An empty list removes the property.
      - Keys such as V(on), V(no) and V(1) need quotes, or YAML does not take them for text, and they are refused.
      - Required with O(state=present).
    type: dict
  purge:
    description:
      - Remove all properties that are not in O(properties). So V({}) there removes them all.
      - Not with O(state=absent).
  keys:
    description: Keys of the properties to remove. Required with O(state=absent).
    type: list
    elements: str
  state:
    description:
      - V(present) sets O(properties).
      - V(absent) removes the properties named by O(keys).
  items:
    description:
      - Several artifacts or folders, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(repo) and O(path) are required, else each item needs them from here or there. No two items
        may name the same artifact.
      - All items are checked before the first request.
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
        description: As O(properties), in place of them.
        type: dict
      purge:
        description: As O(purge).
        type: bool
      keys:
        description: As O(keys), in place of them.
        type: list
        elements: str
      recursive:
        description: As O(recursive).
        type: bool
      state:
        description: As O(state).
        type: str
        choices: [present, absent]
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

- name: Have these properties and no others
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    properties:
      release: "1.0"
    purge: true

- name: Take back a mark
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
    keys: [qa.status]
    state: absent

- name: Mark a whole release, folder by folder and file by file
  buildworks.toolchain.artifact_properties:
    repo: generic-local
    path: app/1.1
    properties:
      released: "2026-10-01"
    recursive: true

- name: Mark all that was released, eight at a time
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
    - All properties of the item afterwards, or as they would be in check mode. Values are sorted.
    - With O(recursive=true) those of all items of the tree; the text V(differs from item to item) stands for the values
      of one that they do not all have alike.
  returned: success, without O(items)
  type: dict
  sample:
    qa.platforms: [linux, windows]
    qa.status: [passed]
tree_items:
  description: How many files and folders are in the tree, with the folder itself.
  returned: success, with O(recursive=true), without O(items)
  type: int
  sample: 1200
counts:
  description: How many of O(items) came to which end. Each item has one end.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Changed, or would be in check mode.
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
  description: The outcomes of all O(items) that failed or whose end is unknown, with the members of RV(outcomes).
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
    status:
      description: V(changed), V(ok), V(failed), V(unknown) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether the item was changed. A failed one may be as well.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    properties:
      description: As RV(properties).
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import paths, properties
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import PURGE, STATE, one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import purged, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, free="checked as the server reads it; empty for the repository itself"),
        properties=dict(type="dict", text_values=True, free="keys and values are checked as the server does"),
        keys=dict(type="list", elements="str", no_log=False, free="checked as the server does"),
        recursive=dict(type="bool", narrows=True, default=False),
    ),
    required_if=[("state", "present", ["properties"]), ("state", "absent", ["keys"])],
    mutually_exclusive=[("properties", "keys")],
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, bring_there, check=wanted, identity=location)


def bring_there(task):
    where = task.pick("repo", "path")
    desired = wanted(task.params)
    artifact = ArtifactService(task)
    recursive = task.params["recursive"]

    def read():
        if not recursive:
            return artifact.properties(**where)
        found, task.result["tree_items"] = tree().read(artifact, **where)
        return found

    reconcile(
        task,
        "properties",
        read=read,
        desired=lambda before: purged(before, desired) if task.params["purge"] else desired,
        update=lambda fields: properties.write(artifact, fields=fields, recursive=recursive, **where),
        foresee=lambda: properties.check_writable(artifact, where["repo"]),
    )


def wanted(params):
    if params["purge"] and params["state"] == "absent":
        raise BadOption("purge", "goes with 'properties'; with 'state: absent' only 'keys' are removed")
    paths.check(params["repo"], params["path"])
    if params["recursive"]:
        tree().check(params)
    desired = properties.normalised(params["properties"] or {}, "properties")
    desired.update({properties.check_key(key, "keys"): None for key in params["keys"] or ()})
    return desired


def tree():
    # few tasks are recursive, and an ordinary module compiles what it imports at each run
    from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import property_tree

    return property_tree


def location(params):
    return params["repo"], params["path"].strip("/")


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
