# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many items in one task, processed by several workers. Memory does not grow with the number of items."""

from __future__ import annotations

import collections
import dataclasses
import functools
import heapq
import itertools
import json
import re
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    prefix_errors,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import check_writable, open_json_lines
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import Controller
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import drop_null, inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import (
    SECONDS_TO_CLEAN_UP,
    Reasons,
    Task,
    explain_failure,
)

Item = dict[str, t.Any]
Act = t.Callable[[Task], None]
# Returns the level of an item. The items of a level start when those of all lower levels have ended
LevelOf = t.Callable[[Item], int]
_Value = t.TypeVar("_Value")

_STATUSES = ("changed", "ok", "failed", "unknown", "skipped")
_FAILURES = ("failed", "unknown")
# Kinds of outcomes, the most relevant first
_KINDS = ("failures", "deletions", "openings", "changes", "unchanged")
_KIND_OF_EFFECT = {"deletion": "deletions", "opening": "openings", "change": "changes"}
_MAX_DIFFS = 2000
# Members of the result of an item that are moved to the result of the task
_TASK_MEMBERS = ("diff", "refused_credential")
_POLLING_INTERVAL = 0.2
# Parameter with the key of an object that `read_concurrently` reads
_READ_KEY = "key to read"
_BAD_REQUEST = 400  # of a server that does not accept a name in a path
_MAX_GROUPS = 3
# URLs, numbers and IDs, in which messages of the same failure differ
_VARIABLE_PARTS = re.compile(r"\S*(?:\d|://)\S*")


class ItemSkipped(Exception):
    """Raised to skip an item, with a reason if it differs from the reason of the task."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The progress of the remaining items.

    :ivar seconds: estimated time
    :ivar waiting: the cause of a pause and its end
    :ivar state: the same without times
    """

    seconds: float | None = None
    waiting: str | None = None
    state: str = "running"


class _RelevantEntries:
    """A limited number of entries: the most relevant kinds first, and of each kind the first items.

    :arg limit: the maximum number of entries
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._heap: list[tuple[int, int, Item]] = []
        self._hidden: collections.Counter[str] = collections.Counter()

    def add(self, kind: str, index: int, entry: Item) -> None:
        """Add the entry of an item."""
        heapq.heappush(self._heap, (-_KINDS.index(kind), -index, entry))
        if len(self._heap) > self._limit:
            rank, _index, _entry = heapq.heappop(self._heap)
            self._hidden[_KINDS[-rank]] += 1

    def list_entries(self) -> list[Item]:
        """Return the entries in the order of their relevance."""
        return [entry for _rank, _index, entry in sorted(self._heap, key=lambda row: row[:2], reverse=True)]

    def count_hidden(self) -> dict[str, int]:
        """Return the numbers of the other entries by kind."""
        return {kind: self._hidden[kind] for kind in _KINDS if self._hidden[kind]}


class NamedLocks:
    """Locks by name, so that items that share different values do not wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def get(self, name: str) -> threading.Lock:
        """Return the lock with a name, and create it if it does not exist."""
        with self._lock:
            return self._locks.setdefault(name, threading.Lock())


class SharedValues:
    """Values that the items of a task share. Each is created once."""

    def __init__(self) -> None:
        self._locks = NamedLocks()
        self._values: dict[str, t.Any] = {}

    def get(self, name: str, create: t.Callable[[], _Value]) -> _Value:
        """Return a value, and create it if it does not exist."""
        with self._locks.get(name):
            if name not in self._values:
                self._values[name] = create()
            return t.cast("_Value", self._values[name])


