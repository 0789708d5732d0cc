# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Version comparison and build revisions."""

from __future__ import annotations

import functools
from typing import NamedTuple


class Versions(NamedTuple):
    """The versions with a behavior: from `first` on, but before `end`."""

    first: str
    end: str


def has_behavior(version: str, behavior: str | Versions) -> bool:
    """Return whether a version has a behavior of `feature_versions`."""
    if isinstance(behavior, Versions):
        return is_at_least(version, behavior.first) and not is_at_least(version, behavior.end)
    return is_at_least(version, behavior)


@functools.cache
def is_at_least(version: str, minimum: str) -> bool:
    """Return whether a version is at least the minimum."""
    return _parse_version(version) >= _parse_version(minimum)


@functools.cache
def build_revision(version: str) -> str:
    """Return the build revision of a version: 74611900 for 7.46.11."""
    major, minor, patch = (*_parse_version(version), 0, 0)[:3]
    return f"{major}{minor:02d}{patch:02d}900"


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
