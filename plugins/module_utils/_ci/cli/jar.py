# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""jenkins-cli.jar on the server and on the local machine."""

from __future__ import annotations

import dataclasses
import datetime
import email.utils
import hashlib
import os
import tempfile
import typing as t
import zipfile

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import check_writable, store_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import download
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_READ_SIZE = 256 * 1024
_VERSION = b"Jenkins-CLI-Version:"


@dataclasses.dataclass(frozen=True)
class RemoteJar:
    """The jar on the server.

    :ivar product: `jenkins` or `hudson`
    :ivar version: version of the server
    :ivar size: in bytes, if the server reports it
    :ivar modified: seconds since the epoch, if the server reports it
    """

    product: str
    version: str
    size: int | None
    modified: int | None

    @property
    def path(self) -> str:
        """The path on the server."""
        return f"/jnlpJars/{self.product}-cli.jar"


def fetch_remote_jar(ci: CiService) -> RemoteJar:
    """Return information about the jar on the server, without downloading it."""
    product, version = server.fetch_release(ci)
    headers = ci.http.read("HEAD", RemoteJar(product, version, None, None).path).headers
    size = headers.get("Content-Length", "")
    modified = email.utils.parsedate_tz(headers.get("Last-Modified"))
    return RemoteJar(
        product,
        version,
        int(size) if size.isdigit() else None,
        None if modified is None else email.utils.mktime_tz(modified),
    )


class LocalJar:
    """The local copy of the jar. Its modification time is that of the server's file."""

    def __init__(self, task: Task, ci: CiService, remote: RemoteJar, path: str) -> None:
        self._task = task
        self._ci = ci
        self._remote = remote
        self.path = path

    @classmethod
    def from_dest(cls, task: Task, ci: CiService) -> LocalJar:
        """Return the copy at the path in the option `dest`.

        :raises BadOption: if the file cannot be written
        """
        path: str = task.params["dest"]
        if os.path.isdir(rehearsal.resolve_read(path)):
            raise BadOption("dest", f"must be the path of a file, but '{path}' is a directory")
        if os.path.exists(rehearsal.resolve_read(os.path.dirname(os.path.realpath(path)))):
            check_writable(task, path, "dest")
        return cls(task, ci, fetch_remote_jar(ci), path)

    def read(self) -> dict[str, t.Any] | None:
        """Return the current file, or `None` if it does not exist."""
        path = rehearsal.resolve_read(self.path)
        try:
            status = os.stat(path)
        except OSError:
            return None
        modified, version = _to_iso(status.st_mtime), _read_version(path)
        return {"path": self.path, "size": status.st_size, "modified": modified, "version": version}

    def desired(self, current: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return size, modification time and, if `current` has one, version of the server's jar."""
        modified = None if self._remote.modified is None else _to_iso(self._remote.modified)
        version = self._remote.version if current and current["version"] else None
        fields = {"path": self.path, "size": self._remote.size, "modified": modified, "version": version}
        return {name: value for name, value in fields.items() if value is not None}

    def to_result(self, fields: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the result with all fields."""
        version = self._remote.version if self._remote.product == "jenkins" else None
        return {"size": None, "modified": None, "version": version, **fields}

    def download(self, _fields: t.Any = None, in_check_mode: bool = False) -> None:
        """Download, verify and store the jar.

        :arg in_check_mode: also do so in check mode, for the cache
        """
        store_chunks(self._task, self.path, self._download_verified(), in_check_mode=in_check_mode)
        if self._remote.modified is not None:
            os.utime(rehearsal.resolve_write(self.path), (self._remote.modified, self._remote.modified))

    def _download_verified(self) -> t.Iterator[bytes]:
        with tempfile.TemporaryFile() as file:
            for chunk in download.download_chunks(self._task, self._ci.http, self._remote.path):
                file.write(chunk)
            file.seek(0)
            version = _read_version(file)
            if version not in (None, self._remote.version):
                content = f"version {version}" if version else "not a jar"
                raise ToolchainError(
                    f"Verifying the downloaded client failed: it is {content}, but the server is version "
                    f"{self._remote.version}. A proxy may have cached an old file, or the server was just upgraded. "
                    "Try again."
                )
            file.seek(0)
            yield from iter(lambda: file.read(_READ_SIZE), b"")


def cache_jar(task: Task, ci: CiService, remote: RemoteJar) -> str:
    """Return the path of an up-to-date copy in the cache; download it if necessary."""
    directory = os.path.join(task.params["jar_cache"], hashlib.sha256(ci.http.base_url.encode()).hexdigest()[:16])
    jar = LocalJar(task, ci, remote, os.path.join(directory, f"{remote.product}-cli.jar"))
    current = jar.read()
    if current is None or find_differences(current, jar.desired(current)):
        jar.download(in_check_mode=True)
    return rehearsal.resolve_read(jar.path)


def _to_iso(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _read_version(file: t.Any) -> str | None:
    """Return the version of a client; empty if the file is not a jar, `None` if it contains no version (Hudson).

    :arg file: path or open file
    """
    try:
        with zipfile.ZipFile(file) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF")
    except (OSError, zipfile.BadZipFile, KeyError):
        return ""
    lines = (line for line in manifest.splitlines() if line.startswith(_VERSION))
    version = next(lines, None)
    return version[len(_VERSION) :].strip().decode("utf-8", "replace") if version else None
