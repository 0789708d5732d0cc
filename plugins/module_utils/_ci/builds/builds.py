# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds: selectors, the fields of results, and requests for one build."""

from __future__ import annotations

import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option

SELECTORS = {
    "last": "lastBuild",
    "last_completed": "lastCompletedBuild",
    "last_successful": "lastSuccessfulBuild",
    "last_stable": "lastStableBuild",
    "last_unstable": "lastUnstableBuild",
    "last_unsuccessful": "lastUnsuccessfulBuild",
    "last_failed": "lastFailedBuild",
}
RESULTS = ["SUCCESS", "UNSTABLE", "FAILURE", "NOT_BUILT", "ABORTED"]
# A number or a selector
BUILD: Option = dict(
    matches=(
        f"[1-9][0-9]{{0,9}}|{'|'.join(SELECTORS)}",
        f"the number of a build, such as 42, or one of {', '.join(SELECTORS)}",
    ),
)
_REQUIRED_MEMBERS = ("number", "url")


class Field(t.NamedTuple):
    """A field of a build.

    :ivar member: name in the API
    :ivar read: reads the field from the build, given the name of the member
    :ivar inner: members to request inside this member
    """

    member: str
    read: t.Callable[[Record, str], t.Any]
    inner: str = ""


def _read_parameters(build: Record, member: str) -> dict[str, t.Any]:
    """Return the parameters by name; password and file parameters have no value."""
    actions = build.maybe_records(member)
    parameters = [parameter for action in actions for parameter in action.maybe_records("parameters")]
    return {parameter.text("name"): parameter.get("value") for parameter in parameters}


def _read_causes(build: Record, member: str) -> list[str]:
    causes = [cause for action in build.maybe_records(member) for cause in action.maybe_records("causes")]
    return [text for cause in causes if (text := cause.maybe_text("shortDescription"))]


def _read_artifacts(build: Record, member: str) -> list[dict[str, t.Any]]:
    base = f"{build.maybe_text('url') or ''}artifact/"
    paths = [(artifact, artifact.text("relativePath")) for artifact in build.maybe_records(member)]
    return [
        {"name": artifact.maybe_text("fileName"), "path": path, "url": base + quote(path)} for artifact, path in paths
    ]


FIELDS = {
    "result": Field("result", Record.maybe_text),
    "building": Field("building", Record.maybe_flag),
    "timestamp": Field("timestamp", times.read_timestamp),
    "duration": Field("duration", times.read_duration),
    "estimated_duration": Field("estimatedDuration", times.read_duration),
    "id": Field("id", Record.maybe_text),
    "display_name": Field("displayName", Record.maybe_text),
    "full_display_name": Field("fullDisplayName", Record.maybe_text),
    "description": Field("description", Record.maybe_text),
    "queue_id": Field("queueId", Record.maybe_integer),
    "built_on": Field("builtOn", Record.maybe_text),
    "keep_log": Field("keepLog", Record.maybe_flag),
    "parameters": Field("actions", _read_parameters, "parameters[name,value]"),
    "causes": Field("actions", _read_causes, "causes[shortDescription]"),
    "artifacts": Field("artifacts", _read_artifacts, "fileName,relativePath"),
}
ALL_FIELDS = tuple(FIELDS)


def build_tree(fields: t.Iterable[str] = ALL_FIELDS) -> str:
    """Return the `tree` parameter of a request for these fields."""
    members: dict[str, list[str]] = {name: [] for name in _REQUIRED_MEMBERS}
    for field in (FIELDS[name] for name in fields):
        members.setdefault(field.member, []).extend([field.inner] if field.inner else [])
    return ",".join(f"{name}[{','.join(inner)}]" if inner else name for name, inner in members.items())


def to_result(build: Record, job: str, fields: t.Iterable[str] = ALL_FIELDS) -> dict[str, t.Any]:
    """Return the result for a build that was requested with `build_tree(fields)`."""
    common = {"job": job, "number": build.integer("number"), "url": build.maybe_text("url")}
    return {**common, **{name: FIELDS[name].read(build, FIELDS[name].member) for name in fields}}


def read_parameters(build_or_item: Record) -> dict[str, t.Any]:
    """Return the parameters of a build or queue item, requested with `actions[parameters[name,value]]`."""
    return _read_parameters(build_or_item, "actions")


def build_path(job: str, build: str | int) -> str:
    """Return the path of a build.

    :arg build: number or selector
    :raises BadOption: if no job can have this name
    """
    return f"{jobs.job_path(job)}/{SELECTORS.get(str(build), build)}"


def fetch_build(
    ci: CiService, job: str, build: str | int, fields: t.Iterable[str] = ALL_FIELDS, **options: t.Unpack[RequestOptions]
) -> dict[str, t.Any] | None:
    """Return a build, or `None` if the build or the job does not exist."""
    options["accept"] = (200, 404)
    response = ci.view(build_path(job, build), build_tree(fields), **options)
    return None if response.status == 404 else to_result(response.record(), job, fields)


def build_not_found(job: str, build: str | int) -> ToolchainError:
    """Return the error for a missing build."""
    name = f"{str(build).replace('_', ' ')} build" if build in SELECTORS else f"build {build}"
    return ToolchainError(
        f"Job '{job}' has no {name}, the job does not exist, or the account has no Job/Read permission on it. "
        "Use the full name of the job, such as 'folder/app'."
    )
