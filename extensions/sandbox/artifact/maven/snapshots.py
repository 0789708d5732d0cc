# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""File names of Maven snapshots, which the server changes according to `snapshotVersionBehavior`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from xml.etree import ElementTree

from ...parsing.documents import parse_xml
from .layouts import MAVEN_2, Module, parse_module

SNAPSHOT = "SNAPSHOT"
METADATA = "maven-metadata.xml"
POM = ".pom"
NON_UNIQUE = re.compile(r".+-SNAPSHOT[.-].+")
UNIQUE = re.compile(r".+-.+-(?P<revision>(?P<timestamp>[0-9]{8}.[0-9]{6})-(?P<number>[0-9]{1,18}))[.-].+")


class Revision(NamedTuple):
    """The build number and timestamp of a unique snapshot."""

    number: int
    timestamp: str

    def __str__(self) -> str:
        """Return the revision as in file names."""
        return f"{self.timestamp}-{self.number}"


def is_snapshot(path: str) -> bool:
    """Return whether a path is that of a snapshot in the Maven layout."""
    return _parse_snapshot(path) is not None


def is_mutable(name: str) -> bool:
    """Return whether the content of a file changes over time: metadata and non-unique snapshots."""
    return name == METADATA or NON_UNIQUE.fullmatch(name) is not None


def parse_revision(name: str) -> Revision | None:
    """Return the revision in the name of a unique snapshot, or `None`."""
    match = UNIQUE.fullmatch(name)
    return Revision(int(match["number"]), match["timestamp"]) if match else None


def read_timestamp(name: str) -> str:
    """Return the timestamp in the name of a unique snapshot, or an empty text."""
    revision = parse_revision(name)
    return revision.timestamp if revision else ""


def format_timestamp(seconds: float) -> str:
    """Return a time in the format of unique snapshots."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%d.%H%M%S")


class SnapshotFolder:
    """The snapshots in a folder, and the build number in its metadata."""

    def __init__(self, names: Iterable[str], metadata: bytes | None) -> None:
        """Create the folder from the names of its files and the content of its metadata."""
        self.names = sorted(names)
        self.last_number = _read_build_number(metadata) if metadata else 0

    def find(self, number: int | None = None, timestamp: str | None = None, suffix: str = "") -> Revision | None:
        """Return the first revision with this number, timestamp and end of the file name."""
        revisions = (parse_revision(name) for name in self.names if name.endswith(suffix))
        return next(
            (
                revision
                for revision in revisions
                if revision and number in (None, revision.number) and timestamp in (None, revision.timestamp)
            ),
            None,
        )


def to_unique_path(path: str, folder: SnapshotFolder, now: float, build_timestamp: float | None) -> str:
    """Return the path of a file in a repository with unique snapshots.

    The timestamp is the one that the client sent, that of another file with the same build number, or the current
    time.
    """
    module, name = _parse_snapshot(path), _file_name(path)
    if module is None or parse_revision(name) or f"{module.base_revision}-{SNAPSHOT}" not in name:
        return path
    if build_timestamp:
        existing = folder.find(timestamp=format_timestamp(build_timestamp))
        revision = existing or Revision(folder.last_number + 1, format_timestamp(build_timestamp))
    else:
        number = _next_number(module, folder)
        revision = folder.find(number) or Revision(number, format_timestamp(now))
    return _rename(path, f"{module.base_revision}-{SNAPSHOT}", f"{module.base_revision}-{revision}")


def to_non_unique_path(path: str) -> str:
    """Return the path of a file in a repository with non-unique snapshots."""
    module, revision = _parse_snapshot(path), parse_revision(_file_name(path))
    if module is None or revision is None or f"{module.base_revision}-{revision}" not in path:
        return path
    return _rename(path, str(revision), SNAPSHOT)


def find_latest_unique_path(path: str, folder: SnapshotFolder) -> str:
    """Return the latest unique snapshot for a non-unique path, or the path itself if there is no such snapshot."""
    module = _parse_snapshot(path)
    if module is None or parse_revision(_file_name(path)):
        return path
    prefix, _snapshot_mark, suffix = _file_name(path).partition(SNAPSHOT)
    revisions = (
        revision
        for name in folder.names
        if (revision := parse_revision(name)) and name == f"{prefix}{revision}{suffix}"
    )
    latest = max(revisions, default=None)
    return _rename(path, SNAPSHOT, str(latest)) if latest else path


def _next_number(module: Module, folder: SnapshotFolder) -> int:
    last = folder.last_number
    if last and module.classifier:
        return last
    if last and module.extension == "pom" and not folder.find(last + 1) and not folder.find(last, suffix=POM):
        return last
    return last + 1


def _parse_snapshot(path: str) -> Module | None:
    module = parse_module(path, MAVEN_2)
    return module if module and module.is_snapshot else None


def _file_name(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _rename(path: str, old: str, new: str) -> str:
    return path[: path.rfind("/") + 1] + _file_name(path).replace(old, new, 1)


def _read_build_number(metadata: bytes) -> int:
    try:
        return int(parse_xml(metadata).findtext("versioning/snapshot/buildNumber") or 0)
    except (ElementTree.ParseError, ValueError):
        return 0
