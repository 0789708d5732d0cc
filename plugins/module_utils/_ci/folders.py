# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is in folders: jobs, and what they tell without their builds being listed."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_BUILD = "number,url,result,building,timestamp,duration"
# Levels of folders that one request asks for; each makes its address longer
_LEVELS_AT_ONCE = 4


class Field(t.NamedTuple):
    """A member of a job: the server's name for it, how to read it by that name, and what is asked for inside."""

    member: str
    read: t.Callable[[Record, str], t.Any]
    inside: str = ""


def _parameters(job: Record, member: str) -> list[dict[str, t.Any]]:
    definitions = [one for kept in job.maybe_records(member) for one in kept.maybe_records("parameterDefinitions")]
    return [_parameter(one) for one in definitions]


def _parameter(definition: Record) -> dict[str, t.Any]:
    default = definition.maybe_record("defaultParameterValue")
    kind = definition.maybe_text("type") or ""
    return {
        "name": definition.text("name"),
        "type": kind.removesuffix("ParameterDefinition").lower(),
        "default": None if default is None else default.get("value"),
        "choices": definition.maybe_texts("choices"),
        "description": definition.maybe_text("description"),
    }


def _build(job: Record, member: str) -> dict[str, t.Any] | None:
    build = job.maybe_record(member)
    return build and {
        "number": build.integer("number"),
        "url": build.maybe_text("url"),
        "result": build.maybe_text("result"),
        "building": build.maybe_flag("building"),
        "timestamp": times.maybe_timestamp(build, "timestamp"),
        "duration": times.maybe_seconds(build, "duration"),
    }


def _queue_item(job: Record, member: str) -> dict[str, t.Any] | None:
    item = job.maybe_record(member)
    return item and {"id": item.maybe_integer("id"), "why": item.maybe_text("why")}


FIELDS = {
    "description": Field("description", Record.maybe_text),
    "buildable": Field("buildable", Record.maybe_flag),
    "in_queue": Field("inQueue", Record.maybe_flag),
    "queue_item": Field("queueItem", _queue_item, "id,why"),
    "next_build": Field("nextBuildNumber", Record.maybe_integer),
    "parameters": Field(
        "property",
        _parameters,
        "parameterDefinitions[name,type,description,choices,defaultParameterValue[value]]",
    ),
    "last": Field("lastBuild", _build, _BUILD),
    "last_completed": Field("lastCompletedBuild", _build, _BUILD),
    "last_successful": Field("lastSuccessfulBuild", _build, _BUILD),
    "last_failed": Field("lastFailedBuild", _build, _BUILD),
}
ALL_FIELDS = tuple(FIELDS)


def found(ci: CiService, job: str, fields: t.Iterable[str] = ALL_FIELDS) -> dict[str, t.Any] | None:
    """One job or folder, or `None` when the server shows none of that name."""
    response = ci.view(jobs.path_of(job), f"{_tree(fields)},jobs[name]", accept=(200, 404))
    return None if response.status == 404 else _shown(response.record(), job, fields)


def below(ci: CiService, folder: str | None, depth: int, fields: t.Sequence[str]) -> t.Iterator[dict[str, t.Any]]:
    """What is in a folder, or in the server itself, and in the folders in it.

    :arg depth: levels of folders to look into
    :raises ToolchainError: when there is no such folder
    """
    levels = min(depth, _LEVELS_AT_ONCE)
    tree = "jobs[name]"
    for _level in range(levels):
        tree = f"jobs[{_tree(fields)},{tree}]"
    if folder is None:
        response = ci.view("", tree)
    else:
        response = ci.view(jobs.path_of(folder, "folder"), tree, accept=(200, 404))
        if response.status == 404 or "jobs" not in response.record():
            raise ToolchainError(f"There is no folder '{folder}', or the account may not see it.")
    yield from _walk(ci, response.record(), folder, levels, depth, fields)


def _walk(
    ci: CiService, folder: Record, name: str | None, levels: int, depth: int, fields: t.Sequence[str]
) -> t.Iterator[dict[str, t.Any]]:
    for job in folder.records("jobs"):
        full_name = f"{name}/{job.text('name')}" if name else job.text("name")
        yield _shown(job, full_name, fields)
        if "jobs" not in job or depth == 1:
            continue
        if levels > 1:
            yield from _walk(ci, job, full_name, levels - 1, depth - 1, fields)
        else:
            yield from below(ci, full_name, depth - 1, fields)


def _tree(fields: t.Iterable[str]) -> str:
    selected = (FIELDS[name] for name in fields)
    members = (f"{one.member}[{one.inside}]" if one.inside else one.member for one in selected)
    return ",".join(["name", "fullName", "url", *members])


def _shown(job: Record, name: str, fields: t.Iterable[str]) -> dict[str, t.Any]:
    """Return a job as the module shows it.

    :arg name: full name, which counts if the server does not report it
    """
    full_name = job.maybe_text("fullName") or name
    common = {"name": full_name, "url": job.maybe_text("url"), "folder": "jobs" in job}
    return {**common, **{field: FIELDS[field].read(job, FIELDS[field].member) for field in fields}}
