# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs and folders, read without their lists of builds."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import types
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_BUILD = "number,url,result,building,timestamp,duration"
# Folder levels in one request; each makes the URL longer
_LEVELS_PER_REQUEST = 4


class Field(t.NamedTuple):
    """A field of a job.

    :ivar member: name in the API
    :ivar read: reads the field from the job, given the name of the member
    :ivar inner: members to request inside this member
    """

    member: str
    read: t.Callable[[Record, str], t.Any]
    inner: str = ""


def _read_parameters(job: Record, member: str) -> list[dict[str, t.Any]]:
    properties = job.maybe_records(member)
    definitions = [definition for prop in properties for definition in prop.maybe_records("parameterDefinitions")]
    return [_read_parameter(definition) for definition in definitions]


def _read_parameter(definition: Record) -> dict[str, t.Any]:
    default = definition.maybe_record("defaultParameterValue")
    kind = definition.maybe_text("type") or ""
    return {
        "name": definition.text("name"),
        "type": kind.removesuffix("ParameterDefinition").lower(),
        "default": None if default is None else default.get("value"),
        "choices": definition.maybe_texts("choices"),
        "description": definition.maybe_text("description"),
    }


def _read_build(job: Record, member: str) -> dict[str, t.Any] | None:
    build = job.maybe_record(member)
    return build and {
        "number": build.integer("number"),
        "url": build.maybe_text("url"),
        "result": build.maybe_text("result"),
        "building": build.maybe_flag("building"),
        "timestamp": times.read_timestamp(build, "timestamp"),
        "duration": times.read_duration(build, "duration"),
    }


def _read_queue_item(job: Record, member: str) -> dict[str, t.Any] | None:
    item = job.maybe_record(member)
    return item and {"id": item.maybe_integer("id"), "why": item.maybe_text("why")}


def _read_type(job: Record, member: str) -> str | None:
    name = job.maybe_text(member)
    return None if name is None else types.get_type(name)


FIELDS = {
    "type": Field("_class", _read_type),
    "description": Field("description", Record.maybe_text),
    "buildable": Field("buildable", Record.maybe_flag),
    "in_queue": Field("inQueue", Record.maybe_flag),
    "queue_item": Field("queueItem", _read_queue_item, "id,why"),
    "next_build": Field("nextBuildNumber", Record.maybe_integer),
    "parameters": Field(
        "property",
        _read_parameters,
        "parameterDefinitions[name,type,description,choices,defaultParameterValue[value]]",
    ),
    "last": Field("lastBuild", _read_build, _BUILD),
    "last_completed": Field("lastCompletedBuild", _read_build, _BUILD),
    "last_successful": Field("lastSuccessfulBuild", _read_build, _BUILD),
    "last_failed": Field("lastFailedBuild", _read_build, _BUILD),
}
ALL_FIELDS = tuple(FIELDS)


def fetch_job(ci: CiService, job: str, fields: t.Iterable[str] = ALL_FIELDS) -> dict[str, t.Any] | None:
    """Return a job or folder, or `None` if it does not exist."""
    record = ci.find(jobs.job_path(job), f"{_tree(fields)},jobs[name]", "name")
    return record and _to_result(record, job, fields)


def list_jobs(ci: CiService, folder: str | None, depth: int, fields: t.Sequence[str]) -> t.Iterator[dict[str, t.Any]]:
    """Yield the jobs and folders in a folder, or in the whole server.

    :arg depth: number of folder levels
    :raises ToolchainError: if the folder does not exist
    """
    levels = min(depth, _LEVELS_PER_REQUEST)
    tree = "jobs[name]"
    for _level in range(levels):
        tree = f"jobs[{_tree(fields)},{tree}]"
    if folder is None:
        response = ci.view("", tree)
    else:
        response = ci.view(jobs.job_path(folder, "folder"), tree, accept=(200, 404))
        if response.status == 404 or ("jobs" not in response.record() and response.record().text("_class")):
            raise ToolchainError(f"Folder '{folder}' does not exist, or the account has no Job/Read permission on it.")
    yield from _walk(ci, response.record(), folder, levels, depth, fields)


def _walk(
    ci: CiService, folder: Record, name: str | None, levels: int, depth: int, fields: t.Sequence[str]
) -> t.Iterator[dict[str, t.Any]]:
    for job in folder.records("jobs"):
        full_name = f"{name}/{job.text('name')}" if name else job.text("name")
        yield _to_result(job, full_name, fields)
        if "jobs" not in job or depth == 1:
            continue
        if levels > 1:
            yield from _walk(ci, job, full_name, levels - 1, depth - 1, fields)
        else:
            yield from list_jobs(ci, full_name, depth - 1, fields)


def _tree(fields: t.Iterable[str]) -> str:
    selected = (FIELDS[name] for name in fields if name != "type")  # Jenkins adds the class to each object
    members = (f"{field.member}[{field.inner}]" if field.inner else field.member for field in selected)
    return ",".join(["name", "fullName", "url", *members])


def _to_result(job: Record, name: str, fields: t.Iterable[str]) -> dict[str, t.Any]:
    """Return the result for a job.

    :arg name: full name to use if the server does not report it
    """
    full_name = job.maybe_text("fullName") or name
    common = {"name": full_name, "url": job.maybe_text("url"), "folder": "jobs" in job}
    return {**common, **{field: FIELDS[field].read(job, FIELDS[field].member) for field in fields}}
