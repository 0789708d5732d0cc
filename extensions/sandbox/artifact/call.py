# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A request and what its handler needs: caller, state, permission checks and responses."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from ..http.streaming import stream_query
from .access.accounts import ANONYMOUS, CHALLENGE, Principal
from .content.content_path import ContentPath, parse_target
from .items.tree import TRASH_REPO, Item
from .maven import poms
from .maven.snapshots import POM
from .protocol import feature_versions, permission_messages
from .protocol.errors import ArtifactError, PlainError
from .protocol.formats import (
    MEDIA_TYPE_VERSIONS,
    UNKNOWN_MEDIA_TYPE,
    format_json,
    get_extension,
    guess_media_type,
    iterate_json,
)
from .protocol.negotiation import (
    CHECKED_ITEM_TYPES,
    ITEM_TYPES,
    JSON,
    join_accept,
    negotiate,
    parse_accept,
    vendor_media_type,
)
from .protocol.versions import Versions
from .repositories.repositories import BLACKOUT, PATTERNS, POLICY, Repository
from .state import State
from .system import licenses

BASE_URL_HEADERS = ("x-jfrog-override-base-url", "x-artifactory-override-base-url")
# Path of a content request. `Call.parse_target` parses the target.
NON_API_PREFIX = "/{:(?!(?:api|ui)(?:/|$))}"
CONTENT_PATH = f"{NON_API_PREFIX}{{target:[^/].*}}"
# Scope of calls that do not exist in the OSS edition.
PRO_SCOPE = "paid"
DISK_FULL_MESSAGE = (
    "Datastore disk usage is too high. Contact your Artifactory administrator to add additional storage space or"
    " change the disk quota limits."
)
REJECTION_MESSAGE = "The repository '{repo}' rejected the artifact '{repo}:{path}' due to its {reason}."
POLICY_MESSAGE = (
    "The repository '{repo}' rejected the resolution of an artifact '{repo}:{path}' due to conflict in the snapshot"
    " release handling policy."
)
PRO_ONLY_MESSAGE = (
    "This REST API is available only in Artifactory Pro (see: jfrog.com/artifactory/features). If you are already"
    " running Artifactory Pro please make sure your server is activated with a valid license key."
)
OLD_PRO_ONLY_MESSAGE = PRO_ONLY_MESSAGE.replace("jfrog.com/artifactory/features", "http://www.jfrog.com/addons.php")
# The wording for Enterprise is not known. That for Pro is.
ENTERPRISE_ONLY_MESSAGE = PRO_ONLY_MESSAGE.replace("Artifactory Pro", "Artifactory Enterprise")


