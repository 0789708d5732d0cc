# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Promote a tag, or all tags of a container image, to another repository, and verify it by manifest digests."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT, WRITE
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    summarize_plan,
    verify_write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_BATCH = 100
# Folders of an image that are not tags: uploads in progress and single platforms
_INTERNAL_PREFIXES = ("_uploads", *registry.DIGESTS)


def source(params: Fields) -> tuple[str, str, str | None]:
    """Return source repository, image and tag. The tag is `None` for all tags."""
    return params["repo"], params["image"].strip("/"), params["tag"]


def target(params: Fields) -> tuple[str, str, str | None]:
    """Return target repository, image and tag, which must be unique among the items."""
    image = (params["target_image"] or params["image"]).strip("/")
    return params["target_repo"], image, params["target_tag"] or params["tag"]


def check(params: Fields) -> None:
    """Validate the options of one promotion.

    :raises BadOption: if a name is invalid, or if source and target are the same
    """
    for prefix in ("", "target_"):
        for option in ("image", "tag"):
            place = params[f"{prefix}{option}"] or ""
            paths.check_path(
                params[f"{prefix}repo"], place, repo_option=f"{prefix}repo", option=f"{prefix}{option}", is_stored=True
            )
    if source(params) == target(params):
        raise BadOption(
            "target_repo", "has the same image and tag as the source. Specify another repository, image or tag"
        )


