# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of the callback `report` without a run."""

from __future__ import annotations

from typing import Any

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import number_errors

Entry = dict[str, Any]
COUNTS = ("ok", "changed", "failures", "unreachable", "skipped", "rescued", "ignored")
# Members of a document about the whole run
RUN: Entry = {
    "title": "site.yml",
    "playbook": "site.yml",
    "complete": True,
    "under_way": [],
    "check_mode": False,
    "diff_mode": True,
    "ansible_core": "2.19.0",
    "warnings_known": True,
    "hosts": {},
}


def fail(host: str, message: str | None, **members: Any) -> Entry:
    """Return a failure."""
    return {**_origin(host), "state": "failed", "message": message, **members}


def change(host: str, **members: Any) -> Entry:
    """Return a change."""
    return {**_origin(host), "failed": False, "check_mode": False, "hidden": False, "diff": "+x", **members}


def task(name: str, **members: Any) -> Entry:
    """Return the figures of a task."""
    figures = {"ok": 1, "changed": 0, "failed": 0, "unreachable": 0, "skipped": 0}
    return {**_origin(""), "task": name, **figures, "seconds": 1.0, "longest": 1.0, "requests": 1, **members}


def document(
    failures: list[Entry] | None = None,
    changes: list[Entry] | None = None,
    hosts: int = 1,
    addresses: dict[str, list[str]] | None = None,
    **members: Any,
) -> Entry:
    """Return a document, for a number of hosts."""
    failures, changes = failures or [], changes or []
    number_errors(failures, addresses or {})
    return {
        **RUN,
        "hosts": _build_recap(failures, changes, hosts),
        "started": "2026-01-01T00:00:00Z",
        "seconds": 72.0,
        "requests": 3,
        "requests_known": True,
        "failures": failures,
        "changes": changes,
        "bulk": [],
        "warnings": [],
        "tasks": [],
        **members,
    }


def _origin(host: str) -> Entry:
    origin = {"host": host, "service": "artifact", "task": "mark", "path": "site.yml:3", "item": None}
    return {**origin, "module": "buildworks.toolchain.artifact_properties"}


def _build_recap(failures: list[Entry], changes: list[Entry], hosts: int) -> dict[str, dict[str, int]]:
    names = dict.fromkeys(entry["host"] for entry in [*failures, *changes])
    names |= dict.fromkeys(f"other-{number}" for number in range(hosts - len(names)))
    recap = {name: dict.fromkeys(COUNTS, 0) | {"ok": 1} for name in names}
    for entry in failures:
        recap[entry["host"]]["failures" if entry["state"] == "failed" else entry["state"]] += 1
    for entry in changes:
        recap[entry["host"]]["changed"] += 1
    return recap
