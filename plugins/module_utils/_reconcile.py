# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bring a resource to its desired state, or carry out an operation: check mode, diff and truth, once for all."""

from __future__ import annotations

import collections
import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
    describe_cause,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Fields = dict[str, t.Any]
Read = t.Callable[[], t.Optional[Fields]]
Write = t.Callable[[Fields], t.Any]
ToResult = t.Callable[[Fields], Fields]
Check = t.Callable[[t.Optional[Fields], t.Optional[Fields]], None]

# Refusals whose cause can be that another client created, changed or deleted the resource since it was read
_CONFLICTS = frozenset((400, 404, 409, 410, 412, 422))
# Failures after which the resource may have been created by the request itself
_DOUBTFUL = frozenset((500, 502, 504))
_MOST_CONFLICTS = 3


class _Conflict(Exception):
    """Another client changed the resource since it was read.

    :arg error: the error to raise if the conflict cannot be resolved
    :arg found: the resource as it is now
    """

    def __init__(self, error: ToolchainError, found: Fields | None) -> None:
        super().__init__(str(error))
        self.error = error
        self.found = found


def reconcile(
    task: Task,
    name: str,
    *,
    read: Read,
    desired: Fields | t.Callable[[Fields | None], Fields],
    create: Write | None = None,
    update: Write | None = None,
    delete: t.Callable[[], t.Any] | None = None,
    replace_reason: t.Callable[[Fields], str | None] | None = None,
    replace: Write | None = None,
    check: Check = lambda _before, _wanted: None,
    predict_refusal: t.Callable[[], None] = lambda: None,
    to_result: ToResult = dict,
    cumulative: bool = False,
) -> None:
    """Create, update, replace or delete a resource, unless it is as desired already.

    The result has the resource under `name`: as it is afterwards, or would be in check mode; `None` when absent. So it
    has when the task fails after a part was written.

    :arg read: the resource as it is now, or `None` when there is none; called again after a write, to see its effect
    :arg desired: the managed fields, or what gives them when told how the resource is now; `None` stands for a field
        that shall be gone, and inside a field that has fields of its own only those given are managed
    :arg create: takes all desired fields; not needed for a resource that always exists
    :arg update: takes the fields that differ
    :arg delete: removes the resource when `state` is `absent`
    :arg stale: why a resource that is there must be replaced by a new one (a secret that expires), or `None`
    :arg replace: takes all desired fields, makes the new one and removes the old one
    :arg check: called before the first write, in check mode too, with the resource as it is and the fields that will be
        written, `None` when it will be removed; raises what speaks against it
    :arg foresee: called in check mode only, before a write is predicted; raises what the server would refuse it for
    :arg show: the resource as the user sees it, in the result and the diff; it gets the fields of a prediction too, and
        gives those that are missing in it
    :arg cumulative: whether `desired` adds to the existing fields: additions that another client overwrites are
        written again
    :raises ToolchainError: when a write was accepted but its effect is not there
    """
    removing = delete is not None and task.params["state"] == "absent"
    always_there = not (create or delete or replace)

    def settle(start: Fields | None, before: Fields | None) -> None:
        managed = (before or {}) if removing else desired(before) if callable(desired) else desired
        reason = replace_reason(before) if replace_reason and before is not None and not removing else None

        def tell(after: Fields | None) -> None:
            shown_before, shown_after = (
                _shown(resource, managed, to_result, always_there) for resource in (start, after)
            )
            task.record_change({**shown_before, "replaced": reason} if reason else shown_before, shown_after)
            task.result[name] = None if after is None else to_result(after)

        def expected(after: Fields | None) -> Fields | None:
            """All that is asked for, because another may have changed in between what was right before."""
            if removing:
                return None
            return desired(after) if cumulative and callable(desired) else managed

        def bring(write: Write, basis: Fields | None, wanted: Fields | None) -> Fields | None:
            check(before, wanted)
            if task.check_mode:
                predict_refusal()
                return None if wanted is None else _merged(basis, wanted)
            return _write(task, name, write, read, before, wanted, expected, tell, cumulative)

        after = before
        if removing:
            if before is not None:
                after = bring(lambda _nothing: delete and delete(), before, None)
        elif before is None and create:
            after = bring(create, None, managed)
        elif reason and replace:
            after = bring(replace, None, managed)
            if not task.check_mode:
                _check_fresh(name, replace_reason, after)
        elif (changes := find_differences(before or {}, managed)) and update:
            after = bring(update, before, changes)
        tell(after)

    _settle_conflicts(task, name, settle, read())


