# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of JSON values of other types, as the server's JSON library does it."""

from __future__ import annotations

from typing import Any

from ...parsing import integers


def to_integer(value: Any) -> int:
    """Return an integer. Fractions are truncated; null and empty strings are 0.

    :raises ValueError: if the value is not a number
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


def to_list(value: Any) -> list[Any]:
    """Return a list; null is an empty list.

    :raises ValueError: if the value is neither a list nor null
    """
    if value is not None and not isinstance(value, list):
        raise ValueError(value)
    return value or []


def to_boolean(value: Any) -> bool:
    """Return a boolean; null, empty strings and 0 are false.

    :raises ValueError: if the value is neither true nor false
    """
    if value is None or isinstance(value, (bool, int)):
        return bool(value)
    booleans = {"": False, "null": False, "false": False, "False": False, "true": True, "True": True}
    if not isinstance(value, str) or value.strip() not in booleans:
        raise ValueError(value)
    return booleans[value.strip()]
