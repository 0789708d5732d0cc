# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Maven API."""

from __future__ import annotations

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import ArtifactError

REQUIRED_ACTIONS = "mdwar"


async def calculate_metadata(call: Call, path: str) -> Response:
    """Handle `POST /api/maven/calculateMetadata/{repo}/{path}[?nonRecursive=true]`.

    The documentation names the parameter `noneRecursive`. The real server calculates asynchronously.
    """
    call.require_login()
    repo, _slash, folder = path.partition("/")
    folder = folder.rstrip("/")
    if call.items.find(repo, folder) is None:
        raise ArtifactError(404, f"Could not find path '{path}'")
    repository = call.repositories.find(repo)
    if repository is None or not call.repositories.is_stored(repo):
        raise ArtifactError(404, f"Unable to find local repository '{repo}'.")
    if not repository.is_maven:
        raise ArtifactError(400, f"Repository '{repo}' is not a maven repository.")
    for action in REQUIRED_ACTIONS:
        call.require_permission(
            action, repo, folder, f"Not enough permissions to calculate the metadata of '{repo}:{folder}'."
        )
    is_non_recursive = "true" in (call.query.get("nonRecursive"), call.query.get("noneRecursive"))
    await call.maven.calculate(repo, folder, call.principal.name, recursive=not is_non_recursive)
    return Response(status_code=200)


ROUTES = (
    Route("POST", "/api/maven/calculateMeta{:[dD]}ata/{path:.+}", calculate_metadata, "calculate_maven_metadata"),
)
