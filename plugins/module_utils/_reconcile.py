# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconciliation of resources and execution of operations, with check mode, diff and verification of writes."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerFailure,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
    describe_cause,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

Fields = dict[str, t.Any]
Read = t.Callable[[], t.Optional[Fields]]
Write = t.Callable[[Fields], t.Any]
ToResult = t.Callable[[Fields], Fields]
Check = t.Callable[[t.Optional[Fields], t.Optional[Fields]], None]
_Result = t.TypeVar("_Result")

# Statuses that can mean that another client created, changed or deleted the resource since it was read
_CONFLICTS = frozenset((400, 404, 409, 410, 412, 422))
_MAX_CONFLICTS = 3
# Seconds before the first repeated read-back, doubled before each further one
_FIRST_PAUSE = 0.25
_INTERNAL_SERVER_ERROR = 500
_NOT_PERMITTED = frozenset((401, 403))


class _Conflict(Exception):
    """Another client changed the resource since it was read.

    :arg error: the error to raise if the conflict cannot be resolved
    :arg current: the current resource
    :arg is_foreign: whether this task surely did not cause the difference
    """

    def __init__(self, error: ToolchainError, current: Fields | None, is_foreign: bool = False) -> None:
        super().__init__(str(error))
        self.error = error
        self.current = current
        self.is_foreign = is_foreign


def reconcile(  # noqa: PLR0913  the steps of all modules
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
    check: Check = lambda _before, _desired: None,
    predict_refusal: t.Callable[[], None] = lambda: None,
    to_result: ToResult = dict,
    cumulative: bool = False,
    replaces: bool = False,
    enable_last: str | None = None,
    may_disable: t.Callable[[Fields], bool] = lambda _fields: True,
    grants_access: bool = False,
    secrets: WriteOnlySecrets | None = None,
    explain_shortfall: t.Callable[[], str] = str,
) -> None:
    """Create, update, replace or delete a resource, unless it already has the desired state.

    The member `name` of the result is the resource after the task, in check mode the predicted one, or `None` if it
    does not exist. It is set too if the task fails after a part of the change.

    After each write, also one whose response is lost or has a status from 500, the resource is read back. A change that
    the server does not return immediately is read again within `visibility_timeout` seconds.

    :arg read: returns the current resource, or `None` if it does not exist; also called after a write
    :arg desired: the managed fields, or a function that returns them for the current resource; the value `None` means
        that the field is removed, and of a field that is a dictionary only the given members are managed
    :arg create: creates the resource with all desired fields; not needed for a resource that always exists
    :arg update: takes the fields that differ
    :arg delete: deletes the resource if the option `state` is `absent`
    :arg replace_reason: returns why the resource must be replaced, such as an expiring secret, or `None`
    :arg replace: takes all desired fields, creates the new resource and deletes the old one
    :arg check: called before the first write, also in check mode, with the current resource and the fields to write,
        which are `None` if it will be deleted; raises an exception to prevent the write
    :arg predict_refusal: called in check mode before a write is predicted; raises an exception if the server would
        refuse the write
    :arg to_result: converts the resource for the result and the diff; completes the fields of a predicted resource
    :arg cumulative: whether `desired` depends on the existing fields, such as additions and exact sets; it is computed
        again from the resource that is read back, and what another client changed in between is written again
    :arg replaces: whether `update` replaces the resource as a whole; it is read again immediately before the update,
        and all its fields are verified afterwards, not only the managed ones
    :arg enable_last: the boolean field that puts a dangerous resource into effect; other fields are written and
        verified while it is false
    :arg may_disable: returns whether an enabled resource may be disabled for the time of a change, or a new one be
        created disabled; takes the fields to write
    :arg grants_access: whether larger lists and true values of the resource give somebody more access
    :arg secrets: the secrets among the desired fields, which the server does not return
    :arg explain_shortfall: returns a sentence about why the resource that was read last does not have the desired
        fields, with a leading blank, or an empty text
    :raises ToolchainError: if a write was accepted but has no effect
    """
    reconciliation = _Reconciliation(
        task=task,
        name=name,
        read=read,
        desired=desired if callable(desired) else lambda _before: desired,
        create=create,
        update=update,
        delete=delete,
        replace_reason=replace_reason or (lambda _before: None),
        replace=replace,
        check=check,
        predict_refusal=predict_refusal,
        to_result=to_result,
        cumulative=cumulative and callable(desired),
        replaces=replaces,
        enable_last=enable_last,
        may_disable=may_disable,
        grants_access=grants_access,
        secrets=secrets or WriteOnlySecrets(),
        explain_shortfall=explain_shortfall,
    )
    reconciliation.run()


