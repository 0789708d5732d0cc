# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Container images: repositories of images, and the tags of one."""

from __future__ import annotations

import hashlib
import re
import typing as t
from urllib.parse import parse_qs, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query as aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    says_nothing_there,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_PAGE_SIZE = 1000
# Of an image for several platforms the list counts, and not the image of one of them
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)

# The package types of repositories in which an image is a folder of tags, each a folder with a manifest and layers
PACKAGE_TYPES = ("docker", "oci", "helmoci")
MANIFEST_FILES = ("manifest.json", "list.manifest.json")
# Folders of the images for single platforms that a list of manifests names
DIGESTS = ("sha256:", "sha256__")
_LAYER = re.compile(r"sha256__[0-9a-f]{64}(\.marker)?")
CONTENT_FIELDS = ("repo", "path", "name", "type", "size")


class TagContent:
    """What the folder of a tag contains, added up from the entries directly in it.

    A folder below it has an entry of its own, so that a nested image shows as well.

    :ivar files: number of files
    :ivar size: their bytes
    :ivar surplus: name of the first entry that is not part of the tag, or `None`; deleting or moving the folder would
        take it along
    """

    def __init__(self) -> None:
        self.files = 0
        self.size = 0
        self.surplus: str | None = None
        self._manifest: str | None = None

    def add(self, row: Fields) -> None:
        """Add an entry.

        :arg row: with the fields of `CONTENT_FIELDS`
        :raises UnexpectedResponse: when it is no such row
        """
        name, kind, size = row.get("name"), row.get("type"), row.get("size", 0)
        if not (isinstance(name, str) and name) or kind not in ("file", "folder") or not is_size(size):
            raise UnexpectedResponse(f"The server returned {row!r:.300} as the content of a tag.")
        if kind == "file":
            self.files += 1
            self.size += size
        if kind == "folder" or not self._belongs(name):
            self.surplus = name if self.surplus is None else min(self.surplus, name)

    def _belongs(self, name: str) -> bool:
        """Return whether a file is a layer, or the only manifest."""
        if _LAYER.fullmatch(name):
            return True
        is_second = self._manifest not in (None, name)
        self._manifest = self._manifest or name
        return name in MANIFEST_FILES and not is_second


def is_size(value: t.Any) -> bool:
    """Return whether a value can be a number of bytes, which guards add up."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def contents(artifact: ArtifactService, repo: str, folders: t.Collection[str]) -> dict[str, TagContent]:
    """Return what the folders of tags contain, by folder, asked with one request if the server can answer it.

    Deleting or moving a tag acts on its folder with all that is below it, such as the image `team/web` below the tag
    `web` of the image `team`. A folder without `surplus` contains the tag alone.

    :arg folders: `image/tag`, some hundreds at most; one that is missing, or that the account may not see, is not in
        the result
    """

    def ask(some: t.Sequence[str]) -> dict[str, TagContent]:
        found: dict[str, TagContent] = {}
        for row in entries(artifact, repo, some):
            found.setdefault(row["path"], TagContent()).add(row)
        return found

    return aql.in_parts(ask, list(folders))


def entries(artifact: ArtifactService, repo: str, folders: t.Collection[str]) -> t.Iterator[Fields]:
    """Return what is directly in folders, with the fields of `CONTENT_FIELDS`, asked with one request."""
    find = [{"repo": repo}, {"type": "any"}, {"$or": [{"path": folder} for folder in folders]}]
    return aql.rows(artifact, aql.Query("items", find, CONTENT_FIELDS), 0) if folders else iter(())


def listed(artifact: ArtifactService, repo: str, page_size: int) -> list[str]:
    """Return the images of a repository, sorted."""
    return sorted(_pages(artifact, f"{address(repo)}/_catalog", "repositories", page_size))


def tags(artifact: ArtifactService, repo: str, image: str, page_size: int) -> list[str]:
    """Return the tags of an image, sorted. Some servers list the folders of digests among them; those are left out."""
    found = _pages(artifact, f"{address(repo)}{_path(image)}/tags/list", "tags", page_size)
    return sorted(tag for tag in found if not tag.startswith(DIGESTS))


def tags_if_any(artifact: ArtifactService, repo: str, image: str) -> list[str]:
    """Return the same, and none of an image that is not there."""
    try:
        return tags(artifact, repo, image, _PAGE_SIZE)
    except ServerRefusal as refusal:
        if says_nothing_there(refusal):
            return []
        raise


def digest(artifact: ArtifactService, repo: str, image: str, tag: str) -> str | None:
    """The digest of a tag's manifest, which stands for the whole content, or `None` when there is no such tag."""
    place = f"{address(repo)}{_path(image)}/manifests{encode_path(tag, option='tag')}"
    try:
        response = artifact.http.read("GET", place, headers={"Accept": ", ".join(_MANIFESTS)})
    except ServerRefusal as refusal:
        if says_nothing_there(refusal):
            return None
        raise
    response.record()
    computed = hashlib.sha256(response.text.encode()).hexdigest()
    return response.headers.get("Docker-Content-Digest") or f"sha256:{computed}"


def address(repo: str) -> str:
    """Return the address of a repository as a registry of images."""
    return f"/artifactory/api/docker{encode_path(repo, option='repo')}/v2"


def _path(image: str) -> str:
    return encode_path(*image.strip("/").split("/"), option="image")


def _pages(artifact: ArtifactService, address: str, member: str, page_size: int) -> t.Iterator[str]:
    """Yield the names on all pages, each once.

    Of the link to the next page only the marker is used: its path is not the one that was asked for. A page that brings
    nothing new ends the list, for some servers ignore the marker.
    """
    seen: set[str] = set()
    query: dict[str, str | None] = {"n": str(page_size)}
    while True:
        response = artifact.http.read("GET", address, query=query)
        page = response.record()
        names = [] if page[member] is None else page.texts(member)
        new = [name for name in names if name not in seen]
        seen.update(new)
        yield from new
        marker = _next_marker(response)
        if not new or marker is None:
            return
        query["last"] = marker


def _next_marker(response: Response) -> str | None:
    link = response.headers.get("Link", "")
    if 'rel="next"' not in link:
        return None
    target = link[link.find("<") + 1 : link.find(">")]
    return parse_qs(urlsplit(target).query).get("last", [None])[0]
