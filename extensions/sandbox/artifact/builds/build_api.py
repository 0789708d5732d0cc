# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The build API: publish, list, rename and delete build records."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..items.tree import Item
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError, PlainError
from ..protocol.formats import format_time_with_offset
from ..protocol.json_conversion import to_boolean
from ..protocol.request_body import read_json_body, read_json_object
from .diff import compare_records
from .records import Build, format_statuses, parse_time

# Fields that the server adds to a record.
RECORD_DEFAULTS = {"version": "1.0.1", "durationMillis": 0}
# The repository of build records on the real server. Permissions for builds are permissions for its paths.
BUILD_INFO_REPO = "artifactory-build-info"
START_PARTS = tuple(
    map(re.compile, (r"\d+", "-", r"\d+", "-", r"\d+", "T", r"\d+", ":", r"\d+", ":", r"\d+", r"\.", r"\d+"))
)


async def list_builds(call: Call) -> Response:
    """Handle `GET /api/build`."""
    entries = [
        {"uri": f"/{quote(name, safe='')}", "lastStarted": format_time_with_offset(started)}
        for name, started in call.builds.list_names(get_project(call))
        if not call.supports(feature_versions.BUILD_PERMISSIONS) or call.principal.may("r", BUILD_INFO_REPO, name)
    ]
    if not entries:
        raise ArtifactError(404, "No builds were found")
    return call.vendor_json("build.Builds", {"uri": f"{call.base}/api/build", "builds": entries})


async def list_runs(call: Call, name: str) -> Response:
    """Handle `GET /api/build/{name}`."""
    call.require_login()
    if call.supports(feature_versions.BUILD_PERMISSIONS):
        call.require_read(BUILD_INFO_REPO, name)
    entries = [
        {"uri": f"/{quote(run.number, safe='')}", "started": format_time_with_offset(run.started)}
        for run in call.builds.list_runs(get_project(call), name)
    ]
    if not entries:
        raise ArtifactError(404, f"No build was found for build name: {name}")
    uri = f"{call.base}/api/build/{quote(name, safe='')}"
    return call.vendor_json("build.BuildsByName", {"uri": uri, "buildsNumbers": entries})


async def get_run(call: Call, name: str, number: str) -> Response:
    """Handle `GET /api/build/{name}/{number}`."""
    require_build_read(call, name)
    started = _parse_start(call, call.query["started"]) if "started" in call.query else None
    build = call.builds.find(get_project(call), name, number, started)
    if build is None:
        start_clause = f", build started: {call.query['started']}" if started is not None else ""
        raise ArtifactError(404, f"No build was found for build name: {name}, build number: {number} {start_clause}")
    if "diff" in call.query:
        return _compare_runs(call, build)
    record = RECORD_DEFAULTS | build.record
    if history := call.builds.list_promotions(build):
        record["statuses"] = format_statuses(history)
    uri = f"{call.base}/api/build/{quote(name, safe='')}/{quote(number, safe='')}"
    return call.vendor_json("build.BuildInfo", {"uri": uri, "buildInfo": record})


def _compare_runs(call: Call, build: Build) -> Response:
    number = call.query["diff"]
    older = call.builds.find(get_project(call), build.name, number)
    if older is None:
        raise ArtifactError(404, f"No build was found for build name: {build.name} , build number: {number} ")
    if build.started < older.started:
        raise ArtifactError(400, "Build number should be greater than the build number to compare against.")
    call.require_pro()
    return call.vendor_json("build.BuildsDiff", compare_records(build.record, older.record))


async def publish_build(call: Call) -> Response:
    """Handle `PUT /api/build`."""
    record = await (read_json_body if call.supports(feature_versions.BUILD_ERRORS_ARE_400) else _read_old_body)(
        call, dict
    )
    name = str(record.get("name") or "")
    _require_deploy(call, name)
    _require_identity(call, record)
    # A record may contain the history of another server. Here, only promotions create one.
    record.pop("statuses", None)
    started = _parse_start(call, record.get("started"))
    record |= {"number": str(record["number"]), "artifactoryPrincipal": call.principal.name}
    existing = call.builds.find(get_project(call), name, record["number"], started)
    if existing is None or call.supports(feature_versions.BUILD_REPLACEMENT):
        call.builds.publish(get_project(call), record, call.principal.name)
    else:
        _refuse_replacement(call, existing, record)
    return empty_response(call)


def _require_identity(call: Call, record: dict[str, Any]) -> None:
    """Fail if a record has no name or number, in some versions also without a start time."""
    if call.supports(feature_versions.BUILD_ERRORS_ARE_400):
        if not record.get("name") or not record.get("number"):
            raise ArtifactError(400, "The build's name and number are needed.")
    elif not all(record.get(member) for member in ("name", "number", "started")):
        if call.supports(feature_versions.BUILD_FIELDS_ARE_CHECKED):
            raise PlainError(400, "Build name, number or start date cannot be empty or null!")
        raise ArtifactError(500, "Build name, number and date cannot be empty or null!")


