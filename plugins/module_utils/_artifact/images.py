# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Container images: repositories of images, and the tags of one."""

from __future__ import annotations

import typing as t
from urllib.parse import parse_qs, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import Answer


def images(artifact: ArtifactService, repo: str, page_size: int) -> list[str]:
    """The images of a repository, sorted."""
    return sorted(_pages(artifact, f"{_address(repo)}/_catalog", "repositories", page_size))


def tags(artifact: ArtifactService, repo: str, image: str, page_size: int) -> list[str]:
    """The tags of an image, sorted. Some servers list the folders of digests among them; those are left out."""
    found = _pages(
        artifact, f"{_address(repo)}{segments(*image.split('/'), option='image')}/tags/list", "tags", page_size
    )
    return sorted(tag for tag in found if not tag.startswith(("sha256:", "sha256__")))


def check_page_size(size: int) -> int:
    """The size itself.

    :raises BadOption: when no page can have it
    """
    if size < 1:
        raise BadOption("page_size", "takes 1 or more")
    return size


def _address(repo: str) -> str:
    return f"/artifactory/api/docker{segments(repo, option='repo')}/v2"


def _pages(artifact: ArtifactService, address: str, member: str, page_size: int) -> t.Iterator[str]:
    """The names on all pages, each once.

    Of the link to the next page only the marker is used: its path is not the one that was asked for. A page that brings
    nothing new ends the list, for some servers ignore the marker.
    """
    seen: set[str] = set()
    query: dict[str, str | None] = {"n": str(page_size)}
    while True:
        answer = artifact.http.read("GET", address, query=query, accept=(200, 404))
        if answer.status == 404:
            raise ToolchainError(f"GET {address}: 404. There is no such repository or image, or it is hidden.")
        new = [name for name in answer.member(member) or [] if name not in seen]
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
