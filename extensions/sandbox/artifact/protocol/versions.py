# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of the product, which some behaviour depends on."""

from __future__ import annotations

import functools


@functools.cache
def is_at_least(version: str, wanted: str) -> bool:
    """Whether a version is not older than another."""
    return _numbers(version) >= _numbers(wanted)


@functools.cache
def revision(version: str) -> str:
    """The build number that goes with a version: 7.46.11 is 74611900."""
    major, minor, patch = (*_numbers(version), 0, 0)[:3]
    return f"{major}{minor:02d}{patch:02d}900"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
