# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported beans and how clients see them: `depth`, `tree`, JSON, Python, XML and XPath."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

ALWAYS = 999
_TREE_TOKEN = re.compile(r"[,\[\]{}]|[^,\[\]{}]+")
_WRAPPER_NAME = re.compile(r"[a-zA-Z_][\w.-]*", re.ASCII)
_RELATIVE_PATH = re.compile(r"(?!\w+(-\w+)*\()[\w*@.]")


@dataclass(frozen=True)
class Property:
    """One exported member: seen while its visibility is not below the pruner's level."""

    name: str
    value: Any
    visibility: int = 1
    inline: bool = False


class Bean:
    """An exported object. `typed` says whether `_class` is told where the object is a member of another one."""

    def __init__(self, class_name: str, *properties: Property, typed: bool = True) -> None:
        self.class_name = class_name
        self.properties = properties
        self.typed = typed

    @property
    def simple_name(self) -> str:
        """The name of the XML root: the class's simple name, decapitalized as Java beans do it."""
        name = re.split(r"[.$]", self.class_name)[-1]
        return name if name[:2].isupper() else name[0].lower() + name[1:]


def opaque() -> Bean:
    """An object of a class that exports nothing: `{}`."""
    return Bean("java.lang.Object", typed=False)


class TreeError(ValueError):
    """A `tree` that does not parse."""


class ByDepth:
    """Prunes by the visibility of members."""

    def __init__(self, level: int) -> None:
        self._level = level

    def accept(self, member: Property) -> ByDepth | None:
        """The pruner for the member's value, or None if the member is not shown."""
        if member.visibility < self._level:
            return None
        return self if member.inline else ByDepth(self._level + 1)

    def cut(self, items: list[Any]) -> list[Any]:
        """The part of a list that is shown."""
        return items


@dataclass
class ByName:
    """Prunes by a `tree` expression."""

    children: dict[str, ByName] = field(default_factory=dict)
    start: int = 0
    end: int | None = None

    def accept(self, member: Property) -> ByName | None:
        """The pruner for the member's value, or None if the tree does not name the member."""
        return self.children.get(member.name) or self.children.get("*")

    def cut(self, items: list[Any]) -> list[Any]:
        """The part of a list that the range selects."""
        return items[self.start : self.end]


Pruner = ByDepth | ByName


class _TreeParser:
    def __init__(self, text: str) -> None:
        self._tokens = _TREE_TOKEN.findall(text)

    def parse(self) -> ByName:
        tree = self._nodes()
        if self._tokens:
            raise TreeError
        return tree

    def _nodes(self) -> ByName:
        parent = ByName()
        while True:
            name = self._name()
            node = self._nodes_in_brackets() if self._accept("[") else ByName()
            if self._accept("{"):
                node.start, node.end = self._range()
            parent.children[name] = node
            if not self._accept(","):
                return parent

    def _nodes_in_brackets(self) -> ByName:
        node = self._nodes()
        self._expect("]")
        return node

    def _range(self) -> tuple[int, int | None]:
        if self._accept(","):
            start, end = 0, self._number()
        else:
            start = self._number()
            if self._accept("}"):
                return start, start + 1
            self._expect(",")
            if self._accept("}"):
                return start, None
            end = self._number()
        self._expect("}")
        return start, end

    def _name(self) -> str:
        if not self._tokens or self._tokens[0] in ",[]{}":
            raise TreeError
        return self._tokens.pop(0)

    def _number(self) -> int:
        name = self._name()
        if not (name.isascii() and name.isdigit()):
            raise TreeError
        return int(name)

    def _accept(self, token: str) -> bool:
        if self._tokens and self._tokens[0] == token:
            self._tokens.pop(0)
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise TreeError


def parse_tree(text: str) -> ByName:
    """Read a `tree` expression; blanks are part of the names."""
    return _TreeParser(text).parse()


def export(bean: Bean, pruner: Pruner) -> dict[str, Any]:
    """The members that a pruner lets through, as plain data."""
    return {"_class": bean.class_name, **_members(bean, pruner)}


def _members(bean: Bean, pruner: Pruner) -> dict[str, Any]:
    shown = {}
    for member in bean.properties:
        inner = pruner.accept(member)
        if inner is not None:
            value = member.value() if callable(member.value) else member.value
            shown[member.name] = _plain(value, inner)
    return shown


def _plain(value: Any, pruner: Pruner) -> Any:
    if isinstance(value, Bean):
        return export(value, pruner) if value.typed else _members(value, pruner)
    if isinstance(value, list):
        return [_plain(item, pruner) for item in pruner.cut(value)]
    return value


@dataclass(frozen=True)
class Notation:
    """What tells JSON and Python literals apart."""

    null: str
    true: str
    false: str


JSON = Notation("null", "true", "false")
PYTHON = Notation("None", "True", "False")


def to_literal(data: Any, notation: Notation, pretty: bool = False) -> str:
    """Data as the server writes it: compact, or with blanks around colons and a line even inside what is empty."""
    return "".join(_literal(data, notation, 0 if pretty else None))


