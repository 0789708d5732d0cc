# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a build prints, read as it grows; memory stays flat however much that is."""

from __future__ import annotations

import codecs
import collections
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

# What the server hides in front of names and links, for its pages alone
_NOTE = re.compile(rb"\x1b\[8mha:[A-Za-z0-9+/=]*\x1b\[0m")
# The end of a piece that may go on as a note, or as the end of a line
_BEGUN = re.compile(rb"(\r|\x1b(\[(8(m(h(a(:[A-Za-z0-9+/=]*(\x1b(\[0?)?)?)?)?)?)?)?)?)\Z")
_LONGEST_NOTE = 256 * 1024
_LONGEST_LINE = 10_000
_END_OF_LOG = 64 * 1024


class Console:
    """The log of one build. An answer that breaks off is gone on with by the next call.

    :arg path: of the build
    :arg start: place in the log to begin at, in bytes
    :arg options: of the requests
    :ivar ended: whether the build has ended, and everything was read
    """

    def __init__(self, ci: CiService, path: str, start: int = 0, **options: t.Unpack[RequestOptions]) -> None:
        self.ended = False
        self._options = options
        self._ci = ci
        self._path = path
        self._start = start
        self._known = 0  # bytes that were read of an answer that broke off
        self._clean = Cleaner()
        self._line = ""

    def more(self) -> t.Iterator[str]:
        """What was printed since the last call, a piece at a time, without notes and with plain line ends.

        :raises IncompleteResponse: when the answer breaks off
        :raises ServerRefusal: when the build is not there (404), or is not any more
        """
        response = self._ask(self._start)
        known = self._known
        for piece in response.chunks():
            fresh = piece[known:]
            known -= len(piece) - len(fresh)
            self._known += len(fresh)
            if text := self._clean(fresh):
                yield text
        self._start, self._known = _size(response), 0
        self.ended = "X-More-Data" not in response.headers
        if self.ended and (text := self._clean.rest()):
            yield text

    def lines(self) -> t.Iterator[str]:
        """The lines that were completed since the last call, and at the end also one that was not; see `more`.

        One longer than 10,000 characters comes in parts.
        """
        for text in self.more():
            *whole, self._line = (self._line + text).split("\n")
            for line in whole:
                yield from _parts(line)
            *parts, self._line = _parts(self._line)
            yield from parts
        if self.ended and self._line:
            yield self._line
            self._line = ""

    def last_lines(self, count: int) -> list[str]:
        """The last lines that there are now, of the last 64 KiB."""
        start = max(0, self._length() - _END_OF_LOG)
        end = Console(self._ci, self._path, start, **self._options)
        lines = collections.deque(end.lines(), maxlen=count + 1)
        if end._line:
            lines.append(end._line)
        if start and len(lines) <= count:
            lines.popleft()  # the rest of a line
        return list(lines)[-count:]

    def _length(self) -> int:
        """Length of the log in bytes. A place before its beginning costs nothing; Hudson fails over it."""
        try:
            return _size(self._ask(-1))
        except ServerRefusal as refusal:
            if refusal.status != 500:
                raise
            return _size(self._ask(0))

    def _ask(self, start: int) -> Response:
        asked: RequestOptions = {**self._options, "query": {"start": str(start)}, "stream": True}
        return self._ci.http.read("GET", f"{self._path}/logText/progressiveText", **asked)


class Cleaner:
    """Takes notes out of what is printed and makes its line ends plain, wherever the pieces are cut."""

    def __init__(self) -> None:
        self._held = b""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def __call__(self, piece: bytes) -> str:
        """What is sure of everything up to this piece."""
        text = _NOTE.sub(b"", self._held + piece)
        begun = _BEGUN.search(text)
        self._held = begun.group() if begun else b""
        if len(self._held) > _LONGEST_NOTE:
            self._held = b""
        return self._decode(text[: len(text) - len(self._held)].replace(b"\r\n", b"\n"))

    def rest(self) -> str:
        """What was held back, when nothing follows."""
        held, self._held = self._held, b""
        return self._decode(held, final=True)


def _size(response: Response) -> int:
    """Length of the log in bytes, by the answer's header."""
    size = response.headers.get("X-Text-Size", "")
    if not size.isdecimal():
        raise ToolchainError(
            "The build's log came without X-Text-Size, the header with its length. Did a proxy take it?"
        )
    return int(size)


def _parts(line: str) -> list[str]:
    return [line[start : start + _LONGEST_LINE] for start in range(0, len(line), _LONGEST_LINE)] or [line]
