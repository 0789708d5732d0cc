# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments: global ones and those of projects."""

from __future__ import annotations

import re

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import read_object
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from .privileges import require_platform_admin, require_project
from .project_api import PROJECT
from .store import BUILT_IN_ENVIRONMENTS, Projects

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]+")
MAX_LENGTH = 32


async def list_environments(call: Call, key: str = "") -> Response:
    """Handle `GET /access/api/v1/environments` and `GET /access/api/v1/projects/{key}/environments`."""
    _require_rights(call, key, None)
    return json_response([{"name": name} for name in call.projects.list_environments(key)])


async def create_environment(call: Call, key: str = "") -> Response:
    """Handle `POST /access/api/v1/environments` and `POST /access/api/v1/projects/{key}/environments`."""
    _require_rights(call, key, "manage_resources")
    name = (await read_object(call)).get("name")
    check_new_name(call.projects, key, name)
    call.projects.add_environment(str(name), key)
    return json_response({"name": name}, 201)


async def delete_environment(call: Call, name: str, key: str = "") -> Response:
    """Handle `DELETE` of an environment."""
    _require_rights(call, key, "manage_resources")
    _require_custom(call, key, name)
    call.projects.delete_environment(name, key)
    for repository in list(call.repositories.list_all()):
        environments = repository.configuration.get("environments", [])
        if name in environments:
            kept = [other for other in environments if other != name]
            call.repositories.store(repository.key, {**repository.configuration, "environments": kept})
    return Response(status_code=204)


async def rename_environment(call: Call, name: str, key: str = "") -> Response:
    """Handle `POST .../{name}/rename`."""
    _require_rights(call, key, "manage_resources")
    _require_custom(call, key, name)
    new_name = (await read_object(call)).get("new_name")
    check_new_name(call.projects, key, new_name)
    call.projects.rename_environment(name, str(new_name), key)
    for repository in list(call.repositories.list_all()):
        environments = repository.configuration.get("environments", [])
        if name in environments:
            renamed = [new_name if other == name else other for other in environments]
            call.repositories.store(repository.key, {**repository.configuration, "environments": renamed})
    return json_response({"name": new_name})


def _require_rights(call: Call, key: str, privilege: str | None) -> None:
    if not call.supports(feature_versions.CUSTOM_ENVIRONMENTS):
        raise AccessError(404, "HTTP 404 Not Found")
    if key:
        require_project(call, key, privilege)
    else:
        require_platform_admin(call)


def check_new_name(projects: Projects, key: str, name: object) -> None:
    """Fail if a global environment, or one of the project `key`, cannot have a name."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > MAX_LENGTH:
        raise AccessError(400, f"Environment name must have 2 to {MAX_LENGTH} letters, digits and hyphens")
    if key and not name.startswith(f"{key}-"):
        raise AccessError(400, f"Environment name must start with '{key}-'")
    if name in {*projects.list_environments(), *(projects.list_environments(key) if key else ())}:
        raise AccessError(409, f"Environment {name} already exists")


def _require_custom(call: Call, key: str, name: str) -> None:
    if not key and name in BUILT_IN_ENVIRONMENTS:
        raise AccessError(400, f"Environment {name} is built in and cannot be changed")
    if name not in call.projects.list_environments(key):
        raise AccessError(404, f"Environment {name} not found")


PLACES = {"environment": "/api/v1/environments", "project_environment": f"{PROJECT}/environments"}
ROUTES = tuple(
    route
    for label, place in PLACES.items()
    for route in (
        Route("GET", place, list_environments, f"list_{label}s"),
        Route("POST", place, create_environment, f"create_{label}"),
        Route("DELETE", f"{place}/{{name}}", delete_environment, f"delete_{label}"),
        Route("POST", f"{place}/{{name}}/rename", rename_environment, f"rename_{label}"),
    )
)