def _settle_conflicts(
    task: Task, name: str, settle: t.Callable[[Fields | None, Fields | None], None], before: Fields | None
) -> None:
    """Reconcile, and compare again when another client changed the resource in between.

    :arg settle: takes the resource as it was before this task changed it, and as it is now
    """
    start = before
    for conflicts_left in reversed(range(_MOST_CONFLICTS + 1)):
        try:
            settle(start, before)
            return
        except _Conflict as conflict:
            if not conflicts_left:
                raise conflict.error from None
            before = conflict.found
            is_refused = isinstance(conflict.error, ServerRefusal) and conflict.error.status in _CONFLICTS
            if is_refused and not task.has_written:
                start = before
            task.warn(f"{conflict.error} The {name} was compared again, because another client may have changed it.")


def operate(
    task: Task,
    plan: Fields | None,
    act: t.Callable[[], Fields],
    changes_state: bool = True,
    result_names: t.Sequence[str] = (),
    predict: t.Callable[[], Fields] = dict,
) -> None:
    """Carry out an operation, or in check mode say what it would do.

    :arg plan: what it would do, put into the result as `plan`, see `planned` for many items; `None` for nothing to do
    :arg act: carries it out and gives more of the result
    :arg changes_state: whether it would change something; a completion that is not kept, say, only costs
    :arg gives: names of what `act` gives; they are in the result, as `None`, when it is not carried out
    :arg rehearse: called instead of `act` in check mode, where the server can try the operation without an effect
    """
    task.result = {"plan": plan, **dict.fromkeys(result_names), **task.result}
    if plan is None:
        return
    if task.check_mode:
        task.result.update(predict())
        task.changed = changes_state
    else:
        task.result.update(act())
        task.changed = task.changed or task.has_written  # of many items, each told for itself


def verify_write(task: Task, write: t.Callable[[], t.Any], verify: t.Callable[[], None]) -> None:
    """Carry out a write of an operation, and see that it had its effect, also when its reply was lost.

    :arg prove: raises what is missing
    :raises OutcomeUnknown: when the reply was lost and no effect is there
    """
    trouble: ToolchainError | None = None
    try:
        write()
    except (OutcomeUnknown, UnexpectedResponse) as error:
        trouble = error
    try:
        verify()
    except ToolchainError:
        if trouble:
            raise trouble from None
        raise
    if trouble:
        task.has_written = True
        _warn_of_effect(task, trouble)


def summarize_plan(steps: t.Iterable[tuple[str, Fields]], max_items: int = 10) -> Fields | None:
    """The plan of an operation on many items, for `operate`: `counts` by action, and the `first` items.

    :arg steps: action and item, such as `("delete", {"path": "a/b"})`; memory does not grow with their number
    """
    counts: collections.Counter[str] = collections.Counter()
    first: list[Fields] = []
    for action, item in steps:
        counts[action] += 1
        if len(first) < max_items:
            first.append({"action": action, **item})
    return {"counts": dict(counts), "first": first} if counts else None


def find_differences(before: Fields, desired: Fields) -> Fields:
    """The desired fields that `before` does not have so; inside a field that has fields of its own, only those."""
    changes = {}
    for field, value in desired.items():
        had = before.get(field)
        if isinstance(value, dict) and isinstance(had, dict):
            if inner := find_differences(had, value):
                changes[field] = inner
        elif had != value:
            changes[field] = value
    return changes


def add_removals(before: Fields | None, desired: Fields) -> Fields:
    """The desired fields, and `None` for each other one that `before` has."""
    return {**dict.fromkeys(before or ()), **desired}


def sort_unique(values: t.Iterable[str]) -> list[str]:
    """A list that stands for a set: two of them are equal when their members are."""
    return sorted(set(values))


