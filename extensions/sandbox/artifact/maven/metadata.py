# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The maven-metadata.xml files that the server calculates from the files of a Maven repository."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from xml.etree import ElementTree

from ...runtime.runtime import Runtime
from ..items.storage import ClientChecksums, Items, NotAFolder
from ..items.tree import Item, Tree, parent_path
from ..repositories.repositories import Repositories, Repository
from .layouts import MAVEN_2, Module, parse_module
from .metadata_document import SNAPSHOT_SUFFIX, Document, read_metadata, version_sort_key
from .poms import read_plugin
from .snapshots import METADATA, POM, Revision, SnapshotFolder, parse_revision

# Property of the POMs of Maven plugins.
PLUGIN_PROPERTY = "artifactory.maven.mavenPlugin"


class MavenMetadata:
    """Calculates the metadata of Maven folders when their files change."""

    def __init__(self, runtime: Runtime, items: Items, repositories: Repositories) -> None:
        """Create the calculator."""
        self._runtime, self._items, self._repositories = runtime, items, repositories
        # Without the lock, the upload that read first could write last.
        self._lock = asyncio.Lock()

    def read_snapshot_folder(self, repo: str, path: str) -> SnapshotFolder:
        """Return the snapshots in the folder of a file."""
        folder = parent_path(path) or ""
        metadata = self._items.find(repo, f"{folder}/{METADATA}")
        return SnapshotFolder(self._items.list_names(repo, folder), read_metadata(self._runtime, metadata))

    async def update_after_upload(self, repo: str, paths: Iterable[str], user: str) -> None:
        """Update the metadata that new files affect: of their snapshots and, for POMs, of their modules."""
        repository = self._find_repository(repo)
        if repository is not None:
            folders = chain.from_iterable(_folders_to_update(repository, path) for path in paths)
            await self._update_folders(repository, dict.fromkeys(folders), user)

    async def update_after_removal(self, repo: str, path: str, user: str) -> None:
        """Update the metadata of the folder that an item was removed from; for a POM, of the module as well."""
        await self._update_above(repo, path, user)

    async def update_after_relocation(self, item: Item, user: str) -> None:
        """Update the metadata around and below an item that was copied or moved."""
        if item.folder:
            await self.calculate(item.repo, item.path, user, recursive=True)
        await self._update_above(item.repo, item.path, user)

    async def calculate(self, repo: str, folder: str, user: str, recursive: bool) -> None:
        """Calculate the metadata of a folder and, if `recursive`, of all folders below it."""
        repository = self._find_repository(repo)
        if repository is not None:
            subfolders = (
                await self._runtime.readers.read(lambda db: _find_metadata_folders(Tree(db), repo, folder))
                if recursive
                else ()
            )
            await self._update_folders(repository, [folder, *subfolders], user)

    async def _update_above(self, repo: str, path: str, user: str) -> None:
        repository, folder = self._find_repository(repo), parent_path(path)
        if repository is not None and folder:
            module = parent_path(folder) if path.endswith(POM) else None
            await self._update_folders(repository, filter(None, (folder, module)), user)

    def _find_repository(self, repo: str) -> Repository | None:
        """Return the repository if it has Maven metadata."""
        repository = self._repositories.find(repo)
        return repository if repository and repository.has_maven_metadata else None

    async def _update_folders(self, repository: Repository, folders: Iterable[str], user: str) -> None:
        folder_list = list(folders)
        for folder in folder_list:
            async with self._lock:
                await self._calculate_folder(repository, folder, user)
        if folder_list:
            groups = {*folder_list, *(parent_path(folder) or "" for folder in folder_list)}
            async with self._lock:
                await self._update_plugins(repository, groups, user)

    async def _update_plugins(self, repository: Repository, groups: set[str], user: str) -> None:
        """Update the plugin lists of group folders if the plugins have changed."""
        poms = await self._runtime.readers.read(
            lambda db: Tree(db).find_paths_by_property(repository.key, PLUGIN_PROPERTY)
        )
        poms_by_group: dict[str, dict[str, str]] = {}
        for pom in poms:
            group, *parts = pom.rsplit("/", 3)
            if group in groups and len(parts) == 3:
                poms_by_group.setdefault(group, {}).setdefault(parts[0], pom)
        for group, plugins in poms_by_group.items():
            path = f"{group}/{METADATA}"
            listed_plugins = self._read_plugins(repository.key, path)
            if set(plugins) != set(listed_plugins):
                documented_plugins = {
                    name: listed_plugins.get(name) or self._read_plugin(repository, pom)
                    for name, pom in plugins.items()
                }
                self._store_document(repository.key, path, Document(plugins=documented_plugins), user)

    def _read_plugin(self, repository: Repository, path: str) -> tuple[str, str]:
        pom = self._items.find(repository.key, path)
        return (pom and read_plugin(self._runtime.files.path(pom.sha256 or ""))) or ("", "")

    def _read_plugins(self, repo: str, path: str) -> dict[str, tuple[str, str]]:
        """Return the plugins in the metadata of a group."""
        try:
            return Document.read(read_metadata(self._runtime, self._items.find(repo, path)) or b"").plugins
        except ElementTree.ParseError:
            return {}

    def _store_document(self, repo: str, path: str, document: Document, user: str) -> None:
        stored = self._runtime.files.put_bytes(document.write())
        with contextlib.suppress(NotAFolder):  # a folder in place of the metadata is kept
            self._items.put_file(repo, path, stored, ClientChecksums(), user)
        self._items.release_content(stored)

    async def _calculate_folder(self, repository: Repository, folder: str, user: str) -> None:
        """Store the metadata of a folder, or delete it if the folder has no POMs."""
        is_snapshot_folder = folder.endswith(SNAPSHOT_SUFFIX)
        poms = await self._runtime.readers.read(lambda db: _find_poms(db, repository.key, folder, is_snapshot_folder))
        path = f"{folder}/{METADATA}"
        existing = self._items.find(repository.key, path)
        if existing and existing.folder:
            return
        if existing and not poms and not self._is_maven_2_metadata(existing):
            await self._items.delete(existing)
        module = parse_module(poms[0], MAVEN_2) if poms else None
        # The files may have been deleted meanwhile.
        if module is None or self._items.find(repository.key, poms[0]) is None:
            return
        now = datetime.fromtimestamp(self._runtime.clock.now(), UTC).strftime("%Y%m%d%H%M%S")
        if is_snapshot_folder:
            names = self._items.list_names(repository.key, folder)
            document = _build_snapshot_document(repository, folder, module, poms, names)
        else:
            document = _build_version_document(poms)
        document.group, document.artifact, document.updated = module.organization, module.name, now
        self._store_document(repository.key, path, document, user)

    def _is_maven_2_metadata(self, metadata: Item) -> bool:
        """Return whether Maven 2 deployed this snapshot metadata above the snapshot folder. The server keeps it."""
        is_above = not (metadata.parent or "").endswith(SNAPSHOT_SUFFIX)
        return is_above and b"<snapshotVersion>" in (read_metadata(self._runtime, metadata) or b"")