@dataclasses.dataclass(frozen=True)
class _Reconciliation:
    """The arguments of `reconcile`, and its steps."""

    task: Task
    name: str
    read: Read
    desired: t.Callable[[Fields | None], Fields]
    create: Write | None
    update: Write | None
    delete: t.Callable[[], t.Any] | None
    replace_reason: t.Callable[[Fields], str | None]
    replace: Write | None
    check: Check
    predict_refusal: t.Callable[[], None]
    to_result: ToResult
    cumulative: bool
    replaces: bool
    enable_last: str | None
    may_disable: t.Callable[[Fields], bool]
    grants_access: bool
    secrets: WriteOnlySecrets
    explain_shortfall: t.Callable[[], str]
    # the resource that was recorded last, as `after`; nothing if it was not read since the last write
    recorded: dict[str, Fields | None] = dataclasses.field(default_factory=dict)

    def run(self) -> None:
        """Reconcile, and compare again if another client changed the resource in between."""
        initial = before = self.read()
        for remaining_conflicts in reversed(range(_MAX_CONFLICTS + 1)):
            try:
                self._apply(initial, before)
                return
            except _Conflict as conflict:
                if not remaining_conflicts:
                    raise conflict.error from None
                before = conflict.current
                if conflict.is_foreign and not self.task.has_written:
                    initial = before
                self.task.warn(
                    f"{conflict.error} The {self.name} was compared again, because another client may have changed it."
                )

    def _apply(self, initial: Fields | None, before: Fields | None) -> None:
        """Bring the resource to its desired state.

        :arg initial: the resource before this task changed it
        :arg before: the current resource
        """
        if self._is_deletion:
            change = _Change(self, initial, before, before or {}, None)
            after = None
            if before is not None:
                self.check(before, None)
                after = change.write(lambda _fields: self.delete and self.delete(), None)
        else:
            # before `replace_reason`, which may use what this has read
            managed = self.secrets.select(before, self.desired(before))
            reason = None if before is None else self.replace_reason(before)
            change = _Change(self, initial, before, managed, reason)
            after = self._create_or_update(change)
        change.record(after)

    def _create_or_update(self, change: _Change) -> Fields | None:
        before, managed = change.before, change.managed
        if before is None and self.create:
            return self._write(change, self.create, managed)
        if change.replace_reason and self.replace:
            self.check(before, managed)
            after = change.write(self.replace, managed)
            if not self.task.check_mode and after is not None and (reason := self.replace_reason(after)):
                raise ToolchainError(
                    f"The server accepted the change, but the {self.name} must still be replaced: {reason}."
                )
            return after
        if (changes := find_differences(before or {}, managed)) and self.update:
            return self._write(change, self.update, changes, basis=before)
        return before

    def _write(self, change: _Change, send: Write, fields: Fields, basis: Fields | None = None) -> Fields | None:
        """Write fields. Those of a dangerous resource are verified before the resource is enabled.

        :arg basis: the existing fields that the write keeps
        """
        self.check(change.before, fields)
        flag = self.enable_last
        is_enabled = flag is not None and merge_fields(basis, fields).get(flag) is True
        is_in_place = self.task.check_mode or not is_enabled or fields.keys() == {flag}
        if is_in_place or not flag or not self.update or not self.may_disable(fields):
            return change.write(send, fields, basis)
        try:
            disabled = change.switch({flag: False}).write(send, {**fields, flag: False}, basis)
            enabling = dataclasses.replace(change.switch({flag: True}), before=disabled)
            enabling.record(disabled)  # if enabling it is refused
            return enabling.write(self.update, {flag: True}, disabled)
        except _Conflict as conflict:
            if not self.task.has_written:
                raise
            # a comparison with the disabled resource would not enable it
            raise self._explain_disabled(conflict.error, basis) from None
        except ToolchainError as error:
            raise self._explain_disabled(error, basis)  # noqa: B904  the same exception

    def _explain_disabled(self, error: ToolchainError, basis: Fields | None) -> ToolchainError:
        """Add to an error that the resource, which was enabled, is disabled now."""
        flag = str(self.enable_last)
        left = self.recorded.get("after") or {}
        if basis and basis.get(flag) and left.get(flag) is False:
            error.args = (f"{describe_cause(error)} The {self.name} is disabled now.",)
        return error

    @property
    def _is_deletion(self) -> bool:
        return self.delete is not None and self.task.params["state"] == "absent"


