# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many items in one task: a few at a time, one outcome for each, in memory that does not grow with their number."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import re
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import check_writable, open_json_lines
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import Controller
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import (
    SECONDS_TO_CLEAN_UP,
    Reasons,
    Task,
    explain_failure,
)

Item = dict[str, t.Any]
Act = t.Callable[[Task], None]

_STATUSES = ("changed", "ok", "failed", "unknown", "skipped")
_FAILURES = ("failed", "unknown")
# These go into the result of the task as a whole
_NOT_OF_ITEMS = ("diff", "refused_credential")
_SECONDS_BETWEEN_LOOKS = 0.2
_MOST_GROUPS = 3
# Addresses, numbers and ids, in which equal failures differ
_OF_ONE_FAILURE = re.compile(r"\S*(?:\d|://)\S*")


class ItemSkipped(Exception):
    """Raised for an item that is not worth a try, with the reason if it differs from the reason of the whole task."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """What is to be said of the remaining items.

    :ivar seconds: how long they take
    :ivar waiting: what the task waits for, and until when
    :ivar state: the same, without the time
    """

    seconds: float | None = None
    waiting: str | None = None
    state: str = "at work"


def process_one_or_items(
    task: Task,
    spec: ArgumentSpec,
    act: Act,
    *,
    check: t.Callable[[Item], t.Any] = lambda _params: None,
    expand: t.Callable[[Item], list[Item]] = lambda _params: [{}],
    identity: t.Callable[[Item], t.Hashable] | None = None,
    expand_all: t.Callable[[list[Item]], list[Item]] = list,
) -> None:
    """Act on what the task's options name, or on each of its `items`, whose defaults those options are.

    :arg spec: the options of an item, and the rules between them
    :arg act: does for a task of its own what the module does
    :arg check: raises `BadOption` when the options of an item cannot work; called for all before the first request
    :arg expand: gives, for the options of an item that stands for several, those in which each of them differs
    :arg identity: what two items must not have in common
    :arg spread: gives the items in place of those that stand for several as only the service knows them
    :raises ToolchainError: when items failed, unless the task goes on with them
    """
    items = task.params["items"]
    if items is None:
        spec.check_rules(task.params)
        act(task)
        return
    work: list[Item] = []
    seen: dict[t.Hashable, int] = {}
    for index, item in enumerate(items):
        with _named(f"items[{index}]"):
            given = {**task.params, **_given(item)}
            spec.check_rules(given)
            for differing in expand(given):
                params = {**given, **differing}
                check(params)
                first = seen.setdefault(identity(params), index) if identity else index
                if first != index:
                    raise ToolchainError(f"names the same as items[{first}].")
                work.append({**item, **differing})
    process_items(task, expand_all(work), act)


def process_items(task: Task, items: t.Iterable[Item], act: Act) -> None:
    """Act on each item, `workers` of them at a time, and put into the result what became of them.

    The result has `counts` by status, all `failures`, and the outcomes of the first items, in the order of the items.

    :arg items: options of the items; may be an iterator, which is read as the work proceeds
    :arg act: called with a task of the item's own, in a thread
    :raises ToolchainError: when items failed, unless the task goes on with them
    """
    if task.params["to_file"]:
        check_writable(task, task.params["to_file"], "to_file")
    with open_json_lines(task, task.params["to_file"]) as write_outcome:
        work = run_items(task, items, act, write_outcome)
    work.raise_failures()


def run_items(
    task: Task,
    items: t.Iterable[Item],
    act: Act,
    write_outcome: t.Callable[[Item], None],
    item_path: t.Callable[[int], str] = "items[{}]".format,
    **more: t.Any,
) -> ItemQueue:
    """Act on each item as `each` does, but for `to_file`; `check` of the result raises the failures.

    :arg write_outcome: called with each outcome as it comes, by one thread at a time
    :arg place: where the user gave an item, by its number
    :arg more: see `Work`
    """
    work = ItemQueue(task, items, act, write_outcome, item_path, **more)
    try:
        work.run()
    finally:
        work.publish()
    return work


def _skip(_task: Task) -> None:
    raise ItemSkipped


class ItemQueue:
    """Items on their way from the list to an outcome; all threads share it.

    :arg rest: acts on what remains when no more items are begun
    :arg stop: set when no more items are begun
    :arg outlook: returns what is to be said of the remaining items; by default they take as long as those before
    """

    def __init__(
        self,
        task: Task,
        items: t.Iterable[Item],
        act: Act,
        write_outcome: t.Callable[[Item], None],
        item_path: t.Callable[[int], str],
        *,
        handle_remaining: Act = _skip,
        stop: threading.Event | None = None,
        estimate: t.Callable[[], Estimate] | None = None,
    ) -> None:
        self._task = task
        self._act = act
        self._write_outcome = write_outcome
        self._place = item_path
        self._rest = handle_remaining
        self._stop = stop or threading.Event()
        self._outlook = estimate or self._same_rate
        self._items = enumerate(items)
        self._total = len(items) if isinstance(items, t.Sized) else None
        self._lock = threading.Lock()
        # not Thread.join, which takes a thread for ended when a signal comes in between (Python's bpo-45274)
        self._ended = threading.Condition(self._lock)
        self._working = 0
        self._running: dict[int, Item] = {}
        self._counts = collections.Counter(dict.fromkeys(_STATUSES, 0))
        self._failures: list[Item] = []
        self._first: list[Item] = []
        self._diffs: list[tuple[int, Item]] = []
        self._warnings = Reasons()
        self._refused: str | None = None
        self._stopped: str | None = None
        self._has_left = False
        self._controller = Controller()
        self._defect: BaseException | None = None
        self._start = time.monotonic()

    def run(self) -> None:
        """Start the workers and wait for them, telling progress."""
        count = self._task.params["workers"]
        count = count if self._total is None else min(count, self._total)
        with self._task.on_interrupt(self._interrupted):
            for _number in range(count):
                with self._lock:
                    self._working += 1
                threading.Thread(target=self._work, daemon=True).start()
            self._wait()
        if self._defect:
            raise self._defect
        self._skip_rest()

    def publish(self) -> None:
        """Put into the result what became of the items."""
        result = self._task.result
        result["counts"] = {status: self._counts[status] for status in _STATUSES}
        result["failures"] = sorted(self._failures, key=_index)
        result["outcomes"] = sorted(self._first, key=_index)
        if self._task.diff_mode:
            result["diff"] = [diff for _index, diff in sorted(self._diffs, key=lambda pair: pair[0])]
        for warning in self._warnings.summary():
            self._task.warn(warning)

    def group_failures(self) -> list[Item]:
        """Return each reason for which items failed, with the number of these and the index of the first."""
        groups: dict[str, Item] = {}
        for failure in sorted(self._failures, key=_index):
            reason = failure["reason"]
            entry = {"reason": reason, "count": 0, "first": failure["index"]}
            groups.setdefault(_OF_ONE_FAILURE.sub("", reason), entry)["count"] += 1
        return list(groups.values())

    def raise_failures(self, is_stopped: bool = False) -> None:
        """
        :arg is_stopped: whether items are left that cannot succeed
        :raises ToolchainError: when items failed, unless the task goes on with them
        """
        failed = len(self._failures)
        is_stopped = is_stopped or self._has_left or self._has_enough_failures()
        if not failed or (self._task.params["on_error"] == "report" and not is_stopped):
            return
        if self._refused:
            self._task.result["refused_credential"] = self._refused
        first = min(self._failures, key=_index)
        unknown = self._counts["unknown"]
        doubt = f" (of {unknown:,} it is not known whether they were changed)" if unknown else ""
        skipped = f", {self._counts['skipped']:,} were not tried" if self._counts["skipped"] else ""
        raise ToolchainError(
            f"{failed:,} of {sum(self._counts.values()):,} items failed{doubt}{skipped}. "
            f"The first of them, {self._place(first['index'])}: {first['reason']}{self._others()}"
        )

    def _others(self) -> str:
        """Return what to add to the first failure: how many others are equal to it, or to one another."""
        same, *groups = self.group_failures()
        text = f" {same['count'] - 1:,} more failed in the same way." if same["count"] > 1 else ""
        for group in [group for group in groups if group["count"] > 1][:_MOST_GROUPS]:
            text += f" {group['count']:,} failed as {self._place(group['first'])}: {group['reason']}"
        return text

    def _work(self) -> None:
        try:
            while (entry := self._next()) is not None:
                self._add(entry[0], *self._outcome(*entry, self._act))
        except Exception as defect:
            self._defect = defect
            self._end("the task broke off")
        finally:
            with self._lock:
                self._working -= 1
                self._ended.notify_all()

    def _next(self) -> tuple[int, Item] | None:
        with self._lock:
            self._look_for_controller()
            entry = None if self._stopped else next(self._items, None)
            if entry:
                self._running[entry[0]] = entry[1]
            return entry

    def _end(self, reason: str) -> None:
        """Begin no more items."""
        self._stopped = self._stopped or reason
        self._stop.set()

    def _look_for_controller(self) -> None:
        if not self._stopped and self._controller.is_gone:
            self._end("not tried, since the process that runs Ansible was killed")

    def _outcome(self, index: int, item: Item, act: Act) -> tuple[Item, Task]:
        task = self._task.create_item_task(_given(item), diff_mode=self._task.diff_mode and self._is_shown(index))
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
                self._end(f"not tried, since this holds for all: {reason}")
        return _line(index, item, status, reason, task), task

    def _add(self, index: int, outcome: Item, task: Task) -> None:
        diff = task.result.get("diff")
        with self._lock:
            if self._running.pop(index, None) is None:
                return  # told as in doubt already
            self._gather(task)  # first: if the file of outcomes cannot be written, the task has still changed something
            self._record(outcome)
            if diff:
                name = self._place(index)
                self._diffs.append((index, {"before_header": name, "after_header": name, **diff}))
            if self._has_enough_failures():
                self._end(f"not tried, for {len(self._failures):,} items had failed")

    def _gather(self, task: Task) -> None:
        whole = self._task
        whole.changed = whole.changed or task.changed or task.has_written
        self._refused = self._refused or task.result.get("refused_credential")
        whole.retry_reasons.merge(task.retry_reasons)
        self._warnings.merge(Reasons(task.warnings))

    def _record(self, outcome: Item) -> None:
        self._counts[outcome["status"]] += 1
        if outcome["status"] in _FAILURES:
            self._failures.append(outcome)
        if self._is_shown(outcome["index"]):
            self._first.append(outcome)
        self._write_outcome(outcome)

    def _is_shown(self, index: int) -> bool:
        return index < self._task.params["shown"]

    def _has_enough_failures(self) -> bool:
        most = self._task.params["max_failures"]
        return bool(most) and len(self._failures) >= most

    def _skip_rest(self) -> None:
        if self._stopped and self._total is None:
            self._has_left = next(self._items, None) is not None
        elif self._stopped:
            for index, item in self._items:
                self._record(self._outcome(index, item, self._rest)[0])
            self._has_left = self._counts["skipped"] > 0

    def _wait(self) -> None:
        while not self._end_within(_SECONDS_BETWEEN_LOOKS):
            self._look_for_controller()
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

    def _same_rate(self) -> Estimate:
        with self._lock:
            done = sum(self._counts.values())
        if not done or self._total is None:
            return Estimate()
        return Estimate((time.monotonic() - self._start) / done * (self._total - done))

    def _interrupted(self) -> t.Iterator[str]:
        """Let end what runs, and tell what is in doubt: at once, for there may be no later."""
        with self._lock:
            self._end("not tried, for the task was interrupted")
        yield f"interrupted: {self._progress(Estimate())}; in doubt until they end: {self._in_doubt()}"
        self._end_within(SECONDS_TO_CLEAN_UP)
        with self._lock:
            lost, doubt = self._running, self._in_doubt()
            self._running = {}
            for index, item in lost.items():
                self._record(_line(index, item, "unknown", "interrupted while it was under way"))
        yield f"interrupted: {self._progress(Estimate())}; in doubt: {doubt}"
        self._skip_rest()

    def _in_doubt(self) -> str:
        return (
            ", ".join(json.dumps(_given(item), ensure_ascii=False) for item in list(self._running.values()))
            or "nothing"
        )


@contextlib.contextmanager
def _named(item: str) -> t.Iterator[None]:
    """Errors say which item they are about."""
    try:
        yield
    except BadOption as error:
        raise BadOption(f"{item}.{error.option}", error.problem) from None
    except ToolchainError as error:
        raise ToolchainError(f"{item}: {error}") from None


def _given(item: Item) -> Item:
    return {name: value for name, value in item.items() if value is not None}


def _line(index: int, item: Item, status: str, reason: str | None, task: Task | None = None) -> Item:
    changed = task is not None and (task.changed or task.has_written)
    result = {name: value for name, value in task.result.items() if name not in _NOT_OF_ITEMS} if task else {}
    return {"index": index, "item": _given(item), "status": status, "changed": changed, "reason": reason, **result}


def _index(outcome: Item) -> int:
    return outcome["index"]
