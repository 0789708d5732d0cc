# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Incremental parser for a JSON object with one long list."""

from __future__ import annotations

import codecs
import json
import re
import typing as t

_END = ""
# Exceptions of the scanner: ValueError also for huge numbers, StopIteration at the end of the text
_SCANNER_ERRORS = (ValueError, RecursionError, StopIteration)
_WHITESPACE = re.compile(r"[ \t\r\n]*")
# Characters that can follow a value
_DELIMITERS = tuple(",:]} \t\r\n")
# Maximum length of a value in characters
_LONGEST_VALUE = 64 * 1024 * 1024


class MalformedJson(ValueError):
    """The text is not JSON, or not an object."""


class DuplicateMember(ValueError):
    """An object has two different values of one member."""


class JsonList:
    """The entries of a list in a JSON object. Can be iterated once; memory holds one entry and one chunk.

    :arg member: name of the list
    :arg others: receives the other members of the object; complete after the iteration
    :ivar is_found: whether the list exists; known after the iteration
    """

    def __init__(self, pieces: t.Iterable[bytes], member: str, others: dict[str, t.Any]) -> None:
        self.others = others
        self.is_found = False
        self._text = _Text(pieces)
        self._member = member

    def __iter__(self) -> t.Iterator[t.Any]:
        """
        :raises MalformedJson: if the text is not one object
        :raises DuplicateMember: if an object has two different values of one member
        """
        text = self._text
        for _place in text.parts("{", "}"):
            name = text.value()
            text.consume(":")
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
    """A buffer of text that arrives in chunks. Parsed text is discarded."""

    def __init__(self, pieces: t.Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._read = json.JSONDecoder(object_pairs_hook=_object).scan_once  # type: ignore[attr-defined]
        self._buffer = ""
        self._at = 0
        self._ended = False

    def parts(self, opening: str, closing: str) -> t.Iterator[None]:
        """Yield before each of the comma-separated parts between two brackets."""
        self.consume(opening)
        if self.next() != closing:
            yield
            while self.next() == ",":
                self._at += 1
                yield
        self.consume(closing)

    def next(self) -> str:
        """Return the next character that is not whitespace, without consuming it."""
        while True:
            self._skip_blanks()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return _END

    def _skip_blanks(self) -> None:
        self._at = _WHITESPACE.match(self._buffer, self._at).end()  # type: ignore[union-attr]

    def consume(self, character: str) -> None:
        if self.next() != character:
            raise MalformedJson(f"'{character}' is missing")
        self._at += 1

    def value(self) -> t.Any:
        """Return the next value."""
        while True:
            self._skip_blanks()
            try:
                value, end = self._read(self._buffer, self._at)
            except DuplicateMember:
                raise
            except _SCANNER_ERRORS as error:
                if not self._more():
                    raise MalformedJson(str(error)) from None
            else:
                if self._buffer[end : end + 1] in _DELIMITERS or not self._more():  # a number may continue
                    self._at = end
                    return value

    def _more(self) -> bool:
        """Double the buffer, so that a long value is not parsed too often. Return whether there was more text."""
        size = len(self._buffer) - self._at
        if size > _LONGEST_VALUE:
            raise MalformedJson("a value without an end")
        pieces = [self._buffer[self._at :]]
        read = 0
        while read <= size and not self._ended:
            piece = next(self._pieces, None)
            self._ended = piece is None
            pieces.append(self._decode(piece or b"", self._ended))
            read += len(pieces[-1])
        self._buffer, self._at = "".join(pieces), 0
        return read > 0


def _object(members: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    document = dict(members)
    if len(document) < len(members):
        for name, value in members:
            if document[name] != value:
                raise DuplicateMember(name)
    return document
