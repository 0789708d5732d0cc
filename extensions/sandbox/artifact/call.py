# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request, as the handlers see it."""

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
from .items.tree import Item
from .maven import poms
from .maven.snapshots import POM
from .protocol import feature_versions, permission_messages
from .protocol.errors import ArtifactError, PlainError
from .protocol.formats import format_json, iterate_json
from .protocol.negotiation import (
    CHECKED,
    JSON,
    OF_ITEMS,
    join_accept,
    negotiate,
    parse_accept,
    vendor_media_type,
)
from .protocol.versions import is_at_least
from .repositories.repositories import PATTERNS, POLICY, Repository
from .state import State

BASE_URL_HEADERS = ("x-jfrog-override-base-url", "x-artifactory-override-base-url")
# The path of a request for content: `content_path.parse` reads the target
NON_API_PREFIX = "/{:(?!(?:api|ui)(?:/|$))}"
CONTENT_PATH = f"{NON_API_PREFIX}{{target:[^/].*}}"
# The scope of calls that the open-source edition does not have
PRO_SCOPE = "paid"
DISK_FULL_MESSAGE = (
    "Datastore disk usage is too high. Contact your Artifactory administrator to add additional storage space or"
    " change the disk quota limits."
)
PRO_ONLY_MESSAGE = (
    "This REST API is available only in Artifactory Pro (see: jfrog.com/artifactory/features). If you are already"
    " running Artifactory Pro please make sure your server is activated with a valid license key."
)


