# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Maven snapshots, which Artifactory stores under another name than the one in the upload request.

A repository with unique snapshots stores `a-1.0-SNAPSHOT.jar` as `a-1.0-20260101.120000-1.jar`. A repository with
non-unique snapshots does the opposite.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService

_FOLDER = re.compile(r"(?:.*/)?[^/]+-SNAPSHOT")
_NAME = re.compile(r"(?P<begin>.+-)(?:SNAPSHOT|(?P<time>\d{8}\.\d{6})-(?P<number>\d{1,9}))(?P<end>[-.].+)")


def find_renamed(artifact: ArtifactService, repo: str, path: str) -> str | None:
    """Return the path at which Artifactory stored a snapshot, the newest of several, or `None`. No request is sent for
    other files.

    :arg path: path of the upload, at which no item exists
    """
    if not is_snapshot(path):
        return None
    folder = path.rpartition("/")[0]
    item = item_info.find_item(artifact, repo, folder)
    children = item["children"] or () if item else ()
    return select_newest(path, (f"{folder}/{child['name']}" for child in children if child["type"] == "file"))


def select_newest(path: str, files: t.Iterable[str]) -> str | None:
    """Return the file that Artifactory stored for the last upload to `path`, or `None`."""
    return max((stored for stored in files if is_renamed(path, stored)), key=_version, default=None)


def is_snapshot(path: str) -> bool:
    """Return whether a path is that of a Maven snapshot."""
    return _parse(path) is not None


def is_renamed(path: str, stored: str) -> bool:
    """Return whether Artifactory can store a snapshot that is uploaded to `path` at the path `stored`."""
    uploaded, renamed = _parse(path), _parse(stored)
    if not uploaded or not renamed or path.rpartition("/")[0] != stored.rpartition("/")[0]:
        return False
    is_same = uploaded.group("begin", "end") == renamed.group("begin", "end")
    return is_same and (uploaded["time"] is None) is not (renamed["time"] is None)


def _parse(path: str) -> re.Match[str] | None:
    """Return the parts of a snapshot's file name, or `None` if the path is not that of a snapshot."""
    folder, _slash, name = path.rpartition("/")
    return _NAME.fullmatch(name) if _FOLDER.fullmatch(folder) else None


def _version(path: str) -> tuple[str, int]:
    name = _parse(path)
    return (name["time"], int(name["number"])) if name and name["time"] else ("", 0)
