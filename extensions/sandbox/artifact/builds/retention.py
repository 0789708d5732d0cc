# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build retention: which runs are discarded, and what the server says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..items.tree import Item
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_json
from ..protocol.json_conversion import boolean, integer, values
from . import build_api
from .records import Build, moment

NO_LIMIT = -1
ERRORS = (
    "Errors have occurred while maintaining build retention. Please review the system logs for further information."
)


async def retain(call: Call, name: str) -> Response:
    """POST /api/build/retention/{name}"""
    call.require_pro()
    order: dict[str, Any] = {"count": 0}
    if await call.request.body():
        order = await build_api.read_json_object(
            call, count=integer, deleteBuildArtifacts=boolean, buildNumbersNotToBeDiscarded=values
        )
    if order.get("count") == 0:
        raise ArtifactError(400, "Max count retention needs to be a positive number")
    call.require_permission(
        "d",
        build_api.RECORDS,
        name,
        f"The user: '{call.principal.name}' is not authorized to delete build info. Delete permission is needed.",
    )
    try:
        chosen = list(_discarded(call, name, order))
    except ValueError:
        raise ArtifactError(400, f"Unable to parse the date '{order.get('minimumBuildDate')}'.") from None
    kept: list[Item] = []
    for run in chosen:
        kept += await build_api.discard(call, run, order.get("deleteBuildArtifacts", False))
    if kept and call.query.get("async", "false") != "true":
        return _errors(call, kept)
    return Response(status_code=204)


def _errors(call: Call, kept: list[Item]) -> Response:
    """What went wrong, under a name that the server misspells."""
    messages = [call.permission_message("delete", item.repo, item.path) for item in kept]
    body = {
        "errors": [{"status": 403, "message": ERRORS}],
        "error massages": [{"level": "ERROR", "message": message} for message in messages],
    }
    return Response(format_json(body).encode(), 403, {"Content-Type": "application/json"})


def _discarded(call: Call, name: str, order: dict[str, Any]) -> Iterator[Build]:
    """The runs beyond the newest ones that are to be kept, and before the date if one is given.

    Promoted ones are spared, and so are those that are named.
    """
    count = order.get("count", NO_LIMIT)
    since = order.get("minimumBuildDate")
    earliest = moment(since) if since is not None else None
    spared = {str(number) for number in order.get("buildNumbersNotToBeDiscarded", ())}
    if count == NO_LIMIT and earliest is None:
        return
    for place, run in enumerate(call.builds.list_runs(build_api.project(call), name)):
        among_newest = count != NO_LIMIT and place < count
        recent = earliest is not None and run.started >= earliest
        if not (among_newest or recent or run.number in spared or call.builds.list_promotions(run)):
            yield run


ROUTES = (Route("POST", "/api/build/retention/{name:.+}", retain, "retain_builds"),)
