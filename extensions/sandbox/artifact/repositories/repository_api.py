# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of repositories: list, get, create, update, delete."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import PRO_SCOPE, Call
from ..projects.privileges import administers_repositories, require_repository_manager
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_package_type
from ..protocol.json_response import json_response
from ..protocol.request_body import parse_json_body
from .changes import created_message, prepare_creation, prepare_update
from .deletion import check_deletion, delete_with_report
from .rendering import is_readable, render_for_caller
from .repositories import CLASS_LABELS, Repository

CLASS_ORDER = list(CLASS_LABELS)  # the order of the list


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
        and is_readable(call, repository)
    ]
    entries.sort(key=lambda entry: CLASS_ORDER.index(entry["type"].lower()))
    return call.vendor_json("repositories.RepositoryDetailsList", entries, **call.info_headers)


async def get_repository(call: Call, key: str) -> Response:
    """Handle `GET /api/repositories/{key}`."""
    call.require_pro()
    call.require_login()
    repository = require_repository(call, key)
    is_managed = administers_repositories(call, repository.configuration.get("projectKey"), repository.rclass)
    if not is_managed and not is_readable(call, repository):
        raise ArtifactError(404 if call.get_switch("hide_unauthorized") else 403)
    kind = f"repositories.{CLASS_LABELS[repository.rclass]}RepositoryConfiguration"
    text = render_for_caller(call, repository, is_complete=True, is_managed=is_managed)
    return call.vendor_json_text(kind, text, **{"Cache-Control": "no-store"})


async def list_configurations(call: Call) -> Response:
    """Handle `GET /api/repositories/configurations`."""
    if not call.supports(feature_versions.REPOSITORY_CONFIGURATIONS):
        return await get_repository(call, "configurations")
    call.require_pro()
    call.require_admin()
    rclasses, package_types = (_parse_filter(call, name) for name in ("repoType", "packageType"))
    texts: dict[str, list[str]] = {rclass: [] for rclass in CLASS_ORDER}
    for repository in call.repositories.list_all():
        if (not rclasses or repository.rclass in rclasses) and (
            not package_types or repository.package_type in package_types
        ):
            texts[repository.rclass].append(render_for_caller(call, repository, is_complete=False, depth=1))
    groups = [f'  "{rclass.upper()}" : [ {", ".join(group)} ]' for rclass, group in texts.items() if group]
    body = "{\n" + ",\n".join(groups) + "\n}" if groups else "{ }"
    kind = "repositories.RepositoryConfigurationsList"
    return call.vendor_json_text(kind, body, **{"Cache-Control": "no-store"})


def _parse_filter(call: Call, name: str) -> set[str]:
    """Return the values of a query parameter that is a list separated by commas, in lower case."""
    return {value.strip().lower() for value in call.query.get(name, "").split(",") if value.strip()}


async def check_existence(call: Call) -> Response:
    """Handle `GET /api/repositories/existence`."""
    if not call.supports(feature_versions.REPOSITORY_EXISTENCE):
        return await get_repository(call, "existence")
    call.require_admin()
    project = call.query.get("projectKey", "default")
    rclasses = parse_qs(call.request.url.query).get("type", list(CLASS_ORDER))
    for rclass in rclasses:
        if rclass.lower() not in CLASS_ORDER:
            raise ArtifactError(400, f"Invalid repository type: {rclass}")
    wanted = {rclass.lower() for rclass in rclasses}
    exists = any(
        repository.rclass in wanted and repository.configuration.get("projectKey", "default") == project
        for repository in call.repositories.list_all()
    )
    body = {"exists": exists, "matchingRepoTypes": [name.upper() for name in rclasses], "projectKey": project}
    return json_response(body)


async def create_repository(call: Call, key: str) -> Response:
    """Handle `PUT /api/repositories/{key}`."""
    _check_media_type(call)
    call.require_pro()
    call.require_login()
    fields = await read_configuration(call)
    require_repository_manager(call, fields.get("projectKey"), str(fields.get("rclass")).lower())
    configuration = prepare_creation(call, key, fields)
    call.begin_descriptor_write()
    call.repositories.store(key, configuration)
    return PlainTextResponse(created_message(key))


async def update_repository(call: Call, key: str) -> Response:
    """Handle `POST /api/repositories/{key}`."""
    _check_media_type(call)
    call.require_pro()
    _require_manager(call, key)
    configuration = prepare_update(call, require_repository(call, key, is_write=True), await read_configuration(call))
    call.begin_descriptor_write()
    call.repositories.store(key, configuration)
    return PlainTextResponse(f"Repository {key} update successfully.\n")


async def delete_repository(call: Call, key: str) -> Response:
    """Handle `DELETE /api/repositories/{key}`."""
    call.require_pro()
    _require_manager(call, key)
    repository = call.repositories.find_stored(key)
    if call.supports(feature_versions.REPOSITORY_DELETION_REPORTS):
        report = await delete_with_report(call, key)
        return json_response(report, 200 if repository else 404)
    if repository is None:
        raise ArtifactError(404, f"Repository {key} does not exist")
    check_deletion(call, repository)
    call.begin_descriptor_write()
    await call.repositories.delete(repository)
    content = "has" if repository.rclass == "virtual" else "and all its content have"
    return PlainTextResponse(f"Repository {key} {content} been removed successfully.")


def _require_manager(call: Call, key: str) -> None:
    """Fail unless the caller may change a repository. For a missing one, only administrators get to know that."""
    repository = call.repositories.find_stored(key)
    project, rclass = (repository.configuration.get("projectKey"), repository.rclass) if repository else (None, "")
    require_repository_manager(call, project, rclass)


def require_repository(call: Call, key: str, is_write: bool = False) -> Repository:
    """Return a repository, or fail if it does not exist. Writes also find what is not visible yet."""
    repository = call.repositories.find_stored(key) if is_write else call.repositories.find(key)
    if repository is not None:
        return repository
    if call.supports(feature_versions.UNKNOWN_REPOSITORY_IS_404):
        raise ArtifactError(404, f"The repository {key} was not found")
    raise ArtifactError(400)


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


def _check_media_type(call: Call) -> None:
    """Fail in old versions unless the body is JSON, also if the edition does not have the call."""
    media_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if call.supports(feature_versions.MEDIA_TYPES_PRECEDE_EDITIONS) and not media_type.endswith("json"):
        raise ArtifactError(415)


async def read_configuration(call: Call) -> dict[str, Any]:
    """Return the configuration in the body of a request."""
    configuration = await parse_json_body(call)
    if not isinstance(configuration, dict):
        raise ArtifactError(400, "Error parsing json body")
    return configuration


ROUTES = (
    Route("GET", "/api/repositories", list_repositories, "list_repositories"),
    # Earlier versions take the last segment of these paths for a key.
    Route("GET", "/api/repositories/configurations", list_configurations, "repository_configurations", scope=PRO_SCOPE),
    Route("GET", "/api/repositories/existence", check_existence, "repository_existence", scope=PRO_SCOPE),
    Route("GET", "/api/repositories/{key}", get_repository, "repository_detail"),
    Route("PUT", "/api/repositories/{key}", create_repository, "create_repository"),
    Route("POST", "/api/repositories/{key}", update_repository, "update_repository"),
    Route("DELETE", "/api/repositories/{key}", delete_repository, "delete_repository"),
)
