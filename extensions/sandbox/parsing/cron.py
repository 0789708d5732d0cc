# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quartz cron expressions."""

from __future__ import annotations

import re

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
NUMBER_RANGES = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (1, 7), (1970, 2099))
NAMES: dict[int, tuple[str, ...]] = {4: MONTHS, 5: DAYS}
SPECIAL_DAYS = {
    3: re.compile(r"L(-([1-9]|[12]\d|30))?W?|([1-9]|[12]\d|3[01])W"),
    5: re.compile(rf"([1-7]|{'|'.join(DAYS)})?L|([1-7]|{'|'.join(DAYS)})#[1-5]"),
}
PART = re.compile(r"(?P<start>\*|\w+)?(?:-(?P<end>\w+))?(?:/(?P<step>\d+))?")


def is_cron_expression(text: str) -> bool:
    """Return whether a text is a cron expression with 6 fields, or 7 with a year."""
    fields = text.upper().split()
    if len(fields) not in (6, 7) or (fields[3] == "?") == (fields[5] == "?"):
        return False
    return all(_is_field(index, field) for index, field in enumerate(fields))


def _is_field(index: int, field: str) -> bool:
    if field == "?":
        return index in SPECIAL_DAYS
    return all(_is_part(index, part) for part in field.split(","))


def _is_part(index: int, part: str) -> bool:
    if index in SPECIAL_DAYS and SPECIAL_DAYS[index].fullmatch(part):
        return True
    match = PART.fullmatch(part)
    if match is None or not part or (match["end"] and match["start"] in (None, "*")):
        return False
    least, most = NUMBER_RANGES[index]
    if match["step"] and not 1 <= int(match["step"]) <= most:
        return False
    bounds = (bound for bound in (match["start"], match["end"]) if bound not in (None, "*"))
    return all(_is_bound(bound, NAMES.get(index, ()), least, most) for bound in bounds)


def _is_bound(bound: str, names: tuple[str, ...], least: int, most: int) -> bool:
    return bound in names or (bound.isdecimal() and least <= int(bound) <= most)
