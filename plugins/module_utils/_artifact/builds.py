# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds: their names, the runs of one, and the record of a run. A number may have several runs."""

from __future__ import annotations

import typing as t
from urllib.parse import unquote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    says_nothing_there,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

ADDRESS = "/artifactory/api/build"
_ENVIRONMENT = "buildInfo.env."


def address(build: str, number: str | None = None, act: str | None = None) -> str:
    """The address of a build or of a run of it, or of an act upon it; a slash in a name stays in its segment."""
    of_act = f"/{act}" if act else ""
    of_number = "" if number is None else encode_path(number, option="number")
    return f"{ADDRESS}{of_act}{encode_path(build, option='build')}{of_number}"


def in_project(project_key: str | None) -> dict[str, str | None]:
    """What of a query says to which project a build belongs."""
    return {"project": project_key} if project_key else {}


def listed(artifact: ArtifactService, project_key: str | None = None) -> list[Fields]:
    """All builds, by name, each with the start of its newest run."""
    found = _entries(artifact, ADDRESS, "builds", project_key)
    builds = ({"name": _decoded(build), "last_started": times.of(build, "lastStarted")} for build in found)
    return sorted(builds, key=lambda build: build["name"])


def runs(artifact: ArtifactService, build: str, project_key: str | None = None) -> list[Fields]:
    """The runs of a build, the newest first; none when there is no such build."""
    found = _entries(artifact, address(build), "buildsNumbers", project_key)
    entries = ({"number": _decoded(run), "started": times.of(run, "started")} for run in found)
    return sorted(entries, key=lambda run: run["started"], reverse=True)


def find(
    artifact: ArtifactService,
    build: str,
    number: str,
    *,
    started: str | None = None,
    project_key: str | None = None,
) -> Fields | None:
    """One run with its record, or `None`. Of several with this number the newest, unless `started` says which."""
    query = in_project(project_key)
    if started:
        query["started"] = times.plain(times.check(started, "started"))
    response = _ask(artifact, address(build, number), query)
    return None if response is None else described(response.record().record("buildInfo"))


def described(record: Record) -> Fields:
    """A run as the user sees it: what its record says, by type, and the record itself."""
    properties: Fields = record.maybe_record("properties") or {}
    environment = {
        name.removeprefix(_ENVIRONMENT): value for name, value in properties.items() if name.startswith(_ENVIRONMENT)
    }
    modules = record.maybe_records("modules")
    agent = record.maybe_record("agent")
    return {
        "name": record.text("name"),
        "number": record.text("number"),
        "started": times.of(record, "started"),
        "duration_ms": record.maybe_integer("durationMillis"),
        "url": record.maybe_text("url"),
        "principal": record.maybe_text("artifactoryPrincipal"),
        "agent": agent.maybe_text("name") if agent else None,
        "environment": environment,
        "properties": {name: value for name, value in properties.items() if not name.startswith(_ENVIRONMENT)},
        "artifacts": sum(len(module.maybe_records("artifacts")) for module in modules),
        "dependencies": sum(len(module.maybe_records("dependencies")) for module in modules),
        "statuses": [_status(status) for status in record.maybe_records("statuses")],
        "record": dict(record),
    }


def _entries(artifact: ArtifactService, path: str, member: str, project_key: str | None) -> t.Iterable[Record]:
    response = _ask(artifact, path, in_project(project_key), stream=True)
    return [] if response is None else response.entries(member)


def _ask(artifact: ArtifactService, path: str, query: dict[str, str | None], stream: bool = False) -> Response | None:
    """The answer, or `None` when the service itself says that there is nothing, which a wrong address does not."""
    try:
        return artifact.http.read("GET", path, query=query, stream=stream)
    except ServerRefusal as refusal:
        if says_nothing_there(refusal):
            return None
        raise


def _decoded(entry: Record) -> str:
    return unquote(entry.text("uri").removeprefix("/"))


def _status(status: Record) -> Fields:
    return {
        "status": status.text("status"),
        "repository": status.maybe_text("repository"),
        "comment": status.maybe_text("comment"),
        "user": status.maybe_text("user"),
        "ci_user": status.maybe_text("ciUser"),
        "timestamp": times.maybe_of(status, "timestamp"),
    }
