# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of wildcard patterns: both algorithms have the same result."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.parsing import globs
from sandbox.parsing.globs import Glob
from support.session import Session

WILDCARDS = (globs.ANY, globs.IN_FOLDER, globs.ONE, globs.ONE_IN_FOLDER, globs.FOLDERS, globs.BELOW)
STARS = "*" + "a*" * 15 + "b"


@given(
    parts=st.lists(st.sampled_from([*WILDCARDS, "a", "/", "b/", ".*"]), max_size=6), text=st.text("ab/.*", max_size=8)
)
def test_both_algorithms_have_the_same_result(parts: list[str], text: str) -> None:
    glob = Glob(parts)
    assert glob.match_by_positions(text) is (glob._expression.fullmatch(text) is not None)


@pytest.mark.parametrize(
    ("parts", "text", "fits"),
    [
        ([globs.FOLDERS] * 30 + ["b"], "a/" * 200 + "c", False),
        ([globs.FOLDERS] * 30 + ["b"], "a/" * 200 + "b", True),
        ([globs.IN_FOLDER, "a"] * 30, "a" * 200 + "b", False),
        ([globs.ANY, *([globs.IN_FOLDER, "a"] * 30), "b"], "a" * 1000, False),
        (["a", globs.BELOW], "a/" * 300, True),
    ],
)
def test_long_pattern_is_matched(parts: list[str], text: str, fits: bool) -> None:
    assert Glob(parts).fullmatch(text) is fits


@pytest.mark.parametrize(
    "search",
    [
        f"pattern?pattern=generic-local:{STARS}",
        f"pattern?pattern=generic-local:**/{STARS}",
        f"gavc?g={STARS}&a={STARS}",
        f"artifact?name={STARS}",
    ],
)
def test_search_is_served_when_its_pattern_has_many_wildcards(artifactory: Session, search: str) -> None:
    name = "a" * 200
    assert artifactory.put(f"/generic-local/{name}/{name}/{name}c", data=b"x").status_code == 201
    answer = artifactory.get(f"/api/search/{search}")
    assert answer.status_code == 200
    assert not [value for value in answer.json().values() if isinstance(value, list) and value]


def test_file_is_stored_when_the_patterns_of_its_repository_have_many_wildcards(artifactory: Session) -> None:
    patterns = "**/" * 20 + STARS + ",**/*c"
    configuration = {"key": "stars", "rclass": "local", "packageType": "generic", "includesPattern": patterns}
    headers = {"Content-Type": "application/json"}
    assert artifactory.put("/api/repositories/stars", data=json.dumps(configuration), headers=headers).ok
    assert artifactory.put(f"/stars/{'a/' * 60}{'a' * 200}c", data=b"x").status_code == 201
