# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which Java releases a release of the CI server runs on, from the releases' own manifests and change logs."""

from __future__ import annotations

# First release that takes exactly these; the numbers hold for the weekly line and the long-term line alike.
_JAVA_SINCE = (
    ((2, 545), (21, 25)),
    ((2, 534), (17, 21, 25)),
    ((2, 463), (17, 21)),
    ((2, 419), (11, 17, 21)),
    ((2, 357), (11, 17)),
    ((2, 0), (8, 11)),
)


def java_releases(version: str) -> list[int]:
    """The Java releases that `version` runs on, oldest first; none for a version that is not known.

    :arg version: such as `2.579` or `2.541.1`
    """
    parts = version.split("-")[0].split(".")
    if not all(part.isdigit() for part in parts):
        return []
    number = tuple(map(int, parts))
    return next((list(releases) for since, releases in _JAVA_SINCE if number >= since), [])