def _folders_to_update(repository: Repository, path: str) -> Iterator[str]:
    """Yield the folders whose metadata a new file affects."""
    module = parse_module(path, MAVEN_2)
    if module is None or (module.is_snapshot and repository.snapshot_behavior == "deployer"):
        return
    folder, is_pom = parent_path(path) or "", path.endswith(POM)
    if module.is_snapshot and (is_pom or parse_revision(path[len(folder) + 1 :])):
        yield folder
    if is_pom:
        yield parent_path(folder) or ""


def _find_metadata_folders(tree: Tree, repo: str, folder: str) -> list[str]:
    """Return the folders below a folder that have metadata or should have it."""
    folders: dict[str, None] = {}
    for pom in tree.find_file_paths(repo, folder, f"*{POM}"):
        version = parent_path(pom) or ""
        folders.update(dict.fromkeys((parent_path(version) or "", version)))
    folders.update((parent_path(metadata) or "", None) for metadata in tree.find_file_paths(repo, folder, METADATA))
    return [
        candidate
        for candidate in folders
        if candidate.startswith(f"{folder}/" if folder else "") and candidate not in ("", folder)
    ]


def _find_poms(db: sqlite3.Connection, repo: str, folder: str, is_snapshot_folder: bool) -> list[str]:
    """Return the POMs in a snapshot folder, or in the version folders of a module."""
    depth = folder.count("/") + (1 if is_snapshot_folder else 2)
    return [pom for pom in Tree(db).find_file_paths(repo, folder, f"*{POM}") if pom.count("/") == depth]


def _build_snapshot_document(
    repository: Repository, folder: str, module: Module, poms: list[str], names: list[str]
) -> Document:
    is_unique = repository.snapshot_behavior != "non-unique"
    latest = (
        max(filter(None, (parse_revision(pom.rpartition("/")[2]) for pom in poms)), default=None) if is_unique else None
    )
    return Document(
        version=f"{module.base_revision.partition('-')[0]}{SNAPSHOT_SUFFIX}",
        snapshot=latest or Revision(1, ""),
        files=_latest_files(f"{folder}/{name}" for name in names) if is_unique else {},
    )


def _latest_files(paths: Iterable[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return value and time of the latest unique snapshot by classifier and extension."""
    latest: dict[tuple[str, str], tuple[Revision, Module]] = {}
    for path in paths:
        module, revision = parse_module(path, MAVEN_2), parse_revision(path.rpartition("/")[2])
        if module and revision:
            kind = (module.classifier or "", module.extension)
            if kind not in latest or revision.number > latest[kind][0].number:
                latest[kind] = revision, module
    return {
        kind: (f"{module.base_revision}-{revision}", revision.timestamp.replace(".", ""))
        for kind, (revision, module) in sorted(latest.items())
    }


def _build_version_document(poms: list[str]) -> Document:
    versions = sorted({pom.split("/")[-2] for pom in poms}, key=version_sort_key)
    return Document(version=versions[-1], versions=versions)
