# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images promoted: their tags copied or moved to another repository."""

from __future__ import annotations

import contextlib
from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..builds import build_api
from ..call import Call
from ..items.tree import MANIFEST_LIST_NAME, MANIFEST_NAME, Item
from ..protocol.errors import ArtifactError
from ..protocol.json_conversion import boolean
from .pull import find_manifests
from .registry import DIGEST, image_name, registry_storages


async def promote(call: Call, repo: str) -> Response:
    """POST /api/docker/{repo}/v2/promote"""
    call.require_pro()
    order = await build_api.read_json_object(call, copy=boolean)
    target, image = order.get("targetRepo"), order.get("dockerRepository")
    if not target or not image:
        raise ArtifactError(400, "The fields 'targetRepo' and 'dockerRepository' are required.")
    for key in (repo, target):
        if registry_storages(call, key) != [key]:
            raise ArtifactError(404, f"Could not find a local repository named {key}.")
    copying: bool = order.get("copy", False)
    for item, path in _chosen(call, repo, order):
        members = await _members(call, item)
        for digest, member in members.items():
            await _take(call, member, target, f"{_image(path)}/{digest}", copying=True)
        await _take(call, item, target, path, copying)
        if not copying:
            await _remove_orphans(call, repo, _image(item.path), members)
    return PlainTextResponse("Promotion ended successfully")


def _chosen(call: Call, repo: str, order: dict[str, Any]) -> list[tuple[Item, str]]:
    """The folders of the tags that are wanted, and where they go."""
    image = order["dockerRepository"].strip("/")
    target_image = (order.get("targetDockerRepository") or image).strip("/")
    call.require_read(repo, image)
    if order.get("tag"):
        tags = [order["tag"]]
    else:
        tags = [(found.parent or "").removeprefix(f"{image}/") for found in call.items.list_manifests(repo, image)]
        tags = [tag for tag in tags if "/" not in tag and ":" not in tag]
    chosen = []
    for tag in tags:
        item = call.items.find(repo, f"{image}/{tag}")
        if item is None:
            raise ArtifactError(404, f"Unable to find tag file at '{image}/{tag}/manifest.json'")
        chosen.append((item, f"{target_image}/{order.get('targetTag') or tag}"))
    if not chosen:
        raise ArtifactError(404, f"Unable to find the image '{image}' in the repository '{repo}'")
    return chosen


def _permit(call: Call, item: Item, target: str, path: str, copying: bool) -> None:
    call.require_deploy(target, path)
    overwritten = call.items.find(target, path)
    for repo, where in ((target, path if overwritten else None), (item.repo, None if copying else item.path)):
        if where is not None:
            call.require_delete(repo, where)


async def _take(call: Call, item: Item, target: str, path: str, copying: bool) -> None:
    _permit(call, item, target, path, copying)
    if conflict := call.find_conflict(item, target, path):
        raise ArtifactError(409, conflict)
    _rename(call, await call.relocate(item, target, path, copying))


async def _members(call: Call, tag: Item) -> dict[str, Item]:
    """Return the folders of the images that the list of a tag names, by digest; none of a tag that has no list."""
    found = {}
    for digest in _digests(call, call.items.find(tag.repo, f"{tag.path}/{MANIFEST_LIST_NAME}")):
        for manifest in await find_manifests(call, tag.repo, _image(tag.path), digest):
            folder = call.items.find(tag.repo, manifest.parent or "")
            if folder is not None:
                found[digest] = folder
    return found


def _digests(call: Call, manifests: Item | None) -> list[str]:
    """Return what a list of manifests names; a file of that name may be anything."""
    with contextlib.suppress(ValueError, KeyError, TypeError, OSError):
        content = call.runtime.files.path((manifests and manifests.sha256) or "").read_bytes()
        digests = [member["digest"] for member in parse_json(content)["manifests"]]
        return [digest for digest in digests if DIGEST.fullmatch(digest)]
    return []


async def _remove_orphans(call: Call, repo: str, image: str, members: dict[str, Item]) -> None:
    """Remove the folders of digests that no list of the image names any more."""
    lists = (
        found
        for found in call.items.list_manifests(repo, image)
        if found.name == MANIFEST_LIST_NAME and image_name(found) == image
    )
    named = {digest for found in lists for digest in _digests(call, found)}
    for digest, member in members.items():
        if member.name == digest and digest not in named:
            await call.items.delete(member)


def _image(tag: str) -> str:
    return tag.rpartition("/")[0]


def _rename(call: Call, tag: Item) -> None:
    """What the manifest's properties say of image and tag is what they are called now."""
    for name in (MANIFEST_NAME, MANIFEST_LIST_NAME):
        manifest = call.items.find(tag.repo, f"{tag.path}/{name}")
        if manifest is not None:
            call.items.set_properties(manifest, {"docker.repoName": [_image(tag.path)], "docker.manifest": [tag.name]})


ROUTES = (Route("POST", "/api/docker/{repo}/v2/promote", promote, "promote_image"),)
