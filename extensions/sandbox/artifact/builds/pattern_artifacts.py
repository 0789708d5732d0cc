# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for artifacts of builds by pattern, which clients use to resolve the latest run."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..items.tree import Item
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time, format_time_with_offset
from ..protocol.request_body import read_json_body
from ..search.field_searches import matches_run
from ..search.name_search import compile_ant_pattern
from . import build_api, build_promotion
from .records import Build


async def search_pattern_artifacts(call: Call) -> Response:
    """Handle `POST /api/build/patternArtifacts`.

    The response has one entry for each query, null if the run does not exist.
    """
    call.require_pro()
    requests = await read_json_body(call, list)
    if not all(map(_is_valid, requests)):
        raise ArtifactError(400, "Error parsing json body")
    return call.vendor_json("build.BuildPatternArtifactsResult", [_search_build(call, request) for request in requests])


def _is_valid(request: Any) -> bool:
    patterns = (request.get("patterns") or []) if isinstance(request, dict) else None
    return isinstance(patterns, list) and all(isinstance(entry, dict) for entry in patterns)


def _search_build(call: Call, request: dict[str, Any]) -> dict[str, Any] | None:
    name, number = str(request.get("buildName") or ""), str(request.get("buildNumber") or "")
    build_api.require_build_read(call, name)
    project = str(request.get("project") or build_api.get_project(call))
    run = next((run for run in call.builds.list_runs(project, name) if matches_run(call, run, number, "")), None)
    if run is None:
        return None
    return {
        "buildName": run.name,
        "buildNumber": run.number,
        "started": format_time_with_offset(run.started),
        "url": run.record.get("url"),
        "patternResults": [_search_pattern(call, run, request, entry) for entry in request.get("patterns") or ()],
    }


def _search_pattern(call: Call, run: Build, request: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    pattern = str(entry.get("pattern") or "")
    key, colon, path = pattern.partition(":")
    if not (key and colon and path):
        raise ArtifactError(400, f"Invalid pattern: '{pattern}'.")
    if ";" in path or request.get("transitive"):
        raise ArtifactError(501, "The sandbox does not serve patterns with properties and transitive builds yet.")
    repo, expression = compile_ant_pattern(key), compile_ant_pattern(path.lstrip("/"))
    items = build_promotion.find_artifacts(call, run)
    matching = [item for item in items if repo.fullmatch(item.repo) and expression.fullmatch(item.path)]
    return {"patternArtifacts": [_artifact_entry(call, item) for item in matching]}


def _artifact_entry(call: Call, item: Item) -> dict[str, Any]:
    return {
        "uri": f"{item.repo}/{item.path}",
        "artifactoryUrl": call.base,
        "size": item.size,
        "lastModified": format_time(item.modified),
        "sha1": item.sha1,
    }


ROUTES = (Route("POST", "/api/build/patternArtifacts", search_pattern_artifacts, "pattern_artifacts", read_only=True),)
