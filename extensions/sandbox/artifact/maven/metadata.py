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
from .metadata_document import (
    SNAPSHOTS,
    Document,
    read_metadata,
    version_sort_key,
)
from .poms import plugin
from .snapshots import (
    METADATA,
    POM,
    Folder,
    Revision,
    parse_revision,
)

# The property of the POMs of Maven plugins
PLUGIN = "artifactory.maven.mavenPlugin"


class MavenMetadata:
    """Calculates the metadata of Maven folders when their files change."""

    def __init__(self, runtime: Runtime, items: Items, repositories: Repositories) -> None:
        self._runtime, self._items, self._repositories = runtime, items, repositories
        # Of two uploads at once, the one that read first could write last
        self._calculating = asyncio.Lock()

    def read_snapshot_folder(self, repo: str, path: str) -> Folder:
        """Return the snapshots beside a file."""
        folder = parent_path(path) or ""
        metadata = self._items.find(repo, f"{folder}/{METADATA}")
        return Folder(self._items.list_names(repo, folder), read_metadata(self._runtime, metadata))

    async def update_after_upload(self, repo: str, paths: Iterable[str], by: str) -> None:
        """Calculate what new files change: the metadata of their snapshots, and of their modules if they are POMs."""
        repository = self._supporting(repo)
        if repository is not None:
            folders = chain.from_iterable(_changed_by_upload(repository, path) for path in paths)
            await self._update(repository, dict.fromkeys(folders), by)

    async def update_after_removal(self, repo: str, path: str, by: str) -> None:
        """Calculate the metadata of the folder that lost an item, and of its parent if that was a POM."""
        await self._update_above(repo, path, by)

    async def update_after_relocation(self, item: Item, by: str) -> None:
        """Calculate the metadata around an item that was copied or moved to its place, and below it."""
        if item.folder:
            await self.calculate(item.repo, item.path, by, recursive=True)
        await self._update_above(item.repo, item.path, by)

    async def calculate(self, repo: str, folder: str, by: str, recursive: bool) -> None:
        """Calculate the metadata of a folder, and of all folders below it if this is recursive."""
        repository = self._supporting(repo)
        if repository is not None:
            below = await self._runtime.readers.read(lambda db: _folders(Tree(db), repo, folder)) if recursive else ()
            await self._update(repository, [folder, *below], by)

    async def _update_above(self, repo: str, path: str, by: str) -> None:
        repository, folder = self._supporting(repo), parent_path(path)
        if repository is not None and folder:
            module = parent_path(folder) if path.endswith(POM) else None
            await self._update(repository, filter(None, (folder, module)), by)

    def _supporting(self, repo: str) -> Repository | None:
        """Return the repository if it keeps Maven metadata."""
        repository = self._repositories.find(repo)
        return repository if repository and repository.has_maven_metadata else None

    async def _update(self, repository: Repository, folders: Iterable[str], by: str) -> None:
        changed = list(folders)
        for folder in changed:
            async with self._calculating:
                await self._calculate(repository, folder, by)
        if changed:
            groups = {*changed, *(parent_path(folder) or "" for folder in changed)}
            async with self._calculating:
                await self._update_plugins(repository, groups, by)

    async def _update_plugins(self, repository: Repository, groups: set[str], by: str) -> None:
        """List the plugins of those of the folders that are groups, where that list has changed."""
        poms = await self._runtime.readers.read(lambda db: Tree(db).find_paths_by_property(repository.key, PLUGIN))
        of_groups: dict[str, dict[str, str]] = {}
        for pom in poms:
            group, *parts = pom.rsplit("/", 3)
            if group in groups and len(parts) == 3:
                of_groups.setdefault(group, {}).setdefault(parts[0], pom)
        for group, plugins in of_groups.items():
            path = f"{group}/{METADATA}"
            listed = self._listed_plugins(repository.key, path)
            if set(plugins) != set(listed):
                known = {name: listed.get(name) or self._plugin(repository, pom) for name, pom in plugins.items()}
                self._store(repository.key, path, Document(plugins=known), by)

    def _plugin(self, repository: Repository, path: str) -> tuple[str, str]:
        pom = self._items.find(repository.key, path)
        return (pom and plugin(self._runtime.files.path(pom.sha256 or ""))) or ("", "")

    def _listed_plugins(self, repo: str, path: str) -> dict[str, tuple[str, str]]:
        """Return the plugins that a group has in its metadata."""
        try:
            return Document.read(read_metadata(self._runtime, self._items.find(repo, path)) or b"").plugins
        except ElementTree.ParseError:
            return {}

    def _store(self, repo: str, path: str, document: Document, by: str) -> None:
        stored = self._runtime.files.put_bytes(document.write())
        with contextlib.suppress(NotAFolder):  # What is in the way stays.
            self._items.put_file(repo, path, stored, ClientChecksums(), by)
        self._items.release_content(stored)

    async def _calculate(self, repository: Repository, folder: str, by: str) -> None:
        """Store the metadata of a folder; one without POMs loses what it had."""
        of_snapshots = folder.endswith(SNAPSHOTS)
        poms = await self._runtime.readers.read(lambda db: _poms(db, repository.key, folder, of_snapshots))
        path = f"{folder}/{METADATA}"
        existing = self._items.find(repository.key, path)
        if existing and existing.folder:
            return
        if existing and not poms and not self._is_misplaced(existing):
            await self._items.delete(existing)
        module = parse_module(poms[0], MAVEN_2) if poms else None
        # The files may have been deleted meanwhile.
        if module is None or self._items.find(repository.key, poms[0]) is None:
            return
        now = datetime.fromtimestamp(self._runtime.clock.now(), UTC).strftime("%Y%m%d%H%M%S")
        if of_snapshots:
            names = self._items.list_names(repository.key, folder)
            document = _of_snapshots(repository, folder, module, poms, names)
        else:
            document = _of_versions(poms)
        document.group, document.artifact, document.updated = module.organization, module.name, now
        self._store(repository.key, path, document, by)

    def _is_misplaced(self, metadata: Item) -> bool:
        """Return whether Maven 2 deployed this metadata of snapshots above their folder: the server leaves it."""
        is_above = not (metadata.parent or "").endswith(SNAPSHOTS)
        return is_above and b"<snapshotVersion>" in (read_metadata(self._runtime, metadata) or b"")


