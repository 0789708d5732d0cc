# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes of images that have begun: blobs that are arriving, and blobs that wait for a manifest."""

from __future__ import annotations

import asyncio
import pathlib
import uuid
from collections.abc import AsyncIterable
from dataclasses import dataclass, field

from ...runtime.file_store import StoredFile
from ...runtime.runtime import Runtime
from ..items.storage import ClientChecksums, Items
from ..items.tree import Item, Tree
from ..repositories.repositories import Repositories

UPLOADS = "_uploads"
# How long a push may stand still before the server removes what has arrived
LIFETIME = 24 * 3600
BETWEEN_SWEEPS = 3600


@dataclass
class Upload:
    """A blob that is arriving, in a file of its own."""

    repo: str
    image: str
    file: pathlib.Path
    touched: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    size: int = 0
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)


class Uploads:
    """The uploads of blobs, which do not outlive the sandbox, and the folders of complete blobs, which do."""

    def __init__(self, runtime: Runtime, items: Items, repositories: Repositories) -> None:
        self._runtime, self._items, self._repositories = runtime, items, repositories
        self._open: dict[str, Upload] = {}
        # Held while a manifest is stored, so that another one of the same tag does not remove its layers
        self.storing = asyncio.Lock()
        self._swept = runtime.clock.now()

    def start(self, repo: str, image: str) -> Upload:
        """Begin to receive a blob of an image."""
        upload = Upload(repo, image, self._runtime.files.create_partial(), self._runtime.clock.now())
        self._open[upload.id] = upload
        return upload

    def find(self, id: str, repo: str, image: str) -> Upload | None:
        """Return an upload of this image that has not expired."""
        upload = self._open.get(id)
        if upload is None or (upload.repo, upload.image) != (repo, image):
            return None
        if self._is_stale(upload):
            self.cancel(upload)
            return None
        return upload

    def is_open(self, upload: Upload) -> bool:
        """Return whether an upload has neither ended nor been cancelled."""
        return upload.id in self._open

    async def append(self, upload: Upload, chunks: AsyncIterable[bytes]) -> None:
        """Write what a request carries; nothing of one that breaks off."""
        size = upload.size
        with upload.file.open("r+b") as file:
            file.seek(size)
            try:
                async for chunk in chunks:
                    file.write(chunk)
                    size += len(chunk)
            except BaseException:
                file.truncate(upload.size)
                raise
        upload.size, upload.touched = size, self._runtime.clock.now()

    async def finish(self, upload: Upload) -> StoredFile:
        """Keep the content; the caller releases it."""
        del self._open[upload.id]
        return await self._runtime.files.put_file(upload.file)

    def cancel(self, upload: Upload) -> None:
        """Forget what has arrived."""
        self._open.pop(upload.id, None)
        upload.file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Cancel all uploads."""
        for upload in list(self._open.values()):
            self.cancel(upload)

    def store_pending_blob(self, repo: str, image: str, content: StoredFile, by: str) -> Item:
        """Store a complete blob until a manifest names it."""
        path = f"{image}/{UPLOADS}/sha256__{content.sha256}"
        return self._items.put_file(repo, path, content, ClientChecksums(), by)

    async def remove_pending_blobs(self, repo: str, image: str, checksums: set[str]) -> None:
        """Remove the blobs that a manifest names now from those that wait."""
        folder = f"{image}/{UPLOADS}"
        for blob in list(self._items.list_children(repo, folder)):
            if blob.name.removeprefix("sha256__") in checksums:
                await self._items.delete(blob)
        await self._remove_if_empty(repo, folder)

    async def remove_expired(self) -> None:
        """Remove what has expired; at most once an hour."""
        now = self._runtime.clock.now()
        if 0 <= now - self._swept < BETWEEN_SWEEPS:
            return
        self._swept = now
        for upload in list(self._open.values()):
            if self._is_stale(upload):
                self.cancel(upload)
        for folder in await self._runtime.readers.read(lambda db: list(Tree(db).find_folders(UPLOADS))):
            repository = self._repositories.find(folder.repo)
            if repository is None or not repository.is_registry:
                continue
            for blob in list(self._items.list_children(folder.repo, folder.path)):
                if self._has_expired(blob.modified):
                    await self._items.delete(blob)
            await self._remove_if_empty(folder.repo, folder.path)

    def _is_stale(self, upload: Upload) -> bool:
        return self._has_expired(upload.touched) and not upload.writing.locked()

    def _has_expired(self, touched: float) -> bool:
        return self._runtime.clock.now() - touched > LIFETIME

    async def _remove_if_empty(self, repo: str, path: str) -> None:
        """Remove a folder without content, and the folder of its image if that is empty as well."""
        for folder in (path, path.rpartition("/")[0]):
            found = self._items.find(repo, folder)
            if found is None or next(self._items.list_children(repo, folder), None) is not None:
                return
            await self._items.delete(found)
