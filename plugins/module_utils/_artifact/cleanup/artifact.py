# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept or deleted as one: a file, or a tag of an image with all that is in its folder."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import images, paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

FIELDS = ("repo", "path", "name", "size", "created", "modified", "actual_sha1")
DOWNLOADED = "stat.downloaded"

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


class Artifact(t.NamedTuple):
    """A file, or a tag: then `folder` is the image, `name` the tag, and what is known is that of its manifest.

    :ivar folder: `.` for the root of the repository
    :ivar size: in bytes
    :ivar moment: when it was created or modified, whichever was later, as `times.utc` gives it
    :ivar manifest: the name of a tag's manifest
    :ivar downloaded: when it was last downloaded, if that was asked for; empty if it never was
    """

    repo: str
    folder: str
    name: str
    size: int
    sha1: str
    moment: str
    manifest: str | None = None
    downloaded: str = ""

    @property
    def path(self) -> str:
        return self.name if self.folder == "." else f"{self.folder}/{self.name}"


def check_row(row: Fields) -> Fields:
    """Return a row if it names a file, and has a valid size if any.

    :raises UnexpectedResponse: when it does not
    """
    texts = [row.get(name) for name in ("repo", "path", "name")]
    size = row.get("size", 0)
    if images.is_size(size) and all(isinstance(text, str) and text for text in texts):
        return row
    raise _unexpected(row)


def parse(row: Fields) -> Artifact:
    """Return the artifact that a checked row describes, which has `FIELDS` and perhaps `DOWNLOADED`.

    :raises UnexpectedResponse: when it describes none
    """
    created, modified, sha1 = row.get("created"), row.get("modified"), row.get("actual_sha1") or ""
    if not (_is_moment(created) and _is_moment(modified) and isinstance(sha1, str) and "size" in row):
        raise _unexpected(row)
    moment, downloaded = max(row["created"], row["modified"]), last_download(values(row))
    return Artifact(row["repo"], row["path"], row["name"], row["size"], sha1, moment, downloaded=downloaded)


def last_download(moments: t.Sequence[str]) -> str:
    """Return the latest moment, or an empty text without any.

    :raises UnexpectedResponse: when one is no moment
    """
    for moment in moments:
        if not _is_moment(moment):
            raise UnexpectedResponse(f"The server returned {moment!r:.300} as the time of a download.")
    return max(moments, default="")


def values(row: Fields) -> list[str]:
    """Return the values of the one property that a row has, or the one time of a last download.

    :raises UnexpectedResponse: when they are not given as such
    """
    return [*_members(row, "properties", "value"), *_members(row, "stats", "downloaded")]


def is_addressable(repo: str, path: str) -> bool:
    """Return whether a deletion at a path acts on the item there, and on no other one."""
    return ";" not in path and not paths.misread(path) and not paths.misread(repo)


def _members(row: Fields, domain: str, field: str) -> list[str]:
    """Return what a field of another domain has, wherever it has anything."""
    entries = row.get(domain, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _unexpected(row)
    return [str(entry[field]) for entry in entries if entry.get(field)]


def _is_moment(value: t.Any) -> bool:
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


def _unexpected(row: Fields) -> UnexpectedResponse:
    return UnexpectedResponse(
        f"The server gave {row!r:.300} as an artifact, which lacks something or has it otherwise."
    )


def is_tag(folder: str) -> bool:
    """Return whether a folder is one of a tag, if there is a manifest in it."""
    image, _slash, tag = folder.rpartition("/")
    return bool(image) and not tag.startswith(images.DIGESTS)


def as_tag(manifest: Artifact) -> Artifact | None:
    """Return the tag that a manifest makes, or `None` if it makes none."""
    if manifest.name not in images.MANIFEST_FILES or not is_tag(manifest.folder):
        return None
    image, _slash, tag = manifest.folder.rpartition("/")
    return manifest._replace(folder=image, name=tag, manifest=manifest.name)