def _write(
    task: Task,
    name: str,
    write: Write,
    read: Read,
    before: Fields | None,
    written: Fields | None,
    expected: t.Callable[[Fields | None], Fields | None],
    tell: t.Callable[[Fields | None], None],
    cumulative: bool,
) -> Fields | None:
    """Write and read back.

    :arg expected: takes the resource as it is afterwards, returns its fields as they must be; `None` for gone
    :arg tell: takes the resource as it is afterwards when the write failed
    :raises _Conflict: when another client changed the resource in between
    """
    trouble: ToolchainError | None = None
    wrote_before = task.has_written
    try:
        write(written or {})
    except (OutcomeUnknown, UnexpectedResponse) as error:
        trouble = error
    except (ServerRefusal, ServerUnreachable) as refusal:
        if task.has_written:  # so it was a later request of several
            with contextlib.suppress(ToolchainError):
                tell(read())
        elif isinstance(refusal, ServerRefusal):
            _check_conflict(refusal, read, before)
        raise
    after = _read_back(read, trouble)
    wanted = expected(after)
    if not _reached(after, wanted):
        is_changed = after != before
        has_changed = task.changed or wrote_before or is_changed  # the server may have answered 200 without acting
        tell(after)
        task.changed = task.has_written = has_changed
        failure = _unreached(trouble, _shortfall(name, after, wanted), is_changed)
        raise _Conflict(failure, after) if cumulative and not trouble else failure
    if trouble:
        _warn_of_effect(task, trouble)
    return after


def _warn_of_effect(task: Task, trouble: ToolchainError) -> None:
    task.warn(f"{describe_cause(trouble)} Reading back shows that the request had its effect.")


def _unreached(trouble: ToolchainError | None, shortfall: str, is_changed: bool) -> ToolchainError:
    if trouble is None:
        return ToolchainError(f"The server accepted the change, but {shortfall}.")
    if is_changed:
        return ToolchainError(f"{describe_cause(trouble)} Reading back shows a part of the change, but {shortfall}.")
    return trouble


def _check_conflict(refusal: ServerRefusal, read: Read, before: Fields | None) -> None:
    """
    :raises _Conflict: when the refused resource is not as it was before
    """
    if refusal.status in _CONFLICTS or (before is None and refusal.status in _DOUBTFUL):
        with contextlib.suppress(ToolchainError):
            found = read()
            if found != before:
                raise _Conflict(refusal, found)


def _check_fresh(name: str, stale: t.Callable[[Fields], str | None] | None, after: Fields | None) -> None:
    if stale and after is not None and (reason := stale(after)):
        raise ToolchainError(f"The server accepted the change, but the {name} must still be replaced: {reason}.")


def _read_back(read: Read, trouble: ToolchainError | None) -> Fields | None:
    try:
        return read()
    except ToolchainError as error:
        if trouble:
            raise OutcomeUnknown(f"{describe_cause(trouble)} Reading back failed as well: {error}") from None
        raise


def _merged(before: Fields | None, wanted: Fields) -> Fields:
    merged = dict(before or {})
    for field, value in wanted.items():
        if isinstance(value, dict):
            had = merged.get(field)
            merged[field] = _merged(had if isinstance(had, dict) else None, value)
        elif value is None:
            merged.pop(field, None)
        else:
            merged[field] = value
    return merged


def _reached(after: Fields | None, wanted: Fields | None) -> bool:
    if after is None or wanted is None:
        return after is wanted
    return not find_differences(after, wanted)


def _shortfall(name: str, after: Fields | None, wanted: Fields | None) -> str:
    if after is None:
        return f"the {name} is not there"
    if wanted is None:
        return f"the {name} is still there"
    return f"these fields of the {name} are not as asked for: {', '.join(sorted(find_differences(after, wanted)))}"


def _shown(resource: Fields | None, managed: Fields, show: ToResult, always_there: bool) -> Fields:
    """The managed part of a resource, for the diff; without a state when there is only one."""
    if resource is None:
        return {"state": "absent"}
    shown = _only(show(resource), managed)
    return shown if always_there else {"state": "present", **shown}


def _only(resource: Fields, managed: Fields) -> Fields:
    shown = {}
    for field, value in managed.items():
        had = resource.get(field)
        if isinstance(value, dict) and isinstance(had, dict):
            shown[field] = _only(had, value)
        elif had is not None:
            shown[field] = had
    return shown