class Call:
    """A request to Artifactory, with the state of the service. The caller is anonymous until `principal` is set."""

    def __init__(self, request: Request, state: State, query: Mapping[str, str]) -> None:
        """Create a call; `query` contains the decoded query parameters."""
        self.request = request
        self.query = query
        self.principal = Principal(ANONYMOUS)
        self.state = state
        self.runtime = state.runtime
        self.items = state.items
        self.builds = state.builds
        self.descriptor = state.descriptor
        self.configuration = state.configuration
        self.projects = state.projects
        self.sso = state.sso
        self.release_bundles = state.release_bundles
        self.repositories = state.repositories
        self.tokens = state.tokens
        self.accounts = state.accounts
        self.maven = state.maven
        self.uploads = state.uploads

    @cached_property
    def base(self) -> str:
        """The base URL of Artifactory as the client knows it."""
        override = next(filter(None, map(self.request.headers.get, BASE_URL_HEADERS)), None)
        if override:
            return override.rstrip("/")
        custom = self.configuration.url_base
        if custom and not self.supports(feature_versions.CONFIGURATION_SCHEMA_3):
            return custom.rstrip("/")
        platform = custom or f"{self.request.url.scheme}://{self.request.url.netloc}"
        return f"{platform.rstrip('/').removesuffix('/artifactory')}/artifactory"

    def mark_as_read(self, label: str) -> None:
        """Record in the journal, under `label`, that this request only reads although its route writes."""
        self.request.scope["sandbox.enter"](label, "read")

    def get_switch(self, name: str) -> Any:
        """Return a switch of this service."""
        return self.state.get_switch(name)

    def supports(self, behavior: str | Versions) -> bool:
        """Return whether the emulated version has a behavior of `feature_versions`."""
        return self.state.supports(behavior)

    def guess_media_type(self, name: str) -> str:
        """Return the media type of a file by its extension, as the version knows it."""
        since = MEDIA_TYPE_VERSIONS.get(get_extension(name))
        return guess_media_type(name) if since is None or self.supports(since) else UNKNOWN_MEDIA_TYPE

    def parse_target(self, target: str) -> ContentPath:
        """Parse the encoded target of a content request."""
        return parse_target(target, self.supports(feature_versions.DOT_SEGMENTS))

    async def discard_body(self) -> None:
        """Read and ignore the body of the request."""
        async for _chunk in self.request.stream():
            pass

    def require_permission(self, action: str, repo: str, path: str, message: str) -> None:
        """Fail with `message` unless the caller has a permission."""
        if self.principal.may(action, repo, path):
            return
        if self.get_switch("hide_unauthorized") and not self.principal.may("r", repo, path):
            raise ArtifactError(404, "Resource not found")
        if self.principal.anonymous:
            raise ArtifactError(401, headers=CHALLENGE)
        raise ArtifactError(403, message)

    def require_read(self, repo: str, path: str, purpose: str = "read") -> None:
        """Fail unless the caller has the Read permission; `purpose` selects the message, `read` or `download`."""
        self._require_for(purpose, "r", repo, path)

    def require_deploy(self, repo: str, path: str) -> None:
        """Fail unless the caller has the Deploy permission."""
        self._require_for("deploy", "w", repo, path)

    def require_delete(self, repo: str, path: str) -> None:
        """Fail unless the caller has the Delete permission."""
        self._require_for("delete", "d", repo, path)

    def permission_message(self, purpose: str, repo: str, path: str = "") -> str:
        """Return the message for a missing permission; `purpose` is a key of `permission_messages.MESSAGES`."""
        messages = (
            permission_messages.MESSAGES
            if self.supports(feature_versions.NEW_PERMISSION_MESSAGES)
            else permission_messages.OLD_MESSAGES
        )
        return messages[purpose].format(repo=repo, path=path, user=self.principal.name)

    def _require_for(self, purpose: str, action: str, repo: str, path: str) -> None:
        if not self.principal.may(action, repo, path):
            self.require_permission(action, repo, path, self.permission_message(purpose, repo, path))

    def require_overwrite(self, repo: str, path: str, sha1: str) -> None:
        """Fail if the path has a file with other content that the caller may not overwrite."""
        existing = self.items.find(repo, path)
        if existing is not None and not existing.folder and existing.sha1 != sha1:
            self.require_delete(repo, path)

    def find_items(self, key: str, path: str, purpose: str = "read") -> list[Item]:
        """Return the items at a path: one for each storage of the repository that has it.

        Storages that the caller may not read are skipped. If no storage is readable, the call fails.
        """
        storages = self.repositories.list_storages(key)
        readable = self._readable_storages(storages, path)
        if storages and not readable:
            self.require_read(storages[0], path, purpose)
        return self._find_in(readable, path)

    def find_readable_items(self, key: str, path: str) -> list[Item]:
        """Return the items at a path that the caller may read, or an empty list."""
        return self._find_in(self._readable_storages(self.repositories.list_storages(key), path), path)

    def _readable_storages(self, storages: list[str], path: str) -> list[str]:
        return [storage for storage in storages if self.principal.may("r", storage, path)]

    def _find_in(self, storages: list[str], path: str) -> list[Item]:
        return [item for storage in storages if (item := self.items.find(storage, path)) is not None]

    async def delete_item(self, item: Item) -> None:
        """Delete an item. It is moved to the trash can if that is enabled for its repository."""
        if self.repositories.find(item.repo) and self.get_switch("trashcan"):
            await self.items.move_to_trash(item, self.principal.name)
        else:
            await self.items.delete(item)
        await self.maven.update_after_removal(item.repo, item.path, self.principal.name)

    async def relocate(self, item: Item, repo: str, path: str, is_copy: bool) -> Item:
        """Copy or move an item and update the Maven metadata. Return the new item."""
        user = self.principal.name
        operation = self.items.copy if is_copy else self.items.move
        relocated = await operation(item, repo, path, user)
        await self.maven.update_after_relocation(relocated, user)
        if not is_copy:
            await self.maven.update_after_removal(item.repo, item.path, user)
        return relocated

    def check_path(self, repository: Repository, path: str, is_download: bool = False, is_folder: bool = False) -> None:
        """Fail if the settings of a repository forbid to upload or download a path."""
        reason = repository.find_rejection(path, is_folder)
        if reason == BLACKOUT:
            raise repository.blackout_error(path)
        if reason:
            has_new_message = reason == POLICY and self.supports(feature_versions.POLICY_REJECTS_RESOLUTION)
            message = POLICY_MESSAGE if has_new_message else REJECTION_MESSAGE
            raise ArtifactError(
                404 if is_download and reason == PATTERNS else 409,
                message.format(repo=repository.key, path=path, reason=reason),
            )

    def find_conflict(self, item: Item, repo: str, path: str) -> str | None:
        """Return why an item cannot be stored at a path: an existing item or a repository setting."""
        obstacle = self.items.find_obstacle(repo, path, bool(item.folder))
        if obstacle is not None:
            return f"A folder and a file are in each other's way at '{repo}:{obstacle}'."
        repository = self.repositories.find(repo)
        return None if item.folder or repository is None else self._find_setting_conflict(item, repository, path)

    def _find_setting_conflict(self, item: Item, repository: Repository, path: str) -> str | None:
        """Return the repository setting that forbids to copy or move a file to a path."""
        reason = repository.find_rejection(path)
        if reason == POLICY:
            message = f"The repository '{repository.key}' rejected the path '{path}'"
            return f"{message} due to a conflict with its {POLICY}."
        if reason == PATTERNS:
            message = f"The repository '{repository.key}' rejected the resolution of artifact in path '{path}'"
            return f"{message} due to a conflict with its include/exclude patterns."
        content = self.runtime.files.path(item.sha256 or "")
        if (
            repository.checks_poms
            and path.endswith(POM)
            and content.is_file()
            and poms.find_inconsistency(path, content)
        ):
            return f"Failed to validate target path of pom: {path}"
        return None

    def require_login(self) -> None:
        """Fail if the caller is anonymous."""
        if self.principal.anonymous:
            raise ArtifactError(401, "This resource is available to authenticated users only.", CHALLENGE)

    def require_admin(self, message: str | None = None) -> None:
        """Fail unless the caller is an administrator."""
        self.require_login()
        if not self.principal.admin:
            raise ArtifactError(403, message)

    def require_pro(self) -> None:
        """Fail if the edition is OSS, or if the server has no license."""
        if self.is_oss or not licenses.is_licensed(self.state):
            raise self.pro_only_error

    @property
    def pro_only_error(self) -> ArtifactError:
        """The error of calls that require Pro."""
        has_new_message = self.supports(feature_versions.NEW_PRO_MESSAGE)
        return ArtifactError(400, PRO_ONLY_MESSAGE if has_new_message else OLD_PRO_ONLY_MESSAGE)

    def require_enterprise(self, version: str | None = None) -> None:
        """Fail unless the edition is Enterprise and, if given, the version is at least `version`."""
        self.require_pro()
        if self.get_switch("edition") != "enterprise" or not (version is None or self.supports(version)):
            raise ArtifactError(400, ENTERPRISE_ONLY_MESSAGE)

    def begin_descriptor_write(self) -> None:
        """Begin a change of the central descriptor. Call this after all checks, right before the state changes.

        Repositories, replications, layouts, proxies, property sets and the configuration itself are changed with it.
        It increases the revision. While the switch `merge_refusals` is positive, it decreases the switch and fails like
        a server that could not merge concurrent changes.
        """
        self.descriptor.begin_write()

    def require_disk_space(self) -> None:
        """Fail if the disk is full."""
        if self.get_switch("disk_full"):
            raise ArtifactError(413, DISK_FULL_MESSAGE)

    def require_existing_repository(self, key: str) -> None:
        """Fail if a write refers to an unknown repository and the version checks this first."""
        if self.request.method in ("GET", "HEAD") or self.supports(feature_versions.UNKNOWN_REPOSITORY_MESSAGES):
            return
        is_trash = key == TRASH_REPO and self.request.method == "PUT"
        if is_trash or (self.repositories.find(key) is None and not self.repositories.list_storages(key)):
            raise ArtifactError(403, "")

    @property
    def info_headers(self) -> dict[str, str]:
        """The headers of folder information and of the list of repositories."""
        return {"Cache-Control": "no-store"} if self.supports(feature_versions.UNCACHEABLE_INFO) else {}

    @property
    def is_oss(self) -> bool:
        """Whether the edition is OSS."""
        return bool(self.get_switch("edition") == "oss")

    @property
    def supports_sha256(self) -> bool:
        """Whether the version calculates SHA-256 checksums."""
        return self.supports(feature_versions.SHA256)

    def vendor_json(self, kind: str, value: Mapping[str, Any] | list[Any], **headers: str) -> Response:
        """Return a response in a JFrog JSON media type that the client accepts."""
        return self.vendor_json_text(kind, format_json(value), **headers)

    def vendor_json_text(self, kind: str, text: str, **headers: str) -> Response:
        """Return a response like `vendor_json` whose text is JSON already."""
        return Response(text.encode(), 200, {**self._content_type_header(kind), **headers})

    async def stream_vendor_json(
        self, kind: str, query: Callable[[sqlite3.Connection], Mapping[str, Any]], **headers: str
    ) -> Response:
        """Return a streamed response in a JFrog JSON media type; members of the object may be iterators."""
        return await self.stream_text(lambda db: iterate_json(query(db)), **self._content_type_header(kind), **headers)

    async def stream_text(self, query: Callable[[sqlite3.Connection], Iterator[str]], **headers: str) -> Response:
        """Return a response whose text is produced in a thread, unless it is short."""
        return await stream_query(self.runtime.readers, query, headers)

    def _content_type_header(self, kind: str) -> dict[str, str]:
        header, produced = join_accept(self.request), vendor_media_type(kind)
        resource, _dot, name = kind.partition(".")
        if resource == "storage":
            if name in CHECKED_ITEM_TYPES:
                self._require_acceptable(header, produced)
            return {"Content-Type": produced}
        media_type = negotiate(header, (produced, JSON))
        if media_type is None:
            raise ArtifactError(406)
        return {"Content-Type": media_type}

    def _require_acceptable(self, header: str, produced: str) -> None:
        """Fail if the client accepts neither the produced media type nor plain JSON."""
        accepted_types = parse_accept(header)
        if not accepted_types or any(
            accepted.accepts(produced) or accepted.text == JSON for accepted in accepted_types
        ):
            return
        listing = ", ".join(accepted.text for accepted in accepted_types)
        raise self.item_error(406, f"Resource produces {produced} but client only accepts [{listing}]")

    def item_error(self, status: int, message: str) -> ArtifactError:
        """Return an error of an item resource. If JSON is accepted, its body is the bare message."""
        is_json = negotiate(join_accept(self.request), ITEM_TYPES) == JSON
        return (PlainError if is_json else ArtifactError)(status, message)


def decode_path(path: str) -> str:
    """Return the decoded path of a request target without empty segments."""
    return "/".join(filter(None, unquote(path).split("/"))).rstrip()
