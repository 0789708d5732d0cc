# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build retention: delete old runs of a build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..items.tree import Item
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_conversion import to_boolean, to_integer, to_list
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_object
from . import build_api
from .records import Build, parse_time

NO_LIMIT = -1
ERROR_MESSAGE = (
    "Errors have occurred while maintaining build retention. Please review the system logs for further information."
)


def _ignore(call: Call) -> Response:
    """Respond as the open-source edition before version 7, which never discards runs."""
    if call.supports(feature_versions.RETENTION_CHECKS_EDITION) and call.query.get("async", "false") != "true":
        raise ArtifactError(400, "Build retention policy is available only with Artifactory commercial license.")
    return build_api.empty_response(call)


async def apply_retention(call: Call, name: str) -> Response:
    """Handle `POST /api/build/retention/{name}`."""
    if call.is_oss and not call.supports(feature_versions.PRO_RETENTION_MESSAGE):
        return _ignore(call)
    call.require_pro()
    request: dict[str, Any] = {"count": 0}
    if await call.request.body():
        request = await read_json_object(
            call, count=to_integer, deleteBuildArtifacts=to_boolean, buildNumbersNotToBeDiscarded=to_list
        )
    if request.get("count") == 0:
        raise ArtifactError(400, "Max count retention needs to be a positive number")
    call.require_permission(
        "d",
        build_api.BUILD_INFO_REPO,
        name,
        f"The user: '{call.principal.name}' is not authorized to delete build info. Delete permission is needed.",
    )
    try:
        runs = list(_select_runs(call, name, request))
    except ValueError:
        raise ArtifactError(400, f"Unable to parse the date '{request.get('minimumBuildDate')}'.") from None
    undeletable: list[Item] = []
    for run in runs:
        undeletable += await build_api.delete_run(call, run, request.get("deleteBuildArtifacts", False))
    if undeletable and call.query.get("async", "false") != "true":
        return _error_response(call, undeletable)
    return Response(status_code=204)


def _error_response(call: Call, undeletable: list[Item]) -> Response:
    """Return the errors. The server misspells the name of the field."""
    messages = [call.permission_message("delete", item.repo, item.path) for item in undeletable]
    body = {
        "errors": [{"status": 403, "message": ERROR_MESSAGE}],
        "error massages": [{"level": "ERROR", "message": message} for message in messages],
    }
    return json_response(body, 403)


def _select_runs(call: Call, name: str, request: dict[str, Any]) -> Iterator[Build]:
    """Yield the runs to delete: not among the newest `count` and older than the minimum date.

    Promoted and excluded runs are kept.
    """
    count = request.get("count", NO_LIMIT)
    minimum_date = request.get("minimumBuildDate")
    earliest = parse_time(minimum_date) if minimum_date is not None else None
    excluded = {str(number) for number in request.get("buildNumbersNotToBeDiscarded", ())}
    if count == NO_LIMIT and earliest is None:
        return
    for position, run in enumerate(call.builds.list_runs(build_api.get_project(call), name)):
        is_among_newest = count != NO_LIMIT and position < count
        is_recent = earliest is not None and run.started >= earliest
        if not (is_among_newest or is_recent or run.number in excluded or call.builds.list_promotions(run)):
            yield run


ROUTES = (
    Route("POST", "/api/build/retention/{name:.+}", apply_retention, "retain_builds", since=feature_versions.RETENTION),
)
