# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of a maven-metadata.xml: read, merged with others, and written as the server does."""

from __future__ import annotations

import contextlib
import functools
import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from ...parsing.documents import parse_xml
from ...runtime.runtime import Runtime
from ..items.tree import Item
from .snapshots import SNAPSHOT, Revision

QUALIFIERS = {"alpha": 0, "a": 0, "beta": 1, "b": 1, "milestone": 2, "m": 2, "rc": 3, "cr": 3, "snapshot": 4, "sp": 6}
RELEASE = 5
LONGEST = 8 * 1024 * 1024  # bytes; clients can deploy anything as metadata
LONGEST_NUMBER = 18  # digits of a build number that are read
SNAPSHOTS = f"-{SNAPSHOT}"
Elements = list[tuple[str, Any]]


@functools.lru_cache(maxsize=4096)
def version_sort_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return the key that sorts versions much as Maven does."""
    parts = re.findall(r"0*(\d+)|([a-z]+)", version.lower())
    keys = [(1, len(number), number) if number else (0, QUALIFIERS.get(word, RELEASE), word) for number, word in parts]
    return (*keys, (0, RELEASE, ""))


def read_metadata(runtime: Runtime, item: Item | None) -> bytes | None:
    """Return the content of stored metadata; null if it is missing or too long to be read at once."""
    if item is None or item.sha256 is None or (item.size or 0) > LONGEST:
        return None
    with contextlib.suppress(OSError):
        return runtime.files.path(item.sha256).read_bytes()
    return None


@dataclass
class Document:
    """Metadata of a module, of the snapshots in one folder, or of the plugins of a group.

    `files` has version and time of the latest file by classifier and extension, `plugins` name and prefix by artifact.
    """

    group: str = ""
    artifact: str = ""
    version: str = ""
    snapshot: Revision | None = None
    versions: list[str] = field(default_factory=list)
    updated: str = ""
    files: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    plugins: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, content: bytes) -> Document:
        """Read a document.

        :raises ElementTree.ParseError: when it is no XML, or names a document type
        """
        root = parse_xml(content)

        def text(path: str, element: ElementTree.Element = root) -> str:
            return (element.findtext(_any_namespace(path)) or "").strip()

        files = root.iterfind(_any_namespace("versioning/snapshotVersions/snapshotVersion"))
        plugins = root.iterfind(_any_namespace("plugins/plugin"))
        versions = root.iterfind(_any_namespace("versioning/versions/version"))
        number = text("versioning/snapshot/buildNumber")[:LONGEST_NUMBER]
        return cls(
            group=text("groupId"),
            artifact=text("artifactId"),
            version=text("version"),
            snapshot=Revision(int(number), text("versioning/snapshot/timestamp")) if number.isdecimal() else None,
            versions=[(version.text or "").strip() for version in versions],
            updated=text("versioning/lastUpdated"),
            files={
                (text("classifier", file), text("extension", file)): (text("value", file), text("updated", file))
                for file in files
            },
            plugins={text("artifactId", plugin): (text("name", plugin), text("prefix", plugin)) for plugin in plugins},
        )

    def merge(self, other: Document) -> None:
        """Take what is later in the other document; of the files of a snapshot, only kinds that this one has."""
        self.snapshot = max(filter(None, (self.snapshot, other.snapshot)), default=None)
        self.versions = sorted({*self.versions, *other.versions}, key=version_sort_key)
        self.updated = max(self.updated, other.updated)
        later = {kind: file for kind, file in other.files.items() if file[1] > self.files.get(kind, ("", ""))[1]}
        self.files.update({kind: file for kind, file in later.items() if kind in self.files or not self.files})
        self.plugins = {**other.plugins, **self.plugins}

    def write(self) -> bytes:
        """Return the document as XML."""
        members: Elements = [("groupId", self.group), ("artifactId", self.artifact), ("version", self.version)]
        members += [("versioning", self._versioning()), ("plugins", self._plugins())]
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{_element("metadata", _given(members))}'.encode()

    def _versioning(self) -> Elements:
        releases = [version for version in self.versions if not version.endswith(SNAPSHOTS)]
        return _given(
            [
                ("latest", self.versions[-1] if self.versions else ""),
                ("release", releases[-1] if releases else ""),
                ("snapshot", self._snapshot()),
                ("versions", [("version", version) for version in self.versions]),
                ("lastUpdated", self.updated),
                ("snapshotVersions", [("snapshotVersion", _file(*kind, *file)) for kind, file in self.files.items()]),
            ]
        )

    def _snapshot(self) -> Elements:
        if self.snapshot is None:
            return []
        return _given([("timestamp", self.snapshot.timestamp), ("buildNumber", self.snapshot.number)])

    def _plugins(self) -> Elements:
        return [
            ("plugin", [("name", name), ("prefix", prefix), ("artifactId", artifact)])
            for artifact, (name, prefix) in self.plugins.items()
        ]


def _file(classifier: str, extension: str, value: str, updated: str) -> Elements:
    return _given([("classifier", classifier), ("extension", extension), ("value", value), ("updated", updated)])


def _any_namespace(path: str) -> str:
    return "/".join(f"{{*}}{name}" for name in path.split("/"))


def _given(members: Elements) -> Elements:
    """Return the elements that are not empty."""
    return [(name, value) for name, value in members if value]


def _element(name: str, value: Any, indent: str = "") -> str:
    if isinstance(value, list):
        value = "\n" + "".join(_element(member, content, f"{indent}  ") for member, content in value) + indent
    else:
        value = escape(str(value))
    return f"{indent}<{name}>{value}</{name}>\n"
