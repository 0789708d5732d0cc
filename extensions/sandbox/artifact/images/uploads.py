# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blob uploads in progress, and complete blobs that no manifest refers to yet."""

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

UPLOADS_FOLDER = "_uploads"
# Seconds after which idle uploads and unreferenced blobs expire.
LIFETIME = 24 * 3600
CLEANUP_INTERVAL = 3600


@dataclass
class Upload:
    """A blob upload in progress, in its own file."""

    repo: str
    image: str
    file: pathlib.Path
    last_write: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    size: int = 0
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)


class Uploads:
    """Blob uploads, which are lost when the sandbox stops, and the folders of pending blobs, which are stored."""

    def __init__(self, runtime: Runtime, items: Items, repositories: Repositories) -> None:
        """Create the store."""
        self._runtime, self._items, self._repositories = runtime, items, repositories
        self._open: dict[str, Upload] = {}
        # Held while a manifest is stored, so that a concurrent push of the tag does not delete its layers.
        self.storing = asyncio.Lock()
        self._last_cleanup = runtime.clock.now()

    def start(self, repo: str, image: str) -> Upload:
        """Start an upload."""
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
        """Return whether an upload is neither finished nor cancelled."""
        return upload.id in self._open

    async def append(self, upload: Upload, chunks: AsyncIterable[bytes]) -> None:
        """Append the chunks of a request. If the request breaks off, all its chunks are discarded."""
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
        upload.size, upload.last_write = size, self._runtime.clock.now()

    async def finish(self, upload: Upload) -> StoredFile:
        """Finish an upload and return its content, which the caller must release."""
        del self._open[upload.id]
        return await self._runtime.files.put_file(upload.file)

    def cancel(self, upload: Upload) -> None:
        """Cancel an upload."""
        self._open.pop(upload.id, None)
        upload.file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Cancel all uploads."""
        for upload in list(self._open.values()):
            self.cancel(upload)

    def store_pending_blob(self, repo: str, image: str, content: StoredFile, user: str) -> Item:
        """Store a complete blob until a manifest refers to it."""
        path = f"{image}/{UPLOADS_FOLDER}/sha256__{content.sha256}"
        return self._items.put_file(repo, path, content, ClientChecksums(), user)

    async def remove_pending_blobs(self, repo: str, image: str, checksums: set[str]) -> None:
        """Delete the pending blobs with these checksums."""
        folder = f"{image}/{UPLOADS_FOLDER}"
        for blob in list(self._items.list_children(repo, folder)):
            if blob.name.removeprefix("sha256__") in checksums:
                await self._items.delete(blob)
        await self._remove_if_empty(repo, folder)

    async def remove_expired(self) -> None:
        """Delete expired uploads and blobs, at most once an hour."""
        now = self._runtime.clock.now()
        if 0 <= now - self._last_cleanup < CLEANUP_INTERVAL:
            return
        self._last_cleanup = now
        for upload in list(self._open.values()):
            if self._is_stale(upload):
                self.cancel(upload)
        for folder in await self._runtime.readers.read(lambda db: list(Tree(db).find_folders(UPLOADS_FOLDER))):
            repository = self._repositories.find(folder.repo)
            if repository is None or not repository.is_registry:
                continue
            for blob in list(self._items.list_children(folder.repo, folder.path)):
                if self._has_expired(blob.modified):
                    await self._items.delete(blob)
            await self._remove_if_empty(folder.repo, folder.path)

    def _is_stale(self, upload: Upload) -> bool:
        return self._has_expired(upload.last_write) and not upload.writing.locked()

    def _has_expired(self, last_write: float) -> bool:
        return self._runtime.clock.now() - last_write > LIFETIME

    async def _remove_if_empty(self, repo: str, path: str) -> None:
        """Delete a folder and its parent if they are empty."""
        for folder in (path, path.rpartition("/")[0]):
            item = self._items.find(repo, folder)
            if item is None or next(self._items.list_children(repo, folder), None) is not None:
                return
            await self._items.delete(item)
