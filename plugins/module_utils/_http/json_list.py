# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A JSON object with one long list, read an entry at a time."""

from __future__ import annotations

import codecs
import json
import re
import typing as t

_END = ""
# What the scanner raises; the first also for a number of thousands of digits, the last at the end of the text
_UNREADABLE = (ValueError, RecursionError, StopIteration)
_BLANKS = re.compile(r"[ \t\r\n]*")
# What may stand behind a value
_FOLLOWERS = tuple(",:]} \t\r\n")
# Characters that one value may have
_LONGEST_VALUE = 64 * 1024 * 1024


class MalformedJson(ValueError):
    """The text is no JSON, or not of the form that was expected."""


class DuplicateMember(ValueError):
    """An object has a member twice, with different values."""


class JsonList:
    """The entries of one list in an object; iterate once. Memory has no more than an entry and a piece of the text.

    :arg member: the name of the list
    :arg others: gets the other members of the object; complete when all entries were read
    :ivar found: whether the list was there; known then as well
    """

    def __init__(self, pieces: t.Iterable[bytes], member: str, others: dict[str, t.Any]) -> None:
        self.others = others
        self.is_found = False
        self._text = _Text(pieces)
        self._member = member

    def __iter__(self) -> t.Iterator[t.Any]:
        """
        :raises Broken: when the text is something else than one object
        :raises Doubled: rather than drop a value
        """
        text = self._text
        for _place in text.parts("{", "}"):
            name = text.value()
            text.take(":")
            if name == self._member and text.next() == "[":
                self.is_found = True
                for _place in text.parts("[", "]"):
                    yield text.value()
            elif isinstance(name, str):
                self.others[name] = text.value()
            else:
                raise MalformedJson("a member has no name")
        if text.next() != _END:
            raise MalformedJson("something follows the object")


class _Text:
    """Text that comes in pieces, of which the part that was read is forgotten."""

    def __init__(self, pieces: t.Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._read = json.JSONDecoder(object_pairs_hook=_object).scan_once  # type: ignore[attr-defined]
        self._buffer = ""
        self._at = 0
        self._ended = False

    def parts(self, opening: str, closing: str) -> t.Iterator[None]:
        """Stand before each of the parts between two brackets, which commas separate."""
        self.take(opening)
        if self.next() != closing:
            yield
            while self.next() == ",":
                self._at += 1
                yield
        self.take(closing)

    def next(self) -> str:
        """The next character that is no blank; it is not taken yet."""
        while True:
            self._skip_blanks()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return _END

    def _skip_blanks(self) -> None:
        self._at = _BLANKS.match(self._buffer, self._at).end()  # type: ignore[union-attr]

    def take(self, character: str) -> None:
        if self.next() != character:
            raise MalformedJson(f"'{character}' is missing")
        self._at += 1

    def value(self) -> t.Any:
        """The next value, whole."""
        while True:
            self._skip_blanks()
            try:
                value, end = self._read(self._buffer, self._at)
            except DuplicateMember:
                raise
            except _UNREADABLE as error:
                if not self._more():
                    raise MalformedJson(str(error)) from None
            else:
                if self._buffer[end : end + 1] in _FOLLOWERS or not self._more():  # a number may go on
                    self._at = end
                    return value

    def _more(self) -> bool:
        """Read on, twice as much as there is, so that a long value is not tried too often."""
        wanted = len(self._buffer) - self._at
        if wanted > _LONGEST_VALUE:
            raise MalformedJson("a value without an end")
        pieces = [self._buffer[self._at :]]
        read = 0
        while read <= wanted and not self._ended:
            piece = next(self._pieces, None)
            self._ended = piece is None
            pieces.append(self._decode(piece or b"", self._ended))
            read += len(pieces[-1])
        self._buffer, self._at = "".join(pieces), 0
        return read > 0


def _object(members: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    found = dict(members)
    if len(found) < len(members):
        for name, value in members:
            if found[name] != value:
                raise DuplicateMember(name)
    return found
