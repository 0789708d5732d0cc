# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an ansible-playbook run, collected from task results."""

from __future__ import annotations

import collections
import dataclasses
import difflib
import json
import re
import time
import typing as t

PREFIX = "buildworks.toolchain."
# Limits of the report; the comparison of longer texts takes minutes
MAX_COMPARED_LENGTH = 200_000
MAX_LINES = 400
MAX_TEXT_LENGTH = 4000
MAX_LABEL_LENGTH = 200
_COLOURS = re.compile(r"\x1b\[[\d;]*m")

Result = t.Mapping[str, t.Any]
_RECAP = ("ok", "changed", "failures", "unreachable", "skipped", "rescued", "ignored")
# Counters of the recap by outcome
_RECAPPED = {
    **{outcome: (outcome,) for outcome in ("ok", "skipped", "unreachable", "rescued")},
    "failed": ("failures",),
    "ignored": ("ok", "ignored"),
}


@dataclasses.dataclass(frozen=True)
class TaskOrigin:
    """The source of a result.

    :ivar task: name of the task
    :ivar module: module name as in the playbook
    :ivar path: file and line of the task
    """

    host: str
    task: str
    module: str
    path: str = ""

    @property
    def service(self) -> str:
        """The service of the module, or `other`."""
        kind = self.module.removeprefix(PREFIX).partition("_")[0]
        return "other" if not self.module.startswith(PREFIX) else "artifact" if kind == "access" else kind

    def to_entry(self, **more: t.Any) -> dict[str, t.Any]:
        """Return an entry of the document."""
        task = {"task": self.task, "module": self.module, "path": self.path}
        return {"host": self.host, "service": self.service, **task, **more}


@dataclasses.dataclass
class TaskFigures:
    """Figures of a task over all hosts.

    :ivar seconds: total time of all hosts
    :ivar longest: time of the slowest host in seconds
    :ivar ran: pairs of task UUID and host for which the task ran
    """

    origin: TaskOrigin
    states: dict[str, int] = dataclasses.field(default_factory=dict)
    changed: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    ran: set[tuple[str, str]] = dataclasses.field(default_factory=set)

    def to_entry(self, counted: t.Mapping[tuple[str, str], int]) -> dict[str, t.Any]:
        """Return an entry of the document. `requests` is `None` if the number is unknown for a host."""
        is_complete = self.ran <= counted.keys()
        origin = self.origin.to_entry()
        del origin["host"]
        return {
            **origin,
            "changed": self.changed,
            **{state: self.states.get(state, 0) for state in ("ok", "failed", "unreachable", "skipped")},
            "seconds": round(self.seconds, 2),
            "longest": round(self.longest, 2),
            "requests": sum(counted[key] for key in self.ran) if is_complete else None,
        }


