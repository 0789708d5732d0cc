# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build promotion: copy or move the artifacts of a build and add a status to its history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..items.tree import Item
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_json
from ..protocol.json_conversion import to_boolean
from ..protocol.negotiation import JFROG_PREFIX
from ..protocol.request_body import read_json_object
from . import build_api
from .records import Build, Promotion, parse_time

Message = dict[str, str]
BOOLEANS = ("dryRun", "copy", "artifacts", "dependencies", "failFast")


async def promote_build(call: Call, name: str, number: str) -> Response:
    """Handle `POST /api/build/promote/{name}/{number}`."""
    call.require_pro()
    request = await read_json_object(call, **dict.fromkeys(BOOLEANS, to_boolean))
    request["dryRun"] = _is_dry_run(call, request)
    if request["dryRun"]:
        call.mark_as_read("rehearse_promotion")
    build = build_api.require_run(call, name, number)
    call.require_permission(
        "r", build_api.BUILD_INFO_REPO, name, f"The user: '{call.principal.name}' may not promote the build '{name}'."
    )
    if request.get("mappings") and (request.get("sourceRepo") or request.get("targetRepo")):
        raise ArtifactError(400, "The use of both 'sourceRepo' or 'targetRepo' and 'mappings' fields is forbidden")
    messages: list[Message] = []
    if request.get("targetRepo") or request.get("mappings"):
        await _relocate_files(call, build, request, messages)
    has_errors = any(message["level"] != "INFO" for message in messages)
    if not (has_errors and request.get("failFast", True)):
        _add_status(call, build, request, messages)
        has_errors = any(message["level"] != "INFO" for message in messages)
    status = 400 if has_errors and request.get("failFast", True) else 200
    body = format_json({"messages": messages}).encode()
    return Response(body, status, {"Content-Type": f"{JFROG_PREFIX}build.PromotionResult+json"})


def _is_dry_run(call: Call, request: dict[str, Any]) -> bool:
    """Return whether the request is a dry run that changes nothing."""
    promoting_dry_runs = call.get_switch("dry_run_promotes")
    return bool(request.get("dryRun")) and not (
        promoting_dry_runs == "always" or (promoting_dry_runs == "with_status" and request.get("status"))
    )


async def _relocate_files(call: Call, build: Build, request: dict[str, Any], messages: list[Message]) -> None:
    """Copy or move the files of the build. With `failFast`, no file is relocated if one of them cannot be."""
    if request.get("targetRepo") and not call.repositories.is_stored(request["targetRepo"]):
        messages.append(_error_message(f"Cannot locate target repository: {request['targetRepo']}"))
        return
    targets: list[tuple[Item, str, str]] = []
    for file in _iterate_files(build, request):
        item = _find_stored(call, build, file, request.get("sourceRepo"))
        if item is None:
            messages.append(
                _error_message(f"Unable to find artifact '{file.get('name') or file.get('id')}' of the build.")
            )
        elif target := _target_path(item, request):
            targets.append((item, *target))
    is_copy = bool(request.get("copy"))
    messages += [problem for candidate in targets if (problem := _find_problem(call, *candidate, is_copy))]
    if request.get("dryRun") or (messages and request.get("failFast", True)):
        return
    for item, repo, path in targets:
        if problem := _find_problem(call, item, repo, path, is_copy):
            # A file that was just relocated can conflict with it.
            messages += [] if problem in messages else [problem]
        else:
            relocated = await call.relocate(item, repo, path, is_copy)
            call.items.set_properties(relocated, _parse_properties(request))


def _target_path(item: Item, request: dict[str, Any]) -> tuple[str, str] | None:
    """Return repository and path of the target, or `None` if the file stays where it is."""
    source = f"{item.repo}/{item.path}"
    destination = (
        _apply_mappings(source, request["mappings"])
        if request.get("mappings")
        else f"{request['targetRepo']}/{item.path}"
    )
    repo, _slash, path = destination.partition("/")
    return None if destination == source else (repo, path)


def _apply_mappings(source: str, mappings: list[dict[str, str]]) -> str:
    for mapping in mappings:
        match = re.fullmatch(mapping["input"], source)
        if match:
            return match.expand(re.sub(r"\$(\d+)", r"\\\1", mapping["output"]))
    return source


def _iterate_files(build: Build, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the recorded artifacts of a build and, if requested, its dependencies."""
    scopes = set(request.get("scopes") or ())
    for module in build.record.get("modules") or ():
        if request.get("artifacts", True):
            yield from module.get("artifacts") or ()
        if request.get("dependencies"):
            for dependency in module.get("dependencies") or ():
                if not scopes or scopes & set(dependency.get("scopes") or ()):
                    yield dependency


def find_artifacts(call: Call, build: Build, with_dependencies: bool = False) -> list[Item]:
    """Return the stored files of a build's artifacts and, if requested, of its dependencies."""
    files = _iterate_files(build, {"dependencies": with_dependencies})
    items = (_find_stored(call, build, file, None) for file in files)
    return [item for item in items if item is not None]


def _find_stored(call: Call, build: Build, file: dict[str, Any], source: str | None) -> Item | None:
    """Return the stored file of a recorded artifact, preferably one whose properties refer to this run."""
    candidates = [
        item
        for item in call.items.find_by_content("sha1", file.get("sha1") or "")
        if (item.repo == source or source is None)
        and call.repositories.is_stored(item.repo)
        and call.principal.may("r", item.repo, item.path)
    ]
    build_properties = {"build.name": [build.name], "build.number": [build.number]}
    candidates.sort(key=lambda item: build_properties.items() <= call.items.get_properties(item).items(), reverse=True)
    return candidates[0] if candidates else None


def _find_problem(call: Call, item: Item, repo: str, path: str, is_copy: bool) -> Message | None:
    may = call.principal.may
    if not call.repositories.is_stored(repo):
        return _error_message(f"Cannot locate target repository: {repo}")
    if not may("w", repo, path):
        return _error_message(call.permission_message("deploy", repo, path))
    if not is_copy and not may("d", item.repo, item.path):
        return _error_message(f"Not enough permissions to delete/overwrite artifact '{item.repo}:{item.path}'.")
    conflict = call.find_conflict(item, repo, path)
    return _error_message(conflict) if conflict else None


def _add_status(call: Call, build: Build, request: dict[str, Any], messages: list[Message]) -> None:
    if not request.get("status") or request.get("dryRun"):
        return
    try:
        created = parse_time(request["timestamp"]) if request.get("timestamp") else call.runtime.clock.now()
    except ValueError:
        text = f"Skipping promotion status update: invalid unparsable timestamp {request['timestamp']}."
        messages.append(_error_message(text))
        return
    call.builds.add_promotion(
        build,
        Promotion(
            created,
            call.principal.name,
            request["status"],
            request.get("targetRepo"),
            request.get("comment"),
            request.get("ciUser"),
        ),
    )


def _parse_properties(request: dict[str, Any]) -> dict[str, list[str]]:
    return {key: [str(value) for value in values] for key, values in (request.get("properties") or {}).items()}


def _error_message(text: str) -> Message:
    return {"level": "ERROR", "message": text}


ROUTES = (Route("POST", f"/api/build/promote/{build_api.RUN_PATH}", promote_build, "promote_build"),)
