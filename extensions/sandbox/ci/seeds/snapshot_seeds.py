# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of a snapshot to seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...seeds.snapshot import SnapshotDirectory
from ..credentials.stores import FOLDER_PROPERTY
from ..jobs.item_kinds import BY_ROOT, CONTAINERS
from ..xml import document
from . import snapshot_administration as administration

JOBS_AT_ONCE = 1000
# Texts in place of secrets: of the module, and of a server whose account may not read them
ENCRYPTED, REDACTED = "(encrypted)", "********"
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
    plugins = {plugin["name"] for plugin in folder.manifest["plugins"] if plugin["active"]}
    manifest = _sayable(folder.manifest)
    yield {
        **settings,
        "build_seconds": BUILD_SECONDS,
        "users": list(administration.list_users(folder)),
        "plugins": [_plugin(plugin) for plugin in folder.manifest["plugins"]],
        **administration.convert_authorization(manifest),
        **administration.convert_views(manifest, plugins),
        "configuration": {"applied": administration.convert_configuration(manifest)},
        "agents": list(administration.list_agents(manifest)),
        "credential_domains": list(administration.list_domains(manifest)) if "credentials" in plugins else [],
        "credentials": list(administration.list_credentials(folder, plugins)),
        "script_approval": administration.convert_approvals(manifest),
        "lockable_resources": list(administration.list_resources(manifest)),
    }
    batch: list[dict[str, Any]] = []
    for job in folder.read_records("jobs"):
        batch.append(_job(folder, _sayable(job)))
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


def _job(folder: SnapshotDirectory, job: dict[str, Any]) -> dict[str, Any]:
    config = _config(folder, job)
    if job["folder"]:
        return {"name": job["name"], **(config or {"description": job["description"], "kind": "folder"})}
    builds = {build["number"]: build for build in (job[name] for name in BUILDS) if build and build["result"]}
    return {
        "name": job["name"],
        **(config or _describe(job)),
        **({"next_build": job["next_build"]} if job["next_build"] else {}),
        "builds": [_build(builds[number]) for number in sorted(builds)],
    }


def _config(folder: SnapshotDirectory, job: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of a job. It is empty if the snapshot has none, or the sandbox lacks its class."""
    try:
        root = document.parse(job.get("config") or "")
    except document.ConfigError:
        return {}
    if root.tag not in BY_ROOT or (BY_ROOT[root.tag] in CONTAINERS) != job["folder"]:
        return {}
    for element in root.iter():
        if element.text == REDACTED:
            element.text = ENCRYPTED
    for element in root.iterfind(f"properties/{FOLDER_PROPERTY}//*"):
        if element.text == ENCRYPTED:
            credential = next(
                outer for outer in element.iterancestors() if outer.find("id") is not None or outer is root
            )
            element.text = folder.derive_secret(f"ci credential {job['name']} {credential.findtext('id')}")
    return {"config": document.write(root)}


def _describe(job: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": job["description"],
        "disabled": not job["buildable"],
        "seconds": BUILD_SECONDS,
        "parameters": [_parameter(parameter) for parameter in job["parameters"]],
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
