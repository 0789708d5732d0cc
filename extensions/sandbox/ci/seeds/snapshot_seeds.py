# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of a snapshot to seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...seeds.snapshot import SnapshotDirectory

JOBS_AT_ONCE = 1000
ADMIN = "snapshot-admin"
BUILD_SECONDS = 1  # duration of new builds, shorter than real ones
PLUGIN_NAMES = {"title": "long_name", "required_core": "required_core_version"}
NULLABLE_PLUGIN_MEMBERS = ("required_core", "title", "url")
# Characters that XML does not allow, such as those of terminal colors
UNSAYABLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
# Parameter types; types of plugins become text parameters
PARAMETER_TYPES = ("string", "text", "boolean", "choice", "password", "file")
BUILDS = ("last", "last_completed", "last_successful", "last_failed")


def convert_snapshot(folder: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the small lists first, then the jobs in batches."""
    server = folder.manifest["server"]
    settings = {"executors": server["executors"] or 1}
    if server["product"] == "jenkins":
        settings["version"] = server["version"]
    token = folder.derive_secret("ci token")[:34]
    admin = {"name": ADMIN, "password": folder.derive_secret("ci password"), "tokens": [token]}
    yield {
        **settings,
        "users": [{**admin, "permissions": ["Overall/Administer"]}],
        "plugins": [_plugin(plugin) for plugin in folder.manifest["plugins"]],
    }
    batch: list[dict[str, Any]] = []
    for job in folder.read_records("jobs"):
        batch.append(_job(_sayable(job)))
        if len(batch) == JOBS_AT_ONCE:
            yield {"jobs": batch}
            batch = []
    yield {"jobs": batch}


def _sayable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sayable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_sayable(element) for element in value]
    return value.translate(UNSAYABLE) if isinstance(value, str) else value


def _plugin(plugin: dict[str, Any]) -> dict[str, Any]:
    return {
        PLUGIN_NAMES.get(name, name): value
        for name, value in plugin.items()
        if value is not None or name in NULLABLE_PLUGIN_MEMBERS
    }


def _job(job: dict[str, Any]) -> dict[str, Any]:
    described = {"name": job["name"], "description": job["description"]}
    if job["folder"]:
        return {**described, "kind": "folder"}
    builds = {build["number"]: build for build in (job[name] for name in BUILDS) if build and build["result"]}
    return {
        **described,
        "disabled": not job["buildable"],
        "seconds": BUILD_SECONDS,
        **({"next_build": job["next_build"]} if job["next_build"] else {}),
        "parameters": [_parameter(parameter) for parameter in job["parameters"]],
        "builds": [_build(builds[number]) for number in sorted(builds)],
    }


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    kind = parameter["type"] if parameter["type"] in PARAMETER_TYPES else "string"
    seed = {"name": parameter["name"], "type": kind, "description": parameter["description"]}
    if kind == "choice":
        seed["choices"] = parameter["choices"] or []
    elif kind not in ("password", "file") and parameter["default"] is not None:
        seed["default"] = parameter["default"]
    return seed


def _build(build: dict[str, Any]) -> dict[str, Any]:
    return {
        "number": build["number"],
        "result": build["result"],
        "seconds": build["duration"] or 0,
        "started": build["timestamp"],
    }
