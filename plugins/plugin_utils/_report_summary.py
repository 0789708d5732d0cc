# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The summary of a run: its verdict, its distinct errors, and its changes by service and task."""

from __future__ import annotations

import dataclasses
import functools
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._products import PRODUCTS
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_text import natural_order
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._units import pluralize

FAILED = ("failed", "unreachable")
HIDDEN_MESSAGE = "Hidden by no_log."
# Shorter names and numbers of hosts may be other words of a message
_SHORTEST_NAME = 3
# Names of temporary files that Ansible generates for each task
_TEMPORARY = re.compile(r"\bansible-(?:local|tmp)-[\w.-]+(?:/tmp\w+)?")
_HOST = "{host}"
Entry = dict[str, t.Any]
Addresses = t.Mapping[str, t.Collection[str]]


class Group:
    """Entries of the document that belong together."""

    entries: list[Entry]

    @functools.cached_property
    def hosts(self) -> list[str]:
        """The names of the hosts, sorted."""
        return sort_hosts(self.entries)

    @functools.cached_property
    def items(self) -> list[str]:
        """The loop items."""
        return sorted({entry["item"] for entry in self.entries if entry["item"]}, key=natural_order)


@dataclasses.dataclass
class ErrorGroup(Group):
    """Failures with an equal message, which may differ in the name and the address of the host.

    :ivar number: number of the error in the report, from 1
    :ivar message: message of the first host, `None` if it is hidden
    :ivar is_varied: whether messages of other hosts differ in name or address
    """

    number: int
    state: str
    message: str | None
    entries: list[Entry]
    is_varied: bool = False

    @functools.cached_property
    def services(self) -> list[str]:
        """The services of the tasks."""
        return sort_services(self.entries)

    @functools.cached_property
    def tasks(self) -> list[tuple[str, str]]:
        """The names of the tasks with the positions of their definitions."""
        return sorted({(entry["task"], entry.get("path", "")) for entry in self.entries})


@dataclasses.dataclass
class DiffGroup(Group):
    """Changes of one task with an equal diff."""

    diff: str | None
    hidden: bool
    failed: bool
    check_mode: bool
    entries: list[Entry]


@dataclasses.dataclass
class TaskChanges(Group):
    """The changes of one task on all hosts."""

    service: str
    task: str
    module: str
    path: str
    entries: list[Entry]

    @functools.cached_property
    def count(self) -> int:
        """The number of changes."""
        return len(self.entries)

    def group_diffs(self) -> list[DiffGroup]:
        """Return the distinct diffs, the most frequent first."""
        groups: dict[tuple[t.Any, ...], DiffGroup] = {}
        for entry in self.entries:
            diff, flags = entry["diff"], (entry["hidden"], entry["failed"], entry["check_mode"])
            key = (_drop_temporary_names(diff) if diff else diff, *flags)
            groups.setdefault(key, DiffGroup(diff, *flags, [])).entries.append(entry)
        return sorted(groups.values(), key=lambda group: -len(group.entries))


