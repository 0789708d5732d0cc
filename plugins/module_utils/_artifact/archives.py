# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Archives that are deployed as what is in them."""

from __future__ import annotations

import dataclasses
import lzma
import os
import pathlib
import sys
import tarfile
import tempfile
import typing as t
import zipfile
import zlib

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import files, items, paths, snapshots
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import (
    LocalFile,
    check_readable,
    get_fingerprint,
    new_hash,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# The longer ones first: a.tar.gz is no gz
TYPES = ("tar.gz", "tar.bz2", "zip", "tar", "tgz", "7z")
# What servers tell of each file in a listing
_COMPARED = ("sha256", "sha1")
_READ_AT_ONCE = 1024 * 1024
_NAMED = 10
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, RuntimeError)


@dataclasses.dataclass(frozen=True)
class Member:
    """A file in an archive: its size in bytes, and its checksums."""

    size: int
    checksums: dict[str, str]

    def is_like(self, entry: Fields) -> bool:
        """Whether a file in a listing has the same content."""
        told = [name for name in _COMPARED if entry[name]]
        return entry["size"] == self.size and bool(told) and entry[told[0]] == self.checksums[told[0]]


class Archive:
    """An archive of this machine, and the folder of a repository that shall have what is in it."""

    def __init__(self, task: Task) -> None:
        params = task.params
        self._task = task
        self._src, self._repo, self._folder = params["src"], params["repo"], params["path"].strip("/")
        self._kind = _kind(self._src)
        check_readable(self._src, "src")
        # a path that ends in a slash would be taken for a folder to be made, and the archive thrown away
        self._path = self._place(os.path.basename(self._src))
        paths.check_content(self._repo, self._path)
        paths.check(self._repo, self._folder, stores=True)
        paths.check("", self._path, option="src")
        self._seen = get_fingerprint(self._src)
        self._members = self._read()
        self._artifact = ArtifactService(task)
        self._exists = False

    def show(self) -> Fields:
        """What is to be deployed."""
        return {
            "repo": self._repo,
            "path": self._folder,
            "type": self._kind,
            "members": len(self._members),
            "size": sum(member.size for member in self._members.values()),
        }

    def steps(self) -> list[tuple[str, Fields]]:
        """What is to be done with each member that is not in the folder as it is in the archive: `add` or `replace`."""
        missing, others = dict(self._members), []
        surplus = {}
        folders = {folder for name in self._members for folder in paths.folders_above(name)}
        for entry in self._listing():
            name = entry["path"][len(self._folder) :].strip("/")
            self._check_kinds(name, folders)
            member = missing.pop(name, None)
            if member and not member.is_like(entry):
                others.append(name)
            elif not member and snapshots.is_snapshot(entry["path"]):
                surplus[entry["path"]] = entry
        for name in list(missing):
            renamed = snapshots.newest(self._place(name), surplus)
            if renamed and not missing.pop(name).is_like(surplus[renamed]):
                others.append(name)
        found = [("add", name) for name in missing] + [("replace", name) for name in others]
        return [(action, self._step(name)) for action, name in sorted(found, key=lambda step: step[1])]

    def rehearse(self) -> Fields:
        """
        :raises ToolchainError: when the server would refuse the upload
        """
        self._artifact.check_pro("The extraction of archives")
        stored = [self._place(name) for name in self._members]
        files.predict_upload(self._artifact, self._repo, stored, None if self._exists else self._folder)
        return {}

    def deploy(self) -> Fields:
        """Deploy all members, and see to it that they are there.

        :raises ToolchainError: when members are not, naming the first of them
        """
        headers = {"X-Explode-Archive": "true"}
        if self._task.params["atomic"]:
            headers["X-Explode-Archive-Atomic"] = "true"
        archive = LocalFile(self._src, self._seen[0], {}, self._seen, self._tell)
        archive.check_unchanged()
        address = self._artifact.content(self._repo, self._path)
        self._artifact.http.write(
            "PUT", address, headers=headers, data=archive, accept=files.DEPLOYED, policy=IDEMPOTENT
        )
        archive.check_unchanged()
        if left := self.steps():
            named = ", ".join(step["path"] for _action, step in left[:_NAMED])
            more = f" and {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
            raise ToolchainError(
                f"The server accepted the archive, but {len(left):,} of its {len(self._members):,} members are not in "
                f"'{self._repo}' as they are in the archive: {named}{more}."
            )
        return {}

    def _check_kinds(self, name: str, folders: set[str]) -> None:
        """Check that neither a file is in the place of a folder nor the other way round.

        :arg name: the path of an existing file inside the folder
        :arg folders: the folders of the members
        """
        if name in folders:
            raise ToolchainError(f"'{self._place(name)}' in '{self._repo}' is a file, so nothing can be in it.")
        if taken := self._members.keys() & set(paths.folders_above(name)):
            raise ToolchainError(f"'{self._place(min(taken))}' in '{self._repo}' is a folder, so no file can be there.")

    def _step(self, name: str) -> Fields:
        return {"path": self._place(name), "size": self._members[name].size}

    def _listing(self) -> t.Iterable[Fields]:
        found = items.find(self._artifact, self._repo, self._folder)
        self._exists = found is not None
        if found is None:
            return []
        if found["type"] == "file":
            raise ToolchainError(f"'{self._folder}' in '{self._repo}' is a file, so nothing can be in it.")
        return items.listed(self._artifact, self._repo, self._folder, deep=True)

    def _read(self) -> dict[str, Member]:
        """The files in the archive, by their paths."""
        try:
            return {
                self._checked(name): _hashed(content)
                for name, content in _READERS[self._kind](rehearsal.resolve_read(self._src))
            }
        except _BROKEN as error:
            raise BadOption("src", f"'{self._src}' cannot be read as {self._kind}: {error}") from None

    def _checked(self, name: str) -> str:
        """Return the path of a member inside the folder.

        :raises BadOption: when Artifactory would not store the member there
        """
        member = _inside(name)
        place = self._place(member)
        if problem := paths.misread(place) or paths.unstorable(place):
            raise BadOption("src", f"has the member '{member}', which cannot be stored: {problem}")
        return member

    def _place(self, name: str) -> str:
        return "/".join(filter(None, (self._folder, name)))

    def _tell(self, sent: int) -> None:
        self._task.report_progress(f"{sent / 2**20:,.0f} of {self._seen[0] / 2**20:,.0f} MiB sent", "sending")


