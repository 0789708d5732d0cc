# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""POMs, which Maven repositories compare with the paths that they are uploaded to."""

from __future__ import annotations

import pathlib
import re
from xml.etree import ElementTree

from ...parsing.documents import parse_xml
from ..protocol.errors import ArtifactError
from ..repositories.repositories import Repository
from .layouts import MAVEN_2, parse_module
from .snapshots import POM, SNAPSHOT

# What is larger is no POM, whatever its name
LONGEST = 8 * 1024 * 1024
ADVICE = "Please verify your POM content for correctness"


def check(repository: Repository, path: str, content: pathlib.Path) -> None:
    """Refuse a POM that does not fit its path, unless the repository takes it nevertheless."""
    refusal = inconsistency(path, content) if repository.checks_poms and path.endswith(POM) else None
    if refusal:
        raise ArtifactError(409, refusal)


def inconsistency(path: str, pom: pathlib.Path) -> str | None:
    """Return why the content of a POM does not fit its path.

    One without a group fits everywhere, and so does one whose coordinates refer to properties.
    """
    if pom.stat().st_size > LONGEST:
        return None
    try:
        root = parse_xml(pom.read_bytes())
    except ElementTree.ParseError as error:
        return f"Failed to read POM for '{path}': {error}."
    group, artifact = _text(root, "groupId") or _text(root, "parent/groupId"), _text(root, "artifactId")
    version = _text(root, "version") or _text(root, "parent/version")
    if not group:
        return None
    if not version:
        return f"The Pom version of '{path}' does not exists. {ADVICE}"
    prefix = f"{group.replace('.', '/')}/{artifact}/"
    module = parse_module(path, MAVEN_2)
    if not (module and module.is_snapshot) or version.endswith(SNAPSHOT):
        prefix += version
    if "${" in prefix or path.lower().startswith(prefix.lower()):
        return None
    return (
        f"The target deployment path '{path}' does not match the POM's expected path prefix '{prefix}'. {ADVICE}"
        " and make sure the source path is a valid Maven repository root path."
    )


def plugin(pom: pathlib.Path) -> tuple[str, str] | None:
    """Return name and prefix of the Maven plugin that a POM describes; None when it describes none."""
    try:
        root = parse_xml(pom.read_bytes()) if pom.stat().st_size <= LONGEST else None
    except (ElementTree.ParseError, OSError):
        return None
    if root is None or _text(root, "packaging") != "maven-plugin":
        return None
    group, version = (_text(root, name) or _text(root, f"parent/{name}") for name in ("groupId", "version"))
    artifact = _text(root, "artifactId")
    return _text(root, "name") or f"Unnamed - {group}:{artifact}:maven-plugin:{version}", _prefix(artifact)


def _prefix(artifact: str) -> str:
    """Return what stands for a plugin on Maven's command line: `x` for `x-maven-plugin` and `maven-x-plugin`."""
    if artifact == "maven-plugin-plugin":
        return "plugin"
    return re.sub("-?plugin-?", "", re.sub("-?maven-?", "", artifact))


def _text(root: ElementTree.Element, path: str) -> str:
    """Return the text of an element, in any namespace."""
    return (root.findtext("/".join(f"{{*}}{name}" for name in path.split("/"))) or "").strip()
