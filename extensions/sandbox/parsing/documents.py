# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON and XML of requests. Documents that are too deep or could expand to any size are refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

MAX_DEPTH = 200  # levels of JSON; the functions that go through it call themselves
TOO_DEEP = f"The JSON is nested deeper than {MAX_DEPTH} levels."
# An escape in a text of JSON: a surrogate pair, half of one, or any other
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)
NO_DOCTYPE = (
    'DOCTYPE is disallowed when the feature "http://apache.org/xml/features/disallow-doctype-decl" set to true.'
)


def parse_json(text: bytes | str) -> Any:
    """Return the value in JSON, with a question mark for half of a surrogate pair: nothing could store or send it.

    :raises ValueError: when it is no JSON, is nested too deep, or has a number that is not finite
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
    """Return the root of a document.

    :raises ElementTree.ParseError: when it is no XML, names a document type or an encoding that cannot be read
    """
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ElementTree.ParseError(_describe_error_before_root(text) or str(error)) from None
    except (LookupError, ValueError) as error:  # of an encoding that the document names
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
    """Return what the server's parser reports about a document that does not begin with an element."""
    document = text.decode("utf-8", "replace")
    rest = document.lstrip()
    if rest.startswith("<"):
        return None
    lines = document[: len(document) - len(rest)].split("\n")
    column = len(lines[-1]) + bool(rest)
    found = f"character '{rest[0]}' (code {ord(rest[0])}) in prolog; expected '<'" if rest else "EOF in prolog"
    return f" : Unexpected {found}\n at [row,col {{unknown-source}}]: [{len(lines)},{column}]"


def _refuse_doctype(*_declaration: object) -> None:
    raise ElementTree.ParseError(NO_DOCTYPE)
