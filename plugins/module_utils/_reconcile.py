# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bring a resource to its desired state, or carry out an operation: check mode, diff and truth, once for all."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import OutcomeUnknown, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Fields = dict[str, t.Any]
Read = t.Callable[[], t.Optional[Fields]]
Write = t.Callable[[Fields], t.Any]


def reconcile(
    task: Task,
    name: str,
    *,
    read: Read,
    desired: Fields | t.Callable[[Fields | None], Fields],
    create: Write | None = None,
    update: Write | None = None,
    delete: t.Callable[[], t.Any] | None = None,
) -> None:
    """Create, update or delete a resource, unless it is as desired already.

    The result has the resource under I(name): as it is afterwards, or would be in check mode; C(None) when absent.

    :arg read: the resource as it is now, or C(None) when there is none; called again after a write, to see its effect
    :arg desired: the managed fields, or what gives them when told how the resource is now; C(None) stands for a field
        that shall be gone, and inside a field that has fields of its own only those given are managed
    :arg create: takes all desired fields; not needed for a resource that always exists
    :arg update: takes the fields that differ
    :arg delete: removes the resource when C(state) is C(absent)
    :raises ToolchainError: when a write was accepted but its effect is not there
    """
    before = after = read()
    if delete and task.params["state"] == "absent":
        managed = before or {}
        if before is not None:
            after = _write(task, name, lambda _nothing: delete(), read, before, None)
    else:
        managed = desired(before) if callable(desired) else desired
        changes = differences(before or {}, managed)
        if before is None and create:
            after = _write(task, name, create, read, before, managed)
        elif changes and update:
            after = _write(task, name, update, read, before, changes)
    task.record(_shown(before, managed), _shown(after, managed))
    task.result[name] = after


def operate(task: Task, plan: Fields | None, act: t.Callable[[], Fields], lasting: bool = True) -> None:
    """Carry out an operation, or in check mode say what it would do.

    :arg plan: what it would do, put into the result as C(plan); C(None) when there is nothing to do
    :arg act: carries it out and gives more of the result
    :arg lasting: whether it would change something; a completion that is not kept, say, only costs
    """
    task.result["plan"] = plan
    if plan is None:
        return
    if task.check_mode:
        task.changed = lasting
    else:
        task.result.update(act())
        task.changed = task.wrote


def differences(before: Fields, desired: Fields) -> Fields:
    """The desired fields that I(before) does not have so; inside a field that has fields of its own, only those."""
    changes = {}
    for field, value in desired.items():
        had = before.get(field)
        if isinstance(value, dict) and isinstance(had, dict):
            if inner := differences(had, value):
                changes[field] = inner
        elif had != value:
            changes[field] = value
    return changes


def purged(before: Fields | None, desired: Fields) -> Fields:
    """The desired fields, and C(None) for each other one that I(before) has."""
    return {**dict.fromkeys(before or ()), **desired}


def as_set(values: t.Iterable[str]) -> list[str]:
    """A list that stands for a set: two of them are equal when their members are."""
    return sorted(set(values))


def _write(
    task: Task, name: str, write: Write, read: Read, before: Fields | None, wanted: Fields | None
) -> Fields | None:
    """Write and read back, or predict in check mode. I(wanted) is what must be so afterwards, C(None) for gone."""
    if task.check_mode:
        return None if wanted is None else _merged(before, wanted)
    lost = None
    try:
        write(wanted or {})
    except OutcomeUnknown as error:
        lost = error
    after = _read_back(read, lost)
    if not _reached(after, wanted):
        task.changed = after != before
        raise lost or ToolchainError(f"The server accepted the change, but {_shortfall(name, after, wanted)}.")
    if lost:
        task.warn(f"{lost} Reading back shows that it had.")
    return after


def _read_back(read: Read, lost: OutcomeUnknown | None) -> Fields | None:
    try:
        return read()
    except ToolchainError as error:
        if lost:
            raise OutcomeUnknown(f"{lost} Reading back failed as well: {error}") from None
        raise


def _merged(before: Fields | None, wanted: Fields) -> Fields:
    merged = dict(before or {})
    for field, value in wanted.items():
        if isinstance(value, dict) and isinstance(merged.get(field), dict):
            merged[field] = _merged(merged[field], value)
        elif value is None:
            merged.pop(field, None)
        else:
            merged[field] = value
    return merged


def _reached(after: Fields | None, wanted: Fields | None) -> bool:
    if after is None or wanted is None:
        return after is wanted
    return not differences(after, wanted)


def _shortfall(name: str, after: Fields | None, wanted: Fields | None) -> str:
    if after is None:
        return f"the {name} is not there"
    if wanted is None:
        return f"the {name} is still there"
    return f"these fields of the {name} are not as asked for: {', '.join(sorted(differences(after, wanted)))}"


def _shown(resource: Fields | None, managed: Fields) -> Fields:
    """The managed part of a resource, for the diff."""
    if resource is None:
        return {"state": "absent"}
    return {"state": "present", **_only(resource, managed)}


def _only(resource: Fields, managed: Fields) -> Fields:
    shown = {}
    for field, value in managed.items():
        had = resource.get(field)
        if isinstance(value, dict) and isinstance(had, dict):
            shown[field] = _only(had, value)
        elif had is not None:
            shown[field] = had
    return shown
