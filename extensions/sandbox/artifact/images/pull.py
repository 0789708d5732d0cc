# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pull side of the Docker registry API: tokens, tags, catalog, manifests, blobs."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ...parsing.integers import parse_integer_or_none
from ..call import Call
from ..content.download import serve_content
from ..items.tree import MANIFEST_LIST_NAME, MANIFEST_NAME, Item, Tree
from ..protocol.errors import ArtifactError, DockerError
from ..protocol.formats import format_json
from .registry import (
    BASE,
    MEDIA_TYPE,
    NO_REPOSITORY,
    REGISTRY,
    VERSION_HEADER,
    client_image_name,
    image_name,
    parse_digest,
    registry_storages,
    require_caller,
    require_readable,
    require_registry,
    select_readable,
    token_scope,
    unknown_manifest_error,
    unknown_name_error,
)

MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
TOKEN_SECONDS = 3600


async def get_token(call: Call, **_parameters: str) -> Response:
    """Handle `GET /api/docker/{repo}/v2/token`, the realm in the registry's challenge."""
    claims_of_caller = call.principal.claims
    claims = call.tokens.issue(
        lifetime=TOKEN_SECONDS,
        username=call.principal.name,
        owner=call.principal.name,
        scope=claims_of_caller.scope if claims_of_caller else "applied-permissions/user",
    )
    body = format_json({"token": call.tokens.sign(claims), "expires_in": TOKEN_SECONDS})
    return Response(body, headers=VERSION_HEADER, media_type="application/json")


async def check_api(call: Call, repo: str) -> Response:
    """Handle `GET /api/docker/{repo}/v2/`."""
    if repo == NO_REPOSITORY:
        require_registry(call)
        require_caller(call, repo, "")
    else:
        require_readable(call, repo)
    return Response("{}", headers=VERSION_HEADER, media_type="application/json")


async def get_catalog(call: Call, repo: str) -> Response:
    """Handle `GET /api/docker/{repo}/v2/_catalog`.

    Without a repository, the images of all repositories are listed, prefixed with the repository key.
    """
    if repo == NO_REPOSITORY:
        require_registry(call)
        require_caller(call, repo, "registry:catalog:*")
        keys = [
            repository.key
            for repository in call.repositories.list_all()
            if registry_storages(call, repository.key) == [repository.key]
        ]
        storages = {key: f"{key}/" for key in keys if call.principal.may_anywhere("r", key)}
    else:
        storages = dict.fromkeys(require_readable(call, repo, "registry:catalog:*"), "")
    may = call.principal.may
    images = await call.runtime.readers.read(
        lambda db: {
            f"{prefix}{image_name(item)}"
            for storage, prefix in storages.items()
            for item in Tree(db).list_manifests(storage)
            if may("r", item.repo, item.path)
        }
    )
    return _page_response(call, "/v2/_catalog", "repositories", {}, images)


async def list_tags(call: Call, repo: str, image: str) -> Response:
    """Handle `GET /api/docker/{repo}/v2/{image}/tags/list`."""
    storages = require_readable(call, repo, token_scope(call, repo, image, "pull"))
    manifests = await call.runtime.readers.read(
        lambda db: [item for storage in storages for item in Tree(db).list_manifests(storage, image)]
    )
    readable_manifests = select_readable(call, repo, image, (item for item in manifests if image_name(item) == image))
    tags = {(item.parent or "").removeprefix(f"{image}/") for item in readable_manifests}
    if not tags:
        raise unknown_name_error(image)
    name = client_image_name(call, repo, image)
    return _page_response(
        call, f"/v2/{name}/tags/list", "tags", {"name": name}, (tag for tag in tags if ":" not in tag)
    )


async def get_manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """Handle `GET or HEAD /api/docker/{repo}/v2/{image}/manifests/{reference}`."""
    storages = require_readable(call, repo, token_scope(call, repo, image, "pull"))
    stored = [item for storage in storages for item in await find_manifests(call, storage, image, reference)]
    manifest = next(iter(select_readable(call, repo, image, stored)), None)
    try:
        content = call.runtime.files.path((manifest and manifest.sha256) or "").read_bytes()
    except OSError:  # deleted meanwhile
        manifest = None
    if manifest is None:
        raise unknown_manifest_error(reference)
    if call.request.method == "GET":
        call.items.record_download(manifest, call.principal.name)
    return Response(content, headers=_headers(manifest, _media_type(call, manifest, content)))


