# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Container images: repositories of images, and the tags of one."""

from __future__ import annotations

import hashlib
import typing as t
from urllib.parse import parse_qs, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    says_nothing_there,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.answer import Answer

_PAGE_SIZE = 1000
# Of an image for several platforms the list counts, and not the image of one of them
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)


def listed(artifact: ArtifactService, repo: str, page_size: int) -> list[str]:
    """The images of a repository, sorted."""
    return sorted(_pages(artifact, f"{address(repo)}/_catalog", "repositories", page_size))


def tags(artifact: ArtifactService, repo: str, image: str, page_size: int) -> list[str]:
    """The tags of an image, sorted. Some servers list the folders of digests among them; those are left out."""
    found = _pages(artifact, f"{address(repo)}{_path(image)}/tags/list", "tags", page_size)
    return sorted(tag for tag in found if not tag.startswith(("sha256:", "sha256__")))


def tags_if_any(artifact: ArtifactService, repo: str, image: str) -> list[str]:
    """The same, and none of an image that is not there."""
    try:
        return tags(artifact, repo, image, _PAGE_SIZE)
    except ServerRefusal as refusal:
        if says_nothing_there(refusal):
            return []
        raise


def digest(artifact: ArtifactService, repo: str, image: str, tag: str) -> str | None:
    """The digest of a tag's manifest, which stands for the whole content, or `None` when there is no such tag."""
    place = f"{address(repo)}{_path(image)}/manifests{segments(tag, option='tag')}"
    try:
        answer = artifact.http.read("GET", place, headers={"Accept": ", ".join(_MANIFESTS)})
    except ServerRefusal as refusal:
        if says_nothing_there(refusal):
            return None
        raise
    answer.record()
    computed = hashlib.sha256(answer.text.encode()).hexdigest()
    return answer.headers.get("Docker-Content-Digest") or f"sha256:{computed}"


def address(repo: str) -> str:
    """The address of a repository as a registry of images."""
    return f"/artifactory/api/docker{segments(repo, option='repo')}/v2"


def _path(image: str) -> str:
    return segments(*image.strip("/").split("/"), option="image")


def _pages(artifact: ArtifactService, address: str, member: str, page_size: int) -> t.Iterator[str]:
    """The names on all pages, each once.

    Of the link to the next page only the marker is used: its path is not the one that was asked for. A page that brings
    nothing new ends the list, for some servers ignore the marker.
    """
    seen: set[str] = set()
    query: dict[str, str | None] = {"n": str(page_size)}
    while True:
        answer = artifact.http.read("GET", address, query=query)
        page = answer.record()
        names = [] if page[member] is None else page.texts(member)
        new = [name for name in names if name not in seen]
        seen.update(new)
        yield from new
        marker = _next_marker(answer)
        if not new or marker is None:
            return
        query["last"] = marker


def _next_marker(answer: Answer) -> str | None:
    link = answer.headers.get("Link", "")
    if 'rel="next"' not in link:
        return None
    target = link[link.find("<") + 1 : link.find(">")]
    return parse_qs(urlsplit(target).query).get("last", [None])[0]
