# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as conditions have them: numbers, dates, ages and patterns."""

from __future__ import annotations

import calendar
import datetime
import re

from .errors import QueryError

LONGEST = 2**63
UNITS = ["ms|millis", "mi|minutes", "d|days", "mo|months", "y|years", "s|seconds", "w|weeks"]
AGE = re.compile("[+]?" + "".join(rf"(?:([+-]?\d+)(?:{unit}))?" for unit in UNITS), re.IGNORECASE)
DATE = re.compile(
    r"(?P<year>[+-]?\d{1,9})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?|-W(?P<week>\d{1,2})(?:-(?P<weekday>\d))?"
    r"|-(?P<ordinal>\d{3}))?"
    r"(?:T(?:(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}))?)?(?P<fraction>[.,]\d+)?)?"
    r"(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)?)?"
)
ZONE = re.compile(r"([+-])(\d{2}):?(\d{2})?")


def number(value: str, largest: int, what: str) -> int:
    """A whole number.

    :raises QueryError: for anything else
    """
    found = _whole(value, largest)
    if found is None:
        raise QueryError(f"AQL Expect {what} value but found:{value}\n")
    return found


def moment(value: str) -> float:
    """Seconds since the epoch, of milliseconds or an ISO 8601 date.

    :raises QueryError: for anything else
    """
    milliseconds = _whole(value, LONGEST)
    if milliseconds is not None:
        return milliseconds / 1000
    found = DATE.fullmatch(value)
    try:
        if found is None:
            raise ValueError
        return _seconds(found.groupdict())
    except (ValueError, OverflowError):
        raise QueryError(
            f"Invalid Date format: {value}, AQL expect ISODateTimeFormat or long number\n"
            f'cause: Invalid format: "{value}"'
        ) from None


def _whole(value: str, largest: int) -> int | None:
    digits = re.fullmatch(r"([+-]?)0*(\d{1,19})", value)
    found = int(digits[1] + digits[2]) if digits else None
    return found if found is not None and -largest <= found < largest else None


def _seconds(part: dict[str, str | None]) -> float:
    day = _day(part)
    parts = [part["hour"], part["minute"], part["second"]]
    limits = (24, 60, 60)
    seconds, unit = 0.0, 86400.0
    for text, limit in zip(parts, limits, strict=True):
        if text is None:
            break
        if int(text) >= limit:
            raise ValueError
        unit /= limit
        seconds += int(text) * unit
    if part["fraction"]:
        seconds += float("0." + part["fraction"][1:]) * unit
    midnight = calendar.timegm((day.year, day.month, day.day, 0, 0, 0))
    return round((midnight + seconds - _offset(part["zone"])) * 1000) / 1000


def _day(part: dict[str, str | None]) -> datetime.date:
    year = int(part["year"] or 0)
    if part["week"]:
        return datetime.date.fromisocalendar(year, int(part["week"]), int(part["weekday"] or 1))
    if part["ordinal"]:
        day = datetime.date(year, 1, 1) + datetime.timedelta(days=int(part["ordinal"]) - 1)
        if day.year != year:
            raise ValueError
        return day
    return datetime.date(year, int(part["month"] or 1), int(part["day"] or 1))


def _offset(zone: str | None) -> int:
    found = ZONE.fullmatch(zone or "")
    if found is None:
        return 0
    seconds = int(found[2]) * 3600 + int(found[3] or 0) * 60
    return -seconds if found[1] == "-" else seconds


def before(age: str, now: float) -> float:
    """The moment that lies an age such as `4w` or `1d2mo` before now.

    :raises QueryError: for what is no age, or one that reaches behind 1970
    """
    found = AGE.fullmatch(age)
    refusal = QueryError(f"Invalid relative date format for: {age}")
    if found is None:
        raise refusal
    millis, minutes, days, months, years, seconds, weeks = (int(part or 0) for part in found.groups())
    then = datetime.datetime.fromtimestamp(now, datetime.UTC)
    try:
        then = _months_before(then, months + 12 * years)
        then -= datetime.timedelta(weeks=weeks, days=days, minutes=minutes, seconds=seconds, milliseconds=millis)
        moment = then.timestamp()
    except (ValueError, OverflowError):
        raise refusal from None
    if moment < 0:
        raise refusal
    return moment


def _months_before(then: datetime.datetime, months: int) -> datetime.datetime:
    if not months:
        return then
    year, month = divmod(then.year * 12 + then.month - 1 - months, 12)
    return then.replace(year=year, month=month + 1, day=min(then.day, calendar.monthrange(year, month + 1)[1]))


def glob(pattern: str) -> str:
    """A pattern of `$match` as one of SQLite's GLOB.

    The server makes a LIKE of it, with `^` as the escape only where it escapes an underscore: so without one a per cent
    sign matches a circumflex and anything behind it.
    """
    like = pattern.replace("%", "^%").replace("_", "^_").replace("*", "%").replace("?", "_")
    escaped = "^_" in like
    parts, literal = [], False
    for character in like:
        if escaped and character == "^" and not literal:
            literal = True
            continue
        if literal or character not in "%_":
            parts.append(f"[{character}]" if character in "[*?" else character)
        else:
            parts.append("*" if character == "%" else "?")
        literal = False
    return "".join(parts)


def virtual_name(pattern: str) -> re.Pattern[str]:
    """What a pattern of `$match` says of virtual repositories: there a question mark is none or one character."""
    return re.compile("".join({"*": ".*", "?": ".?"}.get(part, re.escape(part)) for part in pattern))
