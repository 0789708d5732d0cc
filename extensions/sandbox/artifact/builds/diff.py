# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of a build has other than an older one."""

from __future__ import annotations

from typing import Any

Entries = dict[str, dict[str, Any]]
KINDS = ("new", "updated", "unchanged", "removed")


def difference(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Artifacts, dependencies and properties of a record, each by what became of it since an older record."""
    return {
        "artifacts": _sorted(_files(now, "artifacts", "name"), _files(before, "artifacts", "name"), "sha1", "diffName"),
        "dependencies": _sorted(
            _files(now, "dependencies", "id"), _files(before, "dependencies", "id"), "sha1", "diffId"
        ),
        "properties": _sorted(_properties(now), _properties(before), "value", "diffValue"),
    }


def _files(record: dict[str, Any], kind: str, key: str) -> Entries:
    found: Entries = {}
    for module in record.get("modules") or ():
        for file in module.get(kind) or ():
            told = {name: file.get(name) for name in (key, "type", "scopes", "sha1", "md5")}
            found[str(file.get(key))] = {**told, "module": module.get("id")}
    return found


def _properties(record: dict[str, Any]) -> Entries:
    return {key: {"key": key, "value": value} for key, value in (record.get("properties") or {}).items()}


def _sorted(now: Entries, before: Entries, compared: str, other: str) -> dict[str, list[dict[str, Any]]]:
    kinds: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for name, entry in now.items():
        if name not in before:
            kinds["new"].append(entry)
        elif entry[compared] == before[name][compared]:
            kinds["unchanged"].append(entry)
        else:
            kinds["updated"].append({**entry, other: before[name][compared] if other == "diffValue" else name})
    kinds["removed"] = [entry for name, entry in before.items() if name not in now]
    return kinds
