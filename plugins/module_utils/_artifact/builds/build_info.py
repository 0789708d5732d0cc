# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds, their runs, and the build info of a run. Several runs can have the same number."""

from __future__ import annotations

import typing as t
from urllib.parse import unquote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    is_not_found,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

ADDRESS = "/artifactory/api/build"
_ENVIRONMENT = "buildInfo.env."


def address(build: str, number: str | None = None, action: str | None = None) -> str:
    """Return the address of a build, of one of its runs, or of an action on it. Slashes in a name are encoded."""
    of_act = f"/{action}" if action else ""
    of_number = "" if number is None else encode_path(number, option="number")
    return f"{ADDRESS}{of_act}{encode_path(build, option='build')}{of_number}"


def project_query(project_key: str | None) -> dict[str, str | None]:
    """Return the query parameters that select a project."""
    return {"project": project_key} if project_key else {}


def check_project(artifact: ArtifactService, project_key: str | None) -> None:
    """Verify that the server does not ignore the project of builds.

    :raises BadOption: if it does
    """
    editions.check_options(artifact, features.BUILD_OPTIONS, {"project_key": project_key})


def list_builds(artifact: ArtifactService, project_key: str | None = None) -> list[Fields]:
    """Return all builds sorted by name, each with the start time of its newest run."""
    entries = _list_entries(artifact, ADDRESS, "builds", project_key)
    builds = ({"name": _decode_name(build), "last_started": times.get_time(build, "lastStarted")} for build in entries)
    return sorted(builds, key=lambda build: build["name"])


def list_runs(artifact: ArtifactService, build: str, project_key: str | None = None) -> list[Fields]:
    """Return the runs of a build, newest first. Empty if the build does not exist."""
    records = _list_entries(artifact, address(build), "buildsNumbers", project_key)
    entries = ({"number": _decode_name(run), "started": times.get_time(run, "started")} for run in records)
    return sorted(entries, key=lambda run: run["started"], reverse=True)


def find_run(
    artifact: ArtifactService,
    build: str,
    number: str,
    *,
    started: str | None = None,
    project_key: str | None = None,
) -> Fields | None:
    """Return a run with its build info, or `None`. `started` selects one of several runs with the same number; the
    default is the newest.
    """
    query = project_query(project_key)
    if started:
        query["started"] = times.to_build_time(times.check_time(started, "started"))
    response = _read_or_none(artifact, address(build, number), query)
    return None if response is None else to_result(response.record().record("buildInfo"))


def to_result(record: Record) -> Fields:
    """Return a run as part of the result, with typed members and the complete build info."""
    properties: Fields = record.maybe_record("properties") or {}
    environment = {
        name.removeprefix(_ENVIRONMENT): value for name, value in properties.items() if name.startswith(_ENVIRONMENT)
    }
    modules = record.maybe_records("modules")
    agent = record.maybe_record("agent")
    return {
        "name": record.text("name"),
        "number": record.text("number"),
        "started": times.get_time(record, "started"),
        "duration_ms": record.maybe_integer("durationMillis"),
        "url": record.maybe_text("url"),
        "principal": record.maybe_text("artifactoryPrincipal"),
        "agent": agent.maybe_text("name") if agent else None,
        "environment": environment,
        "properties": {name: value for name, value in properties.items() if not name.startswith(_ENVIRONMENT)},
        "artifacts": sum(len(module.maybe_records("artifacts")) for module in modules),
        "dependencies": sum(len(module.maybe_records("dependencies")) for module in modules),
        "statuses": [_to_status(status) for status in record.maybe_records("statuses")],
        "record": dict(record),
    }


def _list_entries(artifact: ArtifactService, path: str, member: str, project_key: str | None) -> t.Iterable[Record]:
    response = _read_or_none(artifact, path, project_query(project_key), stream=True)
    return [] if response is None else response.entries(member)


def _read_or_none(
    artifact: ArtifactService, path: str, query: dict[str, str | None], stream: bool = False
) -> Response | None:
    """Return the response, or `None` if Artifactory reports that the build does not exist. A 404 of a proxy is an
    error.
    """
    try:
        return artifact.http.read("GET", path, query=query, stream=stream)
    except ServerRefusal as refusal:
        if is_not_found(refusal):
            return None
        raise


def _decode_name(entry: Record) -> str:
    return unquote(entry.text("uri").removeprefix("/"))


def _to_status(status: Record) -> Fields:
    return {
        "status": status.text("status"),
        "repository": status.maybe_text("repository"),
        "comment": status.maybe_text("comment"),
        "user": status.maybe_text("user"),
        "ci_user": status.maybe_text("ciUser"),
        "timestamp": times.get_optional_time(status, "timestamp"),
    }
