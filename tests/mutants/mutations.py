# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations of Python source: single mistakes that a test should detect.

Annotations, decorators, docstrings, texts and f-strings are left alone.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
}


@dataclass(frozen=True)
class Mutation:
    """A replacement of source[start:end].

    :ivar lines: first and last line of the innermost statement, whose execution selects the tests
    :ivar in_function: whether the code runs when a function is called, rather than at import
    """

    path: str
    source: str
    start: int
    end: int
    replacement: str
    lines: tuple[int, int]
    in_function: bool

    @property
    def line(self) -> int:
        return self.source.count("\n", 0, self.start) + 1

    @property
    def mutated_source(self) -> str:
        """Return the whole source with the replacement."""
        return self.source[: self.start] + self.replacement + self.source[self.end :]

    @property
    def original(self) -> str:
        return self.source[self.start : self.end]

    def statement(self, source: str) -> list[str]:
        """Return the lines of the original or mutated source that the mutation touches."""
        begin = source.rfind("\n", 0, self.start) + 1
        length = self.end - self.start if source == self.source else len(self.replacement)
        end = source.find("\n", self.start + length)
        return source[begin : None if end < 0 else end].splitlines()

    def order(self, seed: int) -> str:
        """Return a sort key that depends on the seed and the mutated line alone.

        A change elsewhere in the sources therefore leaves the sample of a seed as it is.
        """
        begin = self.source.rfind("\n", 0, self.start) + 1
        text = self.source[begin:].partition("\n")[0]
        return hashlib.sha256(repr((seed, self.path, text, self.start - begin, self.replacement)).encode()).hexdigest()


def mutations(path: str, source: str) -> list[Mutation]:
    """Return the mutations of a file, in the order of the source."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return sorted(finder.mutations, key=lambda mutation: (mutation.start, mutation.end, mutation.replacement))


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: str) -> None:
        self.mutations: list[Mutation] = []
        self._path = path
        self._source = source
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", source))]
        self._lines = (1, 1)
        self._in_function = False

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            self._lines = (node.lineno, max(node.lineno, last))
        lines = self._lines
        for start, end, replacement in self._replacements(node):
            self.mutations.append(Mutation(self._path, self._source, start, end, replacement, lines, self._in_function))
        for child in _children(node):
            self._lines = lines
            self._visit_child(node, child)

    def _visit_child(self, node: ast.AST, child: ast.AST) -> None:
        outside = self._in_function
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and child is not node.args:
            self._in_function = True
        self.visit(child)
        self._in_function = outside

    def _replacements(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:  # noqa: C901
        match node:
            case ast.Compare():
                yield from self._comparisons(node)
            case ast.BinOp() if type(node.op) in _ARITHMETIC and not _is_text(node.left) and not _is_text(node.right):
                old, new = _ARITHMETIC[type(node.op)]
                yield (*self._operator(node.left, node.right, old), new)
            case ast.BoolOp():
                old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield (*self._operator(left, right, old), new)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                yield (*self._span(node), f"({self._text(node.operand)})")
            case ast.Constant(value=bool(value)):
                yield (*self._span(node), str(not value))
            case ast.Constant(value=int() | float() as number):
                yield (*self._span(node), repr(number + 1))
                yield (*self._span(node), f"({number - 1!r})")
            case ast.If() | ast.While() | ast.IfExp() if _is_plain(node.test):
                yield (*self._span(node.test), f"(not ({self._text(node.test)}))")
            case ast.comprehension():
                for test in filter(_is_plain, node.ifs):
                    yield (*self._span(test), f"(not ({self._text(test)}))")
            case ast.stmt():
                yield from self._statement(node)

    def _statement(self, node: ast.stmt) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield (*self._span(value), "None")
            case ast.Break():
                yield (*self._span(node), "continue")
            case ast.Continue():
                yield (*self._span(node), "break")
            case (
                ast.Expr(value=ast.Call())
                | ast.Raise()
                | ast.Delete()
                | ast.AugAssign()
                | ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_])
            ):
                yield (*self._span(node), "pass")

    def _comparisons(self, node: ast.Compare) -> Iterator[tuple[int, int, str]]:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            old, replacements = _COMPARISONS[type(operator)]
            for new in replacements:
                yield (*self._operator(left, right, old), new)

    def _operator(self, left: ast.expr, right: ast.expr, operator: str) -> tuple[int, int]:
        """Return where an operator stands between its operands."""
        begin, end = self._span(left)[1], self._span(right)[0]
        pattern = re.escape(operator).replace(r"\ ", r"\s+")
        for match in re.finditer(rf"#[^\n]*|({pattern})", self._source[begin:end]):
            if match[1]:
                return begin + match.start(), begin + match.end()
        raise ValueError(f"{self._path}:{left.lineno}: {operator} not found")

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end]

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """Return the position of a line and a column, which ast counts in bytes."""
        start = self._line_starts[line - 1]
        text = self._source[start:].partition("\n")[0]
        return start + len(text.encode()[:column].decode())


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list") and not isinstance(value, ast.JoinedStr):
            yield from (child for child in (value if isinstance(value, list) else [value]) if _is_code(child))


def _is_code(node: object) -> bool:
    return isinstance(node, ast.AST) and not isinstance(node, ast.JoinedStr)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_plain(test: ast.expr) -> bool:
    """Return whether no other mutation negates a condition."""
    return not isinstance(test, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Constant))
