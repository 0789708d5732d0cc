# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images promoted: their tags copied or moved to another repository."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from ..routing import Route
from . import builds
from .call import Call
from .coercion import boolean
from .errors import ArtifactError
from .images import storages_of
from .tree import Item


async def promote(call: Call, repo: str) -> Response:
    """POST /api/docker/{repo}/v2/promote"""
    call.need_pro()
    order = await builds.posted_order(call, copy=boolean)
    target, image = order.get("targetRepo"), order.get("dockerRepository")
    if not target or not image:
        raise ArtifactError(400, "The fields 'targetRepo' and 'dockerRepository' are required.")
    for key in (repo, target):
        if storages_of(call, key) != [key]:
            raise ArtifactError(404, f"Could not find a local repository named {key}.")
    copying: bool = order.get("copy", False)
    for item, path in _chosen(call, repo, order):
        _permit(call, item, target, path, copying)
        if conflict := call.conflict(item, target, path):
            raise ArtifactError(409, conflict)
        taken = await call.take(item, target, path, copying)
        _rename(call, taken)
    return PlainTextResponse("Promotion ended successfully")


def _chosen(call: Call, repo: str, order: dict[str, Any]) -> list[tuple[Item, str]]:
    """The folders of the tags that are wanted, and where they go."""
    image = order["dockerRepository"].strip("/")
    target_image = (order.get("targetDockerRepository") or image).strip("/")
    call.permit_reading(repo, image)
    if order.get("tag"):
        tags = [order["tag"]]
    else:
        tags = [(found.parent or "").removeprefix(f"{image}/") for found in call.items.manifests(repo, image)]
        tags = [tag for tag in tags if "/" not in tag]
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
    user = call.principal.name
    call.permit("w", target, path, f"The user: '{user}' is not permitted to deploy '{path}' into '{target}:{path}'.")
    overwritten = call.items.find(target, path)
    for repo, where in ((target, path if overwritten else None), (item.repo, None if copying else item.path)):
        if where is not None:
            needed = f"(user: '{user}' needs DELETE permission)."
            call.permit(
                "d", repo, where, f"Not enough permissions to delete/overwrite artifact '{repo}:{where}' {needed}"
            )


def _rename(call: Call, tag: Item) -> None:
    """What the manifest's properties say of image and tag is what they are called now."""
    manifest = call.items.find(tag.repo, f"{tag.path}/manifest.json")
    if manifest is not None:
        image, _slash, name = tag.path.rpartition("/")
        call.items.set_properties(manifest, {"docker.repoName": [image], "docker.manifest": [name]})


ROUTES = (Route("POST", "/api/docker/{repo}/v2/promote", promote, "promote_image"),)
