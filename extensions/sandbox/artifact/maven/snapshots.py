# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of Maven snapshots, which the server changes as a repository's `snapshotVersionBehavior` says."""

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
    """The time and the number in the name of a unique snapshot."""

    number: int
    timestamp: str

    def __str__(self) -> str:
        return f"{self.timestamp}-{self.number}"


def is_snapshot(path: str) -> bool:
    """Whether the Maven layout reads a snapshot in a path."""
    return _snapshot(path) is not None


def is_mutable(name: str) -> bool:
    """Return whether a file with this name is replaced over time: metadata, and snapshots without a revision."""
    return name == METADATA or NON_UNIQUE.fullmatch(name) is not None


def parse_revision(name: str) -> Revision | None:
    """The revision in a file's name, if it is that of a unique snapshot."""
    found = UNIQUE.fullmatch(name)
    return Revision(int(found["number"]), found["timestamp"]) if found else None


def timestamp(seconds: float) -> str:
    """A time as in the name of a unique snapshot."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%d.%H%M%S")


class Folder:
    """The snapshots in one folder, with the build number in its metadata, which was calculated last."""

    def __init__(self, names: Iterable[str], metadata: bytes | None) -> None:
        self.names = sorted(names)
        self.last_number = _build_number(metadata) if metadata else 0

    def find(self, number: int | None = None, timestamp: str | None = None, suffix: str = "") -> Revision | None:
        """The revision of the first unique snapshot with this number, time and end of its name."""
        found = (parse_revision(name) for name in self.names if name.endswith(suffix))
        return next(
            (
                revision
                for revision in found
                if revision and number in (None, revision.number) and timestamp in (None, revision.timestamp)
            ),
            None,
        )


def unique_path(path: str, folder: Folder, now: float, sent: float | None) -> str:
    """Where a repository with unique snapshots stores a file.

    The time of the build is the one that the client sent, or that of another file with the same number, or now.
    """
    module, name = _snapshot(path), _name(path)
    if module is None or parse_revision(name) or f"{module.base_revision}-{SNAPSHOT}" not in name:
        return path
    if sent:
        known = folder.find(timestamp=timestamp(sent))
        revision = known or Revision(folder.last_number + 1, timestamp(sent))
    else:
        number = _next_number(module, folder)
        revision = folder.find(number) or Revision(number, timestamp(now))
    return _renamed(path, f"{module.base_revision}-{SNAPSHOT}", f"{module.base_revision}-{revision}")


def non_unique_path(path: str) -> str:
    """Where a repository without unique snapshots stores a file."""
    module, revision = _snapshot(path), parse_revision(_name(path))
    if module is None or revision is None or f"{module.base_revision}-{revision}" not in path:
        return path
    return _renamed(path, str(revision), SNAPSHOT)


def latest_unique_path(path: str, folder: Folder) -> str:
    """The latest unique snapshot that a snapshot's plain path stands for; the path itself if there is none."""
    module = _snapshot(path)
    if module is None or parse_revision(_name(path)):
        return path
    before, _snapshot_mark, after = _name(path).partition(SNAPSHOT)
    found = (
        revision for name in folder.names if (revision := parse_revision(name)) and name == f"{before}{revision}{after}"
    )
    latest = max(found, default=None)
    return _renamed(path, SNAPSHOT, str(latest)) if latest else path


def _next_number(module: Module, folder: Folder) -> int:
    last = folder.last_number
    if last and module.classifier:
        return last
    if last and module.extension == "pom" and not folder.find(last + 1) and not folder.find(last, suffix=POM):
        return last
    return last + 1


def _snapshot(path: str) -> Module | None:
    module = parse_module(path, MAVEN_2)
    return module if module and module.is_snapshot else None


def _name(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _renamed(path: str, old: str, new: str) -> str:
    return path[: path.rfind("/") + 1] + _name(path).replace(old, new, 1)


def _build_number(metadata: bytes) -> int:
    try:
        return int(parse_xml(metadata).findtext("versioning/snapshot/buildNumber") or 0)
    except (ElementTree.ParseError, ValueError):
        return 0