@dataclasses.dataclass(frozen=True)
class _Change:
    """One change of the resource.

    :ivar initial: the resource before this task changed it
    :ivar before: the resource before this change
    :ivar managed: the managed fields
    :ivar replace_reason: why the resource is replaced
    :ivar switches: the value of the field that puts the resource into effect, regardless of the desired one
    """

    plan: _Reconciliation
    initial: Fields | None
    before: Fields | None
    managed: Fields
    replace_reason: str | None
    switches: Fields = dataclasses.field(default_factory=dict)

    def switch(self, switches: Fields) -> _Change:
        """Return the change with another value of the field that puts the resource into effect."""
        return dataclasses.replace(self, managed={**self.managed, **switches}, switches=switches)

    def record(self, after: Fields | None) -> None:
        """Put the change and the resource into the result."""
        before_fields, after_fields = self._to_diff(self.initial), self._to_diff(after)
        if self.replace_reason:
            before_fields["replaced"] = self.replace_reason
        if self.before and after and (updated := self.plan.secrets.list_paths(self.managed)):
            after_fields["updated_secrets"] = updated
        opens_access = self.plan.grants_access and has_grown(before_fields, after_fields)
        self.plan.task.record_change(before_fields, after_fields, opens_access)
        self.plan.recorded["after"] = after
        self.plan.task.result[self.plan.name] = None if after is None else self.plan.to_result(after)

    def write(self, send: Write, fields: Fields | None, basis: Fields | None = None) -> Fields | None:
        """Write fields and return the resource as it is read back, in check mode the predicted resource.

        :arg fields: `None` to delete the resource
        :arg basis: the existing fields that the write keeps
        :raises _Conflict: if another client changed the resource in between
        """
        plan, task = self.plan, self.plan.task
        if self.switches:
            plan.check(self.before, fields)
        if task.check_mode:
            plan.predict_refusal()
            return None if fields is None else plan.secrets.strip(merge_fields(basis, fields))
        if plan.replaces and basis is not None:
            self._verify_unchanged()
        had_written = task.has_written
        trouble = self._send(send, fields)
        after, expected = self._read_until_visible(fields, basis, trouble)
        if _is_reached(after, expected):
            if trouble:
                _warn_of_effect(task, trouble)
            return after
        is_changed = after != self.before
        # the only request failed, but created a part: the next comparison completes it
        is_partly_created = (
            isinstance(trouble, ServerFailure) and not task.has_written and not self.before and is_changed
        )
        # an accepted write is not denied: another node of a cluster may have it already
        has_changed = task.changed or had_written or is_changed or trouble is None
        self.record(after)
        task.changed = task.has_written = has_changed
        failure = self._unreached_error(trouble, after, expected)
        if is_partly_created or (not trouble and self._can_complete(after, fields)):
            raise _Conflict(failure, after)
        raise failure

    def _can_complete(self, after: Fields | None, fields: Fields | None) -> bool:
        """Return whether another comparison finds what is missing; not a field that was only sent to be kept."""
        if not self.plan.cumulative:
            return False
        return fields is None or not _is_reached(after, self._strip_secrets(self.plan.desired(after)))

    def _strip_secrets(self, fields: Fields) -> Fields:
        return t.cast("Fields", self.plan.secrets.strip(fields))

    def _send(self, send: Write, fields: Fields | None) -> ToolchainError | None:
        """Send a write. Return the error if its effect is unknown."""
        self.plan.recorded.clear()
        try:
            send(fields or {})
        except (OutcomeUnknown, UnexpectedResponse) as error:
            return error
        except (ServerRefusal, ServerUnreachable) as refusal:
            if self.plan.task.has_written:  # an earlier request of several had an effect
                with contextlib.suppress(ToolchainError):
                    self.record(self.plan.read())
            elif isinstance(refusal, ServerRefusal):
                self._check_conflict(refusal)
            raise
        return None

    def _verify_unchanged(self) -> None:
        """
        :raises _Conflict: if the resource has changed since it was read
        """
        current = self.plan.read()
        if current != self.before:
            conflict = f"Another client changed the {self.plan.name} while the task was running."
            raise _Conflict(ToolchainError(conflict), current, is_foreign=True)

    def _read_until_visible(
        self, fields: Fields | None, basis: Fields | None, trouble: ToolchainError | None
    ) -> tuple[Fields | None, Fields | None]:
        """Return the resource after a write and the expected one. Read again until they agree, within a time limit."""
        plan = self.plan
        remaining = 0.0 if _is_final(trouble) else self._visibility_timeout
        pause = _FIRST_PAUSE
        while True:
            try:
                after = plan.read()
            except ToolchainError as error:
                if remaining <= 0 or _is_permanent(error):
                    raise _read_back_error(error, trouble) from None
            else:
                expected = self._expect(after, fields, basis)
                if _is_reached(after, expected) or remaining <= 0:
                    return after, expected
            plan.task.report_progress(f"waiting until the server returns the {plan.name} as requested")
            _pause(min(pause, remaining))
            remaining, pause = remaining - pause, 2 * pause

    def _expect(self, after: Fields | None, fields: Fields | None, basis: Fields | None) -> Fields | None:
        """Return the fields that the resource must have after a write, or `None` if it must not exist.

        :arg after: the resource as it was read back
        """
        if fields is None:
            return None
        expected = {**self.plan.desired(after), **self.switches} if self.plan.cumulative else self.managed
        if self.plan.replaces:
            expected = _overlay(_overlay(basis, fields), expected)
        return self._strip_secrets(expected)

    def _unreached_error(
        self, trouble: ToolchainError | None, after: Fields | None, expected: Fields | None
    ) -> ToolchainError:
        plan = self.plan
        shortfall = _describe_shortfall(plan.name, after, expected)
        if trouble is None:
            reason = plan.explain_shortfall() or self._describe_wait()
            return ToolchainError(f"The server accepted the change, but {shortfall}.{reason}")
        if after != self.before:
            return ToolchainError(
                f"{describe_cause(trouble)} Reading back shows a part of the change, but {shortfall}."
            )
        return _get_refusal(trouble)

    def _describe_wait(self) -> str:
        timeout = self._visibility_timeout
        advice = " Increase 'visibility_timeout' if the server needs more time."
        return f" It was read again for {timeout:g} s.{advice}" if timeout else ""

    @property
    def _visibility_timeout(self) -> float:
        # not an option of modules that only change files of the controller
        return self.plan.task.params.get("visibility_timeout", 0.0)

    def _check_conflict(self, refusal: ServerRefusal) -> None:
        """
        :raises _Conflict: if the resource has changed since it was read
        """
        if refusal.status in _CONFLICTS:
            with contextlib.suppress(ToolchainError):
                current = self.plan.read()
                if current != self.before:
                    raise _Conflict(refusal, current, is_foreign=True)

    def _to_diff(self, resource: Fields | None) -> Fields:
        """Return the managed fields for the diff, with a state unless the resource always exists."""
        if resource is None:
            return {"state": "absent"}
        fields = _select(self.plan.to_result(resource), self.managed)
        always_exists = not (self.plan.create or self.plan.delete or self.plan.replace)
        return fields if always_exists else {"state": "present", **fields}


