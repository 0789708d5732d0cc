# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's own client program: what the server offers, and a copy of it on this machine."""

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

_READ_AT_ONCE = 256 * 1024
_VERSION = b"Jenkins-CLI-Version:"


@dataclasses.dataclass(frozen=True)
class Offer:
    """The client that the server has.

    :ivar product: `jenkins` or `hudson`
    :ivar version: of the server
    :ivar size: in bytes, where the server tells it
    :ivar modified: seconds since the epoch, where the server tells it
    """

    product: str
    version: str
    size: int | None
    modified: int | None

    @property
    def path(self) -> str:
        """Where it is on the server."""
        return f"/jnlpJars/{self.product}-cli.jar"


def offered(ci: CiService) -> Offer:
    """The client that the server has, without fetching it."""
    product, version = server.release(ci)
    headers = ci.http.read("HEAD", Offer(product, version, None, None).path).headers
    size = headers.get("Content-Length", "")
    modified = email.utils.parsedate_tz(headers.get("Last-Modified"))
    return Offer(
        product,
        version,
        int(size) if size.isdigit() else None,
        None if modified is None else email.utils.mktime_tz(modified),
    )


class Copy:
    """A copy of the client on this machine. It has the time that the server tells of its own."""

    def __init__(self, task: Task, ci: CiService, offer: Offer, path: str) -> None:
        self._task = task
        self._ci = ci
        self._offer = offer
        self.path = path

    @classmethod
    def at_dest(cls, task: Task, ci: CiService) -> Copy:
        """
        :raises BadOption: when no file can be there
        """
        path: str = task.params["dest"]
        if os.path.isdir(rehearsal.resolve_read(path)):
            raise BadOption("dest", f"'{path}' is a folder: name the file")
        if os.path.exists(rehearsal.resolve_read(os.path.dirname(os.path.realpath(path)))):
            check_writable(task, path, "dest")
        return cls(task, ci, offered(ci), path)

    def read(self) -> dict[str, t.Any] | None:
        """The copy as it is, or `None` when there is none."""
        path = rehearsal.resolve_read(self.path)
        try:
            found = os.stat(path)
        except OSError:
            return None
        modified, version = _moment(found.st_mtime), _version(path)
        return {"path": self.path, "size": found.st_size, "modified": modified, "version": version}

    def wanted(self, before: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """What the server has. It tells the version only where the client does so as well."""
        modified = None if self._offer.modified is None else _moment(self._offer.modified)
        version = self._offer.version if before and before["version"] else None
        told = {"path": self.path, "size": self._offer.size, "modified": modified, "version": version}
        return {name: value for name, value in told.items() if value is not None}

    def show(self, fields: dict[str, t.Any]) -> dict[str, t.Any]:
        """The copy with all that is told of it."""
        version = self._offer.version if self._offer.product == "jenkins" else None
        return {"size": None, "modified": None, "version": version, **fields}

    def fetch(self, _fields: t.Any = None, always: bool = False) -> None:
        """Bring the server's client here, after it was checked to be that.

        :arg always: in check mode, too, for a cache
        """
        store_chunks(self._task, self.path, self._checked(), in_check_mode=always)
        if self._offer.modified is not None:
            os.utime(rehearsal.resolve_write(self.path), (self._offer.modified, self._offer.modified))

    def _checked(self) -> t.Iterator[bytes]:
        with tempfile.TemporaryFile() as file:
            for piece in download.download_chunks(self._task, self._ci.http, self._offer.path):
                file.write(piece)
            file.seek(0)
            version = _version(file)
            if version not in (None, self._offer.version):
                raise ToolchainError(
                    f"The server is {self._offer.version}, but its client is {version or 'no jar'}: something in "
                    "between keeps an old one, or the server was just replaced. Try again."
                )
            file.seek(0)
            yield from iter(lambda: file.read(_READ_AT_ONCE), b"")


def cached(task: Task, ci: CiService, offer: Offer) -> str:
    """The path of a copy that is the server's client; fetched when there is none, or another."""
    folder = os.path.join(task.params["jar_cache"], hashlib.sha256(ci.http.base_url.encode()).hexdigest()[:16])
    copy = Copy(task, ci, offer, os.path.join(folder, f"{offer.product}-cli.jar"))
    before = copy.read()
    if before is None or find_differences(before, copy.wanted(before)):
        copy.fetch(always=True)
    return rehearsal.resolve_read(copy.path)


def _moment(seconds: float) -> str:
    """As ISO 8601, in UTC."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _version(file: t.Any) -> str | None:
    """The version that a client tells; empty when it is no client at all, `None` when it tells none (Hudson's).

    :arg file: a path, or an open file
    """
    try:
        with zipfile.ZipFile(file) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF")
    except (OSError, zipfile.BadZipFile, KeyError):
        return ""
    lines = (line for line in manifest.splitlines() if line.startswith(_VERSION))
    found = next(lines, None)
    return found[len(_VERSION) :].strip().decode("utf-8", "replace") if found else None
