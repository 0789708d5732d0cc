# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Container images promoted: one tag or all of an image, to another repository, compared by the manifests' digests."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import images, paths, repositories
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT, WRITE
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    summarize_plan,
    verify_write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_FOLDERS_AT_ONCE = 100
# With the folder of uploads in progress
_PARTS_OF_IMAGES = ("_uploads", *images.DIGESTS)


def source(params: Fields) -> tuple[str, str, str | None]:
    """Repository and image that it is promoted from, and the tag, `None` for all of them."""
    return params["repo"], params["image"].strip("/"), params["tag"]


def target(params: Fields) -> tuple[str, str, str | None]:
    """What it becomes, in the same form. No two of many promotions may have it in common."""
    image = (params["target_image"] or params["image"]).strip("/")
    return params["target_repo"], image, params["target_tag"] or params["tag"]


def check(params: Fields) -> None:
    """
    :raises BadOption: when it would go to where it is, or cannot have one of these names
    """
    for prefix in ("", "target_"):
        for option in ("image", "tag"):
            place = params[f"{prefix}{option}"] or ""
            paths.check(
                params[f"{prefix}repo"], place, repo_option=f"{prefix}repo", option=f"{prefix}{option}", stores=True
            )
    if source(params) == target(params):
        raise BadOption("target_repo", "has the image already: name another repository, image or tag")


class ImagePromotion:
    """The promotion of an image, as the options of a task say."""

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        check(task.params)
        self._task = task
        self._artifact = artifact
        self._source = source(task.params)[:2]
        self._target = target(task.params)[:2]
        self._steps: list[Fields] = []
        self._replaced: set[str] = set()

    def plan(self) -> Fields | None:
        """The tags that are not yet as they shall be, each with the digest of its manifest.

        :raises ToolchainError: when there is nothing to promote, or when the server would take along more than the tags
        """
        tags = self._tags()
        for tag in tags:
            self._compare(tag)
        if self._steps:
            self._check_folders(tags)
        action = "copy" if self._task.params["copy"] else "move"
        return summarize_plan((action, tag) for tag in self._steps)

    def rehearse(self) -> Fields:
        """
        :raises ToolchainError: when the server would refuse the promotion because of a repository
        """
        for key in (self._source[0], self._target[0]):
            repository = repositories.check_local(self._artifact, key, "Images are promoted")
            if repository["type"] and repository["package_type"] not in ("", *images.PACKAGE_TYPES):
                raise ToolchainError(f"The repository '{key}' is {repository['package_type']}. It has no images.")
        return {}

    def carry_out(self) -> Fields:
        """Promote, and see that each tag is there, and gone from where it was if it was moved."""
        verify_write(self._task, self._send, self._check)
        return {"promoted": [{name: tag[name] for name in ("tag", "target_tag", "digest")} for tag in self._steps]}

    def _tags(self) -> list[str]:
        tag, copy = self._task.params["tag"], self._task.params["copy"]
        if tag:
            return [tag]
        found = images.tags_if_any(self._artifact, *self._source)
        if not found and (copy or not images.tags_if_any(self._artifact, *self._target)):
            raise self._nothing(self._source[1])
        return found

    def _compare(self, tag: str) -> None:
        target_tag = self._task.params["target_tag"] or tag
        digest = images.digest(self._artifact, *self._source, tag)
        there = images.digest(self._artifact, *self._target, target_tag)
        if there:
            self._replaced.add(target_tag)
        if digest is None:
            if self._task.params["copy"] or there is None:
                raise self._nothing(f"{self._source[1]}:{tag}")
        elif digest != there or not self._task.params["copy"]:
            replaces = there if there != digest else None
            self._steps.append({"tag": tag, "target_tag": target_tag, "digest": digest, "replaces": replaces})

    def _check_folders(self, tags: list[str]) -> None:
        """Check that the server acts on tags alone, because it copies, moves and replaces whole folders.

        :arg tags: all tags that the order covers
        :raises ToolchainError: when the folder of a tag or of the image contains something else
        """
        if not self._task.params["tag"]:
            self._check_image(tags)
        for begin in range(0, len(tags), _FOLDERS_AT_ONCE):
            some = tags[begin : begin + _FOLDERS_AT_ONCE]
            self._check_content(self._source, some, some)
            self._check_content(self._target, [self._task.params["target_tag"] or tag for tag in some], self._replaced)

    def _check_image(self, tags: list[str]) -> None:
        repo, image = self._source
        found = {entry["name"] for entry in images.entries(self._artifact, repo, [image])}
        if not found.issuperset(tags):
            raise self._hidden(repo, image)
        if surplus := [name for name in found.difference(tags) if not name.startswith(_PARTS_OF_IMAGES)]:
            raise self._in_the_way(repo, image, min(surplus))

    def _check_content(self, place: tuple[str, str], tags: list[str], existing: t.Collection[str]) -> None:
        repo, image = place
        folders = {f"{image}/{tag}": tag for tag in tags}
        found = images.contents(self._artifact, repo, folders)
        for folder, tag in folders.items():
            if folder in found and (surplus := found[folder].surplus):
                raise self._in_the_way(repo, folder, surplus)
            if folder not in found and tag in existing:
                raise self._hidden(repo, folder)

    def _hidden(self, repo: str, folder: str) -> ToolchainError:
        return ToolchainError(
            f"The content of '{folder}' in '{repo}' is not listed, so '{self._source[1]}' is not promoted: images "
            "below the folder would go as well. The account may lack the permission Read."
        )

    def _in_the_way(self, repo: str, folder: str, name: str) -> ToolchainError:
        return ToolchainError(
            f"'{self._source[1]}' cannot be promoted: Artifactory acts on whole folders, and '{folder}/{name}' in "
            f"'{repo}' is not part of the image. Promote other tags one by one, or move '{folder}/{name}' elsewhere."
        )

    def _nothing(self, what: str) -> ToolchainError:
        moved = "" if self._task.params["copy"] else f", and neither is what it would become in '{self._target[0]}'"
        return ToolchainError(
            f"There is no image '{what}' in the repository '{self._source[0]}'{moved}, or this account may not see it."
        )

    def _send(self) -> None:
        params = self._task.params
        order = {"targetRepo": params["target_repo"], "dockerRepository": self._source[1], "copy": params["copy"]}
        if self._target[1] != self._source[1]:
            order["targetDockerRepository"] = self._target[1]
        if params["tag"]:
            order["tag"] = params["tag"]
        if params["target_tag"]:
            order["targetTag"] = params["target_tag"]
        address = f"{images.address(self._source[0])}/promote"
        self._artifact.http.write("POST", address, json=order, policy=IDEMPOTENT if params["copy"] else WRITE)

    def _check(self) -> None:
        for tag in self._steps:
            there = images.digest(self._artifact, *self._target, tag["target_tag"])
            if there != tag["digest"]:
                has = f"the manifest {there}" if there else "nothing"
                raise ToolchainError(
                    f"The server accepted the promotion, but '{self._target[1]}:{tag['target_tag']}' in "
                    f"'{self._target[0]}' has {has} instead of {tag['digest']}."
                )
            if not self._task.params["copy"] and images.digest(self._artifact, *self._source, tag["tag"]):
                raise ToolchainError(
                    f"The server accepted the move, but '{self._source[1]}:{tag['tag']}' is still in "
                    f"'{self._source[0]}'. The account may lack the permission Delete."
                )
