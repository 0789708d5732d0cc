# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare versions of plugins."""

from __future__ import annotations

import re

_PART = re.compile(r"\d+|[a-z_]+")
_PRE_RELEASE = ("snapshot", "alpha", "beta", "milestone", "rc")
_END = (0, 0, "")


def is_older(version: str, other: str) -> bool:
    """Return whether a version precedes another one; trailing zeros are ignored."""
    return _key(version) < _key(other)


def _key(version: str) -> list[tuple[int, int, str]]:
    parts = _PART.findall(version.lower())
    while parts and parts[-1].isdigit() and int(parts[-1]) == 0:
        parts.pop()
    return [*map(_rank, parts), _END]


def _rank(part: str) -> tuple[int, int, str]:
    if part.isdigit():
        return 2, int(part), ""
    if part in _PRE_RELEASE:
        return -1, _PRE_RELEASE.index(part), ""
    return 1, 0, part
