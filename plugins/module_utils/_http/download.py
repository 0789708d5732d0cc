# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A long body that is fetched to its end, over as many answers as it takes."""

from __future__ import annotations

import re
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import IncompleteResponse, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# What is stored compressed is not to be compressed once more: places in it would mean something else
_AS_IT_IS = {"Accept-Encoding": "identity"}
_SHA1 = re.compile("[0-9a-f]{40}")
_CONTENT_RANGE = re.compile("bytes ([0-9]+-[0-9]+)/")


def download_chunks(task: Task, http: HttpClient, path: str) -> t.Iterator[bytes]:
    """What is at an address, a piece at a time; when the answer breaks off, the rest of it is asked for.

    :raises IncompleteResponse: when that did not help `retries` times without anything new
    :raises ToolchainError: when there is something else meanwhile
    """
    retries = task.params["retries"]
    response = http.read("GET", path, stream=True, headers=_AS_IT_IS)
    mark = response.headers.get("ETag")
    place, attempt = 0, 0
    while True:
        known = place if response.status == 200 else 0  # a server without ranges begins anew
        try:
            for piece in response.chunks():
                fresh = piece[known:]
                known -= len(piece) - len(fresh)
                if fresh:
                    place, attempt = place + len(fresh), 0
                    yield fresh
            return
        except IncompleteResponse as broken:
            if attempt == retries:
                raise
            task.record_retry(str(broken), attempt + 1, retries)
        time.sleep(retry.backoff(attempt))
        attempt += 1
        response = _rest(http, path, place, mark)


def _rest(http: HttpClient, path: str, place: int, mark: str | None) -> Response:
    """The answer with what is from a place on, or all of it again."""
    headers = {**_AS_IT_IS, "Range": f"bytes={place}-"}
    response = http.read("GET", path, stream=True, headers=headers, accept=(200, 206))
    if not _is_tag_of(response, mark):
        raise ToolchainError(f"GET {path}: there is another content than when the answer broke off. Try again.")
    if response.status == 206 and not response.headers.get("Content-Range", "").startswith(f"bytes {place}-"):
        raise ToolchainError(f"GET {path}: 206, but with another part than was asked for.")
    return response


def _is_tag_of(response: Response, mark: str | None) -> bool:
    """Return whether a response has the ETag of the first one.

    Before version 5.0, Artifactory appends the bounds of the range to the SHA-1: `<sha1>-<first>-<last>`.
    """
    tag = response.headers.get("ETag")
    if tag == mark:
        return True
    sent = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    is_sha1 = mark is not None and _SHA1.fullmatch(mark)
    return bool(response.status == 206 and is_sha1 and sent and tag == f"{mark}-{sent[1]}")
