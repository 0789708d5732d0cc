# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of a maven-metadata.xml: parse, merge and write."""

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

QUALIFIER_RANKS = {
    "alpha": 0,
    "a": 0,
    "beta": 1,
    "b": 1,
    "milestone": 2,
    "m": 2,
    "rc": 3,
    "cr": 3,
    "snapshot": 4,
    "sp": 6,
}
RELEASE_RANK = 5
MAX_SIZE = 8 * 1024 * 1024  # bytes; clients may upload any file as metadata
MAX_NUMBER_LENGTH = 18  # digits of a build number
SNAPSHOT_SUFFIX = f"-{SNAPSHOT}"
Elements = list[tuple[str, Any]]


@functools.lru_cache(maxsize=4096)
def version_sort_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts versions approximately as Maven does."""
    parts = re.findall(r"0*(\d+)|([a-z]+)", version.lower())
    keys = [
        (1, len(number), number) if number else (0, QUALIFIER_RANKS.get(word, RELEASE_RANK), word)
        for number, word in parts
    ]
    return (*keys, (0, RELEASE_RANK, ""))


def read_metadata(runtime: Runtime, item: Item | None) -> bytes | None:
    """Return the content of stored metadata, or `None` if it is missing or too large."""
    if item is None or item.sha256 is None or (item.size or 0) > MAX_SIZE:
        return None
    with contextlib.suppress(OSError):
        return runtime.files.path(item.sha256).read_bytes()
    return None


@dataclass
class Document:
    """The metadata of a module, of a snapshot folder, or of a group with plugins.

    `files` maps classifier and extension to value and time of the latest file. `plugins` maps artifact ids to name
    and prefix.
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
        """Parse a document.

        :raises ElementTree.ParseError: if it is not valid XML or declares a document type
        """
        root = parse_xml(content)

        def text(path: str, element: ElementTree.Element = root) -> str:
            return (element.findtext(_ignore_namespace(path)) or "").strip()

        files = root.iterfind(_ignore_namespace("versioning/snapshotVersions/snapshotVersion"))
        plugins = root.iterfind(_ignore_namespace("plugins/plugin"))
        versions = root.iterfind(_ignore_namespace("versioning/versions/version"))
        number = text("versioning/snapshot/buildNumber")[:MAX_NUMBER_LENGTH]
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
        """Merge another document; later entries win.

        Snapshot files are only merged if this document has files of the same kind, or no files.
        """
        self.snapshot = max(filter(None, (self.snapshot, other.snapshot)), default=None)
        self.versions = sorted({*self.versions, *other.versions}, key=version_sort_key)
        self.updated = max(self.updated, other.updated)
        later_files = {kind: file for kind, file in other.files.items() if file[1] > self.files.get(kind, ("", ""))[1]}
        self.files.update({kind: file for kind, file in later_files.items() if kind in self.files or not self.files})
        self.plugins = {**other.plugins, **self.plugins}

    def write(self) -> bytes:
        """Return the document as XML."""
        members: Elements = [("groupId", self.group), ("artifactId", self.artifact), ("version", self.version)]
        members += [("versioning", self._versioning_elements()), ("plugins", self._plugin_elements())]
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n{_format_element("metadata", _without_empty(members))}'.encode()
        )

    def _versioning_elements(self) -> Elements:
        releases = [version for version in self.versions if not version.endswith(SNAPSHOT_SUFFIX)]
        return _without_empty(
            [
                ("latest", self.versions[-1] if self.versions else ""),
                ("release", releases[-1] if releases else ""),
                ("snapshot", self._snapshot_elements()),
                ("versions", [("version", version) for version in self.versions]),
                ("lastUpdated", self.updated),
                (
                    "snapshotVersions",
                    [("snapshotVersion", _file_elements(*kind, *file)) for kind, file in self.files.items()],
                ),
            ]
        )

    def _snapshot_elements(self) -> Elements:
        if self.snapshot is None:
            return []
        return _without_empty([("timestamp", self.snapshot.timestamp), ("buildNumber", self.snapshot.number)])

    def _plugin_elements(self) -> Elements:
        return [
            ("plugin", [("name", name), ("prefix", prefix), ("artifactId", artifact)])
            for artifact, (name, prefix) in self.plugins.items()
        ]


def _file_elements(classifier: str, extension: str, value: str, updated: str) -> Elements:
    return _without_empty(
        [("classifier", classifier), ("extension", extension), ("value", value), ("updated", updated)]
    )


def _ignore_namespace(path: str) -> str:
    return "/".join(f"{{*}}{name}" for name in path.split("/"))


def _without_empty(members: Elements) -> Elements:
    """Return the elements that are not empty."""
    return [(name, value) for name, value in members if value]


def _format_element(name: str, value: Any, indent: str = "") -> str:
    if isinstance(value, list):
        value = "\n" + "".join(_format_element(member, content, f"{indent}  ") for member, content in value) + indent
    else:
        value = escape(str(value))
    return f"{indent}<{name}>{value}</{name}>\n"
