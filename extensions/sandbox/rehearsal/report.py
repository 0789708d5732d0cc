# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a rehearsal: changes, failures and requests of its runs."""

from __future__ import annotations

from .environment import SERVICES
from .runs import Run

OUTCOMES = {
    "failed": "Failed tasks",
    "unreachable": "Unreachable hosts",
    "rescued": "Rescued failures",
    "ignored": "Ignored failures",
}
MAX_TASKS_IN_MESSAGE = 10


def render_report(runs: dict[str, Run]) -> str:
    """Return the report.

    :arg runs: by title: "Check mode", "First run" and "Second run"
    """
    first, second = runs["First run"], runs["Second run"]
    lines = ["", "##### Changes of the first run", "", *(format_tasks(first.changes) or ["none"])]
    for outcome, heading in OUTCOMES.items():
        if failures := _merge_tasks({title: run.select_failures(outcome) for title, run in runs.items()}):
            lines += ["", f"##### {heading}", "", *failures]
    if second.changes:
        lines += ["", "##### Changes of the second run (not idempotent)", "", *format_tasks(second.changes)]
    lines += ["", format_row("", list(runs)), format_row("changes", [str(len(run.changes)) for run in runs.values()])]
    failures_by_run = [run.select_failures("failed", "unreachable") for run in runs.values()]
    lines.append(format_row("failures", [str(len(failures)) for failures in failures_by_run]))
    lines += [
        format_row(f"requests, {name}", [format_requests(run, name) for run in runs.values()]) for name in SERVICES
    ]
    return "\n".join(lines)


def find_problem(runs: dict[str, Run]) -> str | None:
    """Return a message if a run failed or the second run changed anything, otherwise null."""
    for title, run in runs.items():
        if run.has_failed:
            return f"\n{title}: a task failed." if run.hosts else f"\n{title}: the playbook did not run."
    return check_idempotence(runs["Second run"])


def check_idempotence(second_run: Run) -> str | None:
    """Return a message if a second run changed anything, otherwise print that it did not and return null."""
    if second_run.changes:
        return f"\nThe second run was not idempotent. It changed: {_summarize_tasks(second_run.changes)}."
    print("\nThe second run changed nothing.")
    return None


def format_requests(run: Run, service: str) -> str:
    """Return the number of requests to a service, by effect."""
    return f"{run.requests[service, 'read']} read, {run.requests[service, 'write']} write"


def format_row(title: str, cells: list[str]) -> str:
    """Return a row of a table."""
    return f"{title:24}" + "".join(f"{cell:>20}" for cell in cells)


def format_tasks(entries: list[dict[str, str]]) -> list[str]:
    """Return one line for each entry, with host, task and item."""
    return [f"{entry['host']:14}{entry['task']:36} {entry['item']}".rstrip() for entry in entries]


def _summarize_tasks(entries: list[dict[str, str]]) -> str:
    """Return the first tasks with their hosts on one line, without duplicates."""
    tasks = list(dict.fromkeys(f"{entry['task']} ({entry['host']})" for entry in entries))
    rest = len(tasks) - MAX_TASKS_IN_MESSAGE
    return "; ".join([*tasks[:MAX_TASKS_IN_MESSAGE], *([f"{rest} more"] if rest > 0 else [])])


def _merge_tasks(entries: dict[str, list[dict[str, str]]]) -> list[str]:
    """Return one line for each distinct entry, with the runs in which it occurs.

    :arg entries: entries by the title of the run
    """
    titles_by_line: dict[str, list[str]] = {}
    for title, of_run in entries.items():
        for line in format_tasks(of_run):
            titles_by_line.setdefault(line, []).append(title.lower())
    return [f"{line} ({', '.join(titles)})" for line, titles in titles_by_line.items()]