class ImagePromotion:
    """The promotion of one image."""

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        check(task.params)
        self._task = task
        self._artifact = artifact
        self._source = source(task.params)[:2]
        self._target = target(task.params)[:2]
        self._steps: list[Fields] = []
        self._replaced: set[str] = set()

    def plan(self) -> Fields | None:
        """Return the tags to promote, each with the digest of its manifest.

        :raises ToolchainError: if there is nothing to promote, or if Artifactory would copy or move more than the tags
        """
        tags = self._tags()
        for tag in tags:
            self._compare(tag)
        if self._steps:
            self._check_folders(tags)
        action = "copy" if self._task.params["copy"] else "move"
        return summarize_plan((action, tag) for tag in self._steps)

    def predict_refusal(self) -> Fields:
        """Predict whether Artifactory accepts the promotion.

        :raises ToolchainError: if it would refuse one of the repositories
        """
        for key in (self._source[0], self._target[0]):
            repository = queries.check_local(self._artifact, key, "Promoting images")
            if repository["type"] and repository["package_type"] not in ("", *registry.PACKAGE_TYPES):
                raise ToolchainError(
                    f"The repository '{key}' has the package type {repository['package_type']} and cannot store images."
                )
        return {}

    def promote(self) -> Fields:
        """Promote the tags. Verify that they exist in the target, and no longer in the source if they were moved."""
        verify_write(self._task, self._send_request, self._verify)
        return {"promoted": [{name: tag[name] for name in ("tag", "target_tag", "digest")} for tag in self._steps]}

    def _tags(self) -> list[str]:
        tag, copy = self._task.params["tag"], self._task.params["copy"]
        if tag:
            return [tag]
        tags = registry.list_existing_tags(self._artifact, *self._source)
        if not tags and (copy or not registry.list_existing_tags(self._artifact, *self._target)):
            self._raise_missing(self._source[1])
        return tags

    def _compare(self, tag: str) -> None:
        target_tag = self._task.params["target_tag"] or tag
        digest = registry.fetch_digest(self._artifact, *self._source, tag)
        existing = registry.fetch_digest(self._artifact, *self._target, target_tag)
        if existing:
            self._replaced.add(target_tag)
        if digest is None:
            if self._task.params["copy"] or existing is None:
                self._raise_missing(f"{self._source[1]}:{tag}")
        elif digest != existing or not self._task.params["copy"]:
            replaces = existing if existing != digest else None
            self._steps.append({"tag": tag, "target_tag": target_tag, "digest": digest, "replaces": replaces})

    def _check_folders(self, tags: list[str]) -> None:
        """Verify that only tags are affected, because Artifactory copies, moves and replaces whole folders.

        :arg tags: all tags to promote
        :raises ToolchainError: if the folder of a tag or of the image contains anything else
        """
        if not self._task.params["tag"]:
            self._check_image(tags)
        for begin in range(0, len(tags), _BATCH):
            batch = tags[begin : begin + _BATCH]
            self._check_content(self._source, batch, batch)
            self._check_content(self._target, [self._task.params["target_tag"] or tag for tag in batch], self._replaced)

    def _check_image(self, tags: list[str]) -> None:
        repo, image = self._source
        names = {entry["name"] for entry in registry.fetch_entries(self._artifact, repo, [image])}
        if not names.issuperset(tags):
            raise self._hidden_folder_error(repo, image)
        if surplus := [name for name in names.difference(tags) if not name.startswith(_INTERNAL_PREFIXES)]:
            raise self._conflict_error(repo, image, min(surplus))

    def _check_content(self, place: tuple[str, str], tags: list[str], existing: t.Collection[str]) -> None:
        repo, image = place
        folders = {f"{image}/{tag}": tag for tag in tags}
        contents = registry.fetch_contents(self._artifact, repo, folders)
        for folder, tag in folders.items():
            if folder in contents and (surplus := contents[folder].surplus):
                raise self._conflict_error(repo, folder, surplus)
            if folder not in contents and tag in existing:
                raise self._hidden_folder_error(repo, folder)

    def _hidden_folder_error(self, repo: str, folder: str) -> ToolchainError:
        return ToolchainError(
            f"The content of '{folder}' in '{repo}' is unknown, so '{self._source[1]}' is not promoted: other "
            "images below the folder would be promoted as well. Check that the account has the Read permission on it."
        )

    def _conflict_error(self, repo: str, folder: str, name: str) -> ToolchainError:
        return ToolchainError(
            f"'{self._source[1]}' cannot be promoted: Artifactory promotes whole folders, and '{folder}/{name}' in "
            f"'{repo}' is not part of the image. Promote the other tags one by one, or move '{folder}/{name}' "
            "elsewhere."
        )

    def _raise_missing(self, name: str) -> t.NoReturn:
        """Raise the error for a missing image, which old versions of the open-source edition report for each image."""
        editions.check(self._artifact, features.IMAGES)
        moved = "" if self._task.params["copy"] else f" and was not moved to '{self._target[0]}' either"
        raise ToolchainError(
            f"Image '{name}' does not exist in repository '{self._source[0]}'{moved}, or the account has no Read "
            "permission on it."
        )

    def _send_request(self) -> None:
        params = self._task.params
        request = {"targetRepo": params["target_repo"], "dockerRepository": self._source[1], "copy": params["copy"]}
        if self._target[1] != self._source[1]:
            request["targetDockerRepository"] = self._target[1]
        if params["tag"]:
            request["tag"] = params["tag"]
        if params["target_tag"]:
            request["targetTag"] = params["target_tag"]
        address = f"{registry.registry_address(self._source[0])}/promote"
        self._artifact.http.write("POST", address, json=request, policy=IDEMPOTENT if params["copy"] else WRITE)

    def _verify(self) -> None:
        for tag in self._steps:
            current = registry.fetch_digest(self._artifact, *self._target, tag["target_tag"])
            if current != tag["digest"]:
                has = f"the manifest {current}" if current else "no manifest"
                raise ToolchainError(
                    f"The server accepted the promotion, but '{self._target[1]}:{tag['target_tag']}' in "
                    f"'{self._target[0]}' has {has} instead of {tag['digest']}."
                )
            if not self._task.params["copy"] and registry.fetch_digest(self._artifact, *self._source, tag["tag"]):
                raise ToolchainError(
                    f"The server accepted the move, but '{self._source[1]}:{tag['tag']}' still exists in "
                    f"'{self._source[0]}'. Check that the account has the Delete permission on it."
                )
