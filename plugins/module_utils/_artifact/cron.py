# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Quartz cron expressions, the schedules of Artifactory."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_FIELDS = ("second", "minute", "hour", "day of month", "month", "day of week", "year")
_RANGES = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (1, 7), (1970, 2099))
_DAY_OF_MONTH, _MONTH, _DAY_OF_WEEK, _YEAR = 3, 4, 5, 6
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_NAMES = {_MONTH: _MONTHS, _DAY_OF_WEEK: _DAYS}
_SPECIAL = {
    _DAY_OF_MONTH: re.compile(r"L(?:-(?:[1-9]|[12]\d|30))?W?|(?:[1-9]|[12]\d|3[01])W"),
    _DAY_OF_WEEK: re.compile(rf"(?:[1-7]|{'|'.join(_DAYS)})?L|(?:[1-7]|{'|'.join(_DAYS)})#[1-5]"),
}
_PART = re.compile(r"(\*|[A-Z]{3}|\d{1,4})?(?:-([A-Z]{3}|\d{1,4}))?(?:/(\d{1,4}))?")
# What Quartz refuses in lists: the last day beside other days, and several days such as the first Monday
_UNLISTED = re.compile(r".*L.*,|.*,.*L|.*#.*#")
_EXAMPLE = "such as '0 0 2 * * ?' for 2:00 every day"


def check_cron(option: str, expression: str, accepts_two_days: bool = False) -> None:
    """Verify a Quartz cron expression.

    :arg accepts_two_days: whether the server stores an expression with `*` as one day and without `?` as the other
    :raises BadOption: if it has not 6 or 7 fields, or a field that Quartz refuses
    """
    fields = [field.upper() if field.isascii() else field for field in expression.split()]
    if len(fields) not in (6, 7):
        count = f"{len(fields)} field{'' if len(fields) == 1 else 's'}"
        raise BadOption(
            option,
            f"must be a Quartz cron expression with 6 or 7 fields that starts with seconds, {_EXAMPLE}, not {count}",
        )
    for index, field in enumerate(fields):
        if not _is_field(index, field):
            raise BadOption(
                option, f"'{field}' is not a valid {_FIELDS[index]} of a Quartz cron expression, {_EXAMPLE}"
            )
    days = fields[_DAY_OF_MONTH], fields[_DAY_OF_WEEK]
    if days.count("?") != 1 and not (accepts_two_days and has_two_days(expression)):
        raise BadOption(
            option,
            f"must have '?' as either the day of month or the day of week of a Quartz cron expression, {_EXAMPLE}",
        )


def has_two_days(expression: str) -> bool:
    """Return whether neither day is `?` and one is `*`. JFrog's Terraform provider stores such backups in its tests."""
    fields = expression.split()
    days = fields[_DAY_OF_MONTH], fields[_DAY_OF_WEEK]
    return "?" not in days and "*" in days


def is_same_cron(one: str | None, other: str | None) -> bool:
    """Return whether two expressions differ at most in case and spaces."""
    return (one or "").upper().split() == (other or "").upper().split()


def _is_field(index: int, field: str) -> bool:
    if index in _SPECIAL and field == "?":
        return True
    if index in _SPECIAL and _UNLISTED.match(field):
        return False
    return field.isascii() and all(_is_part(index, part) for part in field.split(","))


def _is_part(index: int, part: str) -> bool:
    if index in _SPECIAL and _SPECIAL[index].fullmatch(part):
        return True
    match = _PART.fullmatch(part)
    if not part or not match or (match[2] and match[1] in (None, "*")):
        return False
    if match[3] and not 1 <= int(match[3]) <= _RANGES[index][1]:
        return False
    if index == _YEAR and match[2] and match[1] > match[2]:
        return False
    return all(_is_bound(index, bound) for bound in match.groups()[:2] if bound and bound != "*")


def _is_bound(index: int, bound: str) -> bool:
    least, most = _RANGES[index]
    return least <= int(bound) <= most if bound.isdecimal() else bound in _NAMES.get(index, ())