def _changed_by_upload(repository: Repository, path: str) -> Iterator[str]:
    """Yield the folders whose metadata a new file changes."""
    module = parse_module(path, MAVEN_2)
    if module is None or (module.is_snapshot and repository.snapshot_behavior == "deployer"):
        return
    folder, is_pom = parent_path(path) or "", path.endswith(POM)
    if module.is_snapshot and (is_pom or parse_revision(path[len(folder) + 1 :])):
        yield folder
    if is_pom:
        yield parent_path(folder) or ""


def _folders(tree: Tree, repo: str, folder: str) -> list[str]:
    """Return the folders below a folder that have metadata, or should have."""
    found: dict[str, None] = {}
    for pom in tree.find_file_paths(repo, folder, f"*{POM}"):
        version = parent_path(pom) or ""
        found.update(dict.fromkeys((parent_path(version) or "", version)))
    found.update((parent_path(metadata) or "", None) for metadata in tree.find_file_paths(repo, folder, METADATA))
    return [one for one in found if one.startswith(f"{folder}/" if folder else "") and one not in ("", folder)]


def _poms(db: sqlite3.Connection, repo: str, folder: str, of_snapshots: bool) -> list[str]:
    """Return the POMs in a folder of snapshots, or in the folders of a module's versions."""
    depth = folder.count("/") + (1 if of_snapshots else 2)
    return [pom for pom in Tree(db).find_file_paths(repo, folder, f"*{POM}") if pom.count("/") == depth]


def _of_snapshots(repository: Repository, folder: str, module: Module, poms: list[str], names: list[str]) -> Document:
    unique = repository.snapshot_behavior != "non-unique"
    latest = (
        max(filter(None, (parse_revision(pom.rpartition("/")[2]) for pom in poms)), default=None) if unique else None
    )
    return Document(
        version=f"{module.base_revision.partition('-')[0]}{SNAPSHOTS}",
        snapshot=latest or Revision(1, ""),
        files=_latest_files(f"{folder}/{name}" for name in names) if unique else {},
    )


def _latest_files(paths: Iterable[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return version and time of the latest unique snapshot by classifier and extension."""
    found: dict[tuple[str, str], tuple[Revision, Module]] = {}
    for path in paths:
        module, revision = parse_module(path, MAVEN_2), parse_revision(path.rpartition("/")[2])
        if module and revision:
            kind = (module.classifier or "", module.extension)
            if kind not in found or revision.number > found[kind][0].number:
                found[kind] = revision, module
    return {
        kind: (f"{module.base_revision}-{revision}", revision.timestamp.replace(".", ""))
        for kind, (revision, module) in sorted(found.items())
    }


def _of_versions(poms: list[str]) -> Document:
    versions = sorted({pom.split("/")[-2] for pom in poms}, key=version_sort_key)
    return Document(version=versions[-1], versions=versions)
