# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as the server takes them."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"[+-]?[0-9]+")


def integer(text: str, bits: int = 32) -> int:
    """A number of so many bits; ValueError if it is none."""
    if not _INTEGER.fullmatch(text) or not -(2 ** (bits - 1)) <= int(text) < 2 ** (bits - 1):
        raise ValueError(text)
    return int(text)
