# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters `xpath`, `wrapper` and `exclude`.

A child process loads this file by itself (see `evaluator`), so it does not import the sandbox.
"""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

_WRAPPER_NAME = re.compile(r"[a-zA-Z_][\w.-]*", re.ASCII)
DOCUMENT_PATHS = ("/", ".", "/.")  # the document itself, with its declaration
_RELATIVE_PATH = re.compile(r"(?!\w+(-\w+)*\()[\w*@.]")
# Paths of children, which are evaluated in one pass: `//action/parameter[name='A'][1]/value/text()`
_NAME = r"(?:@?[A-Za-z_][\w.-]*|\*)"
_TEST = rf"{_NAME}(?:/{_NAME})*(?:\s*=\s*(?:'[^']*'|\"[^\"]*\"))?"
_STEP = rf"(?:{_NAME}|text\(\))(?:\[(?:\d{{1,9}}|{_TEST})\]){{0,2}}"
_SIMPLE = re.compile(rf"/{{0,2}}{_STEP}(?:/{_STEP})*|/|\.|/\.")
MAX_SIMPLE_LENGTH = 1000  # characters


class XPathError(Exception):
    """An XPath or a combination of parameters that causes the 500 page of the server."""


class XPathRefusal(Exception):
    """A valid XPath whose result the server refuses with a line of text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Primitive(Exception):
    """The XPath selects a text, number or boolean, carried as text."""


def is_simple(xpath: str) -> bool:
    """Return whether the XPath certainly takes time proportional to the size of the document."""
    return len(xpath) <= MAX_SIMPLE_LENGTH and _SIMPLE.fullmatch(xpath) is not None


def evaluate(xml: str, xpath: str | None, wrapper: str | None, excludes: list[str]) -> tuple[str, int, str]:
    """Return kind (`xml`, `primitive`, `refusal` or `error`), status and text of the result."""
    try:
        return "xml", 200, select(xml, xpath, wrapper, excludes)
    except Primitive as primitive:
        return "primitive", 200, str(primitive)
    except XPathRefusal as refusal:
        return "refusal", refusal.status, refusal.text
    except XPathError as error:
        return "error", 500, str(error)


def select(xml: str, xpath: str | None, wrapper: str | None, excludes: list[str]) -> str:
    """Apply `exclude`, `xpath` and `wrapper` to a document."""
    try:
        document = etree.fromstring(xml.encode()).getroottree()
    except etree.XMLSyntaxError as error:
        raise XPathError(str(error)) from error
    for exclude in excludes:
        for node in _nodes(document, exclude):
            parent = node.getparent() if etree.iselement(node) else None
            if parent is not None:
                parent.remove(node)
    if xpath is None or (wrapper is None and xpath.strip() in DOCUMENT_PATHS):
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + _markup(document.getroot())
    nodes = _nodes(document, xpath)
    if wrapper is not None:
        return _wrap(wrapper, nodes)
    if not nodes:
        raise XPathRefusal(404, f"XPath {xpath} didn\u2019t match")
    if len(nodes) > 1:
        raise XPathRefusal(
            500,
            f'XPath "{xpath}" matched {len(nodes)} nodes. Create XPath that only matches one, or use the "wrapper" '
            "query parameter to wrap them all under a root element.",
        )
    if _is_primitive(nodes[0]):
        raise Primitive(_text(nodes[0]))
    return _markup(nodes[0])


def _nodes(document: Any, xpath: str) -> list[Any]:
    # The context is the document; lxml would resolve relative paths against the root element.
    path = "/" + xpath if _RELATIVE_PATH.match(xpath) else xpath
    try:
        result = document.xpath(path)
    except etree.XPathError as error:
        raise XPathError(str(error)) from error
    return result if isinstance(result, list) else [result]


def _is_primitive(node: Any) -> bool:
    return not etree.iselement(node) and not getattr(node, "is_attribute", False)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _markup(node: Any) -> str:
    if etree.iselement(node):
        return etree.tostring(node, encoding="unicode", with_tail=False)
    return f' {node.attrname}="{node}"'


def _wrap(wrapper: str, nodes: list[Any]) -> str:
    if not _WRAPPER_NAME.fullmatch(wrapper):
        raise XPathRefusal(
            400,
            "The wrapper parameter can only contain alphanumeric characters or dash/dot/underscore. "
            "The first character has to be a letter or underscore.",
        )
    if any(isinstance(node, (float, bool)) for node in nodes):
        raise XPathError("neither a node nor a text")
    inner = "".join(escape(str(node)) if _is_primitive(node) else _markup(node) for node in nodes)
    return f"<{wrapper}>{inner}</{wrapper}>" if inner else f"<{wrapper}/>"
