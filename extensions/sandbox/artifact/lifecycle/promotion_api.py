# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Promotions of release bundles: copies of the contents to the repositories of an environment.

A repository without environments belongs to the first one, which is that of new repositories. A release bundle of a
project is promoted to repositories of the project, a global one to all repositories.

The contents are copied at the beginning of a promotion, even if the switch `release_bundle_seconds` delays its end. An
artifact that was deleted after the creation of the release bundle is copied from another item with the same content.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import is_name_list, read_object
from ..items.tree import Item
from ..projects.store import BUILT_IN_ENVIRONMENTS
from ..protocol.errors import AccessError
from ..protocol.formats import format_time
from ..protocol.json_response import json_response
from ..repositories.repositories import Repository
from ..system.system_api import SERVICE_ID
from . import lifecycle_call
from .bundles import COMPLETED, Artifact, Bundle, Promotion, find_repository_key
from .lifecycle_call import LIFECYCLE

LISTS = ("included_repository_keys", "excluded_repository_keys")
OVERWRITE = "overwrite_existing_artifacts"


async def promote_bundle(call: Call, name: str, version: str) -> Response:
    """Handle `POST /lifecycle/api/v2/promotion/records/{name}/{version}`."""
    bundle = lifecycle_call.require_bundle(call, name, version, "w")
    body = await read_object(call)
    if call.release_bundles.get_status(bundle) != COMPLETED:
        raise AccessError(400, f"Release bundle {name}/{version} is not completed")
    environment = body.get("environment")
    known = {*call.projects.list_environments(), *call.projects.list_environments(bundle.project)}
    if environment not in known:
        raise AccessError(400, f"Environment {environment} not found")
    request = {**{member: body.get(member) or [] for member in LISTS}, OVERWRITE: bool(body.get(OVERWRITE))}
    if not all(is_name_list(request[member]) for member in LISTS):
        raise AccessError(400, "Invalid promotion: repository keys must be lists of names")
    copies, messages = _plan_copies(call, bundle, str(environment), request)
    messages = [failure] if (failure := call.get_switch("release_bundle_promotion_failure")) else messages
    if not messages:
        for item, repo, path in copies:
            if (item.repo, item.path) != (repo, path):
                await call.relocate(item, repo, path, is_copy=True)
    promotion = call.release_bundles.add_promotion(
        bundle,
        environment=environment,
        created_by=call.principal.name,
        completed=call.runtime.clock.now() + lifecycle_call.find_delay(call),
        messages=messages,
        request=request,
        artifacts=[] if messages else [_describe_copy(call, *copy) for copy in copies],
    )
    lifecycle_call.refuse_failure(call, messages)
    response = {**_identify(bundle, promotion), **{member: request[member] for member in LISTS}}
    return json_response(response, lifecycle_call.find_success_status(call))


async def list_promotions(call: Call, name: str, version: str) -> Response:
    """Handle `GET /lifecycle/api/v2/promotion/records/{name}/{version}`."""
    bundle = lifecycle_call.require_bundle(call, name, version)
    promotions = [
        {
            "status": call.release_bundles.get_status(promotion),
            **_identify(bundle, promotion),
            "service_id": SERVICE_ID,
            "created_by": promotion.created_by,
            "xray_retrieval_status": "NOT_APPLICABLE",
            **lifecycle_call.describe_messages(call, promotion),
        }
        for promotion in call.release_bundles.list_promotions(bundle)
    ]
    return json_response(lifecycle_call.list_page(call, "promotions", promotions))


async def get_promotion(call: Call, name: str, version: str, created: str) -> Response:
    """Handle `GET /lifecycle/api/v2/promotion/records/{name}/{version}/{created}`."""
    promotion = _require_promotion(call, lifecycle_call.require_bundle(call, name, version), created)
    return json_response(
        {
            "environment": promotion.environment,
            "created_by": promotion.created_by,
            "created": format_time(promotion.created_millis / 1000),
            "created_millis": promotion.created_millis,
            "artifacts": promotion.artifacts,
            **promotion.request,
        }
    )


async def get_status(call: Call, name: str, version: str, created: str) -> Response:
    """Handle `GET /lifecycle/api/v2/promotion/statuses/{name}/{version}/{created}`."""
    promotion = _require_promotion(call, lifecycle_call.require_bundle(call, name, version), created)
    messages = lifecycle_call.describe_messages(call, promotion, always=True)
    return json_response({"status": call.release_bundles.get_status(promotion), **messages})


