# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls about repositories: list, detail, create, change, delete."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_package_type
from .repositories import KINDS, STORED, Repository

CLASSES = list(KINDS)  # in the order of the list
# Where a repository that is made over REST differs from one in the server's configuration file
DEFAULTS_OF_REST = {"snapshotVersionBehavior": "non-unique", "suppressPomConsistencyChecks": False}


async def list_all(call: Call) -> Response:
    """GET /api/repositories"""
    wanted_type = call.query.get("type", "").lower()
    wanted_package = (
        call.query.get("packageType", "").lower()
        if call.supports(feature_versions.REPOSITORY_LIST_PACKAGE_TYPES)
        else ""
    )
    wanted_project = call.query.get("project", "")
    listed = [
        _listed(call, repository)
        for repository in call.repositories.list_all()
        if wanted_type in ("", repository.rclass)
        and wanted_package in ("", repository.package_type)
        and wanted_project in ("", repository.configuration.get("projectKey"))
        and _readable(call, repository)
    ]
    listed.sort(key=lambda shown: CLASSES.index(shown["type"].lower()))
    return call.vendor_json("repositories.RepositoryDetailsList", listed, **call.info_headers)


async def detail(call: Call, key: str) -> Response:
    """GET /api/repositories/{key}"""
    call.require_pro()
    call.require_login()
    repository = _known(call, key)
    if not _readable(call, repository):
        raise ArtifactError(404 if call.get_switch("hide_unauthorized") else 403)
    configuration = repository.configuration
    if not call.principal.admin:
        shown = ("key", "packageType", "description", "url", "rclass")
        configuration = {name: value for name, value in configuration.items() if name in shown}
    if "password" in configuration:
        configuration = {**configuration, "password": ""}
    kind = f"repositories.{KINDS[repository.rclass]}RepositoryConfiguration"
    return call.vendor_json(kind, configuration, **{"Cache-Control": "no-store"})


async def create(call: Call, key: str) -> Response:
    """PUT /api/repositories/{key}"""
    call.require_pro()
    call.require_admin()
    if any(repository.key.lower() == key.lower() for repository in call.repositories.list_all()):
        raise ArtifactError(400, "Case insensitive repository key already exists")
    given = {name: value for name, value in (await _configuration(call)).items() if value is not None}
    defaults = DEFAULTS_OF_REST if given.get("rclass") in STORED else {}
    call.repositories.save(key, {**defaults, **given, "key": key})
    return PlainTextResponse(f"Successfully created repository '{key}' \n")


async def update(call: Call, key: str) -> Response:
    """POST /api/repositories/{key}"""
    call.require_pro()
    call.require_admin()
    repository = _known(call, key)
    given = {name: value for name, value in (await _configuration(call)).items() if value is not None}
    call.repositories.save(key, {**repository.configuration, **given, "rclass": repository.rclass})
    return PlainTextResponse(f"Repository {key} update successfully.\n")


async def delete(call: Call, key: str) -> Response:
    """DELETE /api/repositories/{key}"""
    call.require_pro()
    call.require_admin()
    repository = call.repositories.find(key)
    if repository is None:
        raise ArtifactError(404, f"Repository {key} does not exist")
    await call.repositories.delete(repository)
    return PlainTextResponse(f"Repository {key} and all its content have been removed successfully.")


def _known(call: Call, key: str) -> Repository:
    repository = call.repositories.find(key)
    if repository is None:
        raise ArtifactError(400)
    return repository


def _readable(call: Call, repository: Repository) -> bool:
    keys = [repository.key, *call.repositories.list_storages(repository.key)]
    return any(call.principal.may_anywhere("r", key) for key in keys)


def _listed(call: Call, repository: Repository) -> dict[str, Any]:
    configuration = repository.configuration
    upstream = configuration["url"] if repository.rclass == "remote" else None
    return {
        "key": repository.key,
        "description": configuration["description"] or None,
        "type": repository.rclass.upper(),
        "url": upstream or f"{call.base}/{repository.key}",
        "packageType": format_package_type(repository.package_type)
        if call.supports(feature_versions.REPOSITORY_LIST_PACKAGE_TYPES)
        else None,
    }


async def _configuration(call: Call) -> dict[str, Any]:
    try:
        configuration = parse_json(await call.request.body())
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None
    if not isinstance(configuration, dict):
        raise ArtifactError(400, "Error parsing json body")
    return configuration


ROUTES = (
    Route("GET", "/api/repositories", list_all, "list_repositories"),
    Route("GET", "/api/repositories/{key}", detail, "repository_detail"),
    Route("PUT", "/api/repositories/{key}", create, "create_repository"),
    Route("POST", "/api/repositories/{key}", update, "update_repository"),
    Route("DELETE", "/api/repositories/{key}", delete, "delete_repository"),
)
