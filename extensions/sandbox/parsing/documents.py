# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parsers for JSON and XML in requests.

They reject documents that are nested too deeply, and XML with entities, which could expand without limit.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

MAX_DEPTH = 200  # levels of JSON, because the functions that process it are recursive
TOO_DEEP = f"The JSON is nested too deeply: at most {MAX_DEPTH} levels are allowed."
# An escape sequence in a JSON string: a surrogate pair, an unpaired surrogate (group 1), or any other
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)
NO_DOCTYPE = (
    'DOCTYPE is disallowed when the feature "http://apache.org/xml/features/disallow-doctype-decl" set to true.'
)


def parse_json(text: bytes | str) -> Any:
    """Return the value of a JSON document. Unpaired surrogates, which cannot be encoded, become question marks.

    :raises ValueError: if it is not JSON, is nested too deeply, or contains a number that is not finite
    """
    document = text if isinstance(text, str) else text.decode(json.detect_encoding(text))
    if "\\ud" in document or "\\uD" in document:
        document = _ESCAPE.sub(lambda escape: "?" if escape[1] else escape[0], document)
    try:
        value = json.loads(document, parse_float=_parse_finite, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if document.count("[") + document.count("{") > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise ValueError(TOO_DEEP)
    return value


def parse_xml(text: bytes) -> ElementTree.Element:
    """Return the root element of an XML document.

    :raises ElementTree.ParseError: if it is not XML, contains a document type declaration, or its encoding is unknown
    """
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ElementTree.ParseError(_describe_error_before_root(text) or str(error)) from None
    except (LookupError, ValueError) as error:  # caused by the encoding declaration
        raise ElementTree.ParseError(str(error)) from None
    return ElementTree.fromstring(text)


def _parse_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _is_deeper(value: Any, levels: int) -> bool:
    parts = [value]
    for _level in range(levels):
        inner = (part.values() if isinstance(part, dict) else part for part in parts)
        parts = [part for within in inner for part in within if isinstance(part, (dict, list))]
        if not parts:
            return False
    return True


def _describe_error_before_root(text: bytes) -> str | None:
    """Return the message of the server's parser for a document that does not start with an element, or null."""
    document = text.decode("utf-8", "replace")
    rest = document.lstrip()
    if rest.startswith("<"):
        return None
    lines = document[: len(document) - len(rest)].split("\n")
    column = len(lines[-1]) + bool(rest)
    unexpected = f"character '{rest[0]}' (code {ord(rest[0])}) in prolog; expected '<'" if rest else "EOF in prolog"
    return f" : Unexpected {unexpected}\n at [row,col {{unknown-source}}]: [{len(lines)},{column}]"


def _refuse_doctype(*_declaration: object) -> None:
    raise ElementTree.ParseError(NO_DOCTYPE)
