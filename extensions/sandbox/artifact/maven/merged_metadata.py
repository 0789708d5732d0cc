# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Maven metadata of virtual repositories, merged from their members on each request."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from xml.etree import ElementTree

from ...runtime.file_store import StoredFile
from ..call import Call
from ..items.tree import Item
from .metadata_document import SNAPSHOT_SUFFIX, Document, read_metadata
from .snapshots import METADATA

# Clients that do not support the list of snapshot files.
MAVEN_2 = re.compile(r"Apache.Maven/2\.")


def is_merged(call: Call, key: str, path: str) -> bool:
    """Return whether a path is metadata of a virtual repository."""
    return path[path.rfind("/") + 1 :] == METADATA and call.repositories.is_virtual(key)


def merge_metadata(call: Call, key: str, path: str) -> tuple[Item, bytes] | None:
    """Return the merged metadata as an item with its content, or `None` if no member has valid metadata."""
    items = [item for item in call.find_items(key, path, "download") if _is_relevant(call, item)]
    documents = [(item, document) for item in items if (document := _parse_document(call, item))]
    if not documents:
        return None
    (first, merged), *remaining = documents
    for _item, document in remaining:
        merged.merge(document)
    if MAVEN_2.search(call.request.headers.get("user-agent", "")):
        merged.files = {}
    content = merged.write()
    stored = StoredFile(
        hashlib.sha256(content).hexdigest(),
        hashlib.sha1(content).hexdigest(),
        hashlib.md5(content).hexdigest(),
        len(content),
    )
    modified = max(item.modified for item, _document in documents)
    return replace(first, repo=key, modified=modified, **vars(stored)), content


def _is_relevant(call: Call, item: Item) -> bool:
    """Return whether a member's metadata is merged; snapshot metadata only if the member accepts snapshots."""
    repository = call.repositories.resolve(item.repo)
    is_snapshot_metadata = (item.parent or "").endswith(SNAPSHOT_SUFFIX)
    return not item.folder and not (
        is_snapshot_metadata and repository and not repository.configuration["handleSnapshots"]
    )


def _parse_document(call: Call, item: Item) -> Document | None:
    content = read_metadata(call.runtime, item)
    try:
        return Document.read(content) if content is not None else None
    except ElementTree.ParseError:
        return None
