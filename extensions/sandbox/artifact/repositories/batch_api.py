# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The second version of the API of repositories: one configuration, and changes of several at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_json
from ..protocol.json_response import json_response
from ..protocol.request_body import parse_json_body
from .changes import created_message, prepare_creation, prepare_update
from .deletion import check_deletion, delete_with_report
from .rendering import is_readable, render_for_caller
from .repositories import CLASS_LABELS
from .validation import find_key_conflict

MAX_BATCH = 100
MISSING_KEY = "Repository key are missing in configuration"


async def get_configuration(call: Call, key: str) -> Response:
    """Handle `GET /api/v2/repositories/{key}`. Its member `type` is the `rclass` of the first version.

    The version that introduced it is not known.
    """
    _require(call, feature_versions.REPOSITORY_BATCHES)
    call.require_login()
    repository = call.repositories.find(key)
    if repository is None or not is_readable(call, repository):
        raise ArtifactError(404, f"The repository {key} was not found")
    kind = f"repositories.{CLASS_LABELS[repository.rclass]}RepositoryConfiguration"
    text = render_for_caller(call, repository, is_complete=False).replace('\n  "rclass" : ', '\n  "type" : ')
    return call.vendor_json_text(kind, text, **{"Cache-Control": "no-store"})


async def get_batch(call: Call) -> Response:
    """Handle `GET /api/v2/repositories/batch?names=...`. Unknown names are omitted."""
    _require(call, feature_versions.REPOSITORY_BATCHES)
    call.require_login()
    names = [name for name in parse_qs(call.request.url.query).get("names", ()) if name]
    if not names:
        raise ArtifactError(400, "Repository keys are missing.")
    _check_size(names)
    found = filter(None, map(call.repositories.find, names))
    members = [
        f"  {format_json(repository.key)} : {render_for_caller(call, repository, is_complete=True, depth=1)}"
        for repository in found
        if is_readable(call, repository)
    ]
    body = "{\n" + ",\n".join(members) + "\n}" if members else "{ }"
    return Response(body.encode(), media_type="application/json", headers={"Cache-Control": "no-store"})


async def create_batch(call: Call) -> Response:
    """Handle `PUT /api/v2/repositories/batch`: create all repositories, or none."""
    _require(call, feature_versions.REPOSITORY_BATCHES)
    call.require_admin()
    batch = await _read_batch(call)
    _check_conflicts(call, batch)
    configurations = _prepare(batch, lambda key, fields: prepare_creation(call, key, fields))
    _store(call, configurations)
    return PlainTextResponse("\n".join(created_message(key) for key in configurations), 201)


async def update_batch(call: Call) -> Response:
    """Handle `POST /api/v2/repositories/batch`: update all repositories, or none."""
    _require(call, feature_versions.REPOSITORY_BATCH_UPDATES)
    call.require_admin()
    batch = await _read_batch(call)
    repositories = {fields["key"]: call.repositories.find_stored(fields["key"]) for fields in batch}
    missing = [key for key, repository in repositories.items() if repository is None]
    if missing:  # unlike other errors, this one is a bare text
        text = f"No repositories found for the following keys: {', '.join(missing)}"
        return Response(text, 404, media_type="application/json")
    known = {key: repository for key, repository in repositories.items() if repository is not None}
    _store(call, _prepare(batch, lambda key, fields: prepare_update(call, known[key], fields)))
    return Response("Repositories updated successfully.", media_type="application/json")


async def delete_batch(call: Call) -> Response:
    """Handle `DELETE /api/v2/repositories/batch`, which deletes nothing if one repository cannot be deleted."""
    _require(call, feature_versions.REPOSITORY_DELETION_REPORTS)
    call.require_admin()
    keys = await parse_json_body(call) if await call.request.body() else []
    if not isinstance(keys, list) or not keys:
        return _respond(400, statusMessage="No repository keys were provided for deletion")
    if not all(isinstance(key, str) for key in keys):
        raise ArtifactError(400, "Error parsing json body")
    _check_size(keys)
    for repository in filter(None, map(call.repositories.find_stored, keys)):
        check_deletion(call, repository)
    reports = [await delete_with_report(call, key) for key in dict.fromkeys(keys)]
    return _respond(200, reports=reports, statusMessage="All repositories were removed successfully")


def _respond(status: int, **members: Any) -> Response:
    return json_response(members, status)


def _require(call: Call, version: str) -> None:
    call.require_pro()
    if not call.supports(version):
        raise ArtifactError(404)


def _check_size(elements: list[Any]) -> None:
    if len(elements) > MAX_BATCH:
        raise ArtifactError(400, f"Repository item limit exceeded: {len(elements)}. Limit: {MAX_BATCH}")


async def _read_batch(call: Call) -> list[dict[str, Any]]:
    """Return the configurations in the body, each with a key."""
    batch = await parse_json_body(call)
    if not isinstance(batch, list) or not all(isinstance(fields, dict) for fields in batch):
        raise ArtifactError(400, "Error parsing json body")
    _check_size(batch)
    if not all(fields.get("key") for fields in batch):
        raise ArtifactError(400, MISSING_KEY)
    return [{**fields, "key": str(fields["key"])} for fields in batch]


def _check_conflicts(call: Call, batch: list[dict[str, Any]]) -> None:
    """Fail if a key exists, or occurs twice. The documented status is 409, the recorded one 400."""
    is_recorded = call.supports(feature_versions.REPOSITORY_NAME_MESSAGES)
    keys = [fields["key"] for fields in batch]
    conflicts = [key for index, key in enumerate(keys) if key in keys[:index] or find_key_conflict(call, key)]
    if conflicts:
        messages = (
            f"error when validating repository name: {key} : Repository key already exists" for key in conflicts
        )
        raise ArtifactError(400 if is_recorded else 409, "\n".join(messages))


def _prepare(
    batch: list[dict[str, Any]], prepare: Callable[[str, dict[str, Any]], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the new configurations by key, or fail with all errors. Members of virtual ones must exist before."""
    configurations, errors = {}, []
    for fields in batch:
        try:
            configurations[fields["key"]] = prepare(fields["key"], fields)
        except ArtifactError as error:
            errors.append(error)
    if errors:
        raise ArtifactError(errors[0].status, "\n".join(error.message for error in errors))
    return configurations


def _store(call: Call, configurations: dict[str, dict[str, Any]]) -> None:
    call.begin_descriptor_write()
    with call.runtime.transaction():
        for key, configuration in configurations.items():
            call.repositories.store(key, configuration)


ROUTES = (
    Route("GET", "/api/v2/repositories/batch", get_batch, "repository_batch"),
    Route("PUT", "/api/v2/repositories/batch", create_batch, "create_repository_batch"),
    Route("POST", "/api/v2/repositories/batch", update_batch, "update_repository_batch"),
    Route("DELETE", "/api/v2/repositories/batch", delete_batch, "delete_repository_batch"),
    Route("GET", "/api/v2/repositories/{key}", get_configuration, "repository_configuration"),
)