def _refuse_replacement(call: Call, existing: Build, record: dict[str, Any]) -> None:
    """Fail if a run exists, in version 6 only with other content."""
    run = f"Build{{name='{existing.name}', number='{existing.number}', started='{record['started']}'}}"
    if not call.supports(feature_versions.BUILD_ERRORS_ARE_400):
        raise ArtifactError(500, f"Could not insert build {run}")
    if existing.record != record:
        raise ArtifactError(409, f"Build {run}:{existing.number}-{record['started']}already exists.")


def empty_response(call: Call) -> Response:
    """Return a response without a body. Some versions state a media type."""
    has_type = call.supports(feature_versions.EMPTY_JSON_RESPONSES)
    return Response(status_code=204, headers={"Content-Type": "application/json"} if has_type else None)


async def _read_old_body(call: Call, kind: type) -> Any:
    """Return the record in the body. Old versions report the failures of their parsers."""
    body = (await call.request.body()).decode("utf-8", "replace").lstrip()
    if not call.request.headers.get("content-type"):
        found = f"Unexpected character {body[:1]!r} (code {ord(body[0])}) in prolog; expected '<'" if body else ""
        column = 1 if body else 0
        place = f" at [row,col {{unknown-source}}]: [1,{column}]"
        raise ArtifactError(500, f" : {found or 'Unexpected EOF in prolog'}\n{place}")
    if not body:
        raise ArtifactError(500, "No content to map to Object due to end of input")
    try:
        return await read_json_body(call, kind)
    except ArtifactError as error:
        raise ArtifactError(500 if error.status == 400 else error.status, error.message) from None


def _parse_start(call: Call, text: Any) -> float:
    """Return the start time of a run in seconds since the epoch, or fail."""
    try:
        return parse_time(text)
    except ValueError:
        if call.supports(feature_versions.BUILD_ERRORS_ARE_400):
            raise ArtifactError(400, f"Unable to parse the start time '{text}'.") from None
        raise ArtifactError(500, f'Invalid format: "{text}"{_describe_mismatch(str(text))}') from None


def _describe_mismatch(text: str) -> str:
    """Return where a text deviates from a start time, in the words of the parser of old versions."""
    end = 0
    for part in START_PARTS:
        match = part.match(text, end)
        if match is None:
            break
        end = match.end()
    if end == len(text):
        return " is too short"
    return f' is malformed at "{text[end:]}"' if end else ""


def _require_deploy(call: Call, name: str) -> None:
    """Fail unless the caller may publish a build: old versions require the right to deploy anywhere."""
    if call.supports(feature_versions.BUILD_PERMISSIONS):
        call.require_permission("w", BUILD_INFO_REPO, name, _permission_message(call, "publish", "Deploy"))
    else:
        _require_deploy_anywhere(call)


def _require_deploy_anywhere(call: Call) -> None:
    call.require_login()
    local = (repository.key for repository in call.repositories.list_all() if repository.rclass == "local")
    if not any(call.principal.may_anywhere("w", key) for key in local):
        raise ArtifactError(403)


async def append_modules(call: Call, name: str, number: str) -> Response:
    """Handle `POST /api/build/append/{name}/{number}`."""
    _require_deploy(call, name)
    modules = await read_json_body(call, list)
    build = call.builds.find(get_project(call), name, number)
    if build is None:
        raise ArtifactError(404, "No builds were found")
    call.builds.append_modules(build, modules, call.principal.name)
    return Response(status_code=204)


async def rename_build(call: Call, name: str) -> Response:
    """Handle `POST /api/build/rename/{name}?to={new name}`."""
    call.require_pro()
    call.require_permission("d", BUILD_INFO_REPO, name, _permission_message(call, "rename", "Delete"))
    new_name = call.query.get("to", "")
    if not new_name:
        raise ArtifactError(400, "Please provide the new build name.")
    if not call.builds.list_runs(get_project(call), name):
        raise ArtifactError(404, f"No build was found for build name: {name}")
    call.builds.rename(get_project(call), name, new_name)
    return PlainTextResponse(f"Build renaming of '{name}' to '{new_name}' was successfully started.\n")


async def delete_runs(call: Call, name: str) -> Response:
    """Handle `DELETE /api/build/{name}?buildNumbers=51,52`."""
    call.require_pro()
    numbers = list(filter(None, call.query.get("buildNumbers", "").split(",")))
    is_delete_all, artifacts = (call.query.get(switch) == "1" for switch in ("deleteAll", "artifacts"))
    return await _delete_runs(call, name, numbers, is_delete_all, artifacts)