def operate(
    task: Task,
    plan: Fields | None,
    act: t.Callable[[], Fields],
    changes_state: bool | t.Callable[[], bool] = True,
    result_names: t.Sequence[str] = (),
    check: t.Callable[[], None] = lambda: None,
    predict: t.Callable[[], Fields] = dict,
) -> None:
    """Run an operation, or return only its plan in check mode.

    :arg plan: description of the operation, the member `plan` of the result; `None` if there is nothing to do. For many
        items, see `summarize_plan`
    :arg act: runs the operation and returns further members of the result
    :arg changes_state: whether the operation changes something; a completion that is not cached, for example, does not.
        A function is called after `predict`
    :arg result_names: names of the members that `act` returns; they are `None` if the operation is not run
    :arg check: called before the operation, also in check mode; raises an exception to prevent it
    :arg predict: called instead of `act` in check mode, where the server can test the operation without an effect
    """
    task.result = {"plan": plan, **dict.fromkeys(result_names), **task.result}
    if plan is None:
        return
    check()
    if task.check_mode:
        task.result.update(predict())
        task.changed = changes_state() if callable(changes_state) else changes_state
    else:
        task.result.update(act())
        task.changed = task.changed or task.has_written  # an operation on many items has set `changed`


def run_or_predict(task: Task, run: t.Callable[[], _Result], predict: t.Callable[[], _Result]) -> _Result:
    """Run a step of a task, or predict its result in check mode."""
    return predict() if task.check_mode else run()


