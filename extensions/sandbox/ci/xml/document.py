# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing XML 1.1 as Jenkins does.

The parser supports XML 1.0 only, so references to control characters become characters of a private use area.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from lxml import etree

from ..http import doctype

DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'
TEXT_ENTITIES = {'"': "&quot;", "'": "&apos;", "\r": "&#xd;"}
ATTRIBUTE_ENTITIES = {'"': "&quot;", "'": "&apos;", "\r": "&#xd;", "\n": "&#xa;", "\t": "&#x9;"}
PRIVATE = 0x10FF00
_DECLARATION = re.compile(r"\s*<\?xml([^>]*)\?>\s*")
# References, and what can contain their characters without being one
_REFERENCE = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|&#(?:x([0-9a-fA-F]+)|([0-9]+));", re.DOTALL)
_CONTROL = re.compile(f"[{chr(PRIVATE)}-{chr(PRIVATE + 0x1F)}]")


class ConfigError(ValueError):
    """A configuration that Jenkins cannot load."""


def parse(text: str, remove_blanks: bool = True, remove_comments: bool = True) -> etree._Element:
    """Return the root element of a document.

    :arg remove_blanks: whether to remove blank texts
    :arg remove_comments: whether to remove comments
    :raises ConfigError: if the document is not well-formed
    """
    declaration = _DECLARATION.match(text)
    if declaration:
        text = text[declaration.end() :]
        if "1.1" in declaration[1]:
            text = _REFERENCE.sub(_hide_control_character, text)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_blank_text=remove_blanks, remove_comments=remove_comments
    )
    try:
        return etree.fromstring((doctype.expand(text) if "<!DOCTYPE" in text else text).encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ConfigError(str(error)) from error


def write(root: etree._Element) -> str:
    """Return a document as Jenkins stores it, indented and with all quotes escaped."""
    return DECLARATION + "".join(_write(root, ""))


def copy(text: str) -> str:
    """Return a document as Java's identity transformation writes it: with its blanks and comments."""
    declaration = _DECLARATION.match(text)
    version = "1.1" if declaration and "1.1" in declaration[1] else "1.0"
    root = etree.tostring(parse(text, remove_blanks=False, remove_comments=False), encoding="unicode")
    return f'<?xml version="{version}" encoding="UTF-8"?>{_show_control_characters(root)}'


def write_element(root: etree._Element) -> str:
    """Return an element without a declaration, as the credentials plugin returns it."""
    return "".join(_write(root, ""))


def _hide_control_character(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    code = int(digits, 16 if match[1] else 10) if digits else 0
    return chr(PRIVATE + code) if 0 < code < ord(" ") and chr(code) not in "\t\n\r" else match[0]


def _show_control_characters(text: str) -> str:
    return _CONTROL.sub(lambda match: f"&#x{ord(match[0]) - PRIVATE:x};", text)


def _write(element: etree._Element, indent: str) -> list[str]:
    attributes = "".join(f' {name!s}="{escape(str(value), ATTRIBUTE_ENTITIES)}"' for name, value in element.items())
    tag = str(element.tag)
    start = f"{indent}<{tag}{attributes}"
    if not len(element):
        text = _show_control_characters(escape(element.text or "", TEXT_ENTITIES))
        # An empty text is written with an end tag, an object without members is not
        return [f"{start}>{text}</{tag}>" if element.text is not None else f"{start}/>"]
    inner: list[str] = []
    for child in element:
        inner += ["\n", *_write(child, f"{indent}  ")]
    return [f"{start}>", *inner, f"\n{indent}</{tag}>"]
