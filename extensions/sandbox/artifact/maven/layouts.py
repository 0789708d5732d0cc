# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repository layouts: parsing paths into module coordinates."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

MAVEN_2 = "maven-2-default"
TOKEN_PATTERN = re.compile(r"\[(\w+)\]|([()])")
TOKEN_REGEXES = {
    "org": "[^/]+?",
    "orgPath": ".+?",
    "module": "[^/]+",
    "baseRev": "[^/]+?",
    "classifier": "[^/]+?",
    "ext": r"(?!\d)[^\-/]+",
    "type": "[^/]+?",
}


@dataclass(frozen=True)
class Layout:
    """The path patterns of a layout, and the regular expressions for integration revisions of folder and file."""

    artifact: str
    descriptor: str | None = None
    folder_revision: str = ".*"
    file_revision: str = ".*"


@dataclass(frozen=True)
class Module:
    """The module coordinates in a path."""

    organization: str
    name: str
    base_revision: str
    is_snapshot: bool
    classifier: str | None
    extension: str


GRADLE_FILE = "[module]-[baseRev](-[fileItegRev])(-[classifier]).[ext]"
MAVEN_FILE = f"[orgPath]/[module]/[baseRev](-[folderItegRev])/{GRADLE_FILE}"
IVY_FOLDER = "[org]/[module]/[baseRev](-[folderItegRev])"
LAYOUTS = {
    MAVEN_2: Layout(
        MAVEN_FILE, MAVEN_FILE.replace("[ext]", "pom"), "SNAPSHOT", r"SNAPSHOT|(?:[0-9]{8}.[0-9]{6})-[0-9]+"
    ),
    "gradle-default": Layout(
        f"{IVY_FOLDER}/{GRADLE_FILE}", "[org]/[module]/ivy-[baseRev](-[fileItegRev]).xml", r"\d{14}", r"\d{14}"
    ),
    "ivy-default": Layout(
        f"{IVY_FOLDER}/[type]s/[module](-[classifier])-[baseRev](-[fileItegRev]).[ext]",
        f"{IVY_FOLDER}/[type]s/ivy-[baseRev](-[fileItegRev]).xml",
        r"\d{14}",
        r"\d{14}",
    ),
    "simple-default": Layout("[orgPath]/[module]/[module]-[baseRev].[ext]"),
}


def parse_module(path: str, layout: str) -> Module | None:
    """Return the module coordinates in a path, or `None` if it does not match the layout."""
    match = next(filter(None, (pattern.fullmatch(path) for pattern in _compile_layout(layout))), None)
    if match is None:
        return None
    tokens = match.groupdict()
    return Module(
        organization=(tokens.get("orgPath") or tokens["org"]).replace("/", "."),
        name=tokens["module"],
        base_revision=tokens["baseRev"],
        is_snapshot=bool(tokens.get("folderItegRev") or tokens.get("fileItegRev")),
        classifier=tokens.get("classifier"),
        extension=tokens.get("ext") or path.rpartition(".")[2],
    )


@functools.cache
def _compile_layout(name: str) -> tuple[re.Pattern[str], ...]:
    layout = LAYOUTS.get(name)
    if layout is None:
        return ()
    return tuple(_compile_pattern(layout, pattern) for pattern in (layout.descriptor, layout.artifact) if pattern)


def _compile_pattern(layout: Layout, pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a layout pattern: brackets are tokens, parentheses are optional parts."""
    expressions = {**TOKEN_REGEXES, "folderItegRev": layout.folder_revision, "fileItegRev": layout.file_revision}
    expression, end, used_tokens = "", 0, set[str]()
    for match in TOKEN_PATTERN.finditer(pattern):
        expression += re.escape(pattern[end : match.start()])
        token, end = match[1], match.end()
        if token is None:
            expression += {"(": "(?:", ")": ")?"}[match[2]]
        elif token in used_tokens:
            expression += f"(?P={token})"
        else:
            expression += f"(?P<{token}>{expressions[token]})"
            used_tokens.add(token)
    return re.compile(expression + re.escape(pattern[end:]))
