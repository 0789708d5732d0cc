# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, sizes and flags in all forms that Artifactory returns."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import numeric
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record, describe_mismatch


def record(value: Any) -> Record:
    return Record({"x": value}, lambda path, wanted, found: ValueError(describe_mismatch(path, wanted, found)))


@pytest.mark.parametrize(("value", "number"), [(7, 7), ("7", 7), ("-1", -1), ("2,176,580", 2176580), (3.0, 3)])
def test_numbers(value: Any, number: int) -> None:
    assert numeric.get_integer(record(value), "x") == number
    assert numeric.get_optional_integer(record(value), "x") == number


@pytest.mark.parametrize("value", ["", "1.5", "x", "1,2", "9" * 30, True, [], None])
def test_invalid_number_is_an_error(value: Any) -> None:
    with pytest.raises(ValueError, match="instead of a whole number"):
        numeric.get_integer(record(value), "x")


def test_missing_number_is_null() -> None:
    assert numeric.get_optional_integer(record(None), "x") is None


@pytest.mark.parametrize(("value", "flag"), [(True, True), ("true", True), (False, False), ("false", False)])
def test_flags(value: Any, flag: bool) -> None:
    assert numeric.get_flag(record(value), "x") is flag


@pytest.mark.parametrize("value", ["", "yes", 1, None])
def test_invalid_flag_is_an_error(value: Any) -> None:
    with pytest.raises(ValueError, match="instead of true or false"):
        numeric.get_flag(record(value), "x")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0 bytes", 0),
        ("1 byte", 1),
        ("500 B", 500),
        ("1,023.50 KB", 1048064),
        ("3.48 GB", 3736621548),
        ("32.22 GB (15.77%)", 34595961569),
        ("2 TB", 2 * 2**40),
        ("Infinite", None),
        ("", None),
        (None, None),
    ],
)
def test_sizes(text: str | None, size: int | None) -> None:
    assert numeric.parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "share"), [("5.82%", 5.82), ("32.22 GB (15.77%)", 15.77), ("0%", 0.0), ("N/A", None), (None, None)]
)
def test_shares(text: str | None, share: float | None) -> None:
    assert numeric.parse_percentage(text) == share
