# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates and times in all forms that Artifactory returns."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01T10:11:12.345Z", "2024-05-01T10:11:12.345Z"),
        ("2024-05-01T10:11:12.345+0000", "2024-05-01T10:11:12.345Z"),
        ("2024-05-01T10:11:12.345+03:00", "2024-05-01T07:11:12.345Z"),
        ("2024-05-01T00:11:12.34-0530", "2024-05-01T05:41:12.340Z"),
        ("2024-05-01T10:11:12Z", "2024-05-01T10:11:12.000Z"),
        ("2024-05-01 10:11:12.123456789Z", "2024-05-01T10:11:12.123Z"),
        (1714558272345, "2024-05-01T10:11:12.345Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_are_normalized(text: Any, expected: str) -> None:
    assert times.to_utc(text) == expected
    assert times.to_utc(times.to_milliseconds(expected)) == expected
    assert times.to_utc(times.to_build_time(expected)) == expected


@pytest.mark.parametrize(
    "wrong", ["", "yesterday", "2024-05-01", "2024-05-01T10:11:12", "2024-13-01T10:11:12Z", 10**20]
)
def test_invalid_time_is_an_error(wrong: Any) -> None:
    with pytest.raises(ValueError):
        times.to_utc(wrong)
    with pytest.raises(BadOption, match="Option 'minimum_date': must be a date and time with a time zone"):
        times.check_time(wrong, "minimum_date")


@pytest.mark.parametrize("record", [{"when": True}, {"when": "soon"}, {}])
def test_error_names_the_place_of_an_unexpected_value(record: dict[str, Any]) -> None:
    surprises: list[tuple[str, str, Any]] = []

    def unexpected(*what: Any) -> Exception:
        surprises.append(what)
        return RuntimeError()

    with pytest.raises(RuntimeError):
        times.get_time(Record(record, unexpected, "builds[1]"), "when")
    assert surprises[0][:2] == ("builds[1].when", "a date and time")
    assert times.get_optional_time(Record({}, unexpected), "when") is None