def process_one_or_items(
    task: Task,
    act: Act,
    *,
    check: t.Callable[[Item], t.Any] = lambda _params: None,
    expand: t.Callable[[Item], list[Item]] = lambda _params: [{}],
    identity: t.Callable[[Item], t.Hashable] | None = None,
    expand_all: t.Callable[[list[Item]], list[Item]] = list,
    name_option: str | None = None,
    level_of: LevelOf | None = None,
) -> None:
    """Run the module for its options or, if `items` is set, for each item with these options as defaults.

    :arg act: runs the module for the task of an item
    :arg check: raises `BadOption` if the options of an item are invalid; called for all items before the first request
    :arg expand: for an item that stands for several, returns the options in which each of these differs
    :arg identity: returns what must be unique among the items
    :arg expand_all: replaces items that stand for several, if this needs requests to the service
    :arg name_option: the option with the name of an item, which messages and diffs show
    :arg level_of: returns the level of an item, for items that depend on each other
    :raises ToolchainError: if items failed, unless the option `on_error` allows it
    """
    items = task.params["items"]
    if items is None:
        act(task)
        return
    work: list[Item] = []
    seen: dict[t.Hashable, int] = {}
    for index, item in enumerate(items):
        with prefix_errors(f"items[{index}]"):
            merged = inherit_options(task.params, item)
            for differing in expand(merged):
                params = {**merged, **differing}
                check(params)
                first = seen.setdefault(identity(params), index) if identity else index
                if first != index:
                    raise ToolchainError(f"duplicate of items[{first}].")
                work.append({**item, **differing})
    work = expand_all(work)
    if task.params.get("deletions_only"):
        work = [item for item in work if inherit_options(task.params, item)["state"] == "absent"]
    process_items(task, work, act, name_option, level_of=level_of)


def process_items(task: Task, items: t.Iterable[Item], act: Act, name_option: str | None = None, **more: t.Any) -> None:
    """Process items with `workers` threads.

    The result has `counts` by status, all `failures`, and the most relevant `outcomes`: failures, deletions, openings
    of access, other changes and the rest, each in the order of the items. `hidden` counts the other outcomes.

    :arg items: options of the items; an iterator is consumed as workers become free
    :arg act: called in a thread with the task of an item
    :arg name_option: the option with the name of an item, which messages and diffs show
    :arg more: further arguments of `ItemQueue`
    :raises ToolchainError: if items failed, unless the option `on_error` allows it
    """
    if task.params["to_file"]:
        check_writable(task, task.params["to_file"], "to_file")
    with open_json_lines(task, task.params["to_file"]) as write_outcome:
        describe = functools.partial(_describe_item, name_option)
        work = run_items(task, items, act, write_outcome, describe, **more)
    work.raise_failures()


def run_items(
    task: Task,
    items: t.Iterable[Item],
    act: Act,
    write_outcome: t.Callable[[Item], None],
    describe: t.Callable[[Item], str],
    **more: t.Any,
) -> ItemQueue:
    """Process items as `process_items` does, without `to_file`, and return the queue.

    :arg write_outcome: called with each outcome, by one thread at a time
    :arg describe: returns the name of an item for messages, given its outcome
    :arg more: further arguments of `ItemQueue`
    """
    work = ItemQueue(task, items, act, write_outcome, describe, **more)
    try:
        work.run()
    finally:
        work.publish()
    return work


def read_concurrently(
    task: Task, keys: t.Iterable[str], read: t.Callable[[Task, str], _Value | None]
) -> dict[str, _Value]:
    """Read an object for each key with `workers` threads. Objects that do not exist are left out.

    :arg read: called in a thread with a task of its own; returns `None` if the object does not exist
    :raises Exception: the first failure; a module without `max_failures` starts no more reads then
    """
    values: dict[str, _Value] = {}
    failures: list[Exception] = []

    def act(item_task: Task) -> None:
        key = item_task.params[_READ_KEY]
        try:
            value = read(item_task, key)
        except Exception as error:
            failures.append(error)
            raise
        if value is not None:
            values[key] = value

    ItemQueue(task, [{_READ_KEY: key} for key in keys], act, lambda _outcome: None, str).run()
    if failures:
        raise failures[0]
    return values


