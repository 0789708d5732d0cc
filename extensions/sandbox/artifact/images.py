# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The container registry: tags, catalog and manifests, read from the files that make up images."""

from __future__ import annotations

import bisect
import json
from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

from ..world import World
from .call import Call
from .errors import ArtifactError, DockerError
from .formats import jackson
from .items import ClientChecksums, Item, Items
from .repositories import Repositories
from .tokens import Tokens

MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
TOKEN_SECONDS = 3600
VERSION_HEADER = {"Docker-Distribution-Api-Version": "registry/2.0"}


class Images:
    """The calls under /api/docker/{repo}/v2; an image's tag is a folder with a `manifest.json` in it."""

    def __init__(self, world: World, items: Items, repositories: Repositories, tokens: Tokens) -> None:
        self._world = world
        self._items = items
        self._repositories = repositories
        self._tokens = tokens

    def seed(self, repo: str, images: dict[str, list[str]]) -> None:
        """Add images: a list of tags by image name."""
        for image, tags in images.items():
            for tag in tags:
                self._push(repo, image, str(tag))

    async def token(self, call: Call, repo: str) -> Response:
        """GET /api/docker/{repo}/v2/token, where the registry's challenge leads"""
        own = call.principal.claims
        claims = self._tokens.issue(
            lifetime=TOKEN_SECONDS,
            username=call.principal.name,
            owner=call.principal.name,
            scope=own.scope if own else "applied-permissions/user",
        )
        body = jackson({"token": self._tokens.sign(claims), "expires_in": TOKEN_SECONDS})
        return Response(body, headers=VERSION_HEADER, media_type="application/json")

    async def base(self, call: Call, repo: str) -> Response:
        """GET /api/docker/{repo}/v2/"""
        self._open(call, repo)
        return Response("{}", headers=VERSION_HEADER, media_type="application/json")

    async def catalog(self, call: Call, repo: str) -> Response:
        """GET /api/docker/{repo}/v2/_catalog"""
        storages = self._open(call, repo, "registry:catalog:*")
        images = {_image(item) for storage in storages for item in self._items.manifests(storage)}
        return self._page(call, "/v2/_catalog", "repositories", {}, images)

    async def tags(self, call: Call, repo: str, image: str) -> Response:
        """GET /api/docker/{repo}/v2/{image}/tags/list"""
        storages = self._open(call, repo, f"repository:{image}:pull")
        found = [
            item for storage in storages for item in self._items.manifests(storage, image) if _image(item) == image
        ]
        if not found:
            raise self._unknown_name(image)
        tags = {(item.parent or "").removeprefix(f"{image}/") for item in found}
        return self._page(call, f"/v2/{image}/tags/list", "tags", {"name": image}, tags)

    async def manifest(self, call: Call, repo: str, image: str, reference: str) -> Response:
        """GET or HEAD /api/docker/{repo}/v2/{image}/manifests/{reference}"""
        for storage in self._open(call, repo, f"repository:{image}:pull"):
            item = self._manifest(storage, image, reference)
            if item is not None and item.sha256:
                content = self._world.files.path(item.sha256).read_bytes()
                headers = {
                    **VERSION_HEADER,
                    "Docker-Content-Digest": f"sha256:{item.sha256}",
                    "ETag": f"sha256:{item.sha256}",
                    "Content-Type": json.loads(content).get("mediaType", MANIFEST_TYPE),
                }
                return Response(content, headers=headers)
        text = "The named manifest is not known to the registry."
        raise DockerError(404, "MANIFEST_UNKNOWN", text, {"manifest": reference})

    async def misplaced(self, call: Call) -> Response:
        """GET /api/docker/v2/..., with the repository forgotten"""
        raise ArtifactError(400, "Unsupported docker repository request for 'v2'")

    def _open(self, call: Call, repo: str, scope: str = "") -> list[str]:
        """The storages of the repository that the caller may read; the scope is what a token would be needed for."""
        call.need_pro()
        storages = self._storages(repo)
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
            raise self._unknown_name(repo)
        raise DockerError(403, "DENIED", "requested access to the resource is denied", {"name": repo})

    def _storages(self, repo: str) -> list[str]:
        repository = self._repositories.find(repo) or self._repositories.find(repo.removesuffix("-cache"))
        holds_images = repository is not None and repository.package_type in ("docker", "oci")
        return self._repositories.storages(repo) if holds_images else []

    def _unknown_name(self, name: str) -> DockerError:
        return DockerError(404, "NAME_UNKNOWN", "Repository name not known to registry.", {"name": name})

    def _manifest(self, storage: str, image: str, reference: str) -> Item | None:
        if not reference.startswith("sha256:"):
            return self._items.find(storage, f"{image}/{reference}/manifest.json")
        same = self._items.with_content("sha256", reference.removeprefix("sha256:"))
        return next((item for item in same if item.repo == storage and _image(item) == image), None)

    def _page(self, call: Call, path: str, member: str, head: dict[str, Any], names: Iterable[str]) -> Response:
        everything = sorted(names)
        size = call.query.get("n", "0")
        if not size.isdecimal():
            raise DockerError(400, "PAGINATION_NUMBER_INVALID", "invalid number of results requested", {"n": size})
        begin = self._begin(call.query.get("last", ""), everything)
        end = begin + int(size) if int(size) else len(everything)
        headers = dict(VERSION_HEADER)
        if end < len(everything):
            marker = end if self._world.switch("artifact", "image_marker") == "offset" else everything[end - 1]
            # The path is that of a registry of its own: it leads nowhere here, as on the real server.
            headers["Link"] = f'<{path}?last={marker}&n={size}>; rel="next"'
        body = jackson({**head, member: everything[begin:end]})
        return Response(body.encode(), headers=headers, media_type="application/json")

    def _begin(self, last: str, everything: list[str]) -> int:
        if self._world.switch("artifact", "image_marker") == "offset" and last.isdecimal():
            return int(last)
        return bisect.bisect_right(everything, last) if last else 0

    def _push(self, repo: str, image: str, tag: str) -> None:
        config = {"architecture": "amd64", "os": "linux", "config": {"Labels": {"image": image, "tag": tag}}}
        stored = self._world.files.put([json.dumps(config).encode()])
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": {
                "mediaType": "application/vnd.docker.container.image.v1+json",
                "size": stored.size,
                "digest": f"sha256:{stored.sha256}",
            },
            "layers": [],
        }
        content = self._world.files.put([json.dumps(manifest).encode()])
        folder = f"{image}/{tag}"
        self._items.put_file(repo, f"{folder}/sha256__{stored.sha256}", stored, ClientChecksums(), "admin")
        item = self._items.put_file(repo, f"{folder}/manifest.json", content, ClientChecksums(), "admin")
        properties = {
            "docker.manifest": [tag],
            "docker.manifest.digest": [f"sha256:{content.sha256}"],
            "docker.manifest.type": [MANIFEST_TYPE],
            "docker.repoName": [image],
            "sha256": [content.sha256],
        }
        self._items.set_properties(item, properties, recursive=False)


def _image(manifest: Item) -> str:
    return (manifest.parent or "").rpartition("/")[0]


def _challenge(call: Call, repo: str, scope: str) -> str:
    parameters = {"realm": f"{call.base}/api/docker/{repo}/v2/token", "service": call.request.url.netloc}
    if scope:
        parameters["scope"] = scope
    return "Bearer " + ",".join(f'{name}="{value}"' for name, value in parameters.items())
