# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds: how they are named, and what is told of them."""

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
# One build of a job
BUILD: Option = dict(
    matches=(
        f"[1-9][0-9]{{0,9}}|{'|'.join(SELECTORS)}",
        f"the number of a build, such as 42, or one of {', '.join(SELECTORS)}",
    ),
)
_ALWAYS = ("number", "url")


class Field(t.NamedTuple):
    """A member of a build: the server's name for it, how to read it by that name, and what is asked for inside."""

    member: str
    read: t.Callable[[Record, str], t.Any]
    inside: str = ""


def _parameters(build: Record, member: str) -> dict[str, t.Any]:
    """By name; of secrets and files the server does not tell the value."""
    given = [one for action in build.maybe_records(member) for one in action.maybe_records("parameters")]
    return {one.text("name"): one.get("value") for one in given}


def _causes(build: Record, member: str) -> list[str]:
    causes = [one for action in build.maybe_records(member) for one in action.maybe_records("causes")]
    return [text for one in causes if (text := one.maybe_text("shortDescription"))]


def _artifacts(build: Record, member: str) -> list[dict[str, t.Any]]:
    base = f"{build.maybe_text('url') or ''}artifact/"
    paths = [(one, one.text("relativePath")) for one in build.maybe_records(member)]
    return [{"name": one.maybe_text("fileName"), "path": path, "url": base + quote(path)} for one, path in paths]


FIELDS = {
    "result": Field("result", Record.maybe_text),
    "building": Field("building", Record.maybe_flag),
    "timestamp": Field("timestamp", times.maybe_timestamp),
    "duration": Field("duration", times.maybe_seconds),
    "estimated_duration": Field("estimatedDuration", times.maybe_seconds),
    "id": Field("id", Record.maybe_text),
    "display_name": Field("displayName", Record.maybe_text),
    "full_display_name": Field("fullDisplayName", Record.maybe_text),
    "description": Field("description", Record.maybe_text),
    "queue_id": Field("queueId", Record.maybe_integer),
    "built_on": Field("builtOn", Record.maybe_text),
    "keep_log": Field("keepLog", Record.maybe_flag),
    "parameters": Field("actions", _parameters, "parameters[name,value]"),
    "causes": Field("actions", _causes, "causes[shortDescription]"),
    "artifacts": Field("artifacts", _artifacts, "fileName,relativePath"),
}
ALL_FIELDS = tuple(FIELDS)


def tree(fields: t.Iterable[str] = ALL_FIELDS) -> str:
    """What to ask the server for, so that `shown` can tell these fields of a build."""
    members: dict[str, list[str]] = {name: [] for name in _ALWAYS}
    for field in (FIELDS[name] for name in fields):
        members.setdefault(field.member, []).extend([field.inside] if field.inside else [])
    return ",".join(f"{name}[{','.join(inside)}]" if inside else name for name, inside in members.items())


def shown(build: Record, job: str, fields: t.Iterable[str] = ALL_FIELDS) -> dict[str, t.Any]:
    """A build of a job as results show it, asked for with the same `tree(fields)`."""
    told = {"job": job, "number": build.integer("number"), "url": build.maybe_text("url")}
    return {**told, **{name: FIELDS[name].read(build, FIELDS[name].member) for name in fields}}


def parameters_of(found: Record) -> dict[str, t.Any]:
    """The parameters of a build or of a queue item, asked for with `actions[parameters[name,value]]`."""
    return _parameters(found, "actions")


def path_of(job: str, build: str | int) -> str:
    """The path of a build, by its number or by a selector.

    :raises BadOption: when the job's name cannot be one
    """
    return f"{jobs.path_of(job)}/{SELECTORS.get(str(build), build)}"


def found(
    ci: CiService, job: str, build: str | int, fields: t.Iterable[str] = ALL_FIELDS, **options: t.Unpack[RequestOptions]
) -> dict[str, t.Any] | None:
    """One build, or `None` when the server shows no such build or job."""
    options["accept"] = (200, 404)
    response = ci.view(path_of(job, build), tree(fields), **options)
    return None if response.status == 404 else shown(response.record(), job, fields)


def missing(job: str, build: str | int) -> ToolchainError:
    """What to raise when a build that has to be there is not."""
    wanted = f"no {str(build).replace('_', ' ')} build" if build in SELECTORS else f"no build {build}"
    return ToolchainError(
        f"'{job}' has {wanted}, there is no such job, or the account may not see it. "
        "Jobs are named by their full names, such as 'folder/app'."
    )