def read_listed(task: Task, names: t.Iterable[str], read: t.Callable[[Task, str], _Value | None]) -> dict[str, _Value]:
    """Read the objects of a list, as `read_concurrently` does. Continue after names that requests cannot contain.

    The member `unreadable` of the result has the reasons by name. It is missing if all objects are read.

    :arg read: as in `read_concurrently`
    """
    unreadable: dict[str, str] = {}

    def read_or_skip(item_task: Task, name: str) -> _Value | None:
        try:
            return read(item_task, name)
        except (BadOption, ServerRefusal) as error:
            if isinstance(error, ServerRefusal) and error.status != _BAD_REQUEST:
                raise
            unreadable[name] = str(error)
            return None

    found = read_concurrently(task, names, read_or_skip)
    if unreadable:
        task.result["unreadable"] = {name: unreadable[name] for name in sorted(unreadable)}
    return found


def _skip_item(_task: Task) -> None:
    raise ItemSkipped


class ItemQueue:
    """The queue of items and their outcomes, shared by all threads.

    :arg handle_remaining: called for the remaining items after a stop
    :arg stop: set after a stop, when no more items are started
    :arg estimate: returns the progress of the remaining items; by default extrapolated
    :arg level_of: returns the level of an item
    """

    def __init__(  # noqa: PLR0913  the steps of all modules with items
        self,
        task: Task,
        items: t.Iterable[Item],
        act: Act,
        write_outcome: t.Callable[[Item], None],
        describe: t.Callable[[Item], str],
        *,
        handle_remaining: Act = _skip_item,
        stop: threading.Event | None = None,
        estimate: t.Callable[[], Estimate] | None = None,
        level_of: LevelOf | None = None,
    ) -> None:
        self._task = task
        self._act = act
        self._write_outcome = write_outcome
        self._describe = describe
        self._rest = handle_remaining
        self._stop = stop or threading.Event()
        self._outlook = estimate or self._extrapolate
        self._level_of = level_of
        self._items: t.Iterator[tuple[int, Item]] = enumerate(items)
        if level_of:
            self._items = iter(sorted(self._items, key=lambda entry: level_of(entry[1])))
        self._total = len(items) if isinstance(items, t.Sized) else None
        self._lock = threading.Lock()
        # instead of Thread.join, which can return early after a signal (bpo-45274)
        self._ended = threading.Condition(self._lock)
        self._working = 0
        self._running: dict[int, Item] = {}
        self._counts = collections.Counter(dict.fromkeys(_STATUSES, 0))
        self._failures: list[Item] = []
        self._first = _RelevantEntries(task.params.get("result_limit", 0))
        self._diffs = _RelevantEntries(_MAX_DIFFS)
        self._warnings = Reasons()
        self._refused: str | None = None
        self._stopped: str | None = None
        self._has_unread_items = False
        self._controller = Controller()
        self._defect: BaseException | None = None
        self._start = time.monotonic()

    def run(self) -> None:
        """Start the workers and wait for them, and display progress."""
        count = self._task.params["workers"]
        count = count if self._total is None else min(count, self._total)
        with self._task.on_interrupt(self._clean_up):
            for _number in range(count):
                with self._lock:
                    self._working += 1
                threading.Thread(target=self._work, daemon=True).start()
            self._wait()
        if self._defect:
            raise self._defect
        self._skip_rest()

    def publish(self) -> None:
        """Add the counts and outcomes to the result."""
        result = self._task.result
        result["counts"] = {status: self._counts[status] for status in _STATUSES}
        result["failures"] = sorted(self._failures, key=_get_index)
        result["outcomes"] = self._first.list_entries()
        result["hidden"] = self._first.count_hidden()
        if self._task.diff_mode:
            result["diff"] = self._diffs.list_entries()
            if hidden := self._diffs.count_hidden():
                rest = ", ".join(f"{count:,} {kind}" for kind, count in hidden.items())
                result["diff"].append({"prepared": f"The diffs of further items are not shown: {rest}.\n"})
        for warning in self._warnings.summary():
            self._task.warn(warning)

    def group_failures(self) -> list[Item]:
        """Return the reasons of failures, each with the number of items and the index of the first."""
        groups: dict[str, Item] = {}
        for failure in sorted(self._failures, key=_get_index):
            reason = failure["reason"]
            entry = {"reason": reason, "count": 0, "first": failure["index"]}
            groups.setdefault(_VARIABLE_PARTS.sub("", reason), entry)["count"] += 1
        return list(groups.values())

    def raise_failures(self, is_stopped: bool = False) -> None:
        """Fail the task if items failed.

        :arg is_stopped: whether the caller has items left that it did not process
        :raises ToolchainError: if items failed, unless the option `on_error` allows it
        """
        failed = len(self._failures)
        is_stopped = is_stopped or self._has_unread_items or self._has_enough_failures()
        if not failed or (self._task.params["on_error"] == "report" and not is_stopped):
            return
        if self._refused:
            self._task.result["refused_credential"] = self._refused
        first = min(self._failures, key=_get_index)
        unknown = self._counts["unknown"]
        doubt = f" ({unknown:,} of them with unknown effect)" if unknown else ""
        skipped = f", {self._counts['skipped']:,} were skipped" if self._counts["skipped"] else ""
        raise ToolchainError(
            f"{failed:,} of {sum(self._counts.values()):,} items failed{doubt}{skipped}. "
            f"The first failure is {self._describe(first)}: {first['reason']}{self._describe_other_failures()}"
        )

    def _describe_other_failures(self) -> str:
        """Return what to add to the message of the first failure: the numbers of equal failures."""
        failures = {failure["index"]: failure for failure in self._failures}
        same, *groups = self.group_failures()
        text = f" {same['count'] - 1:,} more failed in the same way." if same["count"] > 1 else ""
        for group in [group for group in groups if group["count"] > 1][:_MAX_GROUPS]:
            text += f" {group['count']:,} failed as {self._describe(failures[group['first']])}: {group['reason']}"
        return text

    def _work(self) -> None:
        try:
            while (entry := self._next()) is not None:
                self._add(entry[0], *self._outcome(*entry, self._act))
        except Exception as defect:
            self._defect = defect
            self._end("the task was aborted")
        finally:
            with self._lock:
                self._working -= 1
                self._ended.notify_all()

    def _next(self) -> tuple[int, Item] | None:
        with self._lock:
            self._check_controller()
            entry = None if self._stopped else next(self._items, None)
            if entry is None:
                return None
            self._running[entry[0]] = entry[1]
            while self._has_to_wait(entry[1]):
                self._ended.wait(_POLLING_INTERVAL)
            if self._stopped:
                del self._running[entry[0]]
                self._items = itertools.chain([entry], self._items)
                return None
            return entry

    def _has_to_wait(self, item: Item) -> bool:
        """Return whether items of a lower level are running."""
        if self._stopped or not self._level_of:
            return False
        return self._level_of(item) > min(map(self._level_of, self._running.values()))

    def _end(self, reason: str) -> None:
        """Start no more items."""
        self._stopped = self._stopped or reason
        self._stop.set()

    def _check_controller(self) -> None:
        if not self._stopped and self._controller.is_gone:
            self._end("the process that runs Ansible was killed")

    def _outcome(self, index: int, item: Item, act: Act) -> tuple[Item, Task]:
        task = self._task.create_item_task(drop_null(item), self._task.diff_mode)
        status, reason = "ok", None
        try:
            act(task)
            status = "changed" if task.changed else "ok"
        except ItemSkipped as error:
            status, reason = "skipped", str(error) or self._stopped
        except Exception as error:
            status = "unknown" if isinstance(error, OutcomeUnknown) else "failed"
            reason = explain_failure(task, error)
            if isinstance(error, ToolchainError) and error.affects_all_items:
                self._end(f"the failure of another item affects all items: {reason}")
        return _build_outcome(index, item, status, reason, task), task

    def _add(self, index: int, outcome: Item, task: Task) -> None:
        diff = task.result.get("diff")
        with self._lock:
            if self._running.pop(index, None) is None:
                return  # recorded as unknown after an interruption
            self._collect(task)  # before the outcome is written, which can fail: the task has changed something
            kind = self._record(outcome, task)
            if diff and diff["before"] != diff["after"]:
                header = self._describe(outcome)
                self._diffs.add(kind, index, {"before_header": header, "after_header": header, **diff})
            if self._has_enough_failures():
                self._end(f"{len(self._failures):,} item(s) had failed")
            self._ended.notify_all()  # workers that wait for the end of a level

    def _collect(self, task: Task) -> None:
        parent = self._task
        parent.changed = parent.changed or task.changed or task.has_written
        self._refused = self._refused or task.result.get("refused_credential")
        parent.retry_reasons.merge(task.retry_reasons)
        self._warnings.merge(Reasons(task.warnings))

    def _record(self, outcome: Item, task: Task | None = None) -> str:
        """Record an outcome and return its kind."""
        self._counts[outcome["status"]] += 1
        if outcome["status"] in _FAILURES:
            self._failures.append(outcome)
        kind = _get_kind(outcome, task)
        self._first.add(kind, outcome["index"], outcome)
        self._write_outcome(outcome)
        return kind

    def _has_enough_failures(self) -> bool:
        most = self._task.params.get("max_failures", 1)
        return bool(most) and len(self._failures) >= most

    def _skip_rest(self) -> None:
        if self._stopped and self._total is None:
            self._has_unread_items = next(self._items, None) is not None
        elif self._stopped:
            for index, item in self._items:
                self._record(*self._outcome(index, item, self._rest))
            self._has_unread_items = self._counts["skipped"] > 0

    def _wait(self) -> None:
        while not self._end_within(_POLLING_INTERVAL):
            self._check_controller()
            outlook = self._outlook()
            self._task.report_progress(self._progress(outlook), outlook.state)

    def _end_within(self, seconds: float) -> bool:
        with self._lock:
            return self._ended.wait_for(lambda: not self._working, seconds)

    def _progress(self, outlook: Estimate) -> str:
        with self._lock:
            done, failed = sum(self._counts.values()), len(self._failures)
        total = "" if self._total is None else f" of {self._total:,}"
        parts = [f"{done:,}{total} done"]
        if failed:
            parts.append(f"{failed:,} failed")
        if outlook.waiting:
            parts.append(outlook.waiting)
        if outlook.seconds is not None:
            parts.append(f"{outlook.seconds:,.0f} s left")
        return ", ".join(parts)

    def _extrapolate(self) -> Estimate:
        with self._lock:
            done = sum(self._counts.values())
        if not done or self._total is None:
            return Estimate()
        return Estimate((time.monotonic() - self._start) / done * (self._total - done))

    def _clean_up(self) -> t.Iterator[str]:
        """Wait for the running items. The unfinished ones are displayed immediately, in case the process is killed."""
        with self._lock:
            self._end("the task was interrupted")
        yield f"interrupted: {self._progress(Estimate())}; unfinished: {self._list_running()}"
        self._end_within(SECONDS_TO_CLEAN_UP)
        with self._lock:
            lost, doubt = self._running, self._list_running()
            self._running = {}
            for index, item in lost.items():
                self._record(_build_outcome(index, item, "unknown", "interrupted before it was finished"))
        yield f"interrupted: {self._progress(Estimate())}; unknown effect: {doubt}"
        self._skip_rest()

    def _list_running(self) -> str:
        # masked here, because the JSON form of a secret with several lines is another text
        items = [self._task.mask(drop_null(item)) for item in list(self._running.values())]
        return ", ".join(json.dumps(item, ensure_ascii=False) for item in items) or "none"


def _describe_item(name_option: str | None, outcome: Item) -> str:
    """Return the position of an item and, if it has one, its name."""
    path, name = f"items[{outcome['index']}]", outcome["item"].get(name_option)
    return path if name is None else f"{path} ({name})"


def _build_outcome(index: int, item: Item, status: str, reason: str | None, task: Task | None = None) -> Item:
    changed = task is not None and (task.changed or task.has_written)
    result = {name: value for name, value in task.result.items() if name not in _TASK_MEMBERS} if task else {}
    return {"index": index, "item": drop_null(item), "status": status, "changed": changed, "reason": reason, **result}


def _get_index(outcome: Item) -> int:
    return outcome["index"]


def _get_kind(outcome: Item, task: Task | None) -> str:
    if outcome["status"] in _FAILURES:
        return "failures"
    effect = "change" if task is None else task.effect
    return _KIND_OF_EFFECT[effect] if outcome["changed"] else "unchanged"
