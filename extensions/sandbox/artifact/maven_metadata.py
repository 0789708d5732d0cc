# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The maven-metadata.xml files that the server calculates from the files of a Maven repository."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import escape

from .call import Call
from .layouts import MAVEN_2, Module, module_of
from .repositories import Repository
from .snapshots import METADATA, POM, SNAPSHOT, Folder, Revision, revision_of
from .storage import ClientChecksums
from .tree import Tree, parent_of

QUALIFIERS = {"alpha": 0, "a": 0, "beta": 1, "b": 1, "milestone": 2, "m": 2, "rc": 3, "cr": 3, "snapshot": 4, "sp": 6}
RELEASE = 5
SNAPSHOTS = f"-{SNAPSHOT}"


def version_order(version: str) -> list[tuple[int, int, str]]:
    """The key that sorts versions much as Maven does."""
    parts = re.findall(r"\d+|[a-z]+", version.lower())
    keys = [(1, int(part), "") if part.isdigit() else (0, QUALIFIERS.get(part, RELEASE), part) for part in parts]
    return [*keys, (0, RELEASE, "")]


def snapshot_folder(call: Call, repo: str, path: str) -> Folder:
    """The snapshots beside a file."""
    folder = parent_of(path) or ""
    metadata = call.items.find(repo, f"{folder}/{METADATA}")
    content = call.world.files.path(metadata.sha256 or "") if metadata else None
    names = [child.name for child in call.items.children(repo, folder)]
    return Folder(names, content.read_bytes() if content and content.is_file() else None)


async def update_after_upload(call: Call, repository: Repository, path: str) -> None:
    """Calculate what a new file changes: the metadata of its snapshots, and of its module if it is a POM."""
    module = module_of(path, MAVEN_2) if repository.layout == MAVEN_2 else None
    if module is None or (module.is_snapshot and repository.snapshot_behavior == "deployer"):
        return
    folder, is_pom = parent_of(path) or "", path.endswith(POM)
    if module.is_snapshot and (is_pom or revision_of(path[len(folder) + 1 :])):
        await _update(call, repository, folder)
    if is_pom:
        await _update(call, repository, parent_of(folder) or "")


async def update_after_deletion(call: Call, repository: Repository, path: str) -> None:
    """Calculate the metadata of the folder that lost an item, and of its parent if that was a POM."""
    folder = parent_of(path)
    if repository.layout != MAVEN_2 or not folder or path.endswith(METADATA):
        return
    await _update(call, repository, folder)
    if path.endswith(POM):
        await _update(call, repository, parent_of(folder) or "")


async def _update(call: Call, repository: Repository, folder: str) -> None:
    """Store the metadata of a folder; one without POMs loses what it had."""
    async with call.calculating:
        await _calculate(call, repository, folder)


async def _calculate(call: Call, repository: Repository, folder: str) -> None:
    of_snapshots = folder.endswith(SNAPSHOTS)
    poms = await call.world.readers.read(lambda db: list(_poms(db, repository.key, folder, of_snapshots)))
    path = f"{folder}/{METADATA}"
    existing = call.items.find(repository.key, path)
    if existing and existing.folder:
        return
    if existing and not poms:
        await call.items.delete(existing)
    module = module_of(poms[0], MAVEN_2) if poms else None
    # What was found can be gone by now.
    if module is None or call.items.find(repository.key, poms[0]) is None:
        return
    members = _snapshots(call, repository, folder, module, poms) if of_snapshots else _versions(call, poms)
    stored = call.world.files.put_bytes(_document(module, members).encode())
    call.items.put_file(repository.key, path, stored, ClientChecksums(), call.principal.name)


def _poms(db: sqlite3.Connection, repo: str, folder: str, of_snapshots: bool) -> Iterable[str]:
    """The POMs in a folder of snapshots, or in the folders of a module's versions."""
    depth = folder.count("/") + (1 if of_snapshots else 2)
    return (item.path for item in Tree(db).files_named(repo, folder, f"*{POM}") if item.path.count("/") == depth)


def _snapshots(
    call: Call, repository: Repository, folder: str, module: Module, poms: list[str]
) -> list[tuple[str, Any]]:
    unique = repository.snapshot_behavior == "unique"
    latest = max(filter(None, (revision_of(pom.rpartition("/")[2]) for pom in poms)), default=None) if unique else None
    snapshot = [("timestamp", latest.timestamp), ("buildNumber", latest.number)] if latest else [("buildNumber", 1)]
    names = [child.name for child in call.items.children(repository.key, folder)] if unique else []
    files = _latest_files(f"{folder}/{name}" for name in names)
    versioning: list[tuple[str, Any]] = [("snapshot", snapshot), ("lastUpdated", _now(call))]
    if files:
        versioning.append(("snapshotVersions", [("snapshotVersion", members) for members in files]))
    base = module.base_revision.partition("-")[0]
    return [("version", f"{base}{SNAPSHOTS}"), ("versioning", versioning)]


def _latest_files(paths: Iterable[str]) -> list[list[tuple[str, Any]]]:
    """The latest unique snapshot of each classifier and extension."""
    found: dict[tuple[str, str], tuple[Revision, Module]] = {}
    for path in paths:
        module, revision = module_of(path, MAVEN_2), revision_of(path.rpartition("/")[2])
        if module and revision:
            kind = (module.classifier or "", module.extension)
            if kind not in found or revision.number > found[kind][0].number:
                found[kind] = revision, module
    return [
        [
            *([("classifier", classifier)] if classifier else []),
            ("extension", extension),
            ("value", f"{module.base_revision}-{revision}"),
            ("updated", revision.timestamp.replace(".", "")),
        ]
        for (classifier, extension), (revision, module) in sorted(found.items())
    ]


def _versions(call: Call, poms: list[str]) -> list[tuple[str, Any]]:
    versions = sorted({pom.split("/")[-2] for pom in poms}, key=version_order)
    releases = [version for version in versions if not version.endswith(SNAPSHOTS)]
    versioning = [
        ("latest", versions[-1]),
        *([("release", releases[-1])] if releases else []),
        ("versions", [("version", version) for version in versions]),
        ("lastUpdated", _now(call)),
    ]
    return [("version", versions[-1]), ("versioning", versioning)]


def _document(module: Module, members: list[tuple[str, Any]]) -> str:
    members = [("groupId", module.organization), ("artifactId", module.name), *members]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_element("metadata", members)}'


def _element(name: str, value: Any, indent: str = "") -> str:
    if isinstance(value, list):
        value = "\n" + "".join(_element(member, content, f"{indent}  ") for member, content in value) + indent
    else:
        value = escape(str(value))
    return f"{indent}<{name}>{value}</{name}>\n"


def _now(call: Call) -> str:
    return datetime.fromtimestamp(call.world.clock.now(), UTC).strftime("%Y%m%d%H%M%S")
