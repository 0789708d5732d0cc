# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Upload archives that Artifactory extracts into a folder."""

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

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.files import snapshots, upload
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info, paths
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    summarize_plan,
    verify_write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Longer extensions first
TYPES = ("tar.gz", "tar.bz2", "zip", "tar", "tgz", "7z")
# Checksums in folder listings, in the order of preference
_COMPARED = ("sha256", "sha1")
_CHUNK_SIZE = 1024 * 1024
_MAX_NAMED = 10
_READ_ERRORS = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, RuntimeError)


@dataclasses.dataclass(frozen=True)
class Member:
    """A file in an archive, with its size in bytes and its checksums."""

    size: int
    checksums: dict[str, str]

    def matches(self, entry: Fields) -> bool:
        """Return whether an entry of a folder listing has the same content."""
        algorithm = next((name for name in _COMPARED if entry[name]), None)
        return entry["size"] == self.size and algorithm is not None and entry[algorithm] == self.checksums[algorithm]


class Archive:
    """A local archive and the folder of a repository into which its files are extracted."""

    def __init__(self, task: Task) -> None:
        params = task.params
        self._task = task
        self._src, self._repo, self._folder = params["src"], params["repo"], params["path"].strip("/")
        self._type = _detect_type(self._src)
        check_readable(self._src, "src")
        # the server would create an empty folder for a path that ends with a slash
        self._path = self._target_path(os.path.basename(self._src))
        paths.check_content_path(self._repo, self._path)
        paths.check_path(self._repo, self._folder, is_stored=True)
        paths.check_path("", self._path, option="src")
        self._fingerprint = get_fingerprint(self._src)
        self._members = self._read_members()
        self._artifact = ArtifactService(task)
        self._exists = False
        self._planned: list[tuple[str, Fields]] = []

    def to_result(self) -> Fields:
        """Return the archive as part of the result."""
        return {
            "repo": self._repo,
            "path": self._folder,
            "type": self._type,
            "members": len(self._members),
            "size": sum(member.size for member in self._members.values()),
        }

    def plan_changes(self) -> list[tuple[str, Fields]]:
        """Return the members that are missing (`add`) or different (`replace`) in the folder, sorted by path."""
        added, different = dict(self._members), []
        snapshot_files = {}
        folders = {folder for name in self._members for folder in paths.iter_parents(name)}
        for entry in self._list_folder():
            name = entry["path"][len(self._folder) :].strip("/")
            self._check_conflicts(name, folders)
            member = added.pop(name, None)
            if member and not member.matches(entry):
                different.append(name)
            elif not member and snapshots.is_snapshot(entry["path"]):
                snapshot_files[entry["path"]] = entry
        for name in list(added):
            renamed = snapshots.select_newest(self._target_path(name), snapshot_files)
            if renamed and not added.pop(name).matches(snapshot_files[renamed]):
                different.append(name)
        changes = [("add", name) for name in added] + [("replace", name) for name in different]
        return [(action, self._to_change(name)) for action, name in sorted(changes, key=lambda change: change[1])]

    def plan(self) -> Fields | None:
        """Return the plan of the upload, or `None` if all members are stored."""
        self._planned = self.plan_changes()
        return summarize_plan(self._planned)

    def check(self) -> None:
        """Verify that the server can extract archives.

        :raises ToolchainError: if it cannot
        """
        editions.check(self._artifact, features.ARCHIVES)

    def predict_refusal(self) -> Fields:
        """Predict whether Artifactory accepts the archive.

        :raises ToolchainError: if it would refuse the upload
        """
        stored = [self._target_path(name) for name in self._members]
        upload.predict_upload(
            self._artifact,
            self._repo,
            stored,
            None if self._exists else self._folder,
            may_be_missing=self._task.predicts_missing,
        )
        return {}

    def upload(self) -> Fields:
        """Upload the archive and verify that all members were stored.

        :raises ToolchainError: if members are missing or different, naming the first of them
        """
        headers = {"X-Explode-Archive": "true"}
        if self._task.params["atomic"]:
            headers["X-Explode-Archive-Atomic"] = "true"
        verify_write(self._task, lambda: self._send(headers), self._check_stored)
        return {}

    def _send(self, headers: dict[str, str]) -> None:
        archive = LocalFile(self._src, self._fingerprint[0], {}, self._fingerprint, self._report_progress)
        archive.check_unchanged()
        address = self._artifact.content_address(self._repo, self._path)
        with upload.explain_refusal(self._artifact, self._repo, map(self._target_path, self._members)):
            self._artifact.http.write(
                "PUT", address, headers=headers, data=archive, accept=upload.ACCEPTED, policy=IDEMPOTENT
            )
        archive.check_unchanged()

    def _check_stored(self) -> None:
        """
        :raises ToolchainError: if members are missing or different
        """
        if remaining := self.plan_changes():
            self._task.has_written = self._task.has_written or remaining != self._planned
            named = ", ".join(step["path"] for _action, step in remaining[:_MAX_NAMED])
            more = f" and {len(remaining) - _MAX_NAMED:,} more" if len(remaining) > _MAX_NAMED else ""
            raise ToolchainError(
                f"The server accepted the archive, but {len(remaining):,} of its {len(self._members):,} members are "
                f"missing or different in '{self._repo}': {named}{more}. Run the task again."
            )

    def _check_conflicts(self, name: str, folders: set[str]) -> None:
        """Verify that an existing file does not conflict with a folder in the archive, or an existing folder with a
        file.

        :arg name: path of an existing file, relative to the folder
        :arg folders: folders that contain the members
        :raises ToolchainError: if they conflict
        """
        if name in folders:
            raise ToolchainError(
                f"'{self._target_path(name)}' in '{self._repo}' is a file and cannot contain other items."
            )
        if conflicts := self._members.keys() & set(paths.iter_parents(name)):
            raise ToolchainError(
                f"'{self._target_path(min(conflicts))}' in '{self._repo}' is a folder and cannot be replaced by a file."
            )

    def _to_change(self, name: str) -> Fields:
        return {"path": self._target_path(name), "size": self._members[name].size}

    def _list_folder(self) -> t.Iterable[Fields]:
        folder = item_info.find_item(self._artifact, self._repo, self._folder)
        self._exists = folder is not None
        if folder is None:
            return []
        if folder["type"] == "file":
            raise ToolchainError(f"'{self._folder}' in '{self._repo}' is a file and cannot contain other items.")
        return item_info.list_folder(self._artifact, self._repo, self._folder, deep=True)

    def _read_members(self) -> dict[str, Member]:
        """Return the files in the archive by path.

        :raises BadOption: if the archive cannot be read
        """
        try:
            return {
                self._validate_member(name): _hash_member(content)
                for name, content in _READERS[self._type](rehearsal.resolve_read(self._src))
            }
        except _READ_ERRORS as error:
            raise BadOption("src", f"'{self._src}' cannot be read as {self._type}: {error}") from None

    def _validate_member(self, name: str) -> str:
        """Return the path of a member relative to the folder.

        :raises BadOption: if Artifactory would not store the member at this path
        """
        member = _normalize_name(name)
        place = self._target_path(member)
        if problem := paths.explain_misread(place) or paths.explain_unstorable(place):
            raise BadOption("src", f"has the member '{member}', which cannot be stored: {problem}")
        return member

    def _target_path(self, name: str) -> str:
        return "/".join(filter(None, (self._folder, name)))

    def _report_progress(self, sent: int) -> None:
        self._task.report_progress(f"{sent / 2**20:,.0f} of {self._fingerprint[0] / 2**20:,.0f} MiB sent", "sending")