def verify_write(task: Task, write: t.Callable[[], t.Any], verify: t.Callable[[], None]) -> None:
    """Send a write of an operation and verify its effect. If the response is lost, the effect decides.

    :arg verify: raises an exception if the effect is missing
    :raises OutcomeUnknown: if the response is lost and the effect is missing
    """
    trouble: ToolchainError | None = None
    try:
        write()
    except (OutcomeUnknown, UnexpectedResponse) as error:
        trouble = error
    try:
        verify()
    except (ServerRefusal, ServerUnreachable, UnexpectedResponse) as error:
        raise _read_back_error(error, trouble) from None
    except ToolchainError:
        if trouble:
            raise _get_refusal(trouble) from None
        raise
    if trouble:
        task.has_written = True
        _warn_of_effect(task, trouble)


def recover_write(task: Task, write: t.Callable[[], _Result], find_effect: t.Callable[[], _Result | None]) -> _Result:
    """Send a write of an operation and return its result. If the response is lost, return the effect instead.

    :arg find_effect: returns what the write resulted in, or `None` if the effect is missing
    :raises OutcomeUnknown: if the response is lost and the effect is missing
    """
    try:
        return write()
    except OutcomeUnknown as lost:
        effect = read_back(find_effect, lost)
        if effect is None and _is_final(lost):
            raise _get_refusal(lost) from None
        if effect is None:
            raise
        task.has_written = True
        _warn_of_effect(task, lost)
        return effect


def read_back(read: t.Callable[[], _Result], trouble: ToolchainError | None) -> _Result:
    """Read the state after a write.

    :arg trouble: the error of the write, if there was one
    :raises OutcomeUnknown: if reading fails, too
    """
    try:
        return read()
    except ToolchainError as error:
        raise _read_back_error(error, trouble) from None


def summarize_plan(steps: t.Iterable[tuple[str, Fields]], max_items: int = 10) -> Fields | None:
    """Return the plan of an operation on many items for `operate`: `counts` by action, and the `first` items.

    :arg steps: pairs of action and item, such as `("delete", {"path": "a/b"})`; consumed one by one
    """
    counts: collections.Counter[str] = collections.Counter()
    first: list[Fields] = []
    for action, item in steps:
        counts[action] += 1
        if len(first) < max_items:
            first.append({"action": action, **item})
    return {"counts": dict(counts), "first": first} if counts else None


def find_differences(before: Fields, desired: Fields) -> Fields:
    """Return the desired fields that differ from the current ones, of a dictionary only the members that differ."""
    changes = {}
    for field, value in desired.items():
        current = before.get(field)
        if isinstance(value, dict) and isinstance(current, dict):
            if inner := find_differences(current, value):
                changes[field] = inner
        elif current != value:
            changes[field] = value
    return changes


