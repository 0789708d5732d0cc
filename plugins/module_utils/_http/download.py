# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Downloads that are resumed after an interruption."""

from __future__ import annotations

import re
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import IncompleteResponse, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Byte ranges refer to the uncompressed representation
_NO_COMPRESSION = {"Accept-Encoding": "identity"}
_SHA1 = re.compile("[0-9a-f]{40}")
_CONTENT_RANGE = re.compile("bytes ([0-9]+-[0-9]+)/")


def download_chunks(task: Task, http: HttpClient, path: str) -> t.Iterator[bytes]:
    """Yield the content of a URL in chunks. If the response ends early, the rest is requested.

    :raises IncompleteResponse: after `retries` attempts without progress
    :raises ToolchainError: if the content has changed in the meantime
    """
    retries = task.params["retries"]
    response = http.read("GET", path, stream=True, headers=_NO_COMPRESSION)
    etag = response.headers.get("ETag")
    position, attempt = 0, 0
    while True:
        duplicate = position if response.status == 200 else 0  # servers without support for ranges send everything
        try:
            for chunk in response.chunks():
                new = chunk[duplicate:]
                duplicate -= len(chunk) - len(new)
                if new:
                    position, attempt = position + len(new), 0
                    yield new
            return
        except IncompleteResponse as error:
            if attempt == retries:
                raise
            task.record_retry(str(error), attempt + 1, retries)
        time.sleep(retry.backoff(attempt))
        attempt += 1
        response = _request_rest(http, path, position, etag)


def _request_rest(http: HttpClient, path: str, position: int, etag: str | None) -> Response:
    """Request the content from a position. The response may contain all of it."""
    headers = {**_NO_COMPRESSION, "Range": f"bytes={position}-"}
    response = http.read("GET", path, stream=True, headers=headers, accept=(200, 206))
    if not _has_etag(response, etag):
        raise ToolchainError(f"GET {path}: the content has changed since the response ended early. Try again.")
    if response.status == 206 and not response.headers.get("Content-Range", "").startswith(f"bytes {position}-"):
        raise ToolchainError(f"GET {path}: 206, but with another range than requested.")
    return response


def _has_etag(response: Response, etag: str | None) -> bool:
    """Return whether a response has the ETag of the first one.

    Before version 5.0, Artifactory appends the bounds of the range to the SHA-1: `<sha1>-<first>-<last>`.
    """
    tag = response.headers.get("ETag")
    if tag == etag:
        return True
    sent = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    is_sha1 = etag is not None and _SHA1.fullmatch(etag)
    return bool(response.status == 206 and is_sha1 and sent and tag == f"{etag}-{sent[1]}")
