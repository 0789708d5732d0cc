# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repository layouts: what the server reads in a path."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

MAVEN_2 = "maven-2-default"
TOKEN = re.compile(r"\[(\w+)\]|([()])")
TOKENS = {
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
    """The path patterns of artifacts and descriptors, and the expressions of a snapshot's folder and file."""

    artifact: str
    descriptor: str | None = None
    folder_revision: str = ".*"
    file_revision: str = ".*"


@dataclass(frozen=True)
class Module:
    """What a path says about the module to which the file belongs."""

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
    """The module of a file, if the layout can read its path."""
    found = next(filter(None, (pattern.fullmatch(path) for pattern in _patterns(layout))), None)
    if found is None:
        return None
    tokens = found.groupdict()
    return Module(
        organization=(tokens.get("orgPath") or tokens["org"]).replace("/", "."),
        name=tokens["module"],
        base_revision=tokens["baseRev"],
        is_snapshot=bool(tokens.get("folderItegRev") or tokens.get("fileItegRev")),
        classifier=tokens.get("classifier"),
        extension=tokens.get("ext") or path.rpartition(".")[2],
    )


@functools.cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    layout = LAYOUTS.get(name)
    if layout is None:
        return ()
    return tuple(_compiled(layout, pattern) for pattern in (layout.descriptor, layout.artifact) if pattern)


def _compiled(layout: Layout, pattern: str) -> re.Pattern[str]:
    """The expression of a pattern: brackets are tokens, parentheses are optional."""
    expressions = {**TOKENS, "folderItegRev": layout.folder_revision, "fileItegRev": layout.file_revision}
    expression, end, seen = "", 0, set[str]()
    for found in TOKEN.finditer(pattern):
        expression += re.escape(pattern[end : found.start()])
        token, end = found[1], found.end()
        if token is None:
            expression += {"(": "(?:", ")": ")?"}[found[2]]
        elif token in seen:
            expression += f"(?P={token})"
        else:
            expression += f"(?P<{token}>{expressions[token]})"
            seen.add(token)
    return re.compile(expression + re.escape(pattern[end:]))
