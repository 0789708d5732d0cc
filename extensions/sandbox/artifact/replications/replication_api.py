# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of replications."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_body
from ..repositories.repositories import Repository
from .replications import (
    build_replication,
    delete_replications,
    describe_replication,
    list_replicated_repositories,
    list_replications,
    require_repository,
    save_replication,
)

# Fields that all replications of a repository share
SHARED_FIELDS = ("cronExp", "enableEventReplication")


async def get_all_replications(call: Call) -> Response:
    """Handle `GET /api/replications`. The switch `replication_list` decides whether the server has this call."""
    _require_admin(call)
    if not call.get_switch("replication_list"):
        raise ArtifactError(404)
    return json_response(
        [entry for repo in list_replicated_repositories(call.state) for entry in _describe_all(call, repo)]
    )


async def get_replications(call: Call, repo: str) -> Response:
    """Handle `GET /api/replications/{repo}`: a list if multi-push replication is possible, otherwise an object."""
    _require_admin(call)
    is_pushed = require_repository(call.state, repo).rclass != "remote"
    replications = _describe_all(call, repo)
    if not replications:
        raise ArtifactError(call.get_switch("missing_replication_status"), "Could not find replication")
    return json_response(replications if is_pushed and call.get_switch("edition") == "enterprise" else replications[0])


async def replace_replications(call: Call, repo: str) -> Response:
    """Handle `PUT /api/replications/{repo}`. Missing fields get their defaults."""
    _require_admin(call)
    repository = require_repository(call.state, repo)
    return _replace(call, repository, await _read_entries(call))


async def update_replications(call: Call, repo: str) -> Response:
    """Handle `POST /api/replications/{repo}`. Missing fields are not changed."""
    _require_admin(call)
    repository = require_repository(call.state, repo)
    return _update(call, repository, await _read_entries(call), creates=False)


async def delete_replication(call: Call, repo: str) -> Response:
    """Handle `DELETE /api/replications/{repo}[?url=...]`."""
    _require_admin(call)
    require_repository(call.state, repo)
    url = call.query.get("url")
    existing = [replication.get("url") for replication in list_replications(call.state, repo)]
    if not existing:
        raise ArtifactError(400, "Could not find existing replication for delete")
    if url is not None and url not in existing:
        raise ArtifactError(400, "Invalid replication url")
    call.begin_descriptor_write()
    delete_replications(call.state, repo, url)
    return Response()


async def replace_multiple(call: Call, repo: str) -> Response:
    """Handle `PUT /api/replications/multiple/{repo}`."""
    repository, entries = await _read_multiple(call, repo)
    return _replace(call, repository, entries)


async def update_multiple(call: Call, repo: str) -> Response:
    """Handle `POST /api/replications/multiple/{repo}`. Targets that do not exist are created."""
    repository, entries = await _read_multiple(call, repo)
    return _update(call, repository, entries, creates=True)


def _require_admin(call: Call) -> None:
    call.require_pro()
    call.require_admin()


def _describe_all(call: Call, repo: str) -> list[dict[str, Any]]:
    return [describe_replication(call.state, repo, replication) for replication in list_replications(call.state, repo)]


async def _read_entries(call: Call) -> list[dict[str, Any]]:
    """Return the replications in a body. The first one decides on the fields that all of them share."""
    body = await read_json_body(call, object)
    if isinstance(body, dict):
        return [body]
    if not isinstance(body, list) or not body or not all(isinstance(entry, dict) for entry in body):
        raise ArtifactError(400, "Error parsing json body")
    if len(body) > 1:
        call.require_enterprise()
    shared = {name: body[0].get(name) for name in SHARED_FIELDS}
    return [{**entry, **shared} for entry in body]


async def _read_multiple(call: Call, repo: str) -> tuple[Repository, list[dict[str, Any]]]:
    """Return the repository and the replications in the body of a call for multi-push replication."""
    _require_admin(call)
    call.require_enterprise()
    repository = require_repository(call.state, repo)
    if repository.rclass == "remote":
        raise ArtifactError(400, "Invalid repository")
    body = await read_json_body(call, dict)
    entries = body.get("replications")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise ArtifactError(400, "Error parsing json body")
    shared = {name: body.get(name) for name in SHARED_FIELDS}
    return repository, [{**entry, **shared} for entry in entries]


def _replace(call: Call, repository: Repository, entries: list[dict[str, Any]]) -> Response:
    replications = [build_replication(call.state, repository, entry, None) for entry in entries]
    exists = bool(list_replications(call.state, repository.key))
    call.begin_descriptor_write()
    delete_replications(call.state, repository.key)
    for replication in replications:
        save_replication(call.state, repository.key, replication)
    return Response(status_code=200 if exists else 201)


def _update(call: Call, repository: Repository, entries: list[dict[str, Any]], creates: bool) -> Response:
    existing = {replication.get("url"): replication for replication in list_replications(call.state, repository.key)}
    changes = []
    for entry in entries:
        is_only = len(existing) == 1 and entry.get("url") is None
        previous = next(iter(existing.values())) if is_only else existing.get(entry.get("url"))
        if previous is None and not creates:
            raise ArtifactError(400, "Could not find existing replication for update")
        changes.append(build_replication(call.state, repository, entry, previous))
    call.begin_descriptor_write()
    for replication in changes:
        save_replication(call.state, repository.key, replication)
    shared = {name: changes[0][name] for name in SHARED_FIELDS}
    for replication in list_replications(call.state, repository.key):
        save_replication(call.state, repository.key, {**replication, **shared})
    return Response()


REPLICATIONS = "/api/replications"
ROUTES = (
    Route("GET", REPLICATIONS, get_all_replications, "list_replications"),
    Route("PUT", f"{REPLICATIONS}/multiple/{{repo}}", replace_multiple, "replace_multiple_replications"),
    Route("POST", f"{REPLICATIONS}/multiple/{{repo}}", update_multiple, "update_multiple_replications"),
    Route("GET", f"{REPLICATIONS}/{{repo}}", get_replications, "get_replications"),
    Route("PUT", f"{REPLICATIONS}/{{repo}}", replace_replications, "replace_replications"),
    Route("POST", f"{REPLICATIONS}/{{repo}}", update_replications, "update_replications"),
    Route("DELETE", f"{REPLICATIONS}/{{repo}}", delete_replication, "delete_replications"),
)