@dataclasses.dataclass
class Summary:
    """The summary of a run.

    :ivar failed: distinct errors that no task handled, the most frequent first
    :ivar handled: ignored and rescued errors
    """

    document: dict[str, t.Any]
    failed: list[ErrorGroup]
    handled: list[ErrorGroup]
    changes: list[TaskChanges]

    @functools.cached_property
    def services(self) -> list[str]:
        """The services with failures or changes."""
        return sort_services([*self.document["failures"], *self.document["changes"]])

    def list_changes(self, service: str) -> list[TaskChanges]:
        """Return the changes of the tasks of a service."""
        return [task for task in self.changes if task.service == service]

    def group_warnings(self) -> list[ErrorGroup]:
        """Return the distinct warnings of each task."""
        groups: dict[tuple[str, str], ErrorGroup] = {}
        for entry in self.document["warnings"]:
            key = (entry["task"], entry["message"])
            groups.setdefault(key, ErrorGroup(len(groups) + 1, "warning", entry["message"], [])).entries.append(entry)
        return list(groups.values())

    @property
    def verdict(self) -> str:
        """One sentence without a period about the run."""
        total = len(self.document["hosts"])
        if self.failed:
            text = self._describe_failures(total)
        elif self.document["changes"]:
            text = self.describe_changes()
        elif total or self.document["complete"]:
            hosts = pluralize(total, "host")
            text = f"No changes {'needed ' if self.document['check_mode'] else ''}on {hosts}" if total else NO_HOSTS
        else:
            text = NO_HOSTS
        return text if self.document["complete"] else f"Incomplete run: {text[0].lower()}{text[1:]}"

    def _describe_failures(self, total: int) -> str:
        hosts = {entry["host"] for group in self.failed for entry in group.entries}
        broken = {entry["host"] for group in self.failed if group.state == "failed" for entry in group.entries}
        unreachable = len(hosts - broken)
        of_them = f" ({unreachable:,} unreachable)" if unreachable else ""
        errors = pluralize(len(self.failed), "distinct error")
        return f"{len(hosts):,} of {pluralize(max(total, len(hosts)), 'host')} failed{of_them}; {errors}"

    def describe_changes(self) -> str:
        """Return the numbers of changes, and in check mode of planned changes, with the numbers of their hosts."""
        total = len(self.document["hosts"])
        texts = []
        for planned, suffix in ((False, ""), (True, " planned")):
            entries = [entry for entry in self.document["changes"] if entry["check_mode"] is planned]
            hosts = len({entry["host"] for entry in entries})
            if entries:
                changes = pluralize(len(entries), "change")
                texts.append(f"{changes}{suffix} on {hosts:,} of {pluralize(max(total, hosts), 'host')}")
        return ", ".join(texts) or "No changes"


NO_HOSTS = "No host ran a task"


def summarize(document: dict[str, t.Any]) -> Summary:
    """Return the summary of a document whose errors are numbered."""
    groups: dict[int, ErrorGroup] = {}
    for entry in document["failures"]:
        number, message = entry["error"], entry["message"]
        group = groups.setdefault(number, ErrorGroup(number, entry["state"], message, []))
        group.entries.append(entry)
        group.is_varied = group.is_varied or message != group.message
    ordered = [groups[number] for number in sorted(groups)]
    changes: dict[tuple[str, ...], TaskChanges] = {}
    for entry in document["changes"]:
        key = (entry["service"], entry["task"], entry["module"], entry.get("path", ""))
        changes.setdefault(key, TaskChanges(*key, [])).entries.append(entry)
    return Summary(
        document,
        [group for group in ordered if group.state in FAILED],
        [group for group in ordered if group.state not in FAILED],
        list(changes.values()),
    )


def number_errors(failures: list[Entry], addresses: Addresses) -> None:
    """Give each failure the number of its distinct error.

    Unhandled errors come first, then the errors of most hosts. Messages are equal if they differ only in the name or
    the address of their host. Hidden messages are equal if they come from the same task.

    :arg addresses: addresses by host
    """
    groups: dict[tuple[str, str | None, str], list[Entry]] = {}
    for entry in failures:
        state, message, host = entry["state"], entry["message"], entry["host"]
        text = _generalize(message, {host, *addresses.get(host, ())}) if message is not None else None
        # the task distinguishes hidden messages
        key = (state, text, entry["task"] if message is None else "")
        groups.setdefault(key, []).append(entry)

    def rank(entries: list[Entry]) -> tuple[bool, int]:
        return entries[0]["state"] not in FAILED, -len({entry["host"] for entry in entries})

    for number, entries in enumerate(sorted(groups.values(), key=rank), 1):
        for entry in entries:
            entry["error"] = number


def _generalize(message: str, names: set[str]) -> str:
    """Return a message without the names and addresses of its host, unless they may be other words."""
    for name in sorted(names, key=len, reverse=True):
        if name in message and len(name) >= _SHORTEST_NAME and not name.isdigit():
            message = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", _HOST, message)
    return _drop_temporary_names(message)


def _drop_temporary_names(text: str) -> str:
    return _TEMPORARY.sub("", text) if "ansible-" in text else text


def sort_hosts(entries: list[Entry]) -> list[str]:
    """Return the hosts of entries, sorted as people count."""
    return sorted({entry["host"] for entry in entries}, key=natural_order)


def sort_services(entries: list[Entry]) -> list[str]:
    """Return the services of entries in the order of the products."""
    services = {entry["service"] for entry in entries}
    return [service for service in PRODUCTS if service in services] + sorted(services - PRODUCTS.keys())
