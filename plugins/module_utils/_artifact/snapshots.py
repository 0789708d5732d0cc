# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Maven snapshots, which Artifactory stores under another name than they are uploaded with.

A repository with unique snapshots stores `a-1.0-SNAPSHOT.jar` as `a-1.0-20260101.120000-1.jar`, one with non-unique
snapshots the other way round.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import items
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService

_FOLDER = re.compile(r"(?:.*/)?[^/]+-SNAPSHOT")
_NAME = re.compile(r"(?P<begin>.+-)(?:SNAPSHOT|(?P<time>\d{8}\.\d{6})-(?P<number>\d{1,9}))(?P<end>[-.].+)")


def find_renamed(artifact: ArtifactService, repo: str, path: str) -> str | None:
    """Return the path under which Artifactory stored a snapshot, the newest of several, or `None`.

    :arg path: the path of the upload, at which there is no item; for one of a release no request is sent
    """
    if not is_snapshot(path):
        return None
    folder = path.rpartition("/")[0]
    item = items.find(artifact, repo, folder)
    children = item["children"] or () if item else ()
    return newest(path, (f"{folder}/{child['name']}" for child in children if child["type"] == "file"))


def newest(path: str, files: t.Iterable[str]) -> str | None:
    """Return which of the files Artifactory made of the last upload to `path`, or `None` if there is none."""
    return max((stored for stored in files if is_renamed(path, stored)), key=_age, default=None)


def is_snapshot(path: str) -> bool:
    """Return whether a path is one of a Maven snapshot."""
    return _parsed(path) is not None


def is_renamed(path: str, stored: str) -> bool:
    """Return whether Artifactory may store a snapshot that is uploaded to `path` at the path `stored`."""
    uploaded, renamed = _parsed(path), _parsed(stored)
    if not uploaded or not renamed or path.rpartition("/")[0] != stored.rpartition("/")[0]:
        return False
    is_same = uploaded.group("begin", "end") == renamed.group("begin", "end")
    return is_same and (uploaded["time"] is None) is not (renamed["time"] is None)


def _parsed(path: str) -> re.Match[str] | None:
    """Return the parts of a snapshot's name, or `None` if the path is not one of a snapshot."""
    folder, _slash, name = path.rpartition("/")
    return _NAME.fullmatch(name) if _FOLDER.fullmatch(folder) else None


def _age(path: str) -> tuple[str, int]:
    name = _parsed(path)
    return (name["time"], int(name["number"])) if name and name["time"] else ("", 0)
