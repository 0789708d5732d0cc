# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages and the lifecycles of release bundles, global or of a project. They are independent of environments."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import is_name_list, read_object, require_administrator
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.json_response import json_response
from . import store

CATEGORIES = ("promote", "code", "none")
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9-]{1,63}")
RELEASE_STAGE = "PROD"
BUILT_IN = ("DEV", RELEASE_STAGE)


async def create_stage(call: Call) -> Response:
    """Handle `POST /access/api/v2/stages`."""
    _require_feature(call)
    body = await read_object(call)
    name, project = body.get("name"), _check_project(call, body.get("project_key"))
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise AccessError(400, "The name of a stage must have 2 to 64 letters, digits and hyphens")
    if project and not name.startswith(f"{project}-"):
        raise AccessError(400, f"Stage name '{name}' must be prefixed with project_key '{project}-'")
    if name in BUILT_IN or store.find(call.state, "stage", _key(project, name)):
        raise AccessError(409, f"Stage {name} already exists")
    now = int(call.runtime.clock.now() * 1000)
    stage: dict[str, Any] = {
        "name": name,
        "scope": "project" if project else "global",
        **({"project_key": project} if project else {}),
        "category": _check_category(body.get("category") or CATEGORIES[0]),
        "repositories": [],
        "created": now,
        "modified": now,
        "total_repository_count": 0,
    }
    store.save(call.state, "stage", _key(project, name), stage)
    return json_response(_describe(call, stage), 201)


async def get_stage(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v2/stages/{name}[?project_key=...]`."""
    _require_feature(call)
    return json_response(_describe(call, _require_stage(call, name)))


async def update_stage(call: Call, name: str) -> Response:
    """Handle `PATCH /access/api/v2/stages/{name}[?project_key=...]`. Missing fields are not changed."""
    _require_feature(call)
    stage = _require_stage(call, name)
    body = await read_object(call)
    if body.get("name", name) != name:
        raise AccessError(400, "The name of a stage cannot be changed")
    category = _check_category(body.get("category") or stage["category"])
    changed = {**stage, "category": category, "modified": int(call.runtime.clock.now() * 1000)}
    store.save(call.state, "stage", _key(stage.get("project_key", ""), name), changed)
    return json_response(_describe(call, changed))


async def delete_stage(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v2/stages/{name}[?project_key=...]`."""
    _require_feature(call)
    stage = _require_stage(call, name)
    if _list_uses(call, name):
        raise AccessError(400, f"Stage {name} is part of a lifecycle and cannot be deleted")
    store.delete(call.state, "stage", _key(stage.get("project_key", ""), name))
    return Response(status_code=204)


async def get_lifecycle(call: Call) -> Response:
    """Handle `GET /access/api/v2/lifecycle[?project_key=...]`."""
    _require_feature(call)
    return _respond_lifecycle(call, _check_project(call, call.query.get("project_key")))


async def update_lifecycle(call: Call) -> Response:
    """Handle `PATCH /access/api/v2/lifecycle[?project_key=...]`."""
    _require_feature(call)
    body = await read_object(call)
    project = _check_project(call, call.query.get("project_key") or body.get("project_key"))
    names = body.get("promote_stages")
    if not isinstance(names, list) or not is_name_list(names):
        raise AccessError(400, "promote_stages must be a list of names")
    for name in names:
        if name == RELEASE_STAGE:
            raise AccessError(400, f"Stage {RELEASE_STAGE} is always the last one")
        if name not in BUILT_IN and not _find_stage(call, project, name):
            raise AccessError(400, f"Stage {name} not found")
    store.save(call.state, "lifecycle", project, {"project_key": project, "promote_stages": names})
    return _respond_lifecycle(call, project)


def _respond_lifecycle(call: Call, project: str) -> Response:
    stored = store.find(call.state, "lifecycle", project) or {"promote_stages": []}
    promoted = [{"name": name, "scope": _scope(call, project, name)} for name in stored["promote_stages"]]
    release = [{"name": RELEASE_STAGE, "scope": "global"}]
    return json_response(
        {
            **({"project_key": project} if project else {}),
            "release_stage": RELEASE_STAGE,
            "categories": [{"category": "promote", "stages": promoted}, {"category": "release", "stages": release}],
        }
    )


def _scope(call: Call, project: str, name: str) -> str:
    stage = _find_stage(call, project, name)
    return stage["scope"] if stage else "global"


def _find_stage(call: Call, project: str, name: str) -> dict[str, Any] | None:
    """Return a stage of a project, or a global one."""
    return store.find(call.state, "stage", _key(project, name)) or store.find(call.state, "stage", _key("", name))


def _require_stage(call: Call, name: str) -> dict[str, Any]:
    stage = store.find(call.state, "stage", _key(call.query.get("project_key") or "", name))
    if stage is None:
        raise AccessError(404, f"Stage {name} not found")
    return stage


def _list_uses(call: Call, name: str) -> list[str]:
    lifecycles = store.list_all(call.state, "lifecycle")
    return [lifecycle["project_key"] for lifecycle in lifecycles if name in lifecycle["promote_stages"]]


def _describe(call: Call, stage: dict[str, Any]) -> dict[str, Any]:
    return {**stage, "used_in_lifecycles": _list_uses(call, stage["name"])}


def _check_project(call: Call, project: Any) -> str:
    if project and (not isinstance(project, str) or call.projects.find(project) is None):
        raise AccessError(404, f"Project with key '{project}' not found")
    return project or ""


def _check_category(category: Any) -> str:
    if category not in CATEGORIES:
        raise AccessError(400, f"category must be one of {', '.join(CATEGORIES)}")
    return str(category)


def _key(project: str, name: str) -> str:
    return f"{project}/{name}"


def _require_feature(call: Call) -> None:
    if not call.supports(feature_versions.STAGES):
        raise AccessError(404, "HTTP 404 Not Found")
    require_administrator(call)


STAGES, LIFECYCLE = "/api/v2/stages", "/api/v2/lifecycle"
ROUTES = (
    Route("POST", STAGES, create_stage, "create_stage"),
    Route("GET", f"{STAGES}/{{name}}", get_stage, "stage"),
    Route("PATCH", f"{STAGES}/{{name}}", update_stage, "update_stage"),
    Route("DELETE", f"{STAGES}/{{name}}", delete_stage, "delete_stage"),
    Route("GET", LIFECYCLE, get_lifecycle, "lifecycle"),
    Route("PATCH", LIFECYCLE, update_lifecycle, "update_lifecycle"),
)
