# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as an HTML page of at most 2 MB."""

from __future__ import annotations

import base64
import collections
import dataclasses
import hashlib
import os
import typing as t

from markupsafe import Markup

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._pages import Templates
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._products import name_product
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import Summary, sort_services
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_text import fit, natural_order
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._units import format_duration, pluralize

# Bytes of each section, and of an entry in it
LIMITS = {
    "failed": 350_000,
    "handled": 100_000,
    "changes": 350_000,
    "diffs_of_a_task": 60_000,
    "bulk": 100_000,
    "outcomes_of_a_task": 20_000,
    "warnings": 50_000,
    "under_way": 50_000,
    "tasks": 60_000,
    "unchanged_tasks": 60_000,
    "failed_hosts": 350_000,
    "changed_hosts": 300_000,
    "unchanged_hosts": 100_000,
}
_MAX_DIFF_LENGTH = 15_000
# A message is shown up to these limits, and completely when it is opened
_MAX_MESSAGE_LENGTH = 400
_MAX_MESSAGE_LINES = 6
_RECAP = ("failures", "unreachable", "ignored", "rescued", "changed", "ok", "skipped")
_STATUSES = {"failures": "failed", **{name: name for name in ("unreachable", "ignored", "rescued", "changed")}}
_TASK_STATUSES = ("failed", "unreachable", "changed")


@dataclasses.dataclass
class HostRow:
    """A host with its numbers of tasks by outcome, its services and its errors."""

    name: str
    counts: dict[str, int]
    services: str = ""
    errors: list[int] = dataclasses.field(default_factory=list)

    @property
    def statuses(self) -> str:
        """The outcomes that matter."""
        return " ".join(status for name, status in _STATUSES.items() if self.counts[name])

    def order(self) -> tuple[t.Any, ...]:
        """Return a key that sorts failed hosts first."""
        return (not self.counts["failures"], not self.counts["unreachable"], natural_order(self.name))


@dataclasses.dataclass
class Hosts:
    """The hosts with failures, those with changes only, and the names of the others."""

    failed: list[HostRow]
    changed: list[HostRow]
    unchanged: list[str]


@dataclasses.dataclass
class Part:
    """The entries of a section that fit, their number, and the number of the others."""

    text: Markup
    shown: int
    omitted: int


def render(summary: Summary, runs: list[dict[str, t.Any]]) -> str:
    """Return the report as HTML.

    :arg runs: entries of the history, oldest first
    """
    document = summary.document
    templates = _load_templates(len(summary.services))
    return templates.render(
        "_report.html.j2",
        report=document,
        summary=summary,
        runs=runs,
        tasks=[{**task, "statuses": _join_statuses(task)} for task in document["tasks"]],
        statuses=_list_statuses(document),
        services=sort_services([*document["tasks"], *document["failures"], *document["changes"]]),
        hosts=_list_hosts(document),
        recap=_RECAP,
        style=templates.read("_page.css") + templates.read("_report.css"),
        script=templates.read("_report.js"),
    )


def _load_templates(services: int) -> Templates:
    templates = Templates(os.path.dirname(__file__))
    limits = {**LIMITS, "changes_of_a_service": LIMITS["changes"] // max(services, 1)}

    def fit_section(entries: list[t.Any], section: str, *macros: t.Callable[[t.Any], str]) -> Part:
        texts, omitted = fit(entries, limits[section], *macros)
        return Part(Markup("").join(map(Markup, texts)), len(texts), omitted)

    templates.environment.filters.update(product=name_product, seconds=format_duration, hash=_hash)
    templates.environment.globals.update(
        fit=fit_section,
        count=pluralize,
        cut=_cut_message,
        shorten_diff=_shorten_diff,
        format_duration=format_duration,
        format_number="{:,}".format,
    )
    return templates


def _list_hosts(document: dict[str, t.Any]) -> Hosts:
    services = collections.defaultdict(list)
    errors = collections.defaultdict(set)
    for entry in [*document["failures"], *document["changes"]]:
        services[entry["host"]].append(entry)
    for entry in document["failures"]:
        errors[entry["host"]].add(entry["error"])
    rows = [
        HostRow(name, counts, " ".join(sort_services(services[name])), sorted(errors[name]))
        for name, counts in document["hosts"].items()
    ]
    rows.sort(key=HostRow.order)
    return Hosts(
        [row for row in rows if row.statuses not in ("", "changed")],
        [row for row in rows if row.statuses == "changed"],
        sorted((row.name for row in rows if not row.statuses), key=natural_order),
    )


def _list_statuses(document: dict[str, t.Any]) -> list[str]:
    """Return the statuses of the run, for the filter."""
    statuses = {failure["state"] for failure in document["failures"]}
    statuses |= {name for name, kind in (("changed", "changes"), ("warning", "warnings")) if document[kind]}
    return [status for status in (*_STATUSES.values(), "warning") if status in statuses]


def _join_statuses(task: dict[str, t.Any]) -> str:
    return " ".join(name for name in _TASK_STATUSES if task[name])


def _hash(text: str) -> str:
    """Return the source of a style or a script for the content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _cut_message(text: str) -> str:
    """Return the start of a long message."""
    start = "\n".join(text[: _MAX_MESSAGE_LENGTH + 1].splitlines()[:_MAX_MESSAGE_LINES])
    return start if len(start) <= _MAX_MESSAGE_LENGTH else start[:_MAX_MESSAGE_LENGTH]


def _shorten_diff(diff: str) -> str:
    """Return the first lines of a long diff."""
    if len(diff) <= _MAX_DIFF_LENGTH:
        return diff
    return diff[:_MAX_DIFF_LENGTH].rpartition("\n")[0] + "\n... more lines in the JSON file"
