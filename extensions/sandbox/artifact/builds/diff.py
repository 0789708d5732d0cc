# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The difference between two runs of a build."""

from __future__ import annotations

from typing import Any

Entries = dict[str, dict[str, Any]]
CATEGORIES = ("new", "updated", "unchanged", "removed")


def compare_records(current: dict[str, Any], previous: dict[str, Any]) -> dict[str, Any]:
    """Return the new, updated, unchanged and removed artifacts, dependencies and properties."""
    return {
        "artifacts": _classify(
            _collect_files(current, "artifacts", "name"),
            _collect_files(previous, "artifacts", "name"),
            "sha1",
            "diffName",
        ),
        "dependencies": _classify(
            _collect_files(current, "dependencies", "id"),
            _collect_files(previous, "dependencies", "id"),
            "sha1",
            "diffId",
        ),
        "properties": _classify(_collect_properties(current), _collect_properties(previous), "value", "diffValue"),
    }


def _collect_files(record: dict[str, Any], kind: str, key: str) -> Entries:
    entries: Entries = {}
    for module in record.get("modules") or ():
        for file in module.get(kind) or ():
            fields = {name: file.get(name) for name in (key, "type", "scopes", "sha1", "md5")}
            entries[str(file.get(key))] = {**fields, "module": module.get("id")}
    return entries


def _collect_properties(record: dict[str, Any]) -> Entries:
    return {key: {"key": key, "value": value} for key, value in (record.get("properties") or {}).items()}


def _classify(
    current: Entries, previous: Entries, compared_field: str, previous_field: str
) -> dict[str, list[dict[str, Any]]]:
    categories: dict[str, list[dict[str, Any]]] = {category: [] for category in CATEGORIES}
    for name, entry in current.items():
        if name not in previous:
            categories["new"].append(entry)
        elif entry[compared_field] == previous[name][compared_field]:
            categories["unchanged"].append(entry)
        else:
            categories["updated"].append(
                {**entry, previous_field: previous[name][compared_field] if previous_field == "diffValue" else name}
            )
    categories["removed"] = [entry for name, entry in previous.items() if name not in current]
    return categories
