# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regular expressions of Java (java.util.regex.Pattern), of which Python writes some parts differently."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)|\\(?P<kind>[pP])(?:\{(?P<property>\w+)\}|(?P<letter>\w))|\(\?<(?P<group>[A-Za-z]\w*)>"
    r"|\\k<(?P<reference>\w+)>|\\x\{(?P<code>[0-9A-Fa-f]{1,6})\}|(?P<escape>\\.)|(?P<bracket>[\[\]])",
    re.DOTALL,
)
_ESCAPES = {r"\e": r"\x1b", r"\h": r"[ \t\xa0]", r"\R": r"(?:\r\n|[\n\v\f\r\x85])", r"\z": r"\Z", r"\Z": r"(?=\n?\Z)"}
# Members of character classes by property
_PROPERTIES = {
    "ASCII": r"\x00-\x7f",
    "Alnum": "a-zA-Z0-9",
    "Alpha": "a-zA-Z",
    "Blank": r" \t",
    "Digit": "0-9",
    "IsAlphabetic": "a-zA-Z\xaa-\u02ff\u0370-\u1fff\u3040-\ud7ff",
    "IsDigit": r"\d",
    "L": "a-zA-Z\xaa-\u02ff\u0370-\u1fff\u3040-\ud7ff",
    "Ll": "a-z\xdf-\xf6\xf8-\xff",
    "Lower": "a-z",
    "Lu": "A-Z\xc0-\xd6\xd8-\xde",
    "N": r"\d",
    "Nd": r"\d",
    "Punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    "Space": r"\s",
    "Upper": "A-Z",
    "XDigit": "0-9a-fA-F",
}


class PatternError(ValueError):
    """A text is not a regular expression."""


def translate(pattern: str) -> str:
    """Return a regular expression of Java as Python writes it. Intersections of character classes stay as they are."""
    depth = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal depth
        if match["bracket"]:
            depth = max(depth + (1 if match["bracket"] == "[" else -1), 0)
            return match[0]
        return _translate(match, in_class=depth > 0)

    return _TOKEN.sub(replace, pattern)


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression of Java.

    :raises PatternError: if it is none
    """
    try:
        return re.compile(translate(pattern))
    except (re.error, RecursionError) as error:
        raise PatternError(str(error)) from error


def _translate(match: re.Match[str], *, in_class: bool) -> str:
    if match["quoted"] is not None:
        return re.escape(match["quoted"])
    if match["group"] or match["reference"]:
        return f"(?P<{match['group']}>" if match["group"] else f"(?P={match['reference']})"
    if match["code"]:
        return f"\\U{int(match['code'], 16):08x}"
    if match["kind"]:
        members = _PROPERTIES.get(match["property"] or match["letter"])
        if members is None or (in_class and match["kind"] == "P"):
            return match[0]
        return members if in_class else f"[{'^' if match['kind'] == 'P' else ''}{members}]"
    return match[0] if in_class else _ESCAPES.get(match[0], match[0])
