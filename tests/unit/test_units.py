# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, sizes, durations, dates and amounts of money as texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units

DAY = 86_400


@pytest.mark.parametrize(
    ("function", "value", "text"),
    [
        (units.format_count, 0, "0"),
        (units.format_count, 1234567, "1,234,567"),
        (units.format_count, 2.5, "2.5"),
        (units.format_short_count, 950, "950"),
        (units.format_short_count, 12_345, "12.3 k"),
        (units.format_short_count, 4_500_000, "4.5 M"),
        (units.format_short_count, 999_999_999_999, "1,000 G"),
        (units.format_bytes, 0, "0 bytes"),
        (units.format_bytes, 1, "1 byte"),
        (units.format_bytes, 999, "999 bytes"),
        (units.format_bytes, 1000, "0.98 KB"),
        (units.format_bytes, 5050, "4.93 KB"),
        (units.format_bytes, 200 * 1024**3, "200 GB"),
        (units.format_bytes, 1024**7, "1,024 EB"),
        (units.format_duration, 0, "0 s"),
        (units.format_duration, 0.4, "0.4 s"),
        (units.format_duration, 9.96, "10 s"),
        (units.format_duration, 72, "1 min 12 s"),
        (units.format_duration, 3600, "1 h"),
        (units.format_duration, 3900, "1 h 5 min"),
        (units.format_duration, 2 * DAY + 3 * 3600, "2 d 3 h"),
        (units.format_money, 1234.5, "$1,234.50"),
        (units.format_money, 0.0042, "$0.0042"),
        (units.format_money, 0, "$0.00"),
        (units.format_percent, 0, "0 %"),
        (units.format_percent, 0.0001, "< 1 %"),
        (units.format_percent, 0.997, "> 99 %"),
        (units.format_percent, 1, "100 %"),
        (units.format_day, 1_767_225_600, "2026-01-01"),
        (units.format_minute, 1_767_225_660, "2026-01-01 00:01"),
    ],
)
def test_value_is_formatted(function: Callable[[Any], str], value: float, text: str) -> None:
    assert function(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "±0 bytes"), (5000, "+4.88 KB"), (-5000, "\N{MINUS SIGN}4.88 KB"), (1, "+1 byte")]
)
def test_change_has_a_sign(value: int, text: str) -> None:
    assert units.format_change(value, units.format_bytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "just now"),
        (30, "in less than a minute"),
        (-90, "1 minute ago"),
        (5 * DAY + 3600, "in 5 days"),
        (DAY, "in 1 day"),
        (-3 * 365 * DAY, "3 years ago"),
        (-500 * DAY, "500 days ago"),
    ],
)
def test_distance_is_in_words(seconds: int, text: str) -> None:
    assert units.format_distance(1e9 + seconds, 1e9) == text


def test_currency_without_symbol_follows_the_amount() -> None:
    assert units.format_money(12, "CHF") == "12.00 CHF"


@pytest.mark.parametrize(("text", "seconds"), [("2026-01-01T00:00:00Z", 1_767_225_600), ("soon", None), (None, None)])
def test_time_is_parsed(text: str | None, seconds: float | None) -> None:
    assert units.parse_time(text) == seconds