def _detect_type(src: str) -> str:
    for kind in TYPES:
        if src.lower().endswith(f".{kind}"):
            return kind
    raise BadOption("src", f"must be an archive with the extension {', '.join(TYPES)}, not '{src}'")


def _normalize_name(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadOption("src", f"has the member '{name}', whose path leads outside of the archive")
    return "/".join(parts)


def _hash_member(content: t.IO[bytes]) -> Member:
    size, digests = 0, {name: new_hash(name) for name in _COMPARED}
    while piece := content.read(_CHUNK_SIZE):
        size += len(piece)
        for hasher in digests.values():
            hasher.update(piece)
    return Member(size, {name: hasher.hexdigest() for name, hasher in digests.items()})


def _read_zip(path: str) -> t.Iterator[tuple[str, t.IO[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as content:
                    yield entry.filename, content


def _read_tar(path: str) -> t.Iterator[tuple[str, t.IO[bytes]]]:
    with tarfile.open(path) as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.isfile() else None
            if content is not None:
                yield entry.name, content


def _read_7z(path: str) -> t.Iterator[tuple[str, t.IO[bytes]]]:
    try:
        import py7zr
    except ImportError:
        raise ToolchainError(
            f"The Python package 'py7zr' is missing for {sys.executable}, which reads 7z archives. "
            f"Install it with '{sys.executable} -m pip install py7zr'."
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


_READERS = {"zip": _read_zip, "7z": _read_7z, **dict.fromkeys(("tar", "tar.gz", "tgz", "tar.bz2"), _read_tar)}
