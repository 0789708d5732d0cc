# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `tree` parameter: selected members and ranges of lists."""

from __future__ import annotations

import re

from ...parsing.integers import parse_integer
from .beans import TreePruner

_TOKEN = re.compile(r"[,\[\]{}]|[^,\[\]{}]+")


class TreeError(ValueError):
    """A malformed `tree` expression."""


class _TreeParser:
    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)[::-1]  # in reverse order

    def parse(self) -> TreePruner:
        tree = self._nodes()
        if self._tokens:
            raise TreeError
        return tree

    def _nodes(self) -> TreePruner:
        parent = TreePruner()
        while True:
            name = self._name()
            node = self._nodes_in_brackets() if self._accept("[") else TreePruner()
            if self._accept("{"):
                node.start, node.end = self._range()
            parent.children[name] = node
            if not self._accept(","):
                return parent

    def _nodes_in_brackets(self) -> TreePruner:
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
        if not self._tokens or self._tokens[-1] in ",[]{}":
            raise TreeError
        return self._tokens.pop()

    def _number(self) -> int:
        name = self._name()
        if not name.isdigit():
            raise TreeError
        return parse_integer(name)

    def _accept(self, token: str) -> bool:
        if self._tokens and self._tokens[-1] == token:
            self._tokens.pop()
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise TreeError


def parse_tree(text: str) -> TreePruner:
    """Parse a `tree` expression. Blanks are part of names."""
    try:
        return _TreeParser(text).parse()
    except RecursionError:
        raise TreeError from None
