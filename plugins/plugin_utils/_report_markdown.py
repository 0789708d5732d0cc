# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as Markdown, for a comment on a merge request.

All texts from outside are in code spans, code blocks or `code` elements, where GitHub and GitLab do not look for
mentions, references, links and HTML. Code blocks are indented, because GitLab runs commands in lines that start with a
slash.
"""

from __future__ import annotations

import html
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._pages import replace_invalid_characters
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._products import name_product
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import (
    HIDDEN_MESSAGE,
    DiffGroup,
    ErrorGroup,
    Summary,
    TaskChanges,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_text import fit
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._units import format_duration, pluralize

# Bytes of the whole text: a limit of characters could exceed the bytes that a server accepts
MAX_BYTES = 60_000
# Size limits of sections in bytes; a section gets less if the sections before it leave less
_MAX_FAILURES = 35_000
_MAX_HANDLED = 10_000
_RESERVED = 1_000
_MAX_LISTED_HOSTS = 30
_MAX_FOLDED_HOSTS = 300
_MAX_TASK_DIFFS = 15_000
_MAX_DIFF_LENGTH = 8_000
_MAX_COMPACT_LENGTH = 300
_STATES = {state: f"failed, {state}" for state in ("ignored", "rescued")}
_BACKTICKS = re.compile(r"`+")
_INDENT = "  "


def render(summary: Summary) -> str:
    """Return the report as Markdown of at most `MAX_BYTES` bytes, the most important first."""
    head = "\n\n".join([f"## {summary.verdict}", _describe_run(summary), *_build_table(summary)]) + "\n"
    rest = MAX_BYTES - _RESERVED - _size(head)
    parts = [head]
    for heading, groups, limit in (
        ("Failures", summary.failed, _MAX_FAILURES),
        ("Ignored and rescued failures", summary.handled, _MAX_HANDLED),
    ):
        section = _section(heading, "error", fit(groups, min(limit, rest), _format_error, _format_error_briefly))
        rest -= _size(section)
        parts.append(section)
    changes = [task for service in summary.services for task in summary.list_changes(service)]
    heading = "Planned changes" if summary.document["check_mode"] else "Changes"
    parts.append(_section(heading, "task", fit(changes, rest, _format_changes, _format_changes_briefly)))
    return "".join(parts)


def _section(heading: str, noun: str, fitted: tuple[list[str], int]) -> str:
    texts, omitted = fitted
    if omitted:
        texts.append(f"\n{pluralize(omitted, f'more {noun}')} omitted. The JSON report contains all.\n")
    return "".join([f"\n### {heading}\n", *texts]) if texts else ""


def _describe_run(summary: Summary) -> str:
    document = summary.document
    facts = [
        code(document["title"]),
        *(["check mode"] if document["check_mode"] else []),
        f"started {document['started']}",
        format_duration(document["seconds"]),
        *([pluralize(len(document["warnings"]), "warning")] if document["warnings"] else []),
    ]
    return ", ".join(facts)


def _build_table(summary: Summary) -> list[str]:
    """Return a table with the figures of each service, if there are any."""
    rows = []
    for service in summary.services:
        failed = [entry for group in summary.failed for entry in group.entries if entry["service"] == service]
        changes = [entry for entry in summary.document["changes"] if entry["service"] == service]
        figures = (_count_hosts(failed), len(changes), _count_hosts(changes))
        rows.append(f"| {name_product(service)} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    planned = "Planned changes" if summary.document["check_mode"] else "Changes"
    head = [f"| Service | Failed hosts | {planned} | on hosts |", "| --- | ---: | ---: | ---: |"]
    return ["\n".join([*head, *rows])] if rows else []


def _count_hosts(entries: list[dict[str, t.Any]]) -> int:
    return len({entry["host"] for entry in entries})


def _format_error(group: ErrorGroup) -> str:
    note = "\nThe messages of the other hosts differ only in name or address of the host.\n" if group.is_varied else ""
    return f"{_introduce_error(group)}\n{block(group.message or HIDDEN_MESSAGE)}{note}{_list_hosts(group.hosts)}"


def _format_error_briefly(group: ErrorGroup) -> str:
    return f"{_introduce_error(group)} {code(_shorten(group.message or HIDDEN_MESSAGE))}\n"


def _introduce_error(group: ErrorGroup) -> str:
    products = ", ".join(name_product(service) for service in group.services)
    tasks = ", ".join(code(task) for task, _path in group.tasks[:3])
    more = f" and {pluralize(len(group.tasks) - 3, 'more task')}" if len(group.tasks) > 3 else ""
    items = f", {pluralize(len(group.items), 'item')}" if group.items else ""
    count, state = pluralize(len(group.hosts), "host"), _STATES.get(group.state, group.state)
    return f"\n**{count} {state}** ({products}), {tasks}{more}{items}:\n"


def _list_hosts(hosts: list[str]) -> str:
    if len(hosts) <= _MAX_LISTED_HOSTS:
        return f"\nHosts: {code(', '.join(hosts))}\n"
    listed, more = ", ".join(hosts[:_MAX_FOLDED_HOSTS]), len(hosts) - _MAX_FOLDED_HOSTS
    rest = f" and {more:,} more" if more > 0 else ""
    return f"\n<details><summary>{len(hosts):,} hosts</summary>\n\n{code(listed)}{rest}\n\n</details>\n"


def _format_changes(task: TaskChanges) -> str:
    diffs, omitted = fit(task.group_diffs(), _MAX_TASK_DIFFS, _format_diff)
    if omitted:
        diffs.append(f"\n{pluralize(omitted, 'more distinct change')} omitted. The JSON report contains all.\n")
    return f"\n<details><summary>{_introduce_changes(task)}</summary>\n{''.join(diffs)}\n</details>\n"


def _format_changes_briefly(task: TaskChanges) -> str:
    return f"\n<p>{_introduce_changes(task)} (diffs omitted)</p>\n"


def _introduce_changes(task: TaskChanges) -> str:
    name = html.escape(_one_line(_shorten(task.task)))
    hosts = pluralize(len(task.hosts), "host")
    return f"{name_product(task.service)}: <code>{name}</code>, {hosts}"


def _format_diff(group: DiffGroup) -> str:
    items = f"\nItems: {code(', '.join(group.items))}\n" if group.items else ""
    failed = "\nThe task failed after the change.\n" if group.failed else ""
    if group.hidden:
        text = f"\n{HIDDEN_MESSAGE}\n"
    else:
        text = f"\n{block(_cut_lines(group.diff), 'diff')}" if group.diff else ""
    return f"{text}{failed}{items}{_list_hosts(group.hosts)}"


def _cut_lines(diff: str) -> str:
    """Return the first lines of a diff."""
    if len(diff) <= _MAX_DIFF_LENGTH:
        return diff
    return diff[:_MAX_DIFF_LENGTH].rpartition("\n")[0] + "\n... more lines in the JSON report"


def code(text: str) -> str:
    """Return a text as a code span on one line."""
    line = _one_line(text)
    ticks = "`" * (_longest_run(line) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def block(text: str, language: str = "text") -> str:
    """Return a text as an indented code block."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    lines = [f"{ticks}{language}", *replace_invalid_characters(text).splitlines(), ticks]
    return "\n".join(_INDENT + line for line in lines) + "\n"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _one_line(text: str) -> str:
    return " ".join(replace_invalid_characters(text).split()) or "-"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_COMPACT_LENGTH else f"{text[:_MAX_COMPACT_LENGTH]}…"


def _size(text: str) -> int:
    return len(text.encode(errors="backslashreplace"))
