# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of conditions: numbers, dates, relative times and patterns."""

from __future__ import annotations

import calendar
import datetime
import re

from .errors import QueryError

LONG_LIMIT = 2**63
UNITS = ["ms|millis", "mi|minutes", "d|days", "mo|months", "y|years", "s|seconds", "w|weeks"]
RELATIVE_TIME = re.compile("[+]?" + "".join(rf"(?:([+-]?\d+)(?:{unit}))?" for unit in UNITS), re.IGNORECASE)
DATE = re.compile(
    r"(?P<year>[+-]?\d{1,9})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?|-W(?P<week>\d{1,2})(?:-(?P<weekday>\d))?"
    r"|-(?P<ordinal>\d{3}))?"
    r"(?:T(?:(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}))?)?(?P<fraction>[.,]\d+)?)?"
    r"(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)?)?"
)
ZONE = re.compile(r"([+-])(\d{2}):?(\d{2})?")


def parse_number(value: str, limit: int, type_name: str) -> int:
    """Parse an integer.

    :raises QueryError: if the value is not an integer below `limit`
    """
    integer = _parse_integer(value, limit)
    if integer is None:
        raise QueryError(f"AQL Expect {type_name} value but found:{value}\n")
    return integer


def parse_date(value: str) -> float:
    """Parse milliseconds or an ISO 8601 date; return seconds since the epoch.

    :raises QueryError: if the value is neither
    """
    milliseconds = _parse_integer(value, LONG_LIMIT)
    if milliseconds is not None:
        return milliseconds / 1000
    match = DATE.fullmatch(value)
    try:
        if match is None:
            raise ValueError
        return _to_seconds(match.groupdict())
    except (ValueError, OverflowError):
        raise QueryError(
            f"Invalid Date format: {value}, AQL expect ISODateTimeFormat or long number\n"
            f'cause: Invalid format: "{value}"'
        ) from None


def _parse_integer(value: str, limit: int) -> int | None:
    digits = re.fullmatch(r"([+-]?)0*(\d{1,19})", value)
    integer = int(digits[1] + digits[2]) if digits else None
    return integer if integer is not None and -limit <= integer < limit else None


def _to_seconds(fields: dict[str, str | None]) -> float:
    day = _parse_day(fields)
    clock_fields = [fields["hour"], fields["minute"], fields["second"]]
    limits = (24, 60, 60)
    seconds, unit = 0.0, 86400.0
    for text, limit in zip(clock_fields, limits, strict=True):
        if text is None:
            break
        if int(text) >= limit:
            raise ValueError
        unit /= limit
        seconds += int(text) * unit
    if fields["fraction"]:
        seconds += float("0." + fields["fraction"][1:]) * unit
    midnight = calendar.timegm((day.year, day.month, day.day, 0, 0, 0))
    return round((midnight + seconds - _parse_offset(fields["zone"])) * 1000) / 1000


def _parse_day(fields: dict[str, str | None]) -> datetime.date:
    year = int(fields["year"] or 0)
    if fields["week"]:
        return datetime.date.fromisocalendar(year, int(fields["week"]), int(fields["weekday"] or 1))
    if fields["ordinal"]:
        day = datetime.date(year, 1, 1) + datetime.timedelta(days=int(fields["ordinal"]) - 1)
        if day.year != year:
            raise ValueError
        return day
    return datetime.date(year, int(fields["month"] or 1), int(fields["day"] or 1))


def _parse_offset(zone: str | None) -> int:
    match = ZONE.fullmatch(zone or "")
    if match is None:
        return 0
    seconds = int(match[2]) * 3600 + int(match[3] or 0) * 60
    return -seconds if match[1] == "-" else seconds


def subtract_relative_time(relative_time: str, now: float) -> float:
    """Subtract a relative time such as `4w` or `1d2mo` from `now`, in seconds since the epoch.

    :raises QueryError: if the relative time is invalid or leads to a time before 1970
    """
    match = RELATIVE_TIME.fullmatch(relative_time)
    error = QueryError(f"Invalid relative date format for: {relative_time}")
    if match is None:
        raise error
    millis, minutes, days, months, years, seconds, weeks = (int(part or 0) for part in match.groups())
    result = datetime.datetime.fromtimestamp(now, datetime.UTC)
    try:
        result = _subtract_months(result, months + 12 * years)
        result -= datetime.timedelta(weeks=weeks, days=days, minutes=minutes, seconds=seconds, milliseconds=millis)
        timestamp = result.timestamp()
    except (ValueError, OverflowError):
        raise error from None
    if timestamp < 0:
        raise error
    return timestamp


def _subtract_months(time: datetime.datetime, months: int) -> datetime.datetime:
    if not months:
        return time
    year, month = divmod(time.year * 12 + time.month - 1 - months, 12)
    return time.replace(year=year, month=month + 1, day=min(time.day, calendar.monthrange(year, month + 1)[1]))


def to_sqlite_glob(pattern: str) -> str:
    """Convert a `$match` pattern to SQLite's GLOB.

    The real server uses LIKE with `^` as escape character, but declares the escape only if the pattern contains an
    underscore. Without it, a percent sign matches a circumflex followed by anything.
    """
    like = pattern.replace("%", "^%").replace("_", "^_").replace("*", "%").replace("?", "_")
    has_escape = "^_" in like
    parts, is_literal = [], False
    for character in like:
        if has_escape and character == "^" and not is_literal:
            is_literal = True
            continue
        if is_literal or character not in "%_":
            parts.append(f"[{character}]" if character in "[*?" else character)
        else:
            parts.append("*" if character == "%" else "?")
        is_literal = False
    return "".join(parts)


def compile_virtual_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a `$match` pattern for keys of virtual repositories, where `?` matches at most one character."""
    return re.compile("".join({"*": ".*", "?": ".?"}.get(part, re.escape(part)) for part in pattern))
