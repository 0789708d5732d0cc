# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Download files."""

from __future__ import annotations

import os
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info, paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    not_found_error,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import (
    ALGORITHMS,
    check_local_path,
    compute_checksums,
    get_fingerprint,
    new_hash,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import store_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import download
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Item option with size and checksums of a file from a folder listing
_REMOTE = "remote"


def is_folder(params: Fields) -> bool:
    """Return whether the options specify a folder."""
    return (params["path"] or "").endswith("/")


def check_path(params: Fields) -> None:
    """Validate the path of one file or folder.

    :raises BadOption: if it is invalid
    """
    path = params["path"].strip("/")
    if path or not is_folder(params):
        paths.check_content_path(params["repo"], path)


def check_destination(params: Fields) -> None:
    """Verify that the file or the files of the folder can be stored.

    :raises BadOption: if they cannot
    """
    dest = destination(params)
    resolved = rehearsal.resolve_read(dest)
    if os.path.exists(resolved) and not (os.path.isfile(resolved) or os.path.isdir(resolved)):
        raise BadOption("dest", f"'{dest}' cannot be written: it is not a regular file")
    folder = resolved if os.path.isdir(resolved) else os.path.dirname(resolved)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise BadOption("dest", f"'{dest}' cannot be written: '{folder}' must be a writable directory")


def destination(params: Fields) -> str:
    """Return the local path of the file, or the directory for the files of a folder. Symbolic links are followed."""
    dest = check_local_path(params["dest"])
    resolved = rehearsal.resolve_read(dest)
    if params.get(_REMOTE) and os.path.isdir(resolved):
        raise BadOption("dest", f"'{dest}' is a directory, but the repository contains a file with this path")
    if not is_folder(params) and (dest.endswith("/") or os.path.isdir(resolved)):
        dest = os.path.join(dest, os.path.basename(params["path"]))
    elif is_folder(params) and os.path.exists(resolved) and not os.path.isdir(resolved):
        raise BadOption("dest", f"'{dest}' must be a directory, because 'path' is a folder")
    return os.path.realpath(check_local_path(dest))


def expand_folders(task: Task, items: list[Fields]) -> list[Fields]:
    """Return the items, with folders replaced by the files in them."""
    expanded: list[Fields] = []
    for item in items:
        params = inherit_options(task.params, item)
        expanded.extend(_list_files(task, item, params) if is_folder(params) else [item])
    return expanded


class Download:
    """A file in a repository and its local copy."""

    def __init__(self, task: Task) -> None:
        check_path(task.params)
        check_destination(task.params)
        self._task = task
        self._artifact = ArtifactService(task)
        self._repo, self._path = task.params["repo"], task.params["path"].strip("/")
        self._dest = destination(task.params)
        self._remote = task.params.get(_REMOTE) or self._fetch_info()
        self._stored: tuple[tuple[int, ...], str] | None = None
        algorithms = [name for name in ALGORITHMS if self._remote["checksums"].get(name)]
        if not algorithms:
            raise ToolchainError(f"Cannot verify the download of '{self._path}': the server returned no checksum.")
        self._algorithm = algorithms[0]

    def get_desired(self, _before: Fields | None) -> Fields:
        """Return size and checksum of the file in the repository."""
        return {
            "size": self._remote["size"],
            "checksums": {self._algorithm: self._remote["checksums"][self._algorithm]},
        }

    def read(self) -> Fields | None:
        """Return the size of the local file, and its checksum if the size is equal."""
        if not os.path.exists(rehearsal.resolve_read(self._dest)):
            return None
        now = get_fingerprint(self._dest)
        copy: Fields = {"size": now[0], "checksums": {}}
        if now[0] == self._remote["size"]:
            copy["checksums"] = {self._algorithm: self._checksum(now)}
        return copy

    def fetch(self, _fields: Fields) -> None:
        """Download the file. It is only stored if its checksum is correct."""
        store_chunks(self._task, self._dest, self._download_verified())
        self._stored = (get_fingerprint(self._dest), self._remote["checksums"][self._algorithm])

    def to_result(self, copy: Fields) -> Fields:
        """Return the local file as part of the result."""
        return {"repo": self._repo, "path": self._path, "dest": self._dest, **copy}

    def _checksum(self, now: tuple[int, ...]) -> str:
        """Return the checksum of the local file. A file that was verified during the download is not read again."""
        if self._stored and self._stored[0] == now:
            return self._stored[1]
        return compute_checksums(self._dest, [self._algorithm])[self._algorithm]

    def _download_verified(self) -> t.Iterator[bytes]:
        address, size = self._artifact.content_address(self._repo, self._path), self._remote["size"]
        received, hasher = 0, new_hash(self._algorithm)
        for piece in download.download_chunks(self._task, self._artifact.http, address):
            hasher.update(piece)
            received += len(piece)
            self._task.report_progress(f"{received / 2**20:,.0f} of {size / 2**20:,.0f} MiB downloaded", "downloading")
            yield piece
        expected = self._remote["checksums"][self._algorithm]
        if hasher.hexdigest() != expected:
            raise ToolchainError(
                f"GET {address}: the {self._algorithm} checksum of {received:,} bytes is {hasher.hexdigest()} "
                f"instead of {expected}. The file was not stored. If it was replaced during the download, "
                "run the task again."
            )

    def _fetch_info(self) -> Fields:
        """Return size and checksums of the file. A file that a remote repository has not cached is queried by a HEAD
        request.
        """
        item = item_info.find_item(self._artifact, self._repo, self._path)
        if item is None:
            return self._fetch_headers()
        if item["type"] == "folder":
            raise ToolchainError(
                f"'{self._path}' in '{self._repo}' is a folder. To download its contents, end 'path' with a slash."
            )
        return {"size": item["size"], "checksums": item["checksums"] or {}}

    def _fetch_headers(self) -> Fields:
        address = self._artifact.content_address(self._repo, self._path)
        response = self._artifact.http.read("HEAD", address, accept=(200, 404))
        length = response.headers.get("Content-Length", "")
        if response.status == 404 or not re.fullmatch("[0-9]{1,18}", length):
            raise ToolchainError(f"HEAD {address}: 404. {not_found_error('File', self._repo, self._path, response)}")
        checksums = {name: response.headers.get(f"X-Checksum-{name.capitalize()}") for name in ALGORITHMS}
        return {"size": int(length), "checksums": checksums}


def _list_files(task: Task, item: Fields, params: Fields) -> t.Iterator[Fields]:
    folder, dest = params["path"].strip("/"), destination(params)
    for entry in item_info.list_folder(ArtifactService(task), params["repo"], folder, deep=True):
        below = entry["path"][len(folder) :].strip("/")
        paths.check_content_path(params["repo"], below)
        remote = {"size": entry["size"], "checksums": {"sha256": entry["sha256"], "sha1": entry["sha1"]}}
        yield {**item, "path": entry["path"], "dest": os.path.join(dest, below), _REMOTE: remote}
