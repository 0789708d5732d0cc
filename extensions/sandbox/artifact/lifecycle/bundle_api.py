# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Release bundles: creation, status, contents, lists and deletion of versions.

The sandbox signs nothing, so it accepts each name of a signing key.
"""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import read_object
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.formats import format_time
from ..protocol.json_response import json_response
from ..system.system_api import SERVICE_ID
from . import lifecycle_call, sources
from .bundles import COMPLETED, DELETING, Bundle, find_repository_key
from .lifecycle_call import DEFAULT_PROJECT, LIFECYCLE

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
LONGEST = 255
LONGEST_BEFORE = {"release_bundle_name": 128, "release_bundle_version": 32}
SIGNING_KEY = "X-JFrog-Signing-Key-Name"


async def create_bundle(call: Call) -> Response:
    """Handle `POST /lifecycle/api/v2/release_bundle`."""
    lifecycle_call.begin(call)
    project = lifecycle_call.find_project(call)
    body = await read_object(call)
    name, version = (_parse_name(call, body, member) for member in LONGEST_BEFORE)
    lifecycle_call.require_permission(call, "w", project, name, version)
    if call.get_switch("release_bundle_requires_key") and not call.request.headers.get(SIGNING_KEY):
        raise AccessError(400, f"The header {SIGNING_KEY} is required")
    parsed = sources.parse_sources(body)
    if call.release_bundles.find(project, name, version) is not None:
        raise AccessError(
            call.get_switch("release_bundle_conflict_status"), f"Release bundle {name}/{version} already exists"
        )
    messages = [message] if (message := call.get_switch("release_bundle_failure")) else []
    try:
        skips_layers = bool(body.get("skip_docker_manifest_resolution"))
        artifacts = await sources.resolve_sources(call, project, parsed, skips_layers)
    except sources.MissingSource as error:
        if call.get_switch("release_bundle_missing_source") == "refused":
            raise AccessError(400, str(error)) from None
        artifacts, messages = [], [str(error)]
    bundle = call.release_bundles.add(
        project=project,
        name=name,
        version=version,
        created_by=call.principal.name,
        completed=call.runtime.clock.now() + lifecycle_call.find_delay(call),
        messages=messages,
        source=sources.describe_sources(parsed),
        artifacts=artifacts,
    )
    lifecycle_call.refuse_failure(call, messages)
    return json_response(_identify(bundle), lifecycle_call.find_success_status(call))


async def check_existence(call: Call, name: str, version: str) -> Response:
    """Handle `GET /lifecycle/api/v2/release_bundle/existence/{name}/{version}`."""
    lifecycle_call.begin(call)
    project = lifecycle_call.find_project(call)
    lifecycle_call.require_permission(call, "r", project, name, version)
    return json_response({"exists": call.release_bundles.find(project, name, version) is not None})


async def get_status(call: Call, name: str, version: str) -> Response:
    """Handle `GET /lifecycle/api/v2/release_bundle/statuses/{name}/{version}`."""
    bundle = lifecycle_call.require_bundle(call, name, version)
    messages = lifecycle_call.describe_messages(call, bundle, always=True)
    return json_response({"status": call.release_bundles.get_status(bundle), **messages})


async def get_contents(call: Call, name: str, version: str) -> Response:
    """Handle `GET /lifecycle/api/v2/release_bundle/records/{name}/{version}`."""
    bundle = lifecycle_call.require_bundle(call, name, version)
    if call.release_bundles.get_status(bundle) not in (COMPLETED, DELETING):
        raise AccessError(404, f"The contents of release bundle {name}/{version} were not found")
    page = lifecycle_call.list_page(call, "artifacts", bundle.artifacts)
    body = {
        "service_id": SERVICE_ID,
        "created_by": bundle.created_by,
        "created": format_time(bundle.created),
        "created_millis": round(bundle.created * 1000),
        "total_artifacts_count": len(bundle.artifacts),
        "artifacts": page["artifacts"],
    }
    return json_response({**body, "source": bundle.source} if call.get_switch("release_bundle_source") else body)


async def list_versions(call: Call, name: str) -> Response:
    """Handle `GET /lifecycle/api/v2/release_bundle/records/{name}`."""
    lifecycle_call.begin(call)
    project = lifecycle_call.find_project(call)
    lifecycle_call.require_permission(call, "r", project, name)
    versions = [
        {
            "status": call.release_bundles.get_status(bundle),
            **_identify(bundle),
            "service_id": SERVICE_ID,
            "created_by": bundle.created_by,
            **lifecycle_call.describe_messages(call, bundle),
        }
        for bundle in call.release_bundles.list_versions(project, name)
    ]
    if not versions:
        raise AccessError(404, f"Release bundle {name} not found")
    return json_response(lifecycle_call.list_page(call, "release_bundles", versions))


async def list_names(call: Call) -> Response:
    """Handle `GET /lifecycle/api/v2/release_bundle/names`. Without a project, the names of all projects are listed."""
    lifecycle_call.begin(call)
    return json_response(
        {
            "release_bundles": [
                {
                    "repository_key": find_repository_key(project),
                    "release_bundle_name": name,
                    **_name_project(call, project),
                }
                for project, name in _list_names(call)
            ]
        }
    )


async def list_groups(call: Call) -> Response:
    """Handle `GET /lifecycle/api/v2/release_bundle/groups`."""
    lifecycle_call.begin(call)
    groups = []
    for project, name in _list_names(call):
        versions = call.release_bundles.list_versions(project, name)
        groups.append(
            {
                "repository_key": find_repository_key(project),
                **_name_project(call, project),
                "service_id": SERVICE_ID,
                "created": format_time(versions[0].created),
                "release_bundle_name": name,
                "release_bundle_version_latest": versions[0].version,
                "release_bundle_versions_count": len(versions),
            }
        )
    return json_response(lifecycle_call.list_page(call, "release_bundles", groups))


async def delete_bundle(call: Call, name: str, version: str) -> Response:
    """Handle `DELETE /lifecycle/api/v2/release_bundle/records/{name}/{version}`. Promoted copies are kept."""
    bundle = lifecycle_call.require_bundle(call, name, version, "d")
    call.release_bundles.delete(bundle, lifecycle_call.find_delay(call))
    return Response(status_code=200 if lifecycle_call.is_asynchronous(call) else 204)


def _parse_name(call: Call, body: dict[str, Any], member: str) -> str:
    text = body.get(member)
    longest = LONGEST if call.supports(feature_versions.LONG_RELEASE_BUNDLE_NAMES) else LONGEST_BEFORE[member]
    if not isinstance(text, str) or not NAME.fullmatch(text) or len(text) > longest:
        raise AccessError(400, f"Invalid {member}: {text}")
    return text


def _identify(bundle: Bundle) -> dict[str, Any]:
    return {
        "repository_key": find_repository_key(bundle.project),
        "release_bundle_name": bundle.name,
        "release_bundle_version": bundle.version,
        "created": format_time(bundle.created),
    }


def _list_names(call: Call) -> list[tuple[str, str]]:
    """Return project and name of the release bundles that the caller may read, sorted."""
    selected = lifecycle_call.find_project(call) if {"project", "repository_key"} & set(call.query) else None
    names = {(bundle.project, bundle.name) for bundle in call.release_bundles.list_all()}
    return [
        (project, name)
        for project, name in sorted(names)
        if selected in (None, project) and call.principal.may("r", find_repository_key(project), name)
    ]


def _name_project(call: Call, project: str) -> dict[str, str]:
    found = call.projects.find(project) if project else None
    return {
        "project_key": project or DEFAULT_PROJECT,
        "project_name": found["display_name"] if found else DEFAULT_PROJECT.title(),
    }


BUNDLES = f"{LIFECYCLE}/release_bundle"
VERSION = "{name}/{version}"
ROUTES = (
    Route("POST", BUNDLES, create_bundle, "create_release_bundle"),
    Route("GET", f"{BUNDLES}/names", list_names, "list_release_bundle_names"),
    Route("GET", f"{BUNDLES}/groups", list_groups, "list_release_bundle_groups"),
    Route("GET", f"{BUNDLES}/existence/{VERSION}", check_existence, "check_release_bundle"),
    Route("GET", f"{BUNDLES}/statuses/{VERSION}", get_status, "get_release_bundle_status"),
    Route("GET", f"{BUNDLES}/records/{{name}}", list_versions, "list_release_bundle_versions"),
    Route("GET", f"{BUNDLES}/records/{VERSION}", get_contents, "get_release_bundle"),
    Route("DELETE", f"{BUNDLES}/records/{VERSION}", delete_bundle, "delete_release_bundle"),
)
