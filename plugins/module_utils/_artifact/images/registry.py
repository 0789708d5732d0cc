# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Container images and their tags."""

from __future__ import annotations

import contextlib
import hashlib
import re
import typing as t
from urllib.parse import parse_qs, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    is_not_found,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_PAGE_SIZE = 1000
# For a multi-platform image, the digest of the manifest list is requested, not that of a single platform
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)

# Package types of repositories in which an image is a folder of tags, and a tag is a folder with a manifest and layers
PACKAGE_TYPES = ("docker", "oci", "helmoci")
MANIFEST_FILES = ("manifest.json", "list.manifest.json")
# Prefixes of the folders for single platforms of a manifest list
DIGESTS = ("sha256:", "sha256__")
_LAYER = re.compile(r"sha256__[0-9a-f]{64}(\.marker)?")
CONTENT_FIELDS = ("repo", "path", "name", "type", "size")


class TagContent:
    """Contents of the folder of a tag, added up from the entries directly in it.

    A nested image is visible as a folder entry.

    :ivar files: number of files
    :ivar size: total size in bytes
    :ivar surplus: name of the first entry that does not belong to the tag, or `None`; deleting or moving the folder
        would affect it
    """

    def __init__(self) -> None:
        self.files = 0
        self.size = 0
        self.surplus: str | None = None
        self._manifest: str | None = None

    def add(self, row: Fields) -> None:
        """Add an entry.

        :arg row: a row with the fields `CONTENT_FIELDS`
        :raises UnexpectedResponse: if the row is invalid
        """
        name, kind, size = row.get("name"), row.get("type"), row.get("size", 0)
        if not (isinstance(name, str) and name) or kind not in ("file", "folder") or not is_size(size):
            raise UnexpectedResponse(f"The server returned {row!r:.300} as the content of a tag.")
        if kind == "file":
            self.files += 1
            self.size += size
        if kind == "folder" or not self._is_part(name):
            self.surplus = name if self.surplus is None else min(self.surplus, name)

    def _is_part(self, name: str) -> bool:
        """Return whether a file is a layer or the only manifest."""
        if _LAYER.fullmatch(name):
            return True
        is_second = self._manifest not in (None, name)
        self._manifest = self._manifest or name
        return name in MANIFEST_FILES and not is_second


def is_size(value: t.Any) -> bool:
    """Return whether a value is a valid number of bytes."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def fetch_contents(artifact: ArtifactService, repo: str, folders: t.Collection[str]) -> dict[str, TagContent]:
    """Return the contents of tag folders by path, with one request if the server does not truncate the result.

    Deleting or moving a tag affects everything below its folder, such as the image `team/web` below the tag `web` of
    the image `team`. A folder without `surplus` contains only the tag.

    :arg folders: paths such as `image/tag`, some hundreds at most; folders that do not exist or are hidden from the
        account are not in the result
    """

    def fetch_part(batch: t.Sequence[str]) -> dict[str, TagContent]:
        contents: dict[str, TagContent] = {}
        for row in fetch_entries(artifact, repo, batch):
            contents.setdefault(row["path"], TagContent()).add(row)
        return contents

    return aql.fetch_in_parts(fetch_part, list(folders))


def fetch_entries(artifact: ArtifactService, repo: str, folders: t.Collection[str]) -> t.Iterator[Fields]:
    """Yield the entries directly in the folders, with the fields `CONTENT_FIELDS`, with one request."""
    find = [{"repo": repo}, {"type": "any"}, {"$or": [{"path": folder} for folder in folders]}]
    return aql.fetch_rows(artifact, aql.Query("items", find, CONTENT_FIELDS), 0) if folders else iter(())


def list_images(artifact: ArtifactService, repo: str, page_size: int) -> list[str]:
    """Return the images of a repository, sorted."""
    with editions.explain_refusal(artifact, features.IMAGES):
        return sorted(_read_pages(artifact, f"{registry_address(repo)}/_catalog", "repositories", page_size))


def list_tags(artifact: ArtifactService, repo: str, image: str, page_size: int) -> list[str]:
    """Return the tags of an image, sorted. Some servers also list the folders of digests, which are omitted."""
    with editions.explain_refusal(artifact, features.IMAGES):
        return _list_tags(artifact, repo, image, page_size)


def _list_tags(artifact: ArtifactService, repo: str, image: str, page_size: int) -> list[str]:
    names = _read_pages(artifact, f"{registry_address(repo)}{_image_path(image)}/tags/list", "tags", page_size)
    return sorted(tag for tag in names if not tag.startswith(DIGESTS))


def list_existing_tags(artifact: ArtifactService, repo: str, image: str) -> list[str]:
    """Return the tags of an image, or an empty list if the image does not exist."""
    with _allow_missing(artifact):
        return _list_tags(artifact, repo, image, _PAGE_SIZE)
    return []


def fetch_digest(artifact: ArtifactService, repo: str, image: str, tag: str) -> str | None:
    """Return the digest of a tag's manifest, which identifies its content, or `None` if the tag does not exist."""
    place = f"{registry_address(repo)}{_image_path(image)}/manifests{encode_path(tag, option='tag')}"
    with _allow_missing(artifact):
        response = artifact.http.read("GET", place, headers={"Accept": ", ".join(_MANIFESTS)})
        response.record()
        computed = hashlib.sha256(response.text.encode()).hexdigest()
        return response.headers.get("Docker-Content-Digest") or f"sha256:{computed}"
    return None


@contextlib.contextmanager
def _allow_missing(artifact: ArtifactService) -> t.Iterator[None]:
    """Skip the rest of the block if an image or a tag does not exist.

    :raises ToolchainError: if the server refuses the request for another reason, such as its edition
    """
    with editions.explain_refusal(artifact, features.IMAGES):
        try:
            yield
        except ServerRefusal as refusal:
            if not is_not_found(refusal):
                raise


def registry_address(repo: str) -> str:
    """Return the address of a repository in the Docker registry API."""
    return f"/artifactory/api/docker{encode_path(repo, option='repo')}/v2"


def _image_path(image: str) -> str:
    return encode_path(*image.strip("/").split("/"), option="image")


def _read_pages(artifact: ArtifactService, address: str, member: str, page_size: int) -> t.Iterator[str]:
    """Yield the names on all pages, each once.

    Only the marker of the link to the next page is used, because its path differs from that of the request. A page
    without new names ends the list, because some servers ignore the marker.
    """
    returned: set[str] = set()
    query: dict[str, str | None] = {"n": str(page_size)}
    while True:
        response = artifact.http.read("GET", address, query=query)
        page = response.record()
        names = [] if page[member] is None else page.texts(member)
        new = [name for name in names if name not in returned]
        returned.update(new)
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