async def delete_promotion(call: Call, name: str, version: str, created: str) -> Response:
    """Handle `DELETE /lifecycle/api/v2/promotion/records/{name}/{version}/{created}`. The copies are kept."""
    promotion = _require_promotion(call, lifecycle_call.require_bundle(call, name, version, "d"), created)
    call.release_bundles.delete_promotion(promotion)
    return Response(status_code=200 if lifecycle_call.is_asynchronous(call) else 204)


def _plan_copies(
    call: Call, bundle: Bundle, environment: str, request: dict[str, Any]
) -> tuple[list[tuple[Item, str, str]], list[str]]:
    """Return the item, repository and path of each copy, and the reasons why the promotion fails."""
    targets = [
        repository
        for repository in call.repositories.list_all()
        if _is_target(repository, environment, bundle.project, request) and call.repositories.is_stored(repository.key)
    ]
    copies: list[tuple[Item, str, str]] = []
    messages: list[str] = []
    for artifact in bundle.artifacts:
        suitable = [repository for repository in targets if repository.package_type == artifact["package_type"]]
        item = _find_content(call, artifact)
        if item is None:
            messages.append(f"Artifact not found: {artifact['source_repository_key']}/{artifact['path']}")
            continue
        if not suitable:
            messages.append(f"No target repository of type {artifact['package_type']} in environment {environment}")
        for repository in suitable:
            problem = _find_problem(call, item, repository, artifact["path"], request[OVERWRITE])
            messages += [problem] if problem else []
            copies.append((item, repository.key, artifact["path"]))
    return copies, list(dict.fromkeys(messages))


def _is_target(repository: Repository, environment: str, project: str, request: dict[str, Any]) -> bool:
    included, excluded = (request[member] for member in LISTS)
    return (
        environment in (repository.configuration.get("environments") or BUILT_IN_ENVIRONMENTS[:1])
        and (not project or repository.configuration.get("projectKey") == project)
        and (not included or repository.key in included)
        and repository.key not in excluded
    )


def _find_content(call: Call, artifact: Artifact) -> Item | None:
    """Return the source of an artifact if it is unchanged, or another item with the same content."""
    source = call.items.find(artifact["source_repository_key"], artifact["path"])
    if source is not None and source.sha256 == artifact["checksum"]:
        return source
    return next(call.items.find_by_content("sha256", artifact["checksum"] or ""), None)


def _find_problem(call: Call, item: Item, repository: Repository, path: str, overwrites: bool) -> str | None:
    if not call.principal.may("w", repository.key, path):
        return f"Not enough permissions to deploy: {repository.key}/{path}"
    existing = call.items.find(repository.key, path)
    if existing is not None and not existing.folder and existing.sha256 != item.sha256 and not overwrites:
        return f"Target artifact already exists: {repository.key}/{path}"
    return call.find_conflict(item, repository.key, path)


def _describe_copy(call: Call, item: Item, repo: str, path: str) -> Artifact:
    repository = call.repositories.find(repo)
    assert repository is not None
    return {"path": f"{repo}/{path}", "checksum": item.sha256, "package_type": repository.package_type}


def _require_promotion(call: Call, bundle: Bundle, created: str) -> Promotion:
    for promotion in call.release_bundles.list_promotions(bundle):
        if str(promotion.created_millis) == created:
            return promotion
    raise AccessError(404, f"Promotion {created} of release bundle {bundle.name}/{bundle.version} not found")


def _identify(bundle: Bundle, promotion: Promotion) -> dict[str, Any]:
    return {
        "repository_key": find_repository_key(bundle.project),
        "release_bundle_name": bundle.name,
        "release_bundle_version": bundle.version,
        "environment": promotion.environment,
        "created": format_time(promotion.created_millis / 1000),
        "created_millis": promotion.created_millis,
    }


PROMOTIONS = f"{LIFECYCLE}/promotion/records/{{name}}/{{version}}"
PROMOTION = f"{PROMOTIONS}/{{created}}"
ROUTES = (
    Route("POST", PROMOTIONS, promote_bundle, "promote_release_bundle"),
    Route("GET", PROMOTIONS, list_promotions, "list_release_bundle_promotions"),
    Route("GET", PROMOTION, get_promotion, "get_release_bundle_promotion"),
    Route("DELETE", PROMOTION, delete_promotion, "delete_release_bundle_promotion"),
    Route(
        "GET", f"{LIFECYCLE}/promotion/statuses/{{name}}/{{version}}/{{created}}", get_status, "get_promotion_status"
    ),
)
