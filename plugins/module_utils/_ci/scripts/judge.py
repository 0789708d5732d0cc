# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide whether a Groovy script of the user surely changes nothing."""

from __future__ import annotations

import re
import typing as t

# Questions such as `isIdle` and `hasPermission`: Groovy calls such methods also for a property
_QUESTION = re.compile(r"(?:is|has)[A-Z]\w*", re.ASCII)
# Methods of Jenkins, strings, lists and maps that only read, whatever their arguments are
_READING_CALLS = frozenset(
    (
        *("contains", "containsKey", "containsValue", "endsWith", "equals", "equalsIgnoreCase", "getComputer"),
        *("getInstance", "getInstanceOrNull", "getItem", "getItemByFullName", "getNode", "getPlugin", "getProperty"),
        *("getView", "getenv", "isEmpty", "matches", "size", "startsWith", "toInteger", "toLowerCase", "toString"),
        *("toUpperCase", "trim"),
    )
)
_JENKINS_GETTER = re.compile(r"(?:(?:jenkins|hudson)\.model\.)?(?:Jenkins|Hudson)\.get")
_KEYWORDS = frozenset(
    ("new", "as", "in", "instanceof", "def", "class", "import", "assert", "throw", "if", "while", "for")
)
_TOKENS = re.compile(
    r"""(?P<operand>'[^'\n]*'|"[^"$\n]*"|\d+(?:\.\d+)?(?![\w.])|(?P<name>[A-Za-z_]\w*(?:\s*\??\.\s*[A-Za-z_]\w*)*))"""
    r"""|(?P<member>\??\.\s*[A-Za-z_]\w*(?:\s*\??\.\s*[A-Za-z_]\w*)*)"""
    r"""|(?P<binary>==|!=|&&|\|\||\?:|<=|>=|[<>?:,])"""
    r"""|(?P<not>!)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<blank>\s+)""",
    re.ASCII,
)


def is_read_only(code: str) -> bool:
    """Return whether a script surely changes nothing.

    Groovy can do anything, so this accepts only one expression of literals, properties, comparisons and the calls in
    `_READING_CALLS`. A backslash is refused because Groovy decodes Unicode escapes everywhere.
    """
    tokens = _tokenize(re.sub(r"\A\s*return\b(?!\s*[.?:=])", "", code))
    return bool(tokens) and "\\" not in code and _is_expression(tokens)


def _tokenize(code: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of the tokens without blanks, or an empty list if the code has others."""
    tokens: list[tuple[str, str]] = []
    position = 0
    while position < len(code):
        match = _TOKENS.match(code, position)
        if not match:
            return []
        kind = "operand" if match["operand"] else t.cast(str, match.lastgroup)
        if kind != "blank":
            tokens.append((kind, re.sub(r"\s", "", match[0]) if match["name"] or match["member"] else match[0]))
        position = match.end()
    return tokens


def _is_expression(tokens: list[tuple[str, str]]) -> bool:
    """Return whether operands and operators alternate, which excludes calls without parentheses."""
    is_after_operand = False
    previous = ""
    for kind, text in tokens:
        if kind == "open" and is_after_operand:
            if text == "(" and not _is_reading_call(previous):
                return False
            is_after_operand = False
        elif kind in ("operand", "not", "open"):
            if is_after_operand or _KEYWORDS & set(re.split(r"\??\.", text)):
                return False
            is_after_operand = kind == "operand"
        elif kind == "close":
            if not is_after_operand and previous not in ("(", "["):
                return False
            is_after_operand = True
        elif not is_after_operand:
            return False
        else:
            is_after_operand = kind == "member"
        previous = text
    return is_after_operand


def _is_reading_call(callee: str) -> bool:
    name = re.split(r"\??\.", callee)[-1]
    if _QUESTION.fullmatch(name) or _JENKINS_GETTER.fullmatch(callee):
        return True
    return "." in callee and name in _READING_CALLS
