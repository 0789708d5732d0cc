# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of strings with special characters: they are stored unchanged, or rejected with a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support import running

IN_A_LIST, LISTS = 120, 10
COMMENTS, RUNS = 10, 6
PIECES = [
    "+",
    "%",
    "%2B",
    ",",
    ";",
    "\\",
    "\\,",
    '"',
    "'",
    " ",
    "\n",
    "\r\n",
    "\t",
    "=",
    "&",
    "#",
    "a",
    "é",
    "漢",
    "😀",
    "e\u0301",
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.text(max_size=12))
# Texts that must be stored
PLAIN = st.lists(st.sampled_from([piece for piece in PIECES if piece.isprintable()]), min_size=1, max_size=6).map(
    lambda pieces: f"x{''.join(pieces)}x"
)


@pytest.fixture(scope="module", autouse=True)
def as_a_user(running_sandbox: Sandbox) -> Iterator[None]:
    """Set the environment variables of the sandbox."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in running_sandbox.environment.items():
            patch.setenv(name, value)
        running_sandbox.reset()
        yield


def store_texts(module: str, option: str, texts: list[str], **options: Any) -> list[str]:
    """Run a module with a list of texts without those that it rejects, and return the stored ones."""
    while True:
        result = running.run(module, **{option: texts}, **options)
        if not result.get("failed"):
            return texts
        refused = re.match(rf"Option '{option}\[(\d+)\]'", result["msg"])
        assert refused, result["msg"]
        del texts[int(refused[1])]


@settings(max_examples=LISTS, deadline=None)
@given(texts=st.lists(TEXTS, min_size=IN_A_LIST, max_size=IN_A_LIST), plain=st.lists(PLAIN, min_size=3, max_size=9))
def test_items_of_a_list_are_stored_or_rejected(texts: list[str], plain: list[str]) -> None:
    view = {"project": "mobile-app", "name": "texts"}
    running.run("review_view", **view, state="absent")
    tags = store_texts("review_view", "tags", [*texts, *plain], query="severity:1", **view)
    (stored,) = running.run("review_view_info", **view)["views"]
    assert set(stored["tags"]) == set(tags) >= set(plain)


@settings(max_examples=RUNS, deadline=None)
@given(comments=st.lists(TEXTS.filter(bool), min_size=COMMENTS, max_size=COMMENTS))
def test_comments_are_stored_or_rejected(comments: list[str]) -> None:
    (issue,) = running.run("review_issue_info", project="mobile-app", query="code:RLK")["issues"]
    for comment in comments:
        result = running.run("review_issue", project="mobile-app", ids=[issue["id"]], comment=comment)
        assert not result.get("failed"), result["msg"]
        assert result["issues"][str(issue["id"])]["comment"] == comment
