# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and booleans, as the converters of XStream read and write them."""

from __future__ import annotations

import re

from lxml import etree

NUMBERS = frozenset(
    (
        *("artifactDaysToKeep", "artifactNumToKeep", "daysToKeep", "interval", "numExecutors", "numToKeep"),
        *("quietPeriod", "scmCheckoutRetryCount"),
    )
)
# The range that com.thoughtworks.xstream.converters.basic.IntConverter reads; no number in it has more digits
LOWEST, HIGHEST, MOST_DIGITS = -(2**31), 2**32 - 1, 40
# java.lang.Long.decode
_NUMBER = re.compile("(?P<sign>[+-]?)(?:(?:0[xX]|#)(?P<hex>[0-9a-fA-F]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*))")


def is_readable(element: etree._Element) -> bool:
    """Return whether a converter reads the text of an element. Jenkins drops other numbers."""
    return element.tag not in NUMBERS or _decode(element.text or "") is not None


def convert(tag: str, text: str | None, is_flag: bool) -> str | None:
    """Return the text of an element as a converter writes it."""
    if is_flag:
        return "true" if (text or "").lower() == "true" else "false"
    return str(_decode(text or "")) if tag in NUMBERS else text


def _decode(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > MOST_DIGITS:
        return None
    bases = (("hex", 16), ("octal", 8), ("decimal", 10))
    number = next(int(match[name], base) for name, base in bases if match[name])
    number = -number if match["sign"] == "-" else number
    return number if LOWEST <= number <= HIGHEST else None
