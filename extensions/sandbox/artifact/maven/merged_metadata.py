# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The maven-metadata.xml of a virtual repository: that of its members, merged for each request."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from xml.etree import ElementTree

from ...runtime.file_store import StoredFile
from ..call import Call
from ..items.tree import Item
from .metadata_document import SNAPSHOTS, Document, read_metadata
from .snapshots import METADATA

# Clients that do not know the list of the files of a snapshot
MAVEN_2 = re.compile(r"Apache.Maven/2\.")


def is_merged(call: Call, key: str, path: str) -> bool:
    """Return whether a repository serves merged metadata at a path."""
    return path[path.rfind("/") + 1 :] == METADATA and call.repositories.is_virtual(key)


def merged(call: Call, key: str, path: str) -> tuple[Item, bytes] | None:
    """Return the merged metadata as an item with its content; None where no member has any that can be read."""
    found = [item for item in call.find_items(key, path, "download") if _counts(call, item)]
    documents = [(item, document) for item in found if (document := _document(call, item))]
    if not documents:
        return None
    (first, result), *others = documents
    for _item, document in others:
        result.merge(document)
    if MAVEN_2.search(call.request.headers.get("user-agent", "")):
        result.files = {}
    content = result.write()
    stored = StoredFile(
        hashlib.sha256(content).hexdigest(),
        hashlib.sha1(content).hexdigest(),
        hashlib.md5(content).hexdigest(),
        len(content),
    )
    modified = max(item.modified for item, _document in documents)
    return replace(first, repo=key, modified=modified, **vars(stored)), content


def _counts(call: Call, item: Item) -> bool:
    """Return whether the metadata of a member counts: one that takes no snapshots has no say in theirs."""
    repository = call.repositories.resolve(item.repo)
    of_snapshots = (item.parent or "").endswith(SNAPSHOTS)
    return not item.folder and not (of_snapshots and repository and not repository.configuration["handleSnapshots"])


def _document(call: Call, item: Item) -> Document | None:
    content = read_metadata(call.runtime, item)
    try:
        return Document.read(content) if content is not None else None
    except ElementTree.ParseError:
        return None
