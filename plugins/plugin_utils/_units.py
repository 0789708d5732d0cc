# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers, sizes, durations, dates and amounts of money as texts."""

from __future__ import annotations

import datetime
import typing as t

_DAY = 86_400
_SIZES = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}


def format_count(value: float) -> str:
    """Return a whole number with separators, or a decimal with one digit: `12,345`, `0.5`."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def format_short_count(value: float) -> str:
    """Return a number in thousands or more with three digits: `950`, `12.3 k`, `4.5 M`."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{_shorten(value / size)} {unit}"
    return format_count(value)


def format_bytes(size: float) -> str:
    """Return a size with three digits: `512 bytes`, `4.93 KB`. A KB has 1,024 bytes."""
    power = 0
    while abs(size) >= 1000 and power + 1 < len(_SIZES):
        size, power = size / 1024, power + 1
    if not power:
        return "1 byte" if size == 1 else f"{size:.0f} bytes"
    return f"{_shorten(size)} {_SIZES[power]}"


def format_change(value: float, format_value: t.Callable[[float], str]) -> str:
    """Return a number with its sign: `+4.93 KB`, `±0`."""
    if not value:
        return f"±{format_value(0)}"
    return f"{'+' if value > 0 else '−'}{format_value(abs(value))}"


def format_duration(seconds: float) -> str:
    """Return a duration with at most two units: `0.4 s`, `12 s`, `1 min 12 s`, `1 h 5 min`, `2 d 3 h`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    for size, unit, part_size, part_unit in ((_DAY, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            part = whole % size // part_size
            return f"{whole // size} {unit} {part} {part_unit}" if part else f"{whole // size} {unit}"
    return f"{whole} s"


def format_money(amount: float, currency: str = "USD") -> str:
    """Return an amount of money: `$1,234.50`, `12.00 CHF`. Small amounts have four decimals."""
    number = f"{amount:,.4f}" if 0 < abs(amount) < 0.01 else f"{amount:,.2f}"
    return f"{_SYMBOLS[currency]}{number}" if currency in _SYMBOLS else f"{number} {currency}"


def format_percent(share: float) -> str:
    """Return a share as a percentage. Only an empty or complete one is 0 % or 100 %."""
    percent = share * 100
    if 0 < percent < 1:
        return "< 1 %"
    if 99 < percent < 100:
        return "> 99 %"
    return f"{percent:.0f} %"


def format_day(moment: float) -> str:
    """Return the day of a time in seconds since 1970, in UTC."""
    return _to_datetime(moment).strftime("%Y-%m-%d")


def format_minute(moment: float) -> str:
    """Return a time in seconds since 1970 to the minute, in UTC."""
    return _to_datetime(moment).strftime("%Y-%m-%d %H:%M")


def format_distance(moment: float, now: float) -> str:
    """Return how far a time is from now: `in 5 days`, `3 hours ago`."""
    seconds = abs(moment - now)
    for size, unit in ((365 * _DAY, "year"), (_DAY, "day"), (3600, "hour"), (60, "minute")):
        # "23 months" is clearer than "1 year"
        if seconds >= size * (2 if unit == "year" else 1):
            text = pluralize(int(seconds // size), unit)
            return f"in {text}" if moment > now else f"{text} ago"
    return "in less than a minute" if moment > now else "just now"


def pluralize(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with a noun: `1 job`, `2 jobs`, `1,000 repositories`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def parse_time(text: str | None) -> float | None:
    """Return a time in ISO 8601 format in seconds since 1970, or `None` if it is missing or not a time."""
    try:
        moment = datetime.datetime.fromisoformat((text or "").replace("Z", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).timestamp()


def _to_datetime(moment: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc)


def _shorten(value: float) -> str:
    """Return a number with three digits, without zeros at the end."""
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