async def delete_runs_by_post(call: Call) -> Response:
    """Handle `POST /api/build/delete`."""
    call.require_pro()
    request = await read_json_object(call, deleteAll=to_boolean, deleteArtifacts=to_boolean)
    if not request.get("buildName"):
        raise ArtifactError(400, "Missing build name")
    numbers = [str(number) for number in request.get("buildNumbers") or ()]
    if not numbers and not request.get("deleteAll"):
        raise ArtifactError(400, "Missing build numbers")
    call.query = {**call.query, **({"project": request["project"]} if request.get("project") else {})}
    return await _delete_runs(
        call, request["buildName"], numbers, request.get("deleteAll", False), request.get("deleteArtifacts", False)
    )


async def _delete_runs(
    call: Call, name: str, numbers: list[str], is_delete_all: bool, with_artifacts: bool
) -> Response:
    call.require_permission("d", BUILD_INFO_REPO, name, _permission_message(call, "delete", "Delete"))
    if not numbers and not is_delete_all:
        raise ArtifactError(400, "Please provide at least one build number to delete.")
    all_runs = call.builds.list_runs(get_project(call), name)
    selected = all_runs if is_delete_all else [run for number in numbers for run in all_runs if run.number == number]
    missing_numbers = [number for number in numbers if number not in {run.number for run in selected}]
    if not selected:
        number_clause = f", build number: {missing_numbers[0]} " if missing_numbers else ""
        raise ArtifactError(404, f"No build was found for build name: {name}{number_clause}")
    for run in selected:
        await delete_run(call, run, with_artifacts)
    if is_delete_all:
        return PlainTextResponse(f"All '{name}' builds have been deleted successfully.\n")
    deleted = ", ".join(f"'{run.name}#{run.number}'" for run in selected)
    text = f"The following builds has been deleted successfully: {deleted}."
    if missing_numbers:
        unknown = ", ".join(f"'{name}#{number}'" for number in missing_numbers)
        text += f" The following builds were not found: {unknown}."
    return PlainTextResponse(text + "\n")


async def delete_run(call: Call, build: Build, with_artifacts: bool) -> list[Item]:
    """Delete a run and, if requested, the files whose build properties refer to it.

    Return the files that the caller may not delete.
    """
    undeletable = []
    for item in list(call.items.find_build_artifacts(build.name, build.number)) if with_artifacts else ():
        if call.principal.may("d", item.repo, item.path):
            await call.delete_item(item)
        else:
            undeletable.append(item)
    call.builds.delete(build)
    if call.get_switch("trashcan"):
        name, number = quote(build.name, safe=""), quote(build.number, safe="")
        path = f"{BUILD_INFO_REPO}/{name}/{number}-{round(build.started * 1000)}.json"
        content = call.runtime.files.put_bytes(json.dumps(build.record).encode())
        call.items.add_to_trash(path, content, call.principal.name)
    return undeletable


def require_run(call: Call, name: str, number: str) -> Build:
    """Return a run by its number, or fail with 404."""
    build = call.builds.find(get_project(call), name, number)
    if build is None:
        raise ArtifactError(404, f"Cannot find builds by the name '{name}' and the number '{number}'.")
    return build


def get_project(call: Call) -> str:
    """Return the project of a request; empty for the default project."""
    if not call.supports(feature_versions.PROJECTS):
        return ""
    project_key = call.query.get("buildRepo", BUILD_INFO_REPO).removesuffix("-build-info")
    return call.query.get("project") or ("" if project_key == "artifactory" else project_key)


def require_build_read(call: Call, name: str) -> None:
    """Fail unless the caller is authenticated and may read the build: old versions require to deploy anywhere."""
    call.require_login()
    if call.supports(feature_versions.BUILD_PERMISSIONS):
        call.require_read(BUILD_INFO_REPO, name)
    else:
        _require_deploy_anywhere(call)


def _permission_message(call: Call, action: str, permission: str) -> str:
    user = call.principal.name
    return f"The user: '{user}' is not authorized to {action} build info. {permission} permission is needed."


# A build name may contain unencoded slashes.
RUN_PATH = "{name:.+}/{number}"
BUILD_RUN = f"/api/build/{RUN_PATH}"
ROUTES = (
    Route("GET", "/api/build", list_builds, "build_names"),
    Route("PUT", "/api/build", publish_build, "publish_build"),
    Route(
        "POST",
        "/api/build/delete",
        delete_runs_by_post,
        "delete_builds",
        since=feature_versions.DELETION_OF_SEVERAL_BUILDS,
    ),
    Route("POST", f"/api/build/append/{RUN_PATH}", append_modules, "append_build"),
    Route("POST", "/api/build/rename/{name:.+}", rename_build, "rename_build"),
    Route("GET", "/api/build/{name}", list_runs, "build_runs"),
    Route("DELETE", "/api/build/{name}", delete_runs, "delete_builds"),
    Route("GET", BUILD_RUN, get_run, "build"),
)
