# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of modules: those that a regular expression takes long for fit the same files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import globs
from sandbox.review.module_paths import _compiled, _in_path


@given(pattern=st.text("ab/*?.", max_size=8), file=st.text("ab/.", max_size=8))
def test_both_ways_find_the_same(pattern: str, file: str) -> None:
    assert globs.matches_path(pattern, file) is (_compiled(pattern).fullmatch(file) is not None)


@pytest.mark.parametrize(
    ("pattern", "file", "fits"),
    [
        ("**/" * 30 + "b", "a/" * 200 + "c", False),
        ("**/" * 30 + "b", "a/" * 200 + "b", True),
        ("*a" * 30, "a" * 200 + "b", False),
        ("**" + "a*" * 30 + "b", "a" * 2000, False),
    ],
)
def test_long_pattern_is_compared(pattern: str, file: str, fits: bool) -> None:
    assert _in_path(file, pattern) is fits
