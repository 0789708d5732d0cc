# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of plugin and Jenkins versions."""

from __future__ import annotations

import re

_PART = re.compile(r"\d+|[a-z_]+")
_BEFORE_RELEASE = ("snapshot", "alpha", "beta", "milestone", "rc")
_END = (0, 0, "")


def is_older(version: str, other: str) -> bool:
    """Return whether a version precedes another one. Trailing zeros are ignored."""
    return _key(version) < _key(other)


def is_same(version: str, other: str) -> bool:
    """Return whether two texts denote the same version."""
    return _key(version) == _key(other)


def _key(version: str) -> list[tuple[int, int, str]]:
    parts = _PART.findall(version.lower())
    while parts and parts[-1].strip("0") == "" and parts[-1].isdigit():
        parts.pop()
    return [*map(_rank, parts), _END]


def _rank(part: str) -> tuple[int, int, str]:
    if part.isdigit():
        return 2, int(part), ""
    if part in _BEFORE_RELEASE:
        return -1, _BEFORE_RELEASE.index(part), ""
    return 1, 0, part
