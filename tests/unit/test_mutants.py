# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations are single mistakes, and a sample of them depends on its seed and the mutated lines alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mutants.importers import distances
from mutants.mutations import Mutation, mutations


@pytest.mark.parametrize(
    ("source", "mutated"),
    [
        ("first + size - 1", ["first + size + 1", "first - size - 1", "first + size - 2", "first + size - (0)"]),
        ("a < b is not c", ["a <= b is not c", "a >= b is not c", "a < b is c"]),
        ("a and (b) or not c", ["a or (b) or not c", "a and (b) and not c", "a and (b) or (c)"]),
        ("(a  # and\n and b)", ["(a  # and\n or b)"]),
        ("x = -y if z else ''", ["x = (y) if z else ''", "x = -y if (not (z)) else ''"]),
        ("x = dict(required=True)", ["x = dict(required=False)"]),
        ("[a for a in b if a]", ["[a for a in b if (not (a))]"]),
        ("def f(a=False):\n    return a", ["def f(a=True):\n    return a", "def f(a=False):\n    return None"]),
        ("while a:\n    break", ["while (not (a)):\n    break", "while a:\n    continue"]),
        ("act(a)", ["pass"]),
        ("if 'é' == a: raise b", ["if 'é' != a: raise b", "if 'é' == a: pass"]),
        ("a.b = c", ["pass"]),
        ("a[b] += 'c'", ["pass"]),
        ("a = b", []),
        ("def f(a: b | None) -> c | None:\n    'd'", []),
        ("@cache(size=1)\ndef f():\n    pass", []),
        ("a = 'b' + c + f'{d + 1}'", []),
    ],
)
def test_each_mutation_of_a_statement_is_found(source: str, mutated: list[str]) -> None:
    sources = [mutation.mutated_source for mutation in mutations("toy.py", source)]
    assert sorted(sources) == sorted(mutated)
    assert all(ast.parse(text) for text in sources)


def test_tests_are_selected_by_the_innermost_statement() -> None:
    source = "A = [\n    1,\n]\n\n\ndef f(\n    a=2,\n):\n    if a > b:\n        return [\n            c,\n        ]\n"
    selected = {(mutation.original, mutation.lines, mutation.in_function) for mutation in mutations("toy.py", source)}
    assert selected == {
        ("1", (1, 3), False),
        ("2", (6, 8), False),
        (">", (9, 9), True),
        ("[\n            c,\n        ]", (10, 12), True),
    }


def test_survivor_is_described_by_its_lines() -> None:
    (mutation,) = mutations("toy.py", "a = b\nc = [\n    d or\n    e,\n]\n")
    assert mutation.line == 3
    assert mutation.statement(mutation.source) == ["    d or"]
    assert mutation.statement(mutation.mutated_source) == ["    d and"]


def test_sample_is_unchanged_when_other_lines_change() -> None:
    def sample(source: str) -> list[tuple[str, str]]:
        found: list[Mutation] = sorted(mutations("toy.py", source), key=lambda mutation: mutation.order(17))
        return [(mutation.original, mutation.replacement) for mutation in found]

    source = "a = b + c\nd = e == f\ng = h and i\n"
    assert sample(source) == sample(f"import a\n\n\n{source}j = k\n")
    assert [mutation.order(17) for mutation in mutations("toy.py", source)] != [
        mutation.order(18) for mutation in mutations("toy.py", source)
    ]


def test_importers_are_ranked_by_the_number_of_imports_between(tmp_path: Path) -> None:
    for name, text in {
        "a": "",
        "b": "from x.toy import a",
        "c": "import x.toy.b",
        "d": "from x.toy.c import *\nfrom x.toy.a import e",
        "e": "",
    }.items():
        path = tmp_path / "toy" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    ranks = distances(tmp_path, "toy", "toy/a.py")
    assert ranks == {"toy/a.py": 0, "toy/b.py": 1, "toy/d.py": 1, "toy/c.py": 2}