def has_grown(before: t.Any, after: t.Any) -> bool:
    """Return whether a value has true values or entries, at any depth, that the previous value does not have."""
    if isinstance(after, dict):
        current = before if isinstance(before, dict) else {}
        return any(has_grown(current.get(name), value) for name, value in after.items())
    if isinstance(after, list):
        return any(entry not in (before or ()) for entry in after)
    return after is True and before is not True


def add_removals(before: Fields | None, desired: Fields) -> Fields:
    """Return the desired fields, and `None` for each other existing field, so that it is removed."""
    return {**dict.fromkeys(before or ()), **desired}


def merge_fields(before: Fields | None, changes: Fields) -> Fields:
    """Return the fields after changes, where `None` removes a field."""
    merged = dict(before or {})
    for field, value in changes.items():
        if isinstance(value, dict):
            current = merged.get(field)
            merged[field] = merge_fields(current if isinstance(current, dict) else None, value)
        elif value is None:
            merged.pop(field, None)
        else:
            merged[field] = value
    return merged


def _overlay(basis: Fields | None, changes: Fields) -> Fields:
    """Return the fields after changes, with `None` for those that should not exist."""
    merged = dict(basis or {})
    for field, value in changes.items():
        current = merged.get(field)
        both = isinstance(value, dict) and isinstance(current, dict)
        merged[field] = _overlay(current, value) if both else value
    return merged


def restore_order(value: t.Any, declared: t.Any) -> t.Any:
    """Return a sorted list in the order of an option with the same elements. Other clients compare the order."""
    is_same = isinstance(value, list) and isinstance(declared, list) and value == sort_unique(map(str, declared))
    return list(dict.fromkeys(map(str, declared))) if is_same else value


def sort_unique(values: t.Iterable[str]) -> list[str]:
    """Return the different values in sorted order, so that lists that stand for sets can be compared."""
    return sorted(set(values))


def _warn_of_effect(task: Task, trouble: ToolchainError) -> None:
    task.warn(f"{describe_cause(trouble)} Reading back shows that the request had its effect.")


def _is_permanent(error: ToolchainError) -> bool:
    """Return whether the server does not permit the account to read."""
    return isinstance(error, ServerRefusal) and error.status in _NOT_PERMITTED


def _read_back_error(error: ToolchainError, trouble: ToolchainError | None) -> ToolchainError:
    """Return the error to raise if reading back fails.

    :arg trouble: the error of the write, if there was one
    """
    if trouble:
        return OutcomeUnknown(f"{describe_cause(trouble)} Reading back failed as well: {error}")
    # of the same kind, because a rejected credential is reported with its source
    error.args = (f"The server accepted the change, but reading back failed: {error}",)
    return error


def _is_final(trouble: ToolchainError | None) -> bool:
    """Return whether the server itself has ended the request, so that its effect is visible immediately."""
    return isinstance(trouble, ServerFailure) and trouble.status == _INTERNAL_SERVER_ERROR


def _get_refusal(trouble: ToolchainError) -> ToolchainError:
    """Return the error to raise if reading back shows that a write had no effect."""
    return trouble.refusal if isinstance(trouble, ServerFailure) else trouble


def _pause(seconds: float) -> None:
    time.sleep(seconds)


def _is_reached(after: Fields | None, expected: Fields | None) -> bool:
    if after is None or expected is None:
        return after is expected
    return not find_differences(after, expected)


def _describe_shortfall(name: str, after: Fields | None, expected: Fields | None) -> str:
    if after is None:
        return f"the {name} does not exist"
    if expected is None:
        return f"the {name} still exists"
    differences = find_differences(after, expected)
    fields = [
        f"{field} ({join_names(inner)})" if isinstance(inner, dict) and isinstance(after.get(field), dict) else field
        for field, inner in sorted(differences.items())
    ]
    return f"these fields of the {name} do not have the requested values: {', '.join(fields)}"


def _select(resource: Fields, managed: Fields) -> Fields:
    """Return the fields of a resource that are managed, without null values."""
    selected = {}
    for field, value in managed.items():
        current = resource.get(field)
        if isinstance(value, dict) and isinstance(current, dict):
            selected[field] = _select(current, value)
        elif current is not None:
            selected[field] = current
    return selected
