# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The console output of a build, read incrementally with constant memory."""

from __future__ import annotations

import codecs
import collections
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

# Console annotations, which Jenkins embeds for its web interface
_ANNOTATION = re.compile(rb"\x1b\[8mha:[A-Za-z0-9+/=]*\x1b\[0m")
# The end of a chunk that may continue as an annotation or a line end
_INCOMPLETE = re.compile(rb"(\r|\x1b(\[(8(m(h(a(:[A-Za-z0-9+/=]*(\x1b(\[0?)?)?)?)?)?)?)?)?)\Z")
_MAX_ANNOTATION = 256 * 1024
_MAX_LINE_LENGTH = 10_000
_TAIL_SIZE = 64 * 1024


class Console:
    """The console output of one build. If a response is incomplete, the next call continues where it ended.

    :arg path: path of the build
    :arg start: offset to start at, in bytes
    :arg options: request options
    :ivar is_complete: whether the build has ended and the whole output was read
    """

    def __init__(self, ci: CiService, path: str, start: int = 0, **options: t.Unpack[RequestOptions]) -> None:
        self.is_complete = False
        self._options = options
        self._ci = ci
        self._path = path
        self._start = start
        self._received = 0  # bytes already read of an incomplete response
        self._filter = AnnotationFilter()
        self._line = ""

    def read(self) -> t.Iterator[str]:
        """Yield the output since the last call, without annotations and with normalized line ends.

        :raises IncompleteResponse: if the connection breaks
        :raises ServerRefusal: if the build does not exist or was deleted (404)
        """
        response = self._request(self._start)
        received = self._received
        for chunk in response.chunks():
            new = chunk[received:]
            received -= len(chunk) - len(new)
            self._received += len(new)
            if text := self._filter.feed(new):
                yield text
        self._start, self._received = _log_size(response), 0
        self.is_complete = "X-More-Data" not in response.headers
        if self.is_complete and (text := self._filter.flush()):
            yield text

    def read_lines(self) -> t.Iterator[str]:
        """Yield the lines that were completed since the last call and, at the end, an incomplete one; see `read`.

        Lines longer than 10,000 characters are split.
        """
        for text in self.read():
            *lines, self._line = (self._line + text).split("\n")
            for line in lines:
                yield from _split(line)
            *parts, self._line = _split(self._line)
            yield from parts
        if self.is_complete and self._line:
            yield self._line
            self._line = ""

    def read_last_lines(self, count: int) -> list[str]:
        """Return the last lines within the last 64 KiB of the current output."""
        start = max(0, self._fetch_size() - _TAIL_SIZE)
        tail = Console(self._ci, self._path, start, **self._options)
        lines = collections.deque(tail.read_lines(), maxlen=count + 1)
        if tail._line:
            lines.append(tail._line)
        if start and len(lines) <= count:
            lines.popleft()  # the first line is incomplete
        return list(lines)[-count:]

    def _fetch_size(self) -> int:
        """Return the size of the log in bytes. A negative offset returns no text, but Hudson rejects it."""
        try:
            return _log_size(self._request(-1))
        except ServerRefusal as refusal:
            if refusal.status != 500:
                raise
            return _log_size(self._request(0))

    def _request(self, start: int) -> Response:
        options: RequestOptions = {**self._options, "query": {"start": str(start)}, "stream": True}
        return self._ci.http.read("GET", f"{self._path}/logText/progressiveText", **options)


class AnnotationFilter:
    """Removes annotations and normalizes line ends, wherever the chunks are split."""

    def __init__(self) -> None:
        self._pending = b""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def feed(self, chunk: bytes) -> str:
        """Return the text up to this chunk that cannot be part of an annotation."""
        data = _ANNOTATION.sub(b"", self._pending + chunk)
        incomplete = _INCOMPLETE.search(data)
        self._pending = incomplete.group() if incomplete else b""
        if len(self._pending) > _MAX_ANNOTATION:
            self._pending = b""
        return self._decode(data[: len(data) - len(self._pending)].replace(b"\r\n", b"\n"))

    def flush(self) -> str:
        """Return the pending text at the end of the output."""
        pending, self._pending = self._pending, b""
        return self._decode(pending, final=True)


def _log_size(response: Response) -> int:
    """Return the size of the log in bytes from the header of the response."""
    size = response.headers.get("X-Text-Size", "")
    if not size.isdecimal():
        raise ToolchainError(
            "Cannot read the console output: the response has no X-Text-Size header. Check whether a proxy removes it."
        )
    return int(size)


def _split(line: str) -> list[str]:
    return [line[start : start + _MAX_LINE_LENGTH] for start in range(0, len(line), _MAX_LINE_LENGTH)] or [line]
