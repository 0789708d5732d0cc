# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects in the Access API."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import Response

from ...http.routing import Route, introduce
from ..call import Call
from ..identities.platform_call import read_object
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from ..state import State
from .privileges import REMOTE_REPOSITORIES, list_own_projects, require_platform_admin, require_project

KEY = re.compile(r"[a-z][a-z0-9-]{1,31}")
MAX_DISPLAY_NAME_LENGTH = 128
UNLIMITED = -1
MIN_QUOTA = 1024**3
DEFAULT_PROJECT = "default"
DEFAULTS: dict[str, Any] = {
    "description": "",
    "storage_quota_bytes": UNLIMITED,
    "soft_limit": False,
    "storage_quota_email_notification": True,
}
DEFAULT_PRIVILEGES = {"manage_members": True, "manage_resources": True, "index_resources": True}
# Responses contain these privileges only if they were sent.
OPTIONAL_PRIVILEGES = ("manage_security_assets", "allow_ignore_rules")
# The wording is known from clients that repeat the deletion.
HAS_CONTENT = "project containing resources can't be removed"


async def list_projects(call: Call) -> Response:
    """Handle `GET /access/api/v1/projects`."""
    return json_response([_describe(call, project) for project in list_own_projects(call)])


async def get_project(call: Call, key: str) -> Response:
    """Handle `GET /access/api/v1/projects/{key}`."""
    return json_response(_describe(call, require_project(call, key)))


async def create_project(call: Call) -> Response:
    """Handle `POST /access/api/v1/projects`."""
    require_platform_admin(call)
    body = await read_object(call)
    project = create_default_project(body.get("project_key"))
    key = project["project_key"]
    if call.projects.find(key) is not None:
        raise AccessError(409, f"Project with key '{key}' already exists")
    project = change_project(call.state, project, body)
    if len(call.projects.list_all()) >= call.get_switch("project_limit"):
        raise AccessError(400, "The maximum number of projects of the license has been reached")
    call.projects.save(project)
    return json_response(_describe(call, project), 201)


async def update_project(call: Call, key: str) -> Response:
    """Handle `PUT /access/api/v1/projects/{key}`. Missing fields are not changed."""
    require_platform_admin(call)
    project = require_project(call, key)
    body = await read_object(call)
    if body.get("project_key", key) != key:
        raise AccessError(400, "The project key cannot be changed")
    changed = change_project(call.state, project, body)
    call.projects.save(changed)
    return json_response(_describe(call, changed))


async def delete_project(call: Call, key: str) -> Response:
    """Handle `DELETE /access/api/v1/projects/{key}`."""
    require_platform_admin(call)
    require_project(call, key)
    keys = {repository.configuration.get("projectKey") for repository in call.repositories.list_all()}
    if key in keys or call.projects.has_detached(key):
        raise AccessError(400, HAS_CONTENT)
    call.projects.delete(key)
    return Response(status_code=204)


def create_default_project(key: Any) -> dict[str, Any]:
    """Return a project with the default settings, or fail with 400 if the key is invalid."""
    if not isinstance(key, str) or not KEY.fullmatch(key) or key == DEFAULT_PROJECT:
        raise AccessError(400, "Project key must have 2 to 32 lowercase letters, digits and hyphens")
    return {"project_key": key, **DEFAULTS, "admin_privileges": DEFAULT_PRIVILEGES}


def change_project(state: State, project: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Return a project after a change, or fail with 400 if a field is invalid."""
    given = {name: body[name] for name in ("display_name", *DEFAULTS) if body.get(name) is not None}
    changed = {**project, **given}
    for name, value in given.items():
        expected = bool if isinstance(DEFAULTS.get(name), bool) else (int, float) if "bytes" in name else str
        if not isinstance(value, expected):
            raise AccessError(400, f"Invalid value of '{name}'")
    display_name = changed.get("display_name")
    if not display_name or len(display_name) > MAX_DISPLAY_NAME_LENGTH:
        raise AccessError(400, f"Project display name must have 1 to {MAX_DISPLAY_NAME_LENGTH} characters")
    others = (other for other in state.projects.list_all() if other["project_key"] != project["project_key"])
    if display_name in (other["display_name"] for other in others):
        raise AccessError(409, f"Project with display name '{display_name}' already exists")
    changed["storage_quota_bytes"] = int(changed["storage_quota_bytes"])
    if changed["storage_quota_bytes"] != UNLIMITED and changed["storage_quota_bytes"] < MIN_QUOTA:
        raise AccessError(400, f"Storage quota must be {UNLIMITED} or at least {MIN_QUOTA} bytes")
    return {**changed, "admin_privileges": _change_privileges(state, project["admin_privileges"], body)}


def _describe(call: Call, project: dict[str, Any]) -> dict[str, Any]:
    """Return a project as in responses, with all privileges that the version has."""
    added = dict.fromkeys(_list_added_privileges(call.state), False)
    return {**project, "admin_privileges": {**added, **project["admin_privileges"]}}


def _list_added_privileges(state: State) -> tuple[str, ...]:
    return (REMOTE_REPOSITORIES,) if state.supports(feature_versions.REMOTE_REPOSITORY_PRIVILEGE) else ()


def _change_privileges(state: State, current: dict[str, bool], body: dict[str, Any]) -> dict[str, bool]:
    given = body.get("admin_privileges") or {}
    if not isinstance(given, dict) or not all(isinstance(value, bool) for value in given.values()):
        raise AccessError(400, "Invalid value of 'admin_privileges'")
    known = (*DEFAULT_PRIVILEGES, *OPTIONAL_PRIVILEGES, *_list_added_privileges(state))
    return {**current, **{name: value for name, value in given.items() if name in known}}


PROJECTS = "/api/v1/projects"
PROJECT = f"{PROJECTS}/{{key:[^_][^/]*}}"
ROUTES = introduce(
    feature_versions.PROJECTS,
    Route("GET", PROJECTS, list_projects, "list_projects"),
    Route("POST", PROJECTS, create_project, "create_project"),
    Route("GET", PROJECT, get_project, "project"),
    Route("PUT", PROJECT, update_project, "update_project"),
    Route("DELETE", PROJECT, delete_project, "delete_project"),
)
