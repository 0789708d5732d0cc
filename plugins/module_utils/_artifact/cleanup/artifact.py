# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Artifacts: files, and tags of container images."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

FIELDS = ("repo", "path", "name", "size", "created", "modified", "actual_sha1")
DOWNLOADED = "stat.downloaded"

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


class Artifact(t.NamedTuple):
    """A file or a tag. For a tag, `folder` is the image, `name` the tag, and the other values are those of its
    manifest.

    :ivar folder: `.` for the root of the repository
    :ivar size: size in bytes
    :ivar moment: time of creation or last modification, whichever is later, as `times.utc` returns it
    :ivar manifest: file name of the tag's manifest
    :ivar downloaded: time of the last download, if it was requested; empty if it was never downloaded
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
    """Return a row after validating its name and its size, if it has one.

    :raises UnexpectedResponse: if it is invalid
    """
    texts = [row.get(name) for name in ("repo", "path", "name")]
    size = row.get("size", 0)
    if registry.is_size(size) and all(isinstance(text, str) and text for text in texts):
        return row
    raise _unexpected_row(row)


def parse_row(row: Fields) -> Artifact:
    """Return the artifact in a validated row with the fields `FIELDS` and optionally `DOWNLOADED`.

    :raises UnexpectedResponse: if the row is invalid
    """
    created, modified, sha1 = row.get("created"), row.get("modified"), row.get("actual_sha1") or ""
    if not (_is_timestamp(created) and _is_timestamp(modified) and isinstance(sha1, str) and "size" in row):
        raise _unexpected_row(row)
    moment, downloaded = max(row["created"], row["modified"]), latest_download(get_values(row))
    return Artifact(row["repo"], row["path"], row["name"], row["size"], sha1, moment, downloaded=downloaded)


def latest_download(timestamps: t.Sequence[str]) -> str:
    """Return the latest time, or an empty text.

    :raises UnexpectedResponse: if a text is not a time
    """
    for timestamp in timestamps:
        if not _is_timestamp(timestamp):
            raise UnexpectedResponse(f"The server returned {timestamp!r:.300} as the time of a download.")
    return max(timestamps, default="")


def get_values(row: Fields) -> list[str]:
    """Return the values of the property in a row, or its last download.

    :raises UnexpectedResponse: if the row is invalid
    """
    return [*_get_members(row, "properties", "value"), *_get_members(row, "stats", "downloaded")]


def is_addressable(repo: str, path: str) -> bool:
    """Return whether a delete request for this path affects only the item at the path."""
    return ";" not in path and not paths.explain_misread(path) and not paths.explain_misread(repo)


def _get_members(row: Fields, domain: str, field: str) -> list[str]:
    """Return the non-empty values of a field of another domain."""
    entries = row.get(domain, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _unexpected_row(row)
    return [str(entry[field]) for entry in entries if entry.get(field)]


def _is_timestamp(value: t.Any) -> bool:
    return isinstance(value, str) and _TIMESTAMP.fullmatch(value) is not None


def _unexpected_row(row: Fields) -> UnexpectedResponse:
    return UnexpectedResponse(f"The server returned {row!r:.300} as an artifact: a field is missing or invalid.")


def is_tag(folder: str) -> bool:
    """Return whether a folder that contains a manifest is a tag."""
    image, _slash, tag = folder.rpartition("/")
    return bool(image) and not tag.startswith(registry.DIGESTS)


def to_tag(manifest: Artifact) -> Artifact | None:
    """Return the tag that a manifest defines, or `None`."""
    if manifest.name not in registry.MANIFEST_FILES or not is_tag(manifest.folder):
        return None
    image, _slash, tag = manifest.folder.rpartition("/")
    return manifest._replace(folder=image, name=tag, manifest=manifest.name)
