# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declared elements that Jenkins would not store, as far as the configuration itself shows it."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import IDS, applies
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.class_plugins import get_class, is_foreign
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.dropped import Dropped
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import (
    MATRICES,
    split_permission,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.outdated import OUTDATED, is_empty
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.values import describe_problem

# The objects that have matrices
_MATRIX_OWNERS = dict(zip(MATRICES, ("job", "folder", "node")))
# The kinds of root objects
_KINDS = {
    "com.cloudbees.hudson.plugins.folder.Folder": "folder",
    "flow-definition": "job",
    "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject": "folder",
    "project": "job",
    "slave": "node",
}
# hudson.model.Actionable, AbstractItem and Job
_JOB = ("actions", "description", "displayName", "keepDependencies", "logRotator", "properties")
# What root objects are, and the elements that they can have. Those of other root objects are not known
_MEMBERS = {
    # hudson.model.AbstractProject and Project
    "project": (
        "a freestyle job",
        (
            *_JOB,
            *("assignedNode", "authToken", "blockBuildWhenDownstreamBuilding", "blockBuildWhenUpstreamBuilding"),
            *("buildWrappers", "builders", "canRoam", "concurrentBuild", "customWorkspace", "disabled", "jdk"),
            *("publishers", "quietPeriod", "scm", "scmCheckoutRetryCount", "scmCheckoutStrategy", "triggers"),
        ),
    ),
    # org.jenkinsci.plugins.workflow.job.WorkflowJob
    "flow-definition": ("a Pipeline", (*_JOB, "authToken", "definition", "disabled", "quietPeriod", "triggers")),
}


class Unstorable(t.NamedTuple):
    """An element that Jenkins drops or changes.

    :ivar path: its path, such as `scm/remotePoll`
    """

    path: str
    reason: str


class Question(t.NamedTuple):
    """A name that Jenkins must know to store an element.

    :ivar path: its path
    :ivar kind: `class`, or the kind of objects that should have a permission: `folder`, `job` or `node`
    """

    path: str
    kind: str
    name: str


def find_wrong_values(declared: ET.Element, stored: ET.Element | None) -> list[Unstorable]:
    """Return the numbers and booleans that Jenkins would not read."""
    existing = set() if stored is None else {(element.tag, element.text) for element in stored.iter()}
    found = []
    for dropped in _list_elements(declared):
        element = dropped.owners[-1]
        owner = get_class(dropped.owners[-2]) if len(dropped.owners) > 1 else ""
        problem = describe_problem(owner, element.tag, element.text)
        if problem and (element.tag, element.text) not in existing and not _is_foreign(dropped.owners[:-1]):
            found.append(Unstorable(dropped.path, problem))
    return found


def find_useless(declared: ET.Element, stored: ET.Element | None) -> list[Unstorable]:
    """Return the elements that Jenkins would drop on each server."""
    existing = set() if stored is None else {child.tag for child in stored}
    return [
        Unstorable(dropped.path, reason)
        for dropped in _list_elements(declared)
        if not is_empty(dropped.owners[-1]) and (reason := explain(dropped)) and dropped.path not in existing
    ]


def explain(dropped: Dropped) -> str | None:
    """Return why Jenkins drops an element on each server, or `None`."""
    if len(dropped.owners) < 2:
        return None
    *_others, owner, element = dropped.owners
    if dropped.is_attribute:
        return None
    if owner.tag in _MATRIX_OWNERS and element.tag == "permission":
        return _explain_row(element.text or "", _MATRIX_OWNERS[owner.tag])
    if element.tag in _MATRIX_OWNERS and owner.tag in ("properties", "nodeProperties"):
        kind, root_kind = _MATRIX_OWNERS[element.tag], _KINDS.get(dropped.owners[0].tag)
        return None if root_kind in (None, kind) else f"unknown: it is a matrix of a {kind}"
    if len(dropped.owners) > 2 or owner.tag not in _MEMBERS:
        return None
    kind, members = _MEMBERS[owner.tag]
    is_known = element.tag in members or element.tag in OUTDATED.get(owner.tag, {})
    return None if is_known else f"unknown: {kind} has no such setting"


def _explain_row(row: str, kind: str) -> str | None:
    """Return why Jenkins drops a row of the matrix of an object, or `None`."""
    _prefix, permission, name = split_permission(row)
    if not name:
        return f"'{permission}' has no name of a user or group"
    return None if applies(permission, kind) else f"'{permission}' does not apply to a {kind}"


def find_objects(declared: ET.Element, stored: ET.Element | None) -> list[Dropped]:
    """Return the objects that name a plugin or are of an unknown one, and whose class is not stored yet."""
    existing = set() if stored is None else {get_class(element) for element in stored.iter()}
    objects = []
    for dropped in _list_elements(declared):
        element = dropped.owners[-1]
        name = get_class(element)
        if name not in existing and ("plugin" in element.attrib or is_foreign(name)):
            objects.append(dropped)
    return objects


def find_questions(declared: ET.Element, objects: list[Dropped]) -> list[Question]:
    """Return the classes and permissions of which the configuration does not show whether Jenkins has them.

    :arg objects: the objects that are not stored yet
    """
    known = set(IDS.values())
    found = [
        ask_class(dropped)
        for dropped in objects
        if (len(dropped.owners) == 1 or not dropped.plugin[0]) and is_foreign(get_class(dropped.owners[-1]))
    ]
    for dropped in _list_elements(declared):
        kind = _MATRIX_OWNERS.get(dropped.owners[-2].tag) if len(dropped.owners) > 1 else None
        permission = split_permission(dropped.owners[-1].text or "")[1]
        if kind and dropped.owners[-1].tag == "permission" and permission not in known:
            found.append(Question(dropped.path, kind, permission))
    return found


def ask_class(dropped: Dropped) -> Question:
    """Return the question for the class of an object."""
    return Question(dropped.path, "class", get_class(dropped.owners[-1]))


def _is_foreign(owners: tuple[ET.Element, ...]) -> bool:
    """Return whether the innermost object is of an unknown plugin."""
    classes = [name for name in map(get_class, owners) if "." in name]
    return bool(classes) and is_foreign(classes[-1])


def _list_elements(root: ET.Element, path: str = "", owners: tuple[ET.Element, ...] = ()) -> t.Iterator[Dropped]:
    owners = (*owners, root)
    yield Dropped(path or root.tag, owners)
    for child in root:
        yield from _list_elements(child, f"{path}/{child.tag}".removeprefix("/"), owners)
