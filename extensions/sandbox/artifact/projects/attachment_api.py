# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories of projects: attached and shared ones."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route, introduce
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from ..repositories.repositories import Repository
from .privileges import require_platform_admin, require_projects_exist


async def get_repository(call: Call, repo: str) -> Response:
    """Handle `GET /access/api/v1/projects/_/repositories/{repo}`."""
    _require_sharing(call)
    require_platform_admin(call)
    configuration = _require_repository(call, repo).configuration
    sharing = call.projects.get_sharing(repo)
    status: dict[str, Any] = {
        "resource_name": repo,
        "environments": configuration.get("environments", []),
        "shared_with_projects": sharing["projects"],
        "shared_with_all_projects": sharing["all"],
        "shared_read_only": sharing["read_only"],
    }
    if project := configuration.get("projectKey"):
        status["assigned_to"] = project
    return json_response(status)


async def attach_repository(call: Call, repo: str, project: str) -> Response:
    """Handle `PUT /access/api/v1/projects/_/attach/repositories/{repo}/{project}`."""
    require_platform_admin(call)
    repository = _require_repository(call, repo)
    require_projects_exist(call, project)
    current = repository.configuration.get("projectKey")
    if current and current != project and call.query.get("force", "false") != "true":
        raise AccessError(400, f"Repository {repo} is already assigned to project {current}")
    call.repositories.store(repo, {**repository.configuration, "projectKey": project})
    return Response(status_code=204)


async def detach_repository(call: Call, repo: str) -> Response:
    """Handle `DELETE /access/api/v1/projects/_/attach/repositories/{repo}`."""
    require_platform_admin(call)
    configuration = dict(_require_repository(call, repo).configuration)
    project = configuration.pop("projectKey", None)
    if not project:
        raise AccessError(400, f"Repository {repo} is not assigned to a project")
    call.repositories.store(repo, configuration)
    call.projects.keep_detached(repo, project, call.get_switch("detachment_seconds"))
    return Response(status_code=204)


async def share_repository(call: Call, repo: str, project: str | None = None) -> Response:
    """Handle `PUT /access/api/v1/projects/_/share/repositories/{repo}` with or without a project."""
    _require_sharing(call)
    require_platform_admin(call)
    _require_repository(call, repo)
    if project is not None:
        require_projects_exist(call, project)
    is_read_only = call.supports(feature_versions.READ_ONLY_SHARING) and call.query.get("readOnly") == "true"
    call.projects.share(repo, project, is_read_only)
    return Response(status_code=204)


async def unshare_repository(call: Call, repo: str, project: str | None = None) -> Response:
    """Handle `DELETE /access/api/v1/projects/_/share/repositories/{repo}` with or without a project."""
    _require_sharing(call)
    require_platform_admin(call)
    _require_repository(call, repo)
    call.projects.unshare(repo, project)
    return Response(status_code=204)


def _require_sharing(call: Call) -> None:
    if not call.supports(feature_versions.REPOSITORY_SHARING):
        raise AccessError(404, "HTTP 404 Not Found")


def _require_repository(call: Call, repo: str) -> Repository:
    repository = call.repositories.find(repo)
    if repository is None:
        raise AccessError(404, f"Repository {repo} not found")
    return repository


REPOSITORY = "/api/v1/projects/_/repositories/{repo}"
ATTACH = "/api/v1/projects/_/attach/repositories/{repo}"
SHARE = "/api/v1/projects/_/share/repositories/{repo}"
ROUTES = introduce(
    feature_versions.PROJECTS,
    Route("GET", REPOSITORY, get_repository, "project_repository"),
    Route("PUT", f"{ATTACH}/{{project}}", attach_repository, "attach_repository"),
    Route("DELETE", ATTACH, detach_repository, "detach_repository"),
    Route("PUT", SHARE, share_repository, "share_repository_with_all"),
    Route("DELETE", SHARE, unshare_repository, "unshare_repository_with_all"),
    Route("PUT", f"{SHARE}/{{project}}", share_repository, "share_repository"),
    Route("DELETE", f"{SHARE}/{{project}}", unshare_repository, "unshare_repository"),
)
