# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of repositories: list, get, create, update, delete."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_package_type
from ..protocol.request_body import parse_json_body
from .repositories import CLASS_LABELS, STORED_CLASSES, Repository

CLASS_ORDER = list(CLASS_LABELS)  # the order of the list
# Defaults of repositories created over REST that differ from those of the configuration file.
REST_DEFAULTS = {"snapshotVersionBehavior": "non-unique", "suppressPomConsistencyChecks": False}


async def list_repositories(call: Call) -> Response:
    """Handle `GET /api/repositories`."""
    rclass = call.query.get("type", "").lower()
    package_type = (
        call.query.get("packageType", "").lower()
        if call.supports(feature_versions.REPOSITORY_LIST_PACKAGE_TYPES)
        else ""
    )
    project = call.query.get("project", "")
    entries = [
        _list_entry(call, repository)
        for repository in call.repositories.list_all()
        if rclass in ("", repository.rclass)
        and package_type in ("", repository.package_type)
        and project in ("", repository.configuration.get("projectKey"))
        and _is_readable(call, repository)
    ]
    entries.sort(key=lambda entry: CLASS_ORDER.index(entry["type"].lower()))
    return call.vendor_json("repositories.RepositoryDetailsList", entries, **call.info_headers)


async def get_repository(call: Call, key: str) -> Response:
    """Handle `GET /api/repositories/{key}`."""
    call.require_pro()
    call.require_login()
    repository = _require_repository(call, key)
    if not _is_readable(call, repository):
        raise ArtifactError(404 if call.get_switch("hide_unauthorized") else 403)
    configuration = repository.configuration
    if not call.principal.admin:
        public_fields = ("key", "packageType", "description", "url", "rclass")
        configuration = {name: value for name, value in configuration.items() if name in public_fields}
    if "password" in configuration:
        configuration = {**configuration, "password": ""}
    kind = f"repositories.{CLASS_LABELS[repository.rclass]}RepositoryConfiguration"
    return call.vendor_json(kind, configuration, **{"Cache-Control": "no-store"})


async def create_repository(call: Call, key: str) -> Response:
    """Handle `PUT /api/repositories/{key}`."""
    call.require_pro()
    call.require_admin()
    if any(repository.key.lower() == key.lower() for repository in call.repositories.list_all()):
        raise ArtifactError(400, "Case insensitive repository key already exists")
    fields = {name: value for name, value in (await _read_configuration(call)).items() if value is not None}
    defaults = REST_DEFAULTS if fields.get("rclass") in STORED_CLASSES else {}
    call.repositories.save(key, {**defaults, **fields, "key": key})
    return PlainTextResponse(f"Successfully created repository '{key}' \n")


async def update_repository(call: Call, key: str) -> Response:
    """Handle `POST /api/repositories/{key}`."""
    call.require_pro()
    call.require_admin()
    repository = _require_repository(call, key)
    fields = {name: value for name, value in (await _read_configuration(call)).items() if value is not None}
    call.repositories.save(key, {**repository.configuration, **fields, "rclass": repository.rclass})
    return PlainTextResponse(f"Repository {key} update successfully.\n")


async def delete_repository(call: Call, key: str) -> Response:
    """Handle `DELETE /api/repositories/{key}`."""
    call.require_pro()
    call.require_admin()
    repository = call.repositories.find(key)
    if repository is None:
        raise ArtifactError(404, f"Repository {key} does not exist")
    await call.repositories.delete(repository)
    return PlainTextResponse(f"Repository {key} and all its content have been removed successfully.")


def _require_repository(call: Call, key: str) -> Repository:
    repository = call.repositories.find(key)
    if repository is None:
        raise ArtifactError(400)
    return repository


def _is_readable(call: Call, repository: Repository) -> bool:
    keys = [repository.key, *call.repositories.list_storages(repository.key)]
    return any(call.principal.may_anywhere("r", key) for key in keys)


def _list_entry(call: Call, repository: Repository) -> dict[str, Any]:
    configuration = repository.configuration
    upstream_url = configuration["url"] if repository.rclass == "remote" else None
    return {
        "key": repository.key,
        "description": configuration["description"] or None,
        "type": repository.rclass.upper(),
        "url": upstream_url or f"{call.base}/{repository.key}",
        "packageType": format_package_type(repository.package_type)
        if call.supports(feature_versions.REPOSITORY_LIST_PACKAGE_TYPES)
        else None,
    }


async def _read_configuration(call: Call) -> dict[str, Any]:
    configuration = await parse_json_body(call)
    if not isinstance(configuration, dict):
        raise ArtifactError(400, "Error parsing json body")
    return configuration


ROUTES = (
    Route("GET", "/api/repositories", list_repositories, "list_repositories"),
    Route("GET", "/api/repositories/{key}", get_repository, "repository_detail"),
    Route("PUT", "/api/repositories/{key}", create_repository, "create_repository"),
    Route("POST", "/api/repositories/{key}", update_repository, "update_repository"),
    Route("DELETE", "/api/repositories/{key}", delete_repository, "delete_repository"),
)