class Report:
    """The collected results of a run."""

    def __init__(self) -> None:
        self._started, self._clock = time.time(), time.monotonic()
        self._changes: list[dict[str, t.Any]] = []
        self._failures: list[dict[str, t.Any]] = []
        self._bulk: list[dict[str, t.Any]] = []
        self._warnings: list[dict[str, t.Any]] = []
        self._tasks: dict[str, TaskFigures] = {}
        self._hosts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)

    def record_task(
        self,
        origin: TaskOrigin,
        state: str,
        changed: bool,
        seconds: float,
        key: tuple[str, str],
        outcome: str,
    ) -> None:
        """Record that a host has finished a task.

        :arg state: `ok`, `failed`, `unreachable` or `skipped`
        :arg key: task UUID and host
        :arg outcome: the state, or the outcome of the failure
        """
        counts = self._hosts[origin.host]
        for name in _RECAPPED[outcome]:
            counts[name] += 1
        counts["changed"] += changed
        task = f"{origin.path} {origin.module}"
        if task not in self._tasks:
            self._tasks[task] = TaskFigures(origin)
        figures = self._tasks[task]
        figures.states[state] = figures.states.get(state, 0) + 1
        figures.changed += changed
        figures.seconds += seconds
        figures.longest = max(figures.longest, seconds)
        if state != "skipped":
            figures.ran.add(key)

    def recap(self) -> dict[str, dict[str, int]]:
        """Return the recap by host, as Ansible shows it after a complete run."""
        return {host: {name: counts[name] for name in _RECAP} for host, counts in sorted(self._hosts.items())}

    def record_change(
        self, origin: TaskOrigin, result: Result, item: str | None, failed: bool, check_mode: bool
    ) -> None:
        """Record a change, in check mode a predicted one.

        :arg failed: whether the task failed nevertheless
        """
        entry = {"failed": failed, "check_mode": check_mode, "hidden": "censored" in result}
        self._changes.append(origin.to_entry(item=item, **entry, diff=format_diff(result.get("diff"))))

    def record_failure(self, origin: TaskOrigin, result: Result, item: str | None, state: str) -> None:
        """Record a failure.

        :arg state: `failed`, `ignored`, `rescued` or `unreachable`
        """
        message = None if "censored" in result else describe_failure(result)
        self._failures.append(origin.to_entry(item=item, state=state, message=message))

    @property
    def failure_count(self) -> int:
        """The number of recorded failures."""
        return len(self._failures)

    def record_items(self, origin: TaskOrigin, result: Result) -> None:
        """Record the outcomes of a task with many items."""
        counts, outcomes = result.get("counts"), result.get("outcomes")
        if origin.service == "other" or not isinstance(counts, dict) or not isinstance(outcomes, list):
            return
        of_index = {outcome["index"]: outcome for outcome in [*outcomes, *result.get("failures", ())]}
        lines = [
            {"item": item_text(outcome["item"]), "status": outcome["status"], "reason": outcome["reason"]}
            for _index, outcome in sorted(of_index.items())
        ]
        lines.sort(key=lambda line: line["status"] not in ("failed", "unknown"))
        self._bulk.append(origin.to_entry(counts=dict(counts), outcomes=lines))

    def record_warnings(self, origin: TaskOrigin, warnings: t.Iterable[str]) -> None:
        """Record the warnings of a task."""
        self._warnings.extend(origin.to_entry(message=text) for text in warnings)

    def document(self, counted: t.Mapping[tuple[str, str], int], **more: t.Any) -> dict[str, t.Any]:
        """Return the report as JSON types.

        :arg counted: number of requests by task UUID and host
        :arg more: members about the whole run
        """
        tasks = [figures.to_entry(counted) for figures in self._tasks.values()]
        return {
            **more,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started)),
            "seconds": round(time.monotonic() - self._clock, 2),
            "requests": sum(task["requests"] or 0 for task in tasks),
            "requests_known": all(task["requests"] is not None for task in tasks if not task["skipped"]),
            "failures": self._failures,
            "changes": self._changes,
            "bulk": self._bulk,
            "warnings": self._warnings,
            "tasks": tasks,
        }


def describe_failure(result: Result) -> str:
    """Return the message of a failed task, with standard error of a command."""
    parts = [result.get("msg"), result.get("stderr") or result.get("module_stderr")]
    texts = [part if isinstance(part, str) else json.dumps(part, default=str) for part in parts if part]
    return _shorten_text(_COLOURS.sub("", "\n".join(texts)).strip()) or "The task failed without a message."


def item_text(item: t.Any) -> str:
    """Return an item as one line. Secrets in items of this collection are masked by the module."""
    if isinstance(item, dict):
        return ", ".join(f"{name}: {_format_value(value)}" for name, value in item.items())
    return str(item)


def _format_value(value: t.Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def label(result: Result, number: int) -> str:
    """Return the label of a loop item. Items that are not plain text may contain secrets, so they get a number."""
    text = result.get("_ansible_item_label")
    plain = isinstance(text, (str, int, float)) and "censored" not in result
    return shorten_name(str(text)) if plain else f"item {number}"


def shorten_name(name: str) -> str:
    """Return a name, shortened for the page."""
    return name if len(name) <= MAX_LABEL_LENGTH else f"{name[: MAX_LABEL_LENGTH - 1]}…"


def format_diff(diff: t.Any) -> str | None:
    """Return the diff of a task in the unified format, or `None`."""
    parts = [_format_one_diff(one) for one in (diff if isinstance(diff, list) else [diff]) if isinstance(one, dict)]
    lines = [line for part in parts for line in part]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [f"... {len(lines) - MAX_LINES:,} more lines"]
    return "\n".join(lines) or None


def _format_one_diff(diff: dict[str, t.Any]) -> list[str]:
    if "prepared" in diff:
        return str(diff["prepared"]).splitlines()
    if "before" not in diff and "after" not in diff:
        return []
    before, after = _as_text(diff.get("before")), _as_text(diff.get("after"))
    if len(before) + len(after) > MAX_COMPARED_LENGTH:
        return [f"... too long to be compared here: {len(before):,} characters before, {len(after):,} after"]
    old, new = (str(diff.get(f"{side}_header") or side) for side in ("before", "after"))
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm=""))


def _as_text(value: t.Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, default=str)


def _shorten_text(text: str) -> str:
    omitted = len(text) - MAX_TEXT_LENGTH
    return text if omitted <= 0 else f"{text[:MAX_TEXT_LENGTH]} ... ({omitted:,} more characters)"
