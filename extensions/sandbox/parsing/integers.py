# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Integers in the notation that Java servers accept."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")


def parse_integer(text: str, bits: int = 32) -> int:
    """Return a signed integer.

    :arg bits: size of the type, including the sign
    :raises ValueError: if the text is not an integer, or is out of range
    """
    number = int(text) if _INTEGER.fullmatch(text) else None
    if number is None or not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(text)
    return number


def parse_integer_or_none(text: str, bits: int = 32) -> int | None:
    """Return a signed integer, or null if the text is not an integer or is out of range."""
    try:
        return parse_integer(text, bits)
    except ValueError:
        return None
