# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: regular expressions of Java in roles and views."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.ci.java_patterns import PatternError, compile_pattern
from support.playbook import run_here

MATCHING = [
    ("team/.*", "team/app", "other/app"),
    (r"\Qa.b[\E.*", "a.b[c", "axb[c"),
    (r"\Qa.b", "a.b", "axb"),
    (r"(?<team>\w+)-\k<team>", "a-a", "a-b"),
    (r"(?<!x)a(?<=a)", "a", "b"),
    (r"\p{Alpha}+\P{Digit}", "abc", "ab1"),
    (r"[\p{Upper}\-]+", "A-B", "a-b"),
    (r"\pL+", "ab", "12"),
    (r"\x{61}\z", "a", "b"),
    (r"\\Qa", r"\Qa", "a"),
    ("a++b*+", "aab", "ba"),
]


@pytest.mark.parametrize(("pattern", "matching", "other"), MATCHING)
def test_pattern_matches_as_in_java(pattern: str, matching: str, other: str) -> None:
    compiled = compile_pattern(pattern)
    assert compiled.fullmatch(matching)
    assert not compiled.fullmatch(other)


@pytest.mark.parametrize("pattern", ["a(", r"\p{Nope}", "[a", "(?<1>a)", "*"])
def test_other_text_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_pattern(pattern)


@pytest.mark.usefixtures("sandbox_environment")
def test_views_and_roles_have_patterns_of_java(sandbox: Any) -> None:
    tasks: list[tuple[str, dict[str, Any]]] = [
        ("ci_view", {"name": "v", "regex": r"\Qap\E\p{Lower}"}),
        (
            "ci_authorization",
            {
                "strategy": "role_based",
                "roles": {
                    "global": {"admin": {"permissions": ["Overall/Administer"], "users": ["admin"]}},
                    "item": {"dev": {"pattern": r"\Qap\E\p{Lower}", "permissions": ["Job/Read"], "users": ["bob"]}},
                },
            },
        ),
    ]
    for module, options in tasks:
        results = [run_here(sandbox, module, **options).result for _run in range(2)]
        assert [result.get("msg") for result in results] == [None, None]
        assert [result["changed"] for result in results] == [True, False]
        if module == "ci_view":
            assert results[0]["view"]["regex"] == r"\Qap\E\p{Lower}"
