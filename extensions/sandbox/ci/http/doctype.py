# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""XML with a document type declaration.

Internal entities are expanded up to a limit. External ones are empty, as with the parser of Jenkins.
"""

from __future__ import annotations

from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

MAX_EXPANDED_LENGTH = 16 * 1024 * 1024  # characters


def expand(text: str) -> str:
    """Return the document without its document type.

    :raises ValueError: if it is malformed or its entities are too large
    """
    writer = _Writer()
    parser = expat.ParserCreate()
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.data
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    return "".join(writer.pieces)


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._size = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._write(f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in attributes.items())}>")

    def end(self, name: str) -> None:
        self._write(f"</{name}>")

    def data(self, text: str) -> None:
        self._write(escape(text))

    def _write(self, piece: str) -> None:
        self.pieces.append(piece)
        self._size += len(piece)
        if self._size > MAX_EXPANDED_LENGTH:
            raise ValueError("the entities are too large")
