# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Records of builds: checked, published, compared as far as the user gave them, and deleted."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import build_files, builds, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import read_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record, describe_mismatch
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# The server keeps these itself
_OF_THE_SERVER = ("statuses", "artifactoryPrincipal")
# Members that the server adds to a record; null for a value that is not known in advance
_FILLED_IN = {"version": "1.0.1", "durationMillis": 0, "artifactoryPrincipal": None}
_ACCEPTED = (200, 204)
_GONE = (*_ACCEPTED, 404)


def wanted(params: dict[str, t.Any]) -> Fields:
    """The record to publish, from `content` or the file `src`, as the server would keep it.

    :raises BadOption: when it is none, or is of another build or number than the options say
    """
    option = "src" if params["content"] is None else "content"
    record = _from_file(params["src"]) if option == "src" else params["content"]
    record = _without_nulls({name: value for name, value in record.items() if name not in _OF_THE_SERVER})
    if isinstance(record.get("number"), int):
        record["number"] = str(record["number"])
    found = _described(record, lambda path, wanted, value: BadOption(option, describe_mismatch(path, wanted, value)))
    for other, name in (("build", "name"), ("number", "number")):
        if params[other] not in (None, found[name]):
            raise BadOption(option, f"is the record of '{found[name]}', but '{other}' is '{params[other]}'")
    return {**record, "started": times.plain(found["started"])}


def find(artifact: ArtifactService, like: Fields, project_key: str | None) -> Fields | None:
    """Return the run of this name, number and start, or `None`; its record has only those members that `like` has.

    The member `stored` is the same record. In the fields of a prediction the two differ.
    """
    started = times.utc(like["started"])
    found = builds.find(artifact, like["name"], like["number"], started=started, project_key=project_key)
    if found is None:
        return None
    record = {**found["record"], "started": times.plain(found["started"])}
    record.update(_as_far_as(record, like))
    return {**found, "record": record, "stored": record}


def described(fields: Fields) -> Fields:
    """Return a run as the user sees it, also a predicted one."""
    record = fields["record"]
    if record != fields.get("stored"):
        record = {**_FILLED_IN, **record}
    return _described(record, lambda path, wanted, value: ToolchainError(describe_mismatch(path, wanted, value)))


def check_not_promoted(before: Fields | None) -> None:
    """
    :raises ToolchainError: when the record that shall be replaced has a history, which would be lost with it
    """
    if before and before["statuses"]:
        raise ToolchainError(
            f"The run '{before['number']}' of '{before['name']}' is there with another record, and was promoted "
            f"('{before['statuses'][-1]['status']}'). Publishing it anew would lose that history. Delete it first, or "
            "publish it with another 'number' or 'started'."
        )


def publish(artifact: ArtifactService, record: Fields, project_key: str | None) -> None:
    """Put a record where it belongs; one of the same name, number and start is replaced."""
    artifact.http.write(
        "PUT", builds.ADDRESS, query=builds.in_project(project_key), json=record, accept=_ACCEPTED, policy=IDEMPOTENT
    )


def of_number(
    artifact: ArtifactService, build: str, number: str, *, project_key: str | None, artifacts: bool
) -> Fields | None:
    """All runs of a number, and with `artifacts` their files, or `None`.

    :raises ToolchainError: when there are files without a run, which the server would not delete any more, or when
        files of a run outside the project would go as well
    """
    files = build_files.of_runs(artifact, build, [number]) if artifacts else []
    runs = [run for run in builds.runs(artifact, build, project_key) if run["number"] == number]
    if not runs:
        build_files.check_gone(files)
        return None
    if files:
        build_files.check_unshared(artifact, build, project_key, runs, kept=())
    return {"name": build, "number": number, "runs": runs, "files": files}


def going(before: Fields | None) -> Fields:
    """The runs and files that a deletion takes."""
    return {name: before[name] if before else [] for name in ("runs", "files")}


def delete(artifact: ArtifactService, build: str, number: str, *, project_key: str | None, artifacts: bool) -> None:
    """Delete the runs of a number. A name with a slash, or a number with a comma, is only understood in a body."""
    if "/" in build or "," in number:
        order = {"buildName": build, "buildNumbers": [number], "deleteArtifacts": artifacts, "deleteAll": False}
        if project_key:
            order["project"] = project_key
        artifact.http.write("POST", f"{builds.ADDRESS}/delete", json=order, accept=_GONE, policy=IDEMPOTENT)
    else:
        query = {"buildNumbers": number, "artifacts": "1" if artifacts else "0", **builds.in_project(project_key)}
        artifact.http.write("DELETE", builds.address(build), query=query, accept=_GONE, policy=IDEMPOTENT)


def _from_file(path: str) -> Fields:
    check_readable(path, "src")
    try:
        record = json.loads(read_text(path) or "")
    except (ValueError, RecursionError):
        record = None
    except ToolchainError as error:
        raise BadOption("src", str(error)) from None
    if not isinstance(record, dict):
        raise BadOption("src", f"'{path}' takes a file with a build record, which is an object in JSON")
    return record


def _described(record: Fields, unexpected: t.Callable[[str, str, t.Any], Exception]) -> Fields:
    return builds.described(Record(record, unexpected))


def _without_nulls(value: t.Any) -> t.Any:
    """The server leaves out members that are null."""
    if isinstance(value, dict):
        return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value]
    return value


def _as_far_as(had: t.Any, like: t.Any) -> t.Any:
    """What there is, with those members only that `like` has, in objects and in lists of the same length."""
    if isinstance(had, dict) and isinstance(like, dict):
        return {name: _as_far_as(had[name], like[name]) for name in like if name in had}
    if isinstance(had, list) and isinstance(like, list) and len(had) == len(like):
        return [_as_far_as(one, other) for one, other in zip(had, like)]
    return had
