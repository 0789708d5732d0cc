# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations of Jenkins as XML documents.

Jenkins writes XML 1.1, which allows references to control characters. Python parses XML 1.0 only. While a document is
parsed, characters that it does not contain stand for the referenced ones.
"""

from __future__ import annotations

import collections
import re
import typing as t
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'
_LEADING_DECLARATION = re.compile(r"\A\ufeff?\s*(<\?xml[^>]*\?>)?")
# The references of a document, and what can contain the characters of a reference without being one. Without its end,
# it contains the rest of the document
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[(?:(?P<cdata>.*?)\]\]>|.*)"
    r"|&#(?:x(?P<hex>[0-9a-fA-F]+)|(?P<decimal>[0-9]+));|(?P<doctype><!DOCTYPE)",
    re.DOTALL,
)
_MAX_DEPTH = 100
_MAX_CODE = 0x1F
_PRIVATE_USE = range(0x100000, 0x10FFFE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# Characters that XML 1.1 allows only as references, or reads as line breaks
_REFERENCED = re.compile("[\x01-\x08\x0b\x0c\r\x0e-\x1f\x7f-\x9f\u2028]")


class XmlError(ValueError):
    """A text is not an XML document that can be processed."""


class XmlBody(bytes):
    """A document as the body of a request. Without the charset, Jenkins reads texts as ISO-8859-1."""

    content_type = "application/xml; charset=utf-8"

    def __new__(cls, root: ET.Element) -> XmlBody:
        return super().__new__(cls, serialize(root).encode())


class _StandIns:
    """Characters that stand for referenced control characters and line breaks while a document is parsed.

    :arg text: the document, which contains none of them
    """

    def __init__(self, text: str) -> None:
        self._unused = (chr(code) for code in _PRIVATE_USE if chr(code) not in text)
        self._by_character: dict[str, str] = {}

    def protect(self, match: re.Match[str]) -> str:
        """Return a match of `_MARKUP` with stand-ins for the characters that the parser refuses or removes.

        :raises XmlError: if it is a document type, whose entities can be of any size
        """
        if match["doctype"]:
            raise XmlError("a document type declaration is not allowed")
        if match["cdata"] is not None:
            is_value = is_blank(match["cdata"])
            return "".join(map(self._get, match["cdata"])) if is_value else match[0]
        digits = match["hex"] or match["decimal"]
        if digits is None:
            return match[0]
        code = int(digits, 16 if match["hex"] else 10)
        return self._get(chr(code)) if 0 < code <= _MAX_CODE else match[0]

    def restore(self, text: str) -> str:
        """Return a parsed text with the characters for which others stand."""
        return text.translate({ord(other): character for character, other in self._by_character.items()})

    def _get(self, character: str) -> str:
        if character not in self._by_character:
            self._by_character[character] = next(self._unused)
        return self._by_character[character]


def parse(text: str, *, is_stored: bool = False) -> ET.Element:
    """Return the root element of a document, without comments and processing instructions.

    Layout is removed: blanks between elements and, unless Jenkins has written the document, blanks with a line break as
    the only content of an element. In CDATA or as a reference, they are a text.

    :arg is_stored: whether Jenkins has written the document
    :raises XmlError: if the text is not well-formed, or contains what Jenkins does not store
    """
    content = _LEADING_DECLARATION.sub("", text, count=1)
    if forbidden := _FORBIDDEN.search(content):
        code = f"{ord(forbidden[0]):04X}"
        reference = f". Write the reference '&#x{ord(forbidden[0]):x};'" if "0000" < code < "0020" else ""
        raise XmlError(f"the character U+{code} is not allowed in XML{reference}")
    stand_ins = _StandIns(content)
    content = _MARKUP.sub(stand_ins.protect, content)
    try:
        root = ET.fromstring(content.encode())
    except (ET.ParseError, ValueError) as error:
        raise XmlError(str(error)) from None
    if _exceeds_depth(root):
        raise XmlError(f"elements are nested more than {_MAX_DEPTH} levels deep")
    for element in root.iter():
        element.tail = element.tail and stand_ins.restore(element.tail)
        _remove_layout(element, is_stored)
        element.text = element.text and stand_ins.restore(element.text)
        element.attrib.update({name: stand_ins.restore(value) for name, value in element.attrib.items()})
        _check_namespaces(element)
    if not is_stored:
        _check_storable(root)
    return root


def serialize(root: ET.Element) -> str:
    """Return a document as Jenkins formats it."""
    return DECLARATION + "".join(_write(root, ""))


def is_blank(text: str | None) -> bool:
    """Return whether a text is missing or has only whitespace."""
    return not (text and text.strip())


def _check_storable(root: ET.Element) -> None:
    """
    :raises XmlError: if an element has a text besides its children, or the root element has a child twice, of which
        Jenkins stores the last one
    """
    for element in root.iter():
        if len(element) and not is_blank(element.text):
            text = t.cast(str, element.text).strip()
            raise XmlError(f"Jenkins does not store the text '{text}' before the element '{element[0].tag}'")
        for child in element:
            if not is_blank(child.tail):
                text = t.cast(str, child.tail).strip()
                raise XmlError(f"Jenkins does not store the text '{text}' behind the element '{child.tag}'")
    for name, count in collections.Counter(child.tag for child in root).items():
        if count > 1:
            raise XmlError(f"the element '{name}' is set more than once. Keep one of them")


def _check_namespaces(element: ET.Element) -> None:
    """
    :raises XmlError: if an element or attribute has a namespace
    """
    for name in (element.tag, *element.attrib):
        if name.startswith("{"):
            namespace, _brace, local = name[1:].partition("}")
            raise XmlError(f"'{local}' has the namespace '{namespace}', but Jenkins does not store namespaces")


def _remove_layout(element: ET.Element, is_stored: bool) -> None:
    is_layout = len(element) > 0 or (not is_stored and "\n" in (element.text or ""))
    if is_layout and is_blank(element.text):
        element.text = None


def _exceeds_depth(root: ET.Element) -> bool:
    level = [root]
    for _depth in range(_MAX_DEPTH):
        level = [child for element in level for child in element]
    return bool(level)


def _write(element: ET.Element, indent: str) -> list[str]:
    attributes = "".join(f" {name}={_refer(quoteattr(value))}" for name, value in element.attrib.items())
    text = _refer(escape(element.text or ""))
    if not len(element):
        end = f">{text}</{element.tag}>" if text else "/>"
        return [f"{indent}<{element.tag}{attributes}{end}"]
    inner: list[str] = []
    for child in element:
        inner += ["\n", *_write(child, f"{indent}  ")]
    start = f"{indent}<{element.tag}{attributes}>{'' if is_blank(element.text) else text}"
    return [start, *inner, f"\n{indent}</{element.tag}>"]


def _refer(escaped: str) -> str:
    return _REFERENCED.sub(lambda match: f"&#x{ord(match[0]):x};", escaped)
