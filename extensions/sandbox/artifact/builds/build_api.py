# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls under /api/build: records published, listed, shown, renamed and deleted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..call import Call
from ..items.tree import Item
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time_with_offset
from ..protocol.json_conversion import boolean
from .diff import difference
from .records import Build, moment, statuses

VENDORS = re.compile(r"application/vnd\.org\.jfrog\.[\w.]+\+json")
# Members that the server adds to a record
FILLED_IN = {"version": "1.0.1", "durationMillis": 0}
# Where the records lie on the real server; rights on builds are rights on paths in it
RECORDS = "artifactory-build-info"


async def names(call: Call) -> Response:
    """GET /api/build"""
    found = [
        {"uri": f"/{quote(name, safe='')}", "lastStarted": format_time_with_offset(started)}
        for name, started in call.builds.list_names(project(call))
        if call.principal.may("r", RECORDS, name)
    ]
    if not found:
        raise ArtifactError(404, "No builds were found")
    return call.vendor_json("build.Builds", {"uri": f"{call.base}/api/build", "builds": found})


async def runs(call: Call, name: str) -> Response:
    """GET /api/build/{name}"""
    require_build_read(call, name)
    found = [
        {"uri": f"/{quote(run.number, safe='')}", "started": format_time_with_offset(run.started)}
        for run in call.builds.list_runs(project(call), name)
    ]
    if not found:
        raise ArtifactError(404, f"No build was found for build name: {name}")
    uri = f"{call.base}/api/build/{quote(name, safe='')}"
    return call.vendor_json("build.BuildsByName", {"uri": uri, "buildsNumbers": found})


async def show(call: Call, name: str, number: str) -> Response:
    """GET /api/build/{name}/{number}"""
    require_build_read(call, name)
    try:
        started = moment(call.query["started"]) if "started" in call.query else None
    except ValueError:
        raise ArtifactError(400, f"Unable to parse the start time '{call.query['started']}'.") from None
    build = call.builds.find(project(call), name, number, started)
    if build is None:
        when = f", build started: {call.query['started']}" if started is not None else ""
        raise ArtifactError(404, f"No build was found for build name: {name}, build number: {number} {when}")
    if "diff" in call.query:
        return _difference(call, build)
    record = FILLED_IN | build.record
    if history := call.builds.list_promotions(build):
        record["statuses"] = statuses(history)
    uri = f"{call.base}/api/build/{quote(name, safe='')}/{quote(number, safe='')}"
    return call.vendor_json("build.BuildInfo", {"uri": uri, "buildInfo": record})


def _difference(call: Call, build: Build) -> Response:
    number = call.query["diff"]
    older = call.builds.find(project(call), build.name, number)
    if older is None:
        raise ArtifactError(404, f"No build was found for build name: {build.name} , build number: {number} ")
    if build.started < older.started:
        raise ArtifactError(400, "Build number should be greater than the build number to compare against.")
    call.require_pro()
    return call.vendor_json("build.BuildsDiff", difference(build.record, older.record))


async def publish(call: Call) -> Response:
    """PUT /api/build"""
    record = await read_json_body(call, dict)
    name = str(record.get("name") or "")
    call.require_permission("w", RECORDS, name, _not_authorized(call, "publish", "Deploy"))
    if not name or not record.get("number"):
        raise ArtifactError(400, "The build's name and number are needed.")
    # A record may bring the history that it had elsewhere; promotions alone make one here.
    record.pop("statuses", None)
    try:
        own = {"number": str(record["number"]), "artifactoryPrincipal": call.principal.name}
        call.builds.publish(project(call), record | own, call.principal.name)
    except (KeyError, ValueError):
        raise ArtifactError(400, f"Unable to parse the start time '{record.get('started')}'.") from None
    return Response(status_code=204)


async def append(call: Call, name: str, number: str) -> Response:
    """POST /api/build/append/{name}/{number}"""
    call.require_permission("w", RECORDS, name, _not_authorized(call, "publish", "Deploy"))
    modules = await read_json_body(call, list)
    build = call.builds.find(project(call), name, number)
    if build is None:
        raise ArtifactError(404, "No builds were found")
    call.builds.append_modules(build, modules, call.principal.name)
    return Response(status_code=204)


async def rename(call: Call, name: str) -> Response:
    """POST /api/build/rename/{name}?to={new name}"""
    call.require_pro()
    call.require_permission("d", RECORDS, name, _not_authorized(call, "rename", "Delete"))
    new_name = call.query.get("to", "")
    if not new_name:
        raise ArtifactError(400, "Please provide the new build name.")
    if not call.builds.list_runs(project(call), name):
        raise ArtifactError(404, f"No build was found for build name: {name}")
    call.builds.rename(project(call), name, new_name)
    return PlainTextResponse(f"Build renaming of '{name}' to '{new_name}' was successfully started.\n")


