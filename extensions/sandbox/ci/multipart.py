# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms in parts, which bring files."""

from __future__ import annotations

import re
from typing import NamedTuple

_BOUNDARY = re.compile(r'boundary="?([^";]+)')
_NAME = re.compile(rb'\bname="([^"]*)"')
_FILE_NAME = re.compile(rb'\bfilename="([^"]*)"')


class Part(NamedTuple):
    """A field of a form; one with a file name is a file."""

    name: str
    file_name: str | None
    content: bytes


def parts(content_type: str, body: bytes) -> list[Part]:
    """The parts of a body, in their order; none of one that has no boundary."""
    boundary = _BOUNDARY.search(content_type)
    if not boundary:
        return []
    found = []
    # a line break belongs to the boundary after it, so that the first one gets one as well
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary[1].encode())[1:-1]:
        head, _blank, content = part.partition(b"\r\n\r\n")
        if name := _NAME.search(head):
            file_name = _FILE_NAME.search(head)
            found.append(Part(name[1].decode(), file_name[1].decode() if file_name else None, content))
    return found
