# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations of Jenkins as XML documents.

Jenkins writes XML 1.1, which allows references to control characters. Python reads XML 1.0 only, so such characters are
replaced by characters of a private use area while a document is processed.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'
_LEADING_DECLARATION = re.compile(r"\A\ufeff?\s*(<\?xml[^>]*\?>)?")
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]+)|(\d+));")
_MAX_DEPTH = 100
_PRIVATE = 0x10FF00
_HIDDEN = re.compile(f"[{chr(_PRIVATE)}-{chr(_PRIVATE + 0x1F)}]")
_CONTROL = re.compile("[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f]")
# Characters that XML 1.1 allows only as references, or reads as line breaks
_REFERENCED = re.compile("[\\r\\x7f-\\x9f\\u2028]")


class XmlError(ValueError):
    """A text is not an XML document that can be processed."""


class XmlBody(bytes):
    """A document as the body of a request. Without the charset, Jenkins reads texts as ISO-8859-1."""

    content_type = "application/xml; charset=utf-8"

    def __new__(cls, root: ET.Element) -> XmlBody:
        return super().__new__(cls, serialize(root).encode())


def parse(text: str) -> ET.Element:
    """Return the root element of a document, without comments and processing instructions.

    :raises XmlError: if the text is not well-formed or has a document type, whose entities can be of any size
    """
    content = _LEADING_DECLARATION.sub("", text, count=1)
    if "<!DOCTYPE" in content:
        raise XmlError("a document type declaration is not allowed")
    try:
        root = ET.fromstring(_REFERENCE.sub(_replace_reference, content).encode())
    except (ET.ParseError, ValueError) as error:
        raise XmlError(str(error)) from None
    if _exceeds_depth(root):
        raise XmlError(f"elements are nested more than {_MAX_DEPTH} levels deep")
    return root


def serialize(root: ET.Element) -> str:
    """Return a document as Jenkins formats it."""
    return DECLARATION + "".join(_write(root, ""))


def hide_controls(text: str) -> str:
    """Return a text of an option as `parse` returns texts: with other characters in place of control characters."""
    return _CONTROL.sub(lambda match: chr(_PRIVATE + ord(match[0])), text)


def reveal_controls(text: str) -> str:
    """Return a text that `parse` returned with its control characters."""
    return _HIDDEN.sub(lambda match: chr(ord(match[0]) - _PRIVATE), text)


def is_blank(text: str | None) -> bool:
    """Return whether a text is missing or has only whitespace."""
    return not (text and text.strip())


def is_layout(text: str | None) -> bool:
    """Return whether a text is missing or only breaks lines. Other blanks can be a value, such as a separator."""
    return not text or (is_blank(text) and "\n" in text)


def _exceeds_depth(root: ET.Element) -> bool:
    level = [root]
    for _depth in range(_MAX_DEPTH):
        level = [child for element in level for child in element]
    return bool(level)


def _replace_reference(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    return chr(_PRIVATE + code) if 0 < code < 0x20 and chr(code) not in "\t\n\r" else match[0]


def _write(element: ET.Element, indent: str) -> list[str]:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.attrib.items())
    text = _escape(element.text)
    if not len(element):
        end = f">{text}</{element.tag}>" if text else "/>"
        return [f"{indent}<{element.tag}{attributes}{end}"]
    inner: list[str] = []
    for child in element:
        inner += ["\n", *_write(child, f"{indent}  ")]
    start = f"{indent}<{element.tag}{attributes}>{'' if is_blank(element.text) else text}"
    return [start, *inner, f"\n{indent}</{element.tag}>"]


def _escape(text: str | None) -> str:
    escaped = _REFERENCED.sub(lambda match: f"&#x{ord(match[0]):x};", escape(text or ""))
    return _HIDDEN.sub(lambda match: f"&#x{ord(match[0]) - _PRIVATE:x};", escaped)
