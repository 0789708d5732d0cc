# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""POMs: consistency with their paths, and Maven plugins."""

from __future__ import annotations

import pathlib
import re
from xml.etree import ElementTree

from ...parsing.documents import parse_xml
from ..protocol.errors import ArtifactError
from ..repositories.repositories import Repository
from .layouts import MAVEN_2, parse_module
from .snapshots import POM, SNAPSHOT

# Larger files are not treated as POMs.
MAX_SIZE = 8 * 1024 * 1024
ADVICE = "Please verify your POM content for correctness"


def check_pom(repository: Repository, path: str, content: pathlib.Path) -> None:
    """Fail if a POM does not match its path and the repository checks POMs."""
    message = find_inconsistency(path, content) if repository.checks_poms and path.endswith(POM) else None
    if message:
        raise ArtifactError(409, message)


def find_inconsistency(path: str, pom: pathlib.Path) -> str | None:
    """Return why a POM does not match its path, or `None`.

    POMs without a group id and POMs whose coordinates refer to properties match every path.
    """
    if pom.stat().st_size > MAX_SIZE:
        return None
    try:
        root = parse_xml(pom.read_bytes())
    except ElementTree.ParseError as error:
        return f"Failed to read POM for '{path}': {error}."
    group, artifact = (
        _element_text(root, "groupId") or _element_text(root, "parent/groupId"),
        _element_text(root, "artifactId"),
    )
    version = _element_text(root, "version") or _element_text(root, "parent/version")
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


def read_plugin(pom: pathlib.Path) -> tuple[str, str] | None:
    """Return name and prefix of the Maven plugin that a POM describes, or `None`."""
    try:
        root = parse_xml(pom.read_bytes()) if pom.stat().st_size <= MAX_SIZE else None
    except (ElementTree.ParseError, OSError):
        return None
    if root is None or _element_text(root, "packaging") != "maven-plugin":
        return None
    group, version = (
        _element_text(root, name) or _element_text(root, f"parent/{name}") for name in ("groupId", "version")
    )
    artifact = _element_text(root, "artifactId")
    return _element_text(root, "name") or f"Unnamed - {group}:{artifact}:maven-plugin:{version}", _plugin_prefix(
        artifact
    )


def _plugin_prefix(artifact: str) -> str:
    """Return the goal prefix of a plugin: `x` for `x-maven-plugin` and `maven-x-plugin`."""
    if artifact == "maven-plugin-plugin":
        return "plugin"
    return re.sub("-?plugin-?", "", re.sub("-?maven-?", "", artifact))


def _element_text(root: ElementTree.Element, path: str) -> str:
    """Return the text of an element in any namespace."""
    return (root.findtext("/".join(f"{{*}}{name}" for name in path.split("/"))) or "").strip()