def _literal(value: Any, notation: Notation, indent: int | None) -> Iterable[str]:
    if isinstance(value, dict):
        colon = '" : ' if indent is not None else '":'
        items = [[f'"{name}{colon}', *_literal(item, notation, _deeper(indent))] for name, item in value.items()]
        yield from _enclosed("{", items, "}", indent)
    elif isinstance(value, list):
        yield from _enclosed("[", [list(_literal(item, notation, _deeper(indent))) for item in value], "]", indent)
    elif isinstance(value, str):
        yield _quoted(value)
    elif isinstance(value, bool):
        yield notation.true if value else notation.false
    else:
        yield notation.null if value is None else str(value)


def _deeper(indent: int | None) -> int | None:
    return None if indent is None else indent + 1


def _enclosed(opening: str, items: list[list[str]], closing: str, indent: int | None) -> Iterable[str]:
    inner, outer = ("", "") if indent is None else ("\n" + "  " * (indent + 1), "\n" + "  " * indent)
    yield opening + inner
    for number, item in enumerate(items):
        if number:
            yield "," + inner
        yield from item
    yield outer + closing


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_SPECIAL = re.compile(r'["\\\x00-\x1f]')


def _quoted(text: str) -> str:
    return '"' + _SPECIAL.sub(lambda m: _ESCAPES.get(m[0], f"\\u{ord(m[0]):04x}"), text) + '"'


def to_xml(bean: Bean, data: dict[str, Any]) -> str:
    """XML as the server writes it: no declaration, single-quoted `_class`, repeated elements for lists, no nulls."""
    return "".join(_xml(bean.simple_name, data))


def _xml(name: str, value: Any) -> Iterable[str]:
    if value is None:
        return
    if isinstance(value, list):
        for item in value:
            yield from _xml(_singular(name), item)
    elif isinstance(value, dict):
        class_name = value.get("_class")
        yield f"<{name} _class='{class_name}'>" if class_name else f"<{name}>"
        for member, item in value.items():
            if member != "_class":
                yield from _xml(member, item)
        yield f"</{name}>"
    else:
        text = value if isinstance(value, str) else str(value).lower()
        yield f"<{name}>{_escape(text)}</{name}>"


def _singular(name: str) -> str:
    return re.sub(r"s$", "", re.sub(r"ies$", "y", name))


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class XPathError(Exception):
    """An XPath, or a combination of parameters, that ends in the server's 500 page."""


class XPathRefusal(Exception):
    """A well-formed XPath whose result the server refuses with a line of text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Primitive(Exception):
    """The XPath selects a text, number or truth value; carries it as text."""


def select(xml: str, xpath: str | None, wrapper: str | None, excludes: list[str]) -> str:
    """Apply `exclude`, `xpath` and `wrapper` to a document."""
    document = etree.fromstring(xml.encode()).getroottree()
    for exclude in excludes:
        for node in _nodes(document, exclude):
            parent = node.getparent() if isinstance(node, etree._Element) else None
            if parent is not None:
                parent.remove(node)
    if xpath is None:
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + _markup(document.getroot())
    found = _nodes(document, xpath)
    if wrapper is not None:
        return _wrapped(wrapper, found)
    if not found:
        raise XPathRefusal(404, f"XPath {xpath} didn\u2019t match")
    if len(found) > 1:
        raise XPathRefusal(
            500,
            f'XPath "{xpath}" matched {len(found)} nodes. Create XPath that only matches one, or use the "wrapper" '
            "query parameter to wrap them all under a root element.",
        )
    if _is_primitive(found[0]):
        raise Primitive(_text(found[0]))
    return _markup(found[0])


def _nodes(document: Any, xpath: str) -> list[Any]:
    # The context is the document, where lxml takes the root element for paths that are relative.
    path = "/" + xpath if _RELATIVE_PATH.match(xpath) else xpath
    try:
        result = document.xpath(path)
    except etree.XPathError as error:
        raise XPathError(str(error)) from error
    return result if isinstance(result, list) else [result]


def _is_primitive(node: Any) -> bool:
    return not isinstance(node, etree._Element) and not getattr(node, "is_attribute", False)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _markup(node: Any) -> str:
    if isinstance(node, etree._Element):
        return etree.tostring(node, encoding="unicode", with_tail=False)
    return f' {node.attrname}="{node}"'


def _wrapped(wrapper: str, found: list[Any]) -> str:
    if not _WRAPPER_NAME.fullmatch(wrapper):
        raise XPathRefusal(
            400,
            "The wrapper parameter can only contain alphanumeric characters or dash/dot/underscore. "
            "The first character has to be a letter or underscore.",
        )
    if any(isinstance(node, (float, bool)) for node in found):
        raise XPathError("neither a node nor a text")
    inner = "".join(_escape(str(node)) if _is_primitive(node) else _markup(node) for node in found)
    return f"<{wrapper}>{inner}</{wrapper}>" if inner else f"<{wrapper}/>"
