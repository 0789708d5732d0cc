# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files as they come from a repository to this machine."""

from __future__ import annotations

import os
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import items, paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService, not_there
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import (
    ALGORITHMS,
    compute_checksums,
    get_fingerprint,
    new_hash,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import store_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import download
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# In an item's options, for a file that is found in a folder: what the folder tells of it
_TOLD = "remote"


def is_folder(params: Fields) -> bool:
    """Whether the options stand for all that is in a folder."""
    return (params["path"] or "").endswith("/")


def check(params: Fields) -> None:
    """
    :raises BadOption: when the options of one file or folder cannot work
    """
    path = params["path"].strip("/")
    if path or not is_folder(params):
        paths.check_content(params["repo"], path)
    _check_writable(destination(params))


def destination(params: Fields) -> str:
    """Where the file is stored, or the files of the folder; in a folder a file keeps its name. Links are followed."""
    dest = params["dest"]
    found = rehearsal.resolve_read(dest)
    if params.get(_TOLD) and os.path.isdir(found):
        raise BadOption("dest", f"'{dest}' is a folder, where a file of that name belongs")
    if not is_folder(params) and (dest.endswith("/") or os.path.isdir(found)):
        dest = os.path.join(dest, os.path.basename(params["path"]))
    elif is_folder(params) and os.path.exists(found) and not os.path.isdir(found):
        raise BadOption("dest", f"'{dest}' is no folder, as it must be when 'path' is one")
    return os.path.realpath(dest)


def spread(task: Task, given: list[Fields]) -> list[Fields]:
    """The items, with the files that are in them in place of folders."""
    found: list[Fields] = []
    for item in given:
        params = {**task.params, **{name: value for name, value in item.items() if value is not None}}
        found.extend(_files_in(task, item, params) if is_folder(params) else [item])
    return found


class Download:
    """One file of a repository, and the copy of it on this machine."""

    def __init__(self, task: Task) -> None:
        check(task.params)
        self._task = task
        self._artifact = ArtifactService(task)
        self._repo, self._path = task.params["repo"], task.params["path"].strip("/")
        self._dest = destination(task.params)
        self._told = task.params.get(_TOLD) or self._look()
        self._stored: tuple[tuple[int, ...], str] | None = None
        known = [name for name in ALGORITHMS if self._told["checksums"].get(name)]
        if not known:
            raise ToolchainError(f"The server tells no checksum of '{self._path}', so no copy of it can be verified.")
        self._algorithm = known[0]

    def wanted(self, _before: Fields | None) -> Fields:
        """Size and checksum of the file in the repository."""
        return {"size": self._told["size"], "checksums": {self._algorithm: self._told["checksums"][self._algorithm]}}

    def read(self) -> Fields | None:
        """Size of the copy, and its checksum unless the size tells enough."""
        if not os.path.exists(rehearsal.resolve_read(self._dest)):
            return None
        now = get_fingerprint(self._dest)
        copy: Fields = {"size": now[0], "checksums": {}}
        if now[0] == self._told["size"]:
            copy["checksums"] = {self._algorithm: self._checksum(now)}
        return copy

    def fetch(self, _fields: Fields) -> None:
        """Store the file, when all of it came and is as the repository has it."""
        store_chunks(self._task, self._dest, self._verified())
        self._stored = (get_fingerprint(self._dest), self._told["checksums"][self._algorithm])

    def show(self, copy: Fields) -> Fields:
        """The copy, and what it is of."""
        return {"repo": self._repo, "path": self._path, "dest": self._dest, **copy}

    def _checksum(self, now: tuple[int, ...]) -> str:
        """That of the copy; what was verified on its way is not read again."""
        if self._stored and self._stored[0] == now:
            return self._stored[1]
        return compute_checksums(self._dest, [self._algorithm])[self._algorithm]

    def _verified(self) -> t.Iterator[bytes]:
        address, size = self._artifact.content(self._repo, self._path), self._told["size"]
        came, one = 0, new_hash(self._algorithm)
        for piece in download.download_chunks(self._task, self._artifact.http, address):
            one.update(piece)
            came += len(piece)
            self._task.report_progress(f"{came / 2**20:,.0f} of {size / 2**20:,.0f} MiB came", "fetching")
            yield piece
        wanted = self._told["checksums"][self._algorithm]
        if one.hexdigest() != wanted:
            raise ToolchainError(
                f"GET {address}: {came:,} bytes came, whose {self._algorithm} is {one.hexdigest()}, and not {wanted} "
                "as the repository says. They were thrown away. If the file was replaced meanwhile, try again."
            )

    def _look(self) -> Fields:
        """What the server tells of the file; the file itself does, when a remote repository has yet to fetch it."""
        item = items.find(self._artifact, self._repo, self._path)
        if item is None:
            return self._look_at_itself()
        if item["type"] == "folder":
            raise ToolchainError(
                f"'{self._path}' in '{self._repo}' is a folder. For all that is in it, end 'path' with a slash."
            )
        return {"size": item["size"], "checksums": item["checksums"] or {}}

    def _look_at_itself(self) -> Fields:
        address = self._artifact.content(self._repo, self._path)
        response = self._artifact.http.read("HEAD", address, accept=(200, 404))
        length = response.headers.get("Content-Length", "")
        if response.status == 404 or not re.fullmatch("[0-9]{1,18}", length):
            raise ToolchainError(f"HEAD {address}: 404. {not_there('file', self._repo, self._path, response)}")
        told = {name: response.headers.get(f"X-Checksum-{name.capitalize()}") for name in ALGORITHMS}
        return {"size": int(length), "checksums": told}


def _check_writable(dest: str) -> None:
    """
    :raises BadOption: when nothing can be stored there
    """
    found = rehearsal.resolve_read(dest)
    if os.path.exists(found) and not (os.path.isfile(found) or os.path.isdir(found)):
        raise BadOption("dest", f"'{dest}' cannot be written: it is no ordinary file")
    folder = found if os.path.isdir(found) else os.path.dirname(found)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise BadOption("dest", f"'{dest}' cannot be written: '{folder}' must be a writable folder")


def _files_in(task: Task, item: Fields, params: Fields) -> t.Iterator[Fields]:
    folder, dest = params["path"].strip("/"), destination(params)
    for entry in items.listed(ArtifactService(task), params["repo"], folder, deep=True):
        below = entry["path"][len(folder) :].strip("/")
        paths.check_content(params["repo"], below)
        told = {"size": entry["size"], "checksums": {"sha256": entry["sha256"], "sha1": entry["sha1"]}}
        yield {**item, "path": entry["path"], "dest": os.path.join(dest, below), _TOLD: told}
