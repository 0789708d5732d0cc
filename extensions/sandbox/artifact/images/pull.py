# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The container registry as pulls see it: tags, catalog, manifests and blobs, read from the files of images."""

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
from ..items.tree import (
    MANIFEST_LIST_NAME,
    MANIFEST_NAME,
    Item,
    Tree,
)
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
    readable,
    registry_storages,
    require_caller,
    select_readable,
    token_scope,
    unknown_manifest_error,
    unknown_name_error,
)

MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
TOKEN_SECONDS = 3600


async def token(call: Call, repo: str) -> Response:
    """GET /api/docker/{repo}/v2/token, where the registry's challenge leads"""
    own = call.principal.claims
    claims = call.tokens.issue(
        lifetime=TOKEN_SECONDS,
        username=call.principal.name,
        owner=call.principal.name,
        scope=own.scope if own else "applied-permissions/user",
    )
    body = format_json({"token": call.tokens.sign(claims), "expires_in": TOKEN_SECONDS})
    return Response(body, headers=VERSION_HEADER, media_type="application/json")


async def base(call: Call, repo: str) -> Response:
    """GET /api/docker/{repo}/v2/"""
    if repo == NO_REPOSITORY:
        call.require_pro()
        require_caller(call, repo, "")
    else:
        readable(call, repo)
    return Response("{}", headers=VERSION_HEADER, media_type="application/json")


async def catalog(call: Call, repo: str) -> Response:
    """GET /api/docker/{repo}/v2/_catalog; without a repository, the images of all are listed below their keys"""
    if repo == NO_REPOSITORY:
        call.require_pro()
        require_caller(call, repo, "registry:catalog:*")
        keys = [
            found.key for found in call.repositories.list_all() if registry_storages(call, found.key) == [found.key]
        ]
        storages = {key: f"{key}/" for key in keys if call.principal.may_anywhere("r", key)}
    else:
        storages = dict.fromkeys(readable(call, repo, "registry:catalog:*"), "")
    may = call.principal.may
    images = await call.runtime.readers.read(
        lambda db: {
            f"{before}{image_name(item)}"
            for storage, before in storages.items()
            for item in Tree(db).list_manifests(storage)
            if may("r", item.repo, item.path)
        }
    )
    return _page(call, "/v2/_catalog", "repositories", {}, images)


async def tags(call: Call, repo: str, image: str) -> Response:
    """GET /api/docker/{repo}/v2/{image}/tags/list"""
    storages = readable(call, repo, token_scope(call, repo, image, "pull"))
    manifests = await call.runtime.readers.read(
        lambda db: [item for storage in storages for item in Tree(db).list_manifests(storage, image)]
    )
    of_image = select_readable(call, repo, image, (item for item in manifests if image_name(item) == image))
    tags = {(item.parent or "").removeprefix(f"{image}/") for item in of_image}
    if not tags:
        raise unknown_name_error(image)
    name = client_image_name(call, repo, image)
    return _page(call, f"/v2/{name}/tags/list", "tags", {"name": name}, (tag for tag in tags if ":" not in tag))


async def manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """GET or HEAD /api/docker/{repo}/v2/{image}/manifests/{reference}"""
    storages = readable(call, repo, token_scope(call, repo, image, "pull"))
    stored = [item for storage in storages for item in await find_manifests(call, storage, image, reference)]
    found = next(iter(select_readable(call, repo, image, stored)), None)
    try:
        content = call.runtime.files.path((found and found.sha256) or "").read_bytes()
    except OSError:  # It may have been deleted meanwhile.
        found = None
    if found is None:
        raise unknown_manifest_error(reference)
    if call.request.method == "GET":
        call.items.record_download(found, call.principal.name)
    return Response(content, headers=_headers(found, _media_type(call, found, content)))


async def blob(call: Call, repo: str, image: str, digest: str) -> Response:
    """GET or HEAD /api/docker/{repo}/v2/{image}/blobs/{digest}"""
    storages = readable(call, repo, token_scope(call, repo, image, "pull"))
    item = find_blob(call, storages, parse_digest(digest))
    if item is None:
        raise DockerError(404, "BLOB_UNKNOWN", "blob unknown to registry", {"digest": digest})
    if call.request.method == "GET":
        call.items.record_download(item, call.principal.name)
    return serve_content(call, item, _headers(item, "application/octet-stream"))