class Call:
    """A request with everything that a handler asks for; nobody in particular calls until it is known who does."""

    def __init__(self, request: Request, state: State, query: Mapping[str, str]) -> None:
        self.request = request
        self.query = query
        self.principal = Principal(ANONYMOUS)
        self.runtime = state.runtime
        self.items = state.items
        self.builds = state.builds
        self.repositories = state.repositories
        self.tokens = state.tokens
        self.accounts = state.accounts
        self.maven = state.maven
        self.uploads = state.uploads

    @cached_property
    def base(self) -> str:
        """The address under which the caller knows the repository service."""
        override = next(filter(None, map(self.request.headers.get, BASE_URL_HEADERS)), None)
        asked = f"{self.request.url.scheme}://{self.request.url.netloc}/artifactory"
        return override.rstrip("/") if override else asked

    def mark_as_read(self, label: str) -> None:
        """Tell the journal that this request, unlike others of its call, changes nothing, and by which name."""
        self.request.scope["sandbox.enter"](label, "read")

    def get_switch(self, name: str) -> Any:
        """A switch of this service."""
        return self.runtime.get_switch("artifact", name)

    def supports(self, version: str) -> bool:
        """Return whether the server is of this version or a later one."""
        return is_at_least(self.get_switch("version"), version)

    async def discard_body(self) -> None:
        """Read the body of a request that is accepted, and that the service has no use for."""
        async for _chunk in self.request.stream():
            pass

    def require_permission(self, action: str, repo: str, path: str, refusal: str) -> None:
        """Refuse the call if the caller may not do this."""
        if self.principal.may(action, repo, path):
            return
        if self.get_switch("hide_unauthorized") and not self.principal.may("r", repo, path):
            raise ArtifactError(404, "Resource not found")
        if self.principal.anonymous:
            raise ArtifactError(401, headers=CHALLENGE)
        raise ArtifactError(403, refusal)

    def require_read(self, repo: str, path: str, purpose: str = "read") -> None:
        """Refuse the call if the caller may not read this; `purpose` is `read` or `download`."""
        self._permit_for(purpose, "r", repo, path)

    def require_deploy(self, repo: str, path: str) -> None:
        """Refuse the call if the caller may not deploy this."""
        self._permit_for("deploy", "w", repo, path)

    def require_delete(self, repo: str, path: str) -> None:
        """Refuse the call if the caller may not delete or overwrite this."""
        self._permit_for("delete", "d", repo, path)

    def permission_message(self, purpose: str, repo: str, path: str = "") -> str:
        """Return the words in which the caller is refused a purpose, one of `refusals.WORDS`."""
        words = (
            permission_messages.MESSAGES
            if self.supports(feature_versions.NEW_PERMISSION_MESSAGES)
            else permission_messages.OLD_MESSAGES
        )
        return words[purpose].format(repo=repo, path=path, user=self.principal.name)

    def _permit_for(self, purpose: str, action: str, repo: str, path: str) -> None:
        if not self.principal.may(action, repo, path):
            self.require_permission(action, repo, path, self.permission_message(purpose, repo, path))

    def require_overwrite(self, repo: str, path: str, sha1: str) -> None:
        """Refuse the call if a file has another content and the caller may not overwrite it."""
        before = self.items.find(repo, path)
        if before is not None and not before.folder and before.sha1 != sha1:
            self.require_delete(repo, path)

    def find_items(self, key: str, path: str, purpose: str = "read") -> list[Item]:
        """What a repository shows at a path: in a virtual one, what each of its members has there.

        What the caller may not read is passed over, and refused if there is nothing else.
        """
        storages = self.repositories.list_storages(key)
        readable = self._readable(storages, path)
        if storages and not readable:
            self.require_read(storages[0], path, purpose)
        return self._stored(readable, path)

    def find_readable_items(self, key: str, path: str) -> list[Item]:
        """Return the same without a refusal: an empty list if the caller may not read the path."""
        return self._stored(self._readable(self.repositories.list_storages(key), path), path)

    def _readable(self, storages: list[str], path: str) -> list[str]:
        return [storage for storage in storages if self.principal.may("r", storage, path)]

    def _stored(self, storages: list[str], path: str) -> list[Item]:
        return [item for storage in storages if (item := self.items.find(storage, path)) is not None]

    async def delete_item(self, item: Item) -> None:
        """Delete an item: into the trash can, where there is one for it."""
        if self.repositories.find(item.repo) and self.get_switch("trashcan"):
            await self.items.move_to_trash(item, self.principal.name)
        else:
            await self.items.delete(item)
        await self.maven.update_after_removal(item.repo, item.path, self.principal.name)

    async def relocate(self, item: Item, repo: str, path: str, copying: bool) -> Item:
        """Copy or move an item to another place."""
        user = self.principal.name
        act = self.items.copy if copying else self.items.move
        taken = await act(item, repo, path, user)
        await self.maven.update_after_relocation(taken, user)
        if not copying:
            await self.maven.update_after_removal(item.repo, item.path, user)
        return taken

    def find_conflict(self, item: Item, repo: str, path: str) -> str | None:
        """Return why an item cannot be stored at another place: an existing item, or the settings for files."""
        find_obstacle = self.items.find_obstacle(repo, path, bool(item.folder))
        if find_obstacle is not None:
            return f"A folder and a file are in each other's way at '{repo}:{find_obstacle}'."
        repository = self.repositories.find(repo)
        return None if item.folder or repository is None else self._misfit(item, repository, path)

    def _misfit(self, item: Item, repository: Repository, path: str) -> str | None:
        """Return why the settings of a repository forbid to copy or move a file to a path."""
        reason = repository.find_rejection(path)
        if reason == POLICY:
            rejected = f"The repository '{repository.key}' rejected the path '{path}'"
            return f"{rejected} due to a conflict with its {POLICY}."
        if reason == PATTERNS:
            rejected = f"The repository '{repository.key}' rejected the resolution of artifact in path '{path}'"
            return f"{rejected} due to a conflict with its include/exclude patterns."
        content = self.runtime.files.path(item.sha256 or "")
        if repository.checks_poms and path.endswith(POM) and content.is_file() and poms.inconsistency(path, content):
            return f"Failed to validate target path of pom: {path}"
        return None

    def require_login(self) -> None:
        """Refuse anonymous callers."""
        if self.principal.anonymous:
            raise ArtifactError(401, "This resource is available to authenticated users only.", CHALLENGE)

    def require_admin(self, refusal: str | None = None) -> None:
        """Refuse all but administrators."""
        self.require_login()
        if not self.principal.admin:
            raise ArtifactError(403, refusal)

    def require_pro(self) -> None:
        """Refuse what only the paid editions do."""
        if self.is_oss:
            raise ArtifactError(400, PRO_ONLY_MESSAGE)

    def require_disk_space(self) -> None:
        """Refuse uploads when the disk is full."""
        if self.get_switch("disk_full"):
            raise ArtifactError(413, DISK_FULL_MESSAGE)

    def require_known_repository(self, key: str) -> None:
        """Refuse to change the content of repositories that do not exist, where the version does so at once."""
        if self.request.method in ("GET", "HEAD") or self.supports(feature_versions.UNKNOWN_REPOSITORY_MESSAGES):
            return
        if self.repositories.find(key) is None and not self.repositories.list_storages(key):
            raise ArtifactError(403, "")

    @property
    def info_headers(self) -> dict[str, str]:
        """The headers of infos of folders and of the list of repositories."""
        return {"Cache-Control": "no-store"} if self.supports(feature_versions.UNCACHEABLE_INFO) else {}

    @property
    def is_oss(self) -> bool:
        """Whether this is the open-source edition."""
        return bool(self.get_switch("edition") == "oss")

    @property
    def supports_sha256(self) -> bool:
        """Whether the server calculates and compares SHA-256."""
        return self.supports(feature_versions.SHA256)

    def vendor_json(self, kind: str, value: Mapping[str, Any] | list[Any], **headers: str) -> Response:
        """An answer in one of the vendor's JSON types; it fits the Accept header or is refused."""
        return Response(format_json(value).encode(), 200, {**self._type(kind), **headers})

    async def stream_vendor_json(
        self, kind: str, question: Callable[[sqlite3.Connection], Mapping[str, Any]], **headers: str
    ) -> Response:
        """The same for an object that can be long: its lists are iterators, which are gone through beside all else."""
        return await self.stream_text(lambda db: iterate_json(question(db)), **self._type(kind), **headers)

    async def stream_text(self, question: Callable[[sqlite3.Connection], Iterator[str]], **headers: str) -> Response:
        """An answer that is sent while it is made in a thread, unless it is short."""
        return await stream_query(self.runtime.readers, question, headers)

    def _type(self, kind: str) -> dict[str, str]:
        header, produced = join_accept(self.request), vendor_media_type(kind)
        resource, _dot, name = kind.partition(".")
        if resource == "storage":
            if name in CHECKED:
                self._check_accepted(header, produced)
            return {"Content-Type": produced}
        found = negotiate(header, (produced, JSON))
        if found is None:
            raise ArtifactError(406)
        return {"Content-Type": found}

    def _check_accepted(self, header: str, produced: str) -> None:
        """Refuse a client that takes neither what an item's resource produces now nor JSON without parameters."""
        wanted = parse_accept(header)
        if not wanted or any(one.takes(produced) or one.shown == JSON for one in wanted):
            return
        shown = ", ".join(one.shown for one in wanted)
        raise self.item_error(406, f"Resource produces {produced} but client only accepts [{shown}]")

    def item_error(self, status: int, message: str) -> ArtifactError:
        """Return an error with which the resource of items sets a body: the server adds no envelope to JSON."""
        is_json = negotiate(join_accept(self.request), OF_ITEMS) == JSON
        return (PlainError if is_json else ArtifactError)(status, message)


def decode_path(path: str) -> str:
    """The path that a request target means: decoded, without empty segments."""
    return "/".join(filter(None, unquote(path).split("/"))).rstrip()
