# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publish, compare and delete build info."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_files, build_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import read_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record, describe_mismatch
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Members that only the server sets
_SERVER_MEMBERS = ("statuses", "artifactoryPrincipal")
# Values of members that the server adds; `None` if unknown in advance
_DEFAULTS = {"version": "1.0.1", "durationMillis": 0, "artifactoryPrincipal": None}
_ACCEPTED = (200, 204)
_DELETED = (*_ACCEPTED, 404)


def parse_build_info(params: dict[str, t.Any]) -> Fields:
    """Return the build info to publish, from `content` or the file `src`, in the form in which the server stores it.

    :raises BadOption: if it is invalid, or if `build` or `number` differ from it
    """
    option = "src" if params["content"] is None else "content"
    record = _read_file(params["src"]) if option == "src" else params["content"]
    record = _drop_nulls({name: value for name, value in record.items() if name not in _SERVER_MEMBERS})
    if isinstance(record.get("number"), int):
        record["number"] = str(record["number"])
    build = _to_result(
        record, lambda path, expected, value: BadOption(option, describe_mismatch(path, expected, value))
    )
    for other, name in (("build", "name"), ("number", "number")):
        if params[other] not in (None, build[name]):
            raise BadOption(option, f"has the {name} '{build[name]}', but '{other}' is '{params[other]}'")
    return {**record, "started": times.to_build_time(build["started"])}


def find(artifact: ArtifactService, like: Fields, project_key: str | None) -> Fields | None:
    """Return the run with the same name, number and start time, or `None`. Its `record` has only the members that
    `like` has.

    The member `stored` is the same record. It distinguishes an existing run from a predicted one, in which the two
    differ.
    """
    started = times.to_utc(like["started"])
    run = build_info.find_run(artifact, like["name"], like["number"], started=started, project_key=project_key)
    if run is None:
        return None
    record = {**run["record"], "started": times.to_build_time(run["started"])}
    record.update(_select_members(record, like))
    return {**run, "record": record, "stored": record}


def to_result(fields: Fields) -> Fields:
    """Return an existing or predicted run as part of the result."""
    record = fields["record"]
    if record != fields.get("stored"):
        record = {**_DEFAULTS, **record}
    return _to_result(record, lambda path, expected, value: ToolchainError(describe_mismatch(path, expected, value)))


def check_replaceable(artifact: ArtifactService, before: Fields | None) -> None:
    """Verify that the server can replace existing build info, and that this does not lose a promotion history.

    :raises ToolchainError: if the version is too old, or if the existing run was promoted
    """
    if before is None:
        return
    if before["statuses"]:
        raise ToolchainError(
            f"The run '{before['number']}' of '{before['name']}' already exists with other build info and was promoted "
            f"('{before['statuses'][-1]['status']}'). Publishing it again would delete its history. Delete the run "
            "first, or publish it with another 'number' or 'started'."
        )
    editions.check(artifact, features.BUILD_REPLACEMENT)


def publish(artifact: ArtifactService, record: Fields, project_key: str | None) -> None:
    """Publish build info. It replaces existing build info with the same name, number and start time."""
    artifact.http.write(
        "PUT",
        build_info.ADDRESS,
        query=build_info.project_query(project_key),
        json=record,
        accept=_ACCEPTED,
        policy=IDEMPOTENT,
    )


def find_runs(
    artifact: ArtifactService, build: str, number: str, *, project_key: str | None, artifacts: bool
) -> Fields | None:
    """Return all runs with a number, and with `artifacts` their files, or `None` if there are no such runs.

    :raises ToolchainError: if there are files without a run, which Artifactory would no longer delete, or if files of a
        run outside the project would be deleted as well
    """
    files: list[Fields] = []
    if artifacts:
        with editions.explain_refusal(artifact, features.BUILD_DELETION):
            files = build_files.find_files_of_runs(artifact, build, [number])
    runs = [run for run in build_info.list_runs(artifact, build, project_key) if run["number"] == number]
    if not runs:
        build_files.check_deleted(files)
        return None
    if files:
        build_files.check_unshared(artifact, build, project_key, runs, runs_to_keep=())
    return {"name": build, "number": number, "runs": runs, "files": files}


def list_deletions(before: Fields | None) -> Fields:
    """Return the runs and files that are deleted."""
    return {name: before[name] if before else [] for name in ("runs", "files")}


def check_deletable(artifact: ArtifactService, build: str, number: str) -> None:
    """Verify that the server can delete runs with a number.

    :raises ToolchainError: if its edition or version cannot
    """
    by_body = _requires_body(build, number)
    editions.check(artifact, features.BUILD_DELETION_BY_BODY if by_body else features.BUILD_DELETION)


def delete(artifact: ArtifactService, build: str, number: str, *, project_key: str | None, artifacts: bool) -> None:
    """Delete all runs with a number."""
    if _requires_body(build, number):
        order = {"buildName": build, "buildNumbers": [number], "deleteArtifacts": artifacts, "deleteAll": False}
        if project_key:
            order["project"] = project_key
        artifact.http.write("POST", f"{build_info.ADDRESS}/delete", json=order, accept=_DELETED, policy=IDEMPOTENT)
    else:
        query = {
            "buildNumbers": number,
            "artifacts": "1" if artifacts else "0",
            **build_info.project_query(project_key),
        }
        artifact.http.write("DELETE", build_info.address(build), query=query, accept=_DELETED, policy=IDEMPOTENT)


def _requires_body(build: str, number: str) -> bool:
    """Return whether Artifactory accepts a name or a number only in a request body."""
    return "/" in build or "," in number


def _read_file(path: str) -> Fields:
    check_readable(path, "src")
    try:
        record = json.loads(read_text(path) or "")
    except (ValueError, RecursionError):
        record = None
    except ToolchainError as error:
        raise BadOption("src", str(error)) from None
    if not isinstance(record, dict):
        raise BadOption("src", f"'{path}' is not a JSON file with build info")
    return record


def _to_result(record: Fields, unexpected: t.Callable[[str, str, t.Any], Exception]) -> Fields:
    return build_info.to_result(Record(record, unexpected))


def _drop_nulls(value: t.Any) -> t.Any:
    """Return a value without null members, which the server does not store."""
    if isinstance(value, dict):
        return {name: _drop_nulls(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_drop_nulls(inner) for inner in value]
    return value


def _select_members(current: t.Any, like: t.Any) -> t.Any:
    """Return the members of `had` that `like` has, recursively in objects and in lists of the same length."""
    if isinstance(current, dict) and isinstance(like, dict):
        return {name: _select_members(current[name], like[name]) for name in like if name in current}
    if isinstance(current, list) and isinstance(like, list) and len(current) == len(like):
        return [_select_members(one, other) for one, other in zip(current, like)]
    return current