async def get_blob(call: Call, repo: str, image: str, digest: str) -> Response:
    """Handle `GET or HEAD /api/docker/{repo}/v2/{image}/blobs/{digest}`."""
    storages = require_readable(call, repo, token_scope(call, repo, image, "pull"))
    item = find_blob(call, storages, parse_digest(digest))
    if item is None:
        raise DockerError(404, "BLOB_UNKNOWN", "blob unknown to registry", {"digest": digest})
    if call.request.method == "GET":
        call.items.record_download(item, call.principal.name)
    return serve_content(call, item, _headers(item, "application/octet-stream"))


async def refuse_misplaced_request(_call: Call) -> Response:
    """Handle `GET /api/docker/v2/...`, where the repository is missing."""
    raise ArtifactError(400, "Unsupported docker repository request for 'v2'")


async def find_manifests(call: Call, storage: str, image: str, reference: str) -> list[Item]:
    """Return the manifest of a tag, or the manifests of an image with a digest, if their content is stored."""
    if not reference.startswith("sha256:"):
        names = (f"{image}/{reference}/{name}" for name in (MANIFEST_NAME, MANIFEST_LIST_NAME))
        items: Iterator[Item | None] = (call.items.find(storage, name) for name in names)
    else:
        checksum = parse_digest(reference)
        items = iter(
            await call.runtime.readers.read(
                lambda db: [
                    item for item in Tree(db).find_by_content("sha256", checksum) if _belongs_to(item, storage, image)
                ]
            )
        )
    return [item for item in items if item and item.sha256 and call.runtime.files.path(item.sha256).is_file()]


def find_blob(call: Call, storages: Iterable[str], checksum: str) -> Item | None:
    """Return a file with this content that the caller may read in one of the storages."""
    searched_storages = set(storages)
    return next(
        (
            item
            for item in call.items.find_by_content("sha256", checksum)
            if item.repo in searched_storages
            and call.principal.may("r", item.repo, item.path)
            and call.runtime.files.path(checksum).is_file()
        ),
        None,
    )


def _belongs_to(item: Item, storage: str, image: str) -> bool:
    return item.name in (MANIFEST_NAME, MANIFEST_LIST_NAME) and (item.repo, image_name(item)) == (storage, image)


def _headers(item: Item, media_type: str) -> dict[str, str]:
    digest = f"sha256:{item.sha256}"
    return {**VERSION_HEADER, "Docker-Content-Digest": digest, "ETag": digest, "Content-Type": media_type}


def _media_type(call: Call, item: Item, content: bytes) -> str:
    """Return the media type that the manifest was pushed with, or else the one it contains."""
    stored_types = call.items.get_properties(item).get("docker.manifest.type")
    with contextlib.suppress(ValueError, KeyError, TypeError):  # the file need not be a manifest
        media_type = stored_types[0] if stored_types else parse_json(content)["mediaType"]
        if MEDIA_TYPE.fullmatch(media_type):
            return str(media_type)
    return MANIFEST_TYPE


def _page_response(call: Call, path: str, list_field: str, fields: dict[str, Any], names: Iterable[str]) -> Response:
    sorted_names = sorted(names)
    requested_size = call.query.get("n", "0")
    page_size = parse_integer_or_none(requested_size)
    if page_size is None or page_size < 0:
        raise DockerError(
            400, "PAGINATION_NUMBER_INVALID", "invalid number of results requested", {"n": requested_size}
        )
    start = _page_start(call, call.query.get("last", ""), sorted_names)
    end = start + page_size if page_size else len(sorted_names)
    headers = dict(VERSION_HEADER)
    if end < len(sorted_names):
        marker = end if call.runtime.get_switch("artifact", "image_marker") == "offset" else sorted_names[end - 1]
        # As on the real server, the path lacks /artifactory/api/docker/{repo} and is unusable for clients there.
        headers["Link"] = f'<{path}?last={marker}&n={requested_size}>; rel="next"'
    body = format_json({**fields, list_field: sorted_names[start:end]})
    return Response(body.encode(), headers=headers, media_type="application/json")


def _page_start(call: Call, last: str, sorted_names: list[str]) -> int:
    offset = parse_integer_or_none(last) if call.runtime.get_switch("artifact", "image_marker") == "offset" else None
    if offset is not None and offset >= 0:
        return offset
    return bisect.bisect_right(sorted_names, last) if last else 0


ROUTES = (
    Route("GET", f"{BASE}/token", get_token, "docker_token"),
    Route("GET", BASE, check_api, "image_base", scope=REGISTRY),
    Route("GET", f"{BASE}/_catalog", get_catalog, "image_catalog", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/tags/list", list_tags, "image_tags", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/manifests/{{reference}}", get_manifest, "image_manifest", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/blobs/{{digest}}", get_blob, "image_blob", scope=REGISTRY),
    Route("GET", "/api/docker/v2{:(/.*)?}", refuse_misplaced_request, "image_misplaced", scope=REGISTRY),
)