async def delete(call: Call, name: str) -> Response:
    """DELETE /api/build/{name}?buildNumbers=51,52"""
    call.require_pro()
    numbers = list(filter(None, call.query.get("buildNumbers", "").split(",")))
    everything, artifacts = (call.query.get(switch) == "1" for switch in ("deleteAll", "artifacts"))
    return await _delete(call, name, numbers, everything, artifacts)


async def delete_posted(call: Call) -> Response:
    """POST /api/build/delete"""
    call.require_pro()
    order = await read_json_object(call, deleteAll=boolean, deleteArtifacts=boolean)
    if not order.get("buildName"):
        raise ArtifactError(400, "Missing build name")
    numbers = [str(number) for number in order.get("buildNumbers") or ()]
    if not numbers and not order.get("deleteAll"):
        raise ArtifactError(400, "Missing build numbers")
    call.query = {**call.query, **({"project": order["project"]} if order.get("project") else {})}
    return await _delete(
        call, order["buildName"], numbers, order.get("deleteAll", False), order.get("deleteArtifacts", False)
    )


async def _delete(call: Call, name: str, numbers: list[str], everything: bool, artifacts: bool) -> Response:
    call.require_permission("d", RECORDS, name, _not_authorized(call, "delete", "Delete"))
    if not numbers and not everything:
        raise ArtifactError(400, "Please provide at least one build number to delete.")
    found = call.builds.list_runs(project(call), name)
    chosen = found if everything else [run for number in numbers for run in found if run.number == number]
    missing = [number for number in numbers if number not in {run.number for run in chosen}]
    if not chosen:
        what = f", build number: {missing[0]} " if missing else ""
        raise ArtifactError(404, f"No build was found for build name: {name}{what}")
    for run in chosen:
        await discard(call, run, artifacts)
    if everything:
        return PlainTextResponse(f"All '{name}' builds have been deleted successfully.\n")
    deleted = ", ".join(f"'{run.name}#{run.number}'" for run in chosen)
    text = f"The following builds has been deleted successfully: {deleted}."
    if missing:
        unknown = ", ".join(f"'{name}#{number}'" for number in missing)
        text += f" The following builds were not found: {unknown}."
    return PlainTextResponse(text + "\n")


async def discard(call: Call, build: Build, artifacts: bool) -> list[Item]:
    """Delete a run, and the files whose properties say that they are of it; which of them the caller may not delete."""
    kept = []
    for item in list(call.items.find_build_artifacts(build.name, build.number)) if artifacts else ():
        if call.principal.may("d", item.repo, item.path):
            await call.delete_item(item)
        else:
            kept.append(item)
    call.builds.delete(build)
    if call.get_switch("trashcan"):
        path = (
            f"{RECORDS}/{quote(build.name, safe='')}/{quote(build.number, safe='')}-{round(build.started * 1000)}.json"
        )
        content = call.runtime.files.put_bytes(json.dumps(build.record).encode())
        call.items.add_to_trash(path, content, call.principal.name)
    return kept


def existing(call: Call, name: str, number: str) -> Build:
    """The run of this number."""
    build = call.builds.find(project(call), name, number)
    if build is None:
        raise ArtifactError(404, f"Cannot find builds by the name '{name}' and the number '{number}'.")
    return build


def project(call: Call) -> str:
    """The project that a call is about; without one it is the platform's own."""
    of_records = call.query.get("buildRepo", RECORDS).removesuffix("-build-info")
    return call.query.get("project") or ("" if of_records == "artifactory" else of_records)


def require_build_read(call: Call, name: str) -> None:
    """Refuse the call if the caller may not see this build."""
    call.require_login()
    call.require_read(RECORDS, name)


async def read_json_object(call: Call, **members: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the JSON object of the request, with the named members read as the server does."""
    order: dict[str, Any] = await read_json_body(call, dict)
    try:
        return order | {name: read(order[name]) for name, read in members.items() if name in order}
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None


async def read_json_body(call: Call, kind: type) -> Any:
    """Return the JSON of the request, which is of this kind."""
    body = await call.request.body()
    media_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and media_type != "application/json" and not VENDORS.fullmatch(media_type):
        raise ArtifactError(415)
    try:
        value = parse_json(body)
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None
    if not isinstance(value, kind):
        raise ArtifactError(400, "Error parsing json body")
    return value


def _not_authorized(call: Call, act: str, permission: str) -> str:
    return (
        f"The user: '{call.principal.name}' is not authorized to {act} build info. {permission} permission is needed."
    )


# A name may have slashes that are not encoded.
NAMED = "{name:.+}/{number}"
RUN = f"/api/build/{NAMED}"
ROUTES = (
    Route("GET", "/api/build", names, "build_names"),
    Route("PUT", "/api/build", publish, "publish_build"),
    Route("POST", "/api/build/delete", delete_posted, "delete_builds"),
    Route("POST", f"/api/build/append/{NAMED}", append, "append_build"),
    Route("POST", "/api/build/rename/{name:.+}", rename, "rename_build"),
    Route("GET", "/api/build/{name}", runs, "build_runs"),
    Route("DELETE", "/api/build/{name}", delete, "delete_builds"),
    Route("GET", RUN, show, "build"),
)
