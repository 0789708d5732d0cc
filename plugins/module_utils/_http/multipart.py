# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Multipart forms with files, which are streamed."""

from __future__ import annotations

import os
import secrets
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import LocalFile

# Escapes of names and file names as in browsers
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class Multipart:
    """A multipart form for the option `data` of a request. It can be iterated repeatedly.

    The files precede the fields, because some servers identify parts by position.

    :arg fields: values by name
    :arg files: files by name
    :ivar size: size in bytes
    """

    def __init__(self, fields: t.Mapping[str, str], files: t.Mapping[str, LocalFile]) -> None:
        self._boundary = secrets.token_hex(16)
        parts: list[bytes | LocalFile] = []
        for name, file in files.items():
            head = self._head(name, "application/octet-stream", os.path.basename(file.path))
            parts += [head, file, b"\r\n"]
        for name, value in fields.items():
            parts += [self._head(name, "text/plain;charset=UTF-8"), value.encode(), b"\r\n"]
        self._parts = [*parts, f"--{self._boundary}--\r\n".encode()]
        self.size = sum(len(part) if isinstance(part, bytes) else part.size for part in self._parts)

    @property
    def content_type(self) -> str:
        """The value of the Content-Type header."""
        return f"multipart/form-data; boundary={self._boundary}"

    def __iter__(self) -> t.Iterator[bytes]:
        for part in self._parts:
            if isinstance(part, bytes):
                yield part
            else:
                yield from part

    def _head(self, name: str, content_type: str, file_name: str | None = None) -> bytes:
        """Return the header of a part."""
        disposition = f'form-data; name="{name.translate(_ESCAPED)}"'
        if file_name is not None:
            disposition += f'; filename="{file_name.translate(_ESCAPED)}"'
        lines = (f"--{self._boundary}", f"Content-Disposition: {disposition}", f"Content-Type: {content_type}", "", "")
        return "\r\n".join(lines).encode()
