# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The listing page of a folder."""

from __future__ import annotations

import html
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

from ..call import Call
from ..items.item_info import merge_descendants
from ..items.tree import Item
from ..system.storage_summary import format_size


def iterate_page_parts(call: Call, db: sqlite3.Connection, path: str, folders: list[Item]) -> Iterator[str]:
    """Yield the parts of the page; `path` begins with the repository key."""
    title = html.escape(f"Index of {path}")
    yield '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n<head><meta name="robots" content="noindex"'
    yield f" />\n<title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
    yield "<pre>Name  Last modified      Size</pre><hr/>\n<pre>"
    if folders[0].path:
        yield '<a href="../">../</a>\n'
    yield from map(_format_line, merge_descendants(db, folders, 1))
    url = call.request.url
    server = (
        f"Artifactory/{call.get_switch('version')} Server at {html.escape(url.hostname or '')} Port {url.port or 80}"
    )
    yield f'</pre>\n<hr/><address style="font-size:small;">{server}</address></body></html>'


def _format_line(item: Item) -> str:
    name = item.name + "/" * item.folder
    modified = datetime.fromtimestamp(item.modified, UTC).strftime("%d-%b-%Y %H:%M")
    size = "  -" if item.size is None else format_size(item.size)
    return f'<a href="{quote(name)}">{html.escape(name)}</a>  {modified}  {size}\n'