def _kind(src: str) -> str:
    for kind in TYPES:
        if src.lower().endswith(f".{kind}"):
            return kind
    raise BadOption("src", f"takes an archive of the type {', '.join(TYPES)}, by the end of its name, not '{src}'")


def _inside(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadOption("src", f"has a member that is outside of it: '{name}'")
    return "/".join(parts)


def _hashed(content: t.IO[bytes]) -> Member:
    size, digests = 0, {name: new_hash(name) for name in _COMPARED}
    while piece := content.read(_READ_AT_ONCE):
        size += len(piece)
        for one in digests.values():
            one.update(piece)
    return Member(size, {name: one.hexdigest() for name, one in digests.items()})


def _in_zip(path: str) -> t.Iterator[tuple[str, t.IO[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as content:
                    yield entry.filename, content


def _in_tar(path: str) -> t.Iterator[tuple[str, t.IO[bytes]]]:
    with tarfile.open(path) as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.isfile() else None
            if content is not None:
                yield entry.name, content


def _in_7z(path: str) -> t.Iterator[tuple[str, t.IO[bytes]]]:
    try:
        import py7zr
    except ImportError:
        raise ToolchainError(
            f"The Python package 'py7zr' is missing for {sys.executable}, which reads archives of the type 7z: "
            f"install it with '{sys.executable} -m pip install py7zr'."
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        try:
            with py7zr.SevenZipFile(path) as archive:
                archive.extractall(folder)
        except py7zr.exceptions.ArchiveError as error:
            raise OSError(str(error)) from None
        for file in sorted(pathlib.Path(folder).rglob("*")):
            if file.is_file() and not file.is_symlink():
                with file.open("rb") as content:
                    yield file.relative_to(folder).as_posix(), content


_READERS = {"zip": _in_zip, "7z": _in_7z, **dict.fromkeys(("tar", "tar.gz", "tgz", "tar.bz2"), _in_tar)}
