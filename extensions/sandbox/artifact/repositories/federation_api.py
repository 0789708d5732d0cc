# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of federated repositories: conversion, synchronization and status. The sandbox has no other members.

The wording of the texts is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import PRO_SCOPE, Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import parse_json_body
from .changes import with_own_member
from .package_types import FEDERATED_MEMBERS, PACKAGE_TYPES
from .repositories import Repository

NO_EVENTS = dict.fromkeys(("createEvents", "updateEvents", "deleteEvents", "propsEvents", "errorEvents"), 0)


async def convert_to_federated(call: Call, key: str) -> Response:
    """Handle `POST /api/federation/migrate/{key}`."""
    _require(call)
    repository = call.repositories.find_stored(key)
    if repository is None or repository.rclass != "local":
        raise ArtifactError(400, f"Repository '{key}' is not a local repository")
    if "federated" not in PACKAGE_TYPES[repository.package_type].classes:
        raise ArtifactError(
            400, f"Repository '{key}' cannot be converted: its package type has no federated repositories"
        )
    configuration = {**repository.configuration, **FEDERATED_MEMBERS, "rclass": "federated"}
    call.begin_descriptor_write()
    call.repositories.store(key, {**configuration, "members": with_own_member(call, key, [])})
    return PlainTextResponse(f"Repository '{key}' was converted successfully to a federated repository")


async def convert_to_local(call: Call) -> Response:
    """Handle `POST /api/federation/convertToLocal`. Repositories with other members are not converted."""
    _require(call)
    keys = await parse_json_body(call)
    if not isinstance(keys, list):
        raise ArtifactError(400, "Error parsing json body")
    repositories = [_require_federated(call, str(key)) for key in keys]
    for repository in repositories:
        if any(True for _member in _iterate_others(call, repository)):
            raise ArtifactError(400, f"Repository '{repository.key}' has other members")
    call.begin_descriptor_write()
    for repository in repositories:
        local = {name: value for name, value in repository.configuration.items() if name not in FEDERATED_MEMBERS}
        call.repositories.store(repository.key, {**local, "rclass": "local"})
    return json_response({"convertedRepos": keys})


async def synchronize_configuration(call: Call, key: str) -> Response:
    """Handle `POST /api/federation/configSync/{key}`."""
    _require(call)
    _require_federated(call, key)
    return json_response({"status": "success"})


async def synchronize_content(call: Call, key: str) -> Response:
    """Handle `POST /api/federation/fullSync/{key}`."""
    _require(call)
    repository = _require_federated(call, key)
    urls = [member["url"] for member in repository.configuration["members"]]
    if "mirror" in call.query and call.query["mirror"] not in urls:
        raise ArtifactError(400, f"'{call.query['mirror']}' is not a member of repository '{key}'")
    return json_response({"status": "success"})


async def get_status(call: Call, key: str) -> Response:
    """Handle `GET /api/federation/status/repo/{key}`, which newer versions replaced."""
    _require(call)
    if call.supports(feature_versions.FEDERATION_SERVICE):
        raise ArtifactError(405)
    repository = call.repositories.find(key)
    if repository is None or repository.rclass != "federated":
        raise ArtifactError(404, f"Repository '{key}' was not found")
    mirrors = [
        {**_split_url(member), "status": _status(member, "IDLE"), **NO_EVENTS, "lagInMS": 0}
        for member in _iterate_others(call, repository)
    ]
    status = {
        "localKey": key,
        "binariesTasksInfo": {"inProgressTasks": 0, "failingTasks": 0},
        "mirrorEventsStatusInfo": mirrors,
        "federatedArtifactStatus": {"countFullyReplicateArtifacts": 0, "countArtificiallyReplicatedArtifacts": 0},
        "nodeId": "sandbox",
    }
    return json_response(status)


async def list_states(call: Call) -> Response:
    """Handle `GET /api/federation/status/stateList`, which replaced the calls for the status of a repository."""
    _require(call)
    if not call.supports(feature_versions.FEDERATION_SERVICE):
        raise ArtifactError(404)
    federations = [
        {
            "localRepoKey": repository.key,
            "memberInfoList": [_describe_member(member) for member in repository.configuration["members"]],
            "priority": "STANDARD",
        }
        for repository in call.repositories.list_all()
        if repository.rclass == "federated"
    ]
    return json_response({"federations": federations})


def _require(call: Call) -> None:
    call.require_enterprise(feature_versions.FEDERATED_REPOSITORIES)
    call.require_admin()


def _require_federated(call: Call, key: str) -> Repository:
    repository = call.repositories.find_stored(key)
    if repository is None or repository.rclass != "federated":
        raise ArtifactError(400, f"Repository '{key}' is not a federated repository")
    return repository


def _iterate_others(call: Call, repository: Repository) -> Iterator[Mapping[str, Any]]:
    """Yield the members besides the repository itself."""
    own_url = f"{call.base}/{repository.key}"
    return (member for member in repository.configuration["members"] if member["url"] != own_url)


def _split_url(member: Mapping[str, Any]) -> dict[str, str]:
    server, _slash, key = str(member["url"]).rpartition("/")
    return {"remoteUrl": f"{server}/", "remoteRepoKey": key}


def _status(member: Mapping[str, Any], enabled_status: str) -> str:
    return enabled_status if member["enabled"] else "DISABLED"


def _describe_member(member: Mapping[str, Any]) -> dict[str, Any]:
    server, _slash, key = str(member["url"]).rpartition("/")
    return {
        "url": server,
        "repoKey": key,
        "aggregatedStatus": _status(member, "HEALTHY"),
        "supported": True,
        "disabled": not member["enabled"],
        "inLag": False,
    }


ROUTES = (
    Route("POST", "/api/federation/migrate/{key}", convert_to_federated, "convert_to_federated", scope=PRO_SCOPE),
    Route("POST", "/api/federation/convertToLocal", convert_to_local, "convert_to_local", scope=PRO_SCOPE),
    Route(
        "POST", "/api/federation/configSync/{key}", synchronize_configuration, "federation_config_sync", scope=PRO_SCOPE
    ),
    Route("POST", "/api/federation/fullSync/{key}", synchronize_content, "federation_full_sync", scope=PRO_SCOPE),
    Route("GET", "/api/federation/status/repo/{key}", get_status, "federation_status", scope=PRO_SCOPE),
    Route("GET", "/api/federation/status/stateList", list_states, "federation_states", scope=PRO_SCOPE),
)
