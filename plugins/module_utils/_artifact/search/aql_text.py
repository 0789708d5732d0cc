# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries that users write in AQL: accept only those that surely read."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_DOMAINS = frozenset(
    (
        *("items", "item.infos", "properties", "stats", "archives", "archive.entries", "builds", "build.properties"),
        *("build.promotions", "modules", "module.properties", "artifacts", "dependencies", "releases"),
        "release_artifacts",
    )
)
_METHODS = frozenset(("include", "sort", "offset", "limit", "distinct", "transitive"))
_BLANKS = r"[ \t\r\n\f\v]*"
# A string has no escape sequences. One with a backslash before its end is refused, because a server that knew escapes
# would end the string elsewhere.
_STRING = r'"[^"\x00-\x08\x0e-\x1f\x7f]*(?<!\\)"'
_PATH = re.compile(rf"{_BLANKS}((?:\w+{_BLANKS}\.{_BLANKS})+)(\w+){_BLANKS}\(", re.ASCII)
_METHOD = re.compile(rf"{_BLANKS}\.{_BLANKS}(\w+){_BLANKS}\(", re.ASCII)
_ARGUMENTS = re.compile(rf"(?:{_STRING}|[\w\s{{}}\[\]:,.+-])*\)", re.ASCII)
_ADVICE = (
    "must be a query of the form '<domain>.find(...)', followed only by include, sort, offset, limit, distinct and "
    "transitive, because other queries can change or delete data"
)


def check_read_only(option: str, text: str) -> None:
    """Verify that a query only reads.

    AQL also has the actions `items.delete` and `properties.update`, which the server runs at once. A query that does
    not follow the grammar below counts as an action, because servers differ in what they accept::

        domain "." "find" "(" arguments ")" { "." method "(" arguments ")" }

    :arg option: the option that has the query
    :raises BadOption: if the query has an action, or cannot be judged
    """
    if problem := _find_problem(text):
        raise BadOption(option, f"{_ADVICE}. {problem}")


def _find_problem(text: str) -> str | None:
    start = _PATH.match(text)
    if not start:
        return "It does not begin with a domain and 'find'"
    domain, action = re.sub(r"\s", "", start[1])[:-1], start[2]
    if domain not in _DOMAINS:
        return f"The domain '{domain}' is unknown"
    if action != "find":
        return f"The action '{action}' is not allowed"
    position: int | None = _end_of_arguments(text, start.end())
    while position is not None and text[position:].strip(" \t\r\n\f\v"):
        method = _METHOD.match(text, position)
        if not method:
            return _describe_rest(text, position)
        if method[1] not in _METHODS:
            return f"The method '{method[1]}' is not allowed"
        position = _end_of_arguments(text, method.end())
    return "A string, bracket or parenthesis is not closed, or is not valid in AQL" if position is None else None


def _end_of_arguments(text: str, start: int) -> int | None:
    """Return the position after the arguments of a call, or `None` if they contain more than strings and numbers."""
    match = _ARGUMENTS.match(text, start)
    return match.end() if match else None


def _describe_rest(text: str, position: int) -> str:
    rest = text[position:].strip()
    return f"The part '{rest[:40]}' after 'find' is not allowed"
