# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Java releases that Jenkins releases support, according to their manifests and change logs."""

from __future__ import annotations

# First Jenkins release that supports exactly these Java releases, for both the weekly and the LTS line
_SUPPORTED_SINCE = (
    ((2, 545), (21, 25)),
    ((2, 534), (17, 21, 25)),
    ((2, 463), (17, 21)),
    ((2, 419), (11, 17, 21)),
    ((2, 357), (11, 17)),
    ((2, 0), (8, 11)),
)


def supported_releases(version: str) -> list[int]:
    """Return the Java releases that a Jenkins version supports, oldest first; empty if the version is unknown.

    :arg version: such as `2.579` or `2.541.1`
    """
    parts = version.split("-")[0].split(".")
    if not all(part.isdigit() for part in parts):
        return []
    number = tuple(map(int, parts))
    return next((list(releases) for since, releases in _SUPPORTED_SINCE if number >= since), [])