async def misplaced(call: Call) -> Response:
    """GET /api/docker/v2/..., with the repository forgotten"""
    raise ArtifactError(400, "Unsupported docker repository request for 'v2'")


async def find_manifests(call: Call, storage: str, image: str, reference: str) -> list[Item]:
    """Return the manifest of a tag, or all manifests of an image with a digest; those with a content."""
    if not reference.startswith("sha256:"):
        names = (f"{image}/{reference}/{name}" for name in (MANIFEST_NAME, MANIFEST_LIST_NAME))
        found: Iterator[Item | None] = (call.items.find(storage, name) for name in names)
    else:
        checksum = parse_digest(reference)
        found = iter(
            await call.runtime.readers.read(
                lambda db: [
                    item for item in Tree(db).find_by_content("sha256", checksum) if _is_of(item, storage, image)
                ]
            )
        )
    return [item for item in found if item and item.sha256 and call.runtime.files.path(item.sha256).is_file()]


def find_blob(call: Call, storages: Iterable[str], checksum: str) -> Item | None:
    """Return a file with this content that the caller may read in one of the storages, if there is one."""
    wanted = set(storages)
    return next(
        (
            item
            for item in call.items.find_by_content("sha256", checksum)
            if item.repo in wanted
            and call.principal.may("r", item.repo, item.path)
            and call.runtime.files.path(checksum).is_file()
        ),
        None,
    )


def _is_of(item: Item, storage: str, image: str) -> bool:
    return item.name in (MANIFEST_NAME, MANIFEST_LIST_NAME) and (item.repo, image_name(item)) == (storage, image)


def _headers(item: Item, media_type: str) -> dict[str, str]:
    digest = f"sha256:{item.sha256}"
    return {**VERSION_HEADER, "Docker-Content-Digest": digest, "ETag": digest, "Content-Type": media_type}


def _media_type(call: Call, item: Item, content: bytes) -> str:
    """Return the type with which a manifest was pushed, or else the one that it names."""
    pushed = call.items.get_properties(item).get("docker.manifest.type")
    with contextlib.suppress(ValueError, KeyError, TypeError):  # A file of that name may be anything.
        found = pushed[0] if pushed else parse_json(content)["mediaType"]
        if MEDIA_TYPE.fullmatch(found):
            return str(found)
    return MANIFEST_TYPE


def _page(call: Call, path: str, member: str, head: dict[str, Any], names: Iterable[str]) -> Response:
    everything = sorted(names)
    size = call.query.get("n", "0")
    most = parse_integer_or_none(size)
    if most is None or most < 0:
        raise DockerError(400, "PAGINATION_NUMBER_INVALID", "invalid number of results requested", {"n": size})
    begin = _begin(call, call.query.get("last", ""), everything)
    end = begin + most if most else len(everything)
    headers = dict(VERSION_HEADER)
    if end < len(everything):
        marker = end if call.runtime.get_switch("artifact", "image_marker") == "offset" else everything[end - 1]
        # The path is that of a registry at the root: below /artifactory it leads nowhere, as on the real server.
        headers["Link"] = f'<{path}?last={marker}&n={size}>; rel="next"'
    body = format_json({**head, member: everything[begin:end]})
    return Response(body.encode(), headers=headers, media_type="application/json")


def _begin(call: Call, last: str, everything: list[str]) -> int:
    offset = parse_integer_or_none(last) if call.runtime.get_switch("artifact", "image_marker") == "offset" else None
    if offset is not None and offset >= 0:
        return offset
    return bisect.bisect_right(everything, last) if last else 0


ROUTES = (
    Route("GET", f"{BASE}/token", token, "docker_token"),
    Route("GET", BASE, base, "image_base", scope=REGISTRY),
    Route("GET", f"{BASE}/_catalog", catalog, "image_catalog", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/tags/list", tags, "image_tags", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/manifests/{{reference}}", manifest, "image_manifest", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/blobs/{{digest}}", blob, "image_blob", scope=REGISTRY),
    Route("GET", "/api/docker/v2{:(/.*)?}", misplaced, "image_misplaced", scope=REGISTRY),
)
