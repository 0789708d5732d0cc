# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The container registry: tags, catalog and manifests, read from the files that make up images."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

from ..routing import Route
from .call import Call
from .documents import read_json
from .errors import ArtifactError, DockerError
from .formats import jackson
from .tree import Item, Tree

# The registry sends callers without credentials for a token: it has a challenge of its own.
REGISTRY = "registry"
MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
TOKEN_SECONDS = 3600
VERSION_HEADER = {"Docker-Distribution-Api-Version": "registry/2.0"}


async def token(call: Call, repo: str) -> Response:
    """GET /api/docker/{repo}/v2/token, where the registry's challenge leads"""
    own = call.principal.claims
    claims = call.tokens.issue(
        lifetime=TOKEN_SECONDS,
        username=call.principal.name,
        owner=call.principal.name,
        scope=own.scope if own else "applied-permissions/user",
    )
    body = jackson({"token": call.tokens.sign(claims), "expires_in": TOKEN_SECONDS})
    return Response(body, headers=VERSION_HEADER, media_type="application/json")


async def base(call: Call, repo: str) -> Response:
    """GET /api/docker/{repo}/v2/"""
    _open(call, repo)
    return Response("{}", headers=VERSION_HEADER, media_type="application/json")


async def catalog(call: Call, repo: str) -> Response:
    """GET /api/docker/{repo}/v2/_catalog"""
    storages = _open(call, repo, "registry:catalog:*")
    images = await call.world.readers.read(
        lambda db: {_image(item) for storage in storages for item in Tree(db).manifests(storage)}
    )
    return _page(call, "/v2/_catalog", "repositories", {}, images)


async def tags(call: Call, repo: str, image: str) -> Response:
    """GET /api/docker/{repo}/v2/{image}/tags/list"""
    storages = _open(call, repo, f"repository:{image}:pull")
    manifests = await call.world.readers.read(
        lambda db: [item for storage in storages for item in Tree(db).manifests(storage, image)]
    )
    tags = {(item.parent or "").removeprefix(f"{image}/") for item in manifests if _image(item) == image}
    if not tags:
        raise _unknown_name(image)
    return _page(call, f"/v2/{image}/tags/list", "tags", {"name": image}, tags)


async def manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """GET or HEAD /api/docker/{repo}/v2/{image}/manifests/{reference}"""
    for storage in _open(call, repo, f"repository:{image}:pull"):
        item = await _manifest(call, storage, image, reference)
        if item is not None and item.sha256:
            content = call.world.files.path(item.sha256).read_bytes()
            headers = {
                **VERSION_HEADER,
                "Docker-Content-Digest": f"sha256:{item.sha256}",
                "ETag": f"sha256:{item.sha256}",
                "Content-Type": _media_type(content),
            }
            return Response(content, headers=headers)
    text = "The named manifest is not known to the registry."
    raise DockerError(404, "MANIFEST_UNKNOWN", text, {"manifest": reference})


def _media_type(manifest: bytes) -> str:
    """What a manifest says it is; a file of that name may be anything."""
    with contextlib.suppress(ValueError, AttributeError):
        return str(read_json(manifest).get("mediaType", MANIFEST_TYPE))
    return MANIFEST_TYPE


async def misplaced(call: Call) -> Response:
    """GET /api/docker/v2/..., with the repository forgotten"""
    raise ArtifactError(400, "Unsupported docker repository request for 'v2'")


def _open(call: Call, repo: str, scope: str = "") -> list[str]:
    """The storages of the repository that the caller may read; the scope is what a token would be needed for."""
    call.need_pro()
    storages = storages_of(call, repo)
    readable = [storage for storage in storages if call.principal.may_somewhere("r", storage)]
    if readable:
        return readable
    if call.principal.anonymous:
        raise DockerError(
            401,
            "UNAUTHORIZED",
            "authentication required",
            None,
            {"Www-Authenticate": _challenge(call, repo, scope)},
        )
    if not storages or call.switch("hide_unauthorized"):
        raise _unknown_name(repo)
    raise DockerError(403, "DENIED", "requested access to the resource is denied", {"name": repo})


def storages_of(call: Call, repo: str) -> list[str]:
    """The storages of a repository of images; none when it is of anything else, or blacked out."""
    repository = call.repositories.behind(repo)
    if repository is None or repository.package_type not in ("docker", "oci") or repository.is_blacked_out:
        return []
    return call.repositories.storages(repo)


def _unknown_name(name: str) -> DockerError:
    return DockerError(404, "NAME_UNKNOWN", "Repository name not known to registry.", {"name": name})


async def _manifest(call: Call, storage: str, image: str, reference: str) -> Item | None:
    if not reference.startswith("sha256:"):
        return call.items.find(storage, f"{image}/{reference}/manifest.json")
    checksum = reference.removeprefix("sha256:")
    return await call.world.readers.read(
        lambda db: next(
            (
                item
                for item in Tree(db).with_content("sha256", checksum)
                if (item.repo, _image(item)) == (storage, image)
            ),
            None,
        )
    )


def _page(call: Call, path: str, member: str, head: dict[str, Any], names: Iterable[str]) -> Response:
    everything = sorted(names)
    size = call.query.get("n", "0")
    if not size.isdecimal():
        raise DockerError(400, "PAGINATION_NUMBER_INVALID", "invalid number of results requested", {"n": size})
    begin = _begin(call, call.query.get("last", ""), everything)
    end = begin + int(size) if int(size) else len(everything)
    headers = dict(VERSION_HEADER)
    if end < len(everything):
        marker = end if call.world.switch("artifact", "image_marker") == "offset" else everything[end - 1]
        # The path is that of a registry of its own: it leads nowhere here, as on the real server.
        headers["Link"] = f'<{path}?last={marker}&n={size}>; rel="next"'
    body = jackson({**head, member: everything[begin:end]})
    return Response(body.encode(), headers=headers, media_type="application/json")


def _begin(call: Call, last: str, everything: list[str]) -> int:
    if call.world.switch("artifact", "image_marker") == "offset" and last.isdecimal():
        return int(last)
    return bisect.bisect_right(everything, last) if last else 0


def _image(manifest: Item) -> str:
    return (manifest.parent or "").rpartition("/")[0]


def _challenge(call: Call, repo: str, scope: str) -> str:
    parameters = {"realm": f"{call.base}/api/docker/{repo}/v2/token", "service": call.request.url.netloc}
    if scope:
        parameters["scope"] = scope
    return "Bearer " + ",".join(f'{name}="{value}"' for name, value in parameters.items())


BASE = "/api/docker/{repo}/v2"
ROUTES = (
    Route("GET", f"{BASE}/token", token, "docker_token"),
    Route("GET", BASE, base, "image_base", scope=REGISTRY),
    Route("GET", f"{BASE}/_catalog", catalog, "image_catalog", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/tags/list", tags, "image_tags", scope=REGISTRY),
    Route("GET", f"{BASE}/{{image:.+}}/manifests/{{reference}}", manifest, "image_manifest", scope=REGISTRY),
    Route("GET", "/api/docker/v2{:(/.*)?}", misplaced, "image_misplaced", scope=REGISTRY),
)
