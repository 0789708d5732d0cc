# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the server's JSON library reads members of another type: as text in place of a number, or of true and false."""

from __future__ import annotations

from typing import Any

from ...parsing import integers


def integer(value: Any) -> int:
    """Return a whole number; fractions are cut off, and null and empty texts are 0.

    :raises ValueError: when the value is no number
    """
    if value is None:
        return 0
    if isinstance(value, str):
        text = value.strip()
        if text in ("", "null"):
            return 0
        return integers.parse_integer(text, 64)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(value)
    return integers.parse_integer(str(int(value)), 64)


def values(value: Any) -> list[Any]:
    """Return a list; null is an empty one.

    :raises ValueError: when it is neither
    """
    if value is not None and not isinstance(value, list):
        raise ValueError(value)
    return value or []


def boolean(value: Any) -> bool:
    """Return whether a value is true; null, empty texts and 0 are false.

    :raises ValueError: when the value is neither true nor false
    """
    if value is None or isinstance(value, (bool, int)):
        return bool(value)
    words = {"": False, "null": False, "false": False, "False": False, "true": True, "True": True}
    if not isinstance(value, str) or value.strip() not in words:
        raise ValueError(value)
    return words[value.strip()]
