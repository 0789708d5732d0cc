# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Image promotion: copy or move tags to another repository."""

from __future__ import annotations

import contextlib
from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..call import Call
from ..items.tree import MANIFEST_LIST_NAME, MANIFEST_NAME, Item
from ..protocol.errors import ArtifactError
from ..protocol.json_conversion import to_boolean
from ..protocol.request_body import read_json_object
from .pull import find_manifests
from .registry import DIGEST, image_name, registry_storages


async def promote_image(call: Call, repo: str) -> Response:
    """Handle `POST /api/docker/{repo}/v2/promote`."""
    call.require_pro()
    request = await read_json_object(call, copy=to_boolean)
    target, image = request.get("targetRepo"), request.get("dockerRepository")
    if not target or not image:
        raise ArtifactError(400, "The fields 'targetRepo' and 'dockerRepository' are required.")
    for key in (repo, target):
        if registry_storages(call, key) != [key]:
            raise ArtifactError(404, f"Could not find a local repository named {key}.")
    is_copy: bool = request.get("copy", False)
    for item, path in _select_tags(call, repo, request):
        members = await _find_members(call, item)
        for digest, member in members.items():
            await _relocate(call, member, target, f"{_parent_image(path)}/{digest}", is_copy=True)
        await _relocate(call, item, target, path, is_copy)
        if not is_copy:
            await _remove_orphans(call, repo, _parent_image(item.path), members)
    return PlainTextResponse("Promotion ended successfully")


def _select_tags(call: Call, repo: str, request: dict[str, Any]) -> list[tuple[Item, str]]:
    """Return the folders of the tags to promote with their target paths."""
    image = request["dockerRepository"].strip("/")
    target_image = (request.get("targetDockerRepository") or image).strip("/")
    call.require_read(repo, image)
    if request.get("tag"):
        tags = [request["tag"]]
    else:
        tags = [
            (manifest.parent or "").removeprefix(f"{image}/") for manifest in call.items.list_manifests(repo, image)
        ]
        tags = [tag for tag in tags if "/" not in tag and ":" not in tag]
    selected = []
    for tag in tags:
        item = call.items.find(repo, f"{image}/{tag}")
        if item is None:
            raise ArtifactError(404, f"Unable to find tag file at '{image}/{tag}/manifest.json'")
        selected.append((item, f"{target_image}/{request.get('targetTag') or tag}"))
    if not selected:
        raise ArtifactError(404, f"Unable to find the image '{image}' in the repository '{repo}'")
    return selected


def _require_permissions(call: Call, item: Item, target: str, path: str, is_copy: bool) -> None:
    call.require_deploy(target, path)
    existing = call.items.find(target, path)
    for repo, permission_path in ((target, path if existing else None), (item.repo, None if is_copy else item.path)):
        if permission_path is not None:
            call.require_delete(repo, permission_path)


async def _relocate(call: Call, item: Item, target: str, path: str, is_copy: bool) -> None:
    _require_permissions(call, item, target, path, is_copy)
    if conflict := call.find_conflict(item, target, path):
        raise ArtifactError(409, conflict)
    _update_properties(call, await call.relocate(item, target, path, is_copy))


async def _find_members(call: Call, tag: Item) -> dict[str, Item]:
    """Return the image folders that a tag's manifest list refers to, by digest."""
    members = {}
    for digest in _read_digests(call, call.items.find(tag.repo, f"{tag.path}/{MANIFEST_LIST_NAME}")):
        for manifest in await find_manifests(call, tag.repo, _parent_image(tag.path), digest):
            folder = call.items.find(tag.repo, manifest.parent or "")
            if folder is not None:
                members[digest] = folder
    return members


def _read_digests(call: Call, manifests: Item | None) -> list[str]:
    """Return the digests in a manifest list, or nothing if the file is not a valid list."""
    with contextlib.suppress(ValueError, KeyError, TypeError, OSError):
        content = call.runtime.files.path((manifests and manifests.sha256) or "").read_bytes()
        digests = [member["digest"] for member in parse_json(content)["manifests"]]
        return [digest for digest in digests if DIGEST.fullmatch(digest)]
    return []


async def _remove_orphans(call: Call, repo: str, image: str, members: dict[str, Item]) -> None:
    """Delete the folders of digests that no manifest list of the image refers to."""
    lists = (
        manifest
        for manifest in call.items.list_manifests(repo, image)
        if manifest.name == MANIFEST_LIST_NAME and image_name(manifest) == image
    )
    referenced = {digest for manifest in lists for digest in _read_digests(call, manifest)}
    for digest, member in members.items():
        if member.name == digest and digest not in referenced:
            await call.items.delete(member)


def _parent_image(tag: str) -> str:
    return tag.rpartition("/")[0]


def _update_properties(call: Call, tag: Item) -> None:
    """Set the image and tag in the properties of the manifest."""
    for name in (MANIFEST_NAME, MANIFEST_LIST_NAME):
        manifest = call.items.find(tag.repo, f"{tag.path}/{name}")
        if manifest is not None:
            call.items.set_properties(
                manifest, {"docker.repoName": [_parent_image(tag.path)], "docker.manifest": [tag.name]}
            )


ROUTES = (Route("POST", "/api/docker/{repo}/v2/promote", promote_image, "promote_image"),)
