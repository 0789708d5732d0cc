# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations run in copies of a checkout. The checkout itself is unchanged."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mutants.__main__ import find_mutations, report
from mutants.trial import run

FILES = {
    ".gitignore": "/build/\n__pycache__/\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "toy/limit.py": "LIMIT = 10\n",
    "toy/above.py": """\
from toy.limit import LIMIT


def is_above(number):
    while number > LIMIT:
        return True
    return False


def unused():
    return [LIMIT]
""",
    "tests/unit/test_above.py": """\
from toy.above import is_above


def test_a_number_is_above():
    assert is_above(11)


def test_a_number_is_not_above():
    assert is_above(9) is False
""",
}
TEST_FILE: dict[str, Any] = {"tests": ["tests/unit"], "sources": "toy", "workers": 1}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


def test_survivors_are_printed_when_tests_notice_no_mutation(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = find_mutations(checkout, ["toy"])
    trials = list(run(checkout, sample, **TEST_FILE))
    outcomes = [(trial.mutation.line, trial.mutation.replacement, trial.outcome.value) for trial in trials]
    assert outcomes == [
        (5, "<=", "killed"),
        (5, ">=", "survived"),
        (6, "False", "killed"),
        (7, "True", "killed"),
        (11, "None", "not executed"),
        (1, "(9)", "survived"),
        (1, "11", "killed"),
    ]
    assert report(trials) == 1
    printed = capsys.readouterr().out
    assert "toy/above.py:5: survived\n-     while number > LIMIT:\n+     while number >= LIMIT:\n" in printed
    assert "executed by 2 tests: tests/unit/test_above.py::" in printed
    assert printed.endswith("4 killed, 0 timed out, 2 survived, 1 not executed\n")
    assert {name: (checkout / name).read_text() for name in FILES} == FILES


def test_tests_must_pass_without_a_mutation(checkout: Path) -> None:
    (checkout / "toy/limit.py").write_text("LIMIT = 20\n")
    with pytest.raises(SystemExit, match="must pass without a mutation"):
        list(run(checkout, find_mutations(checkout, ["toy"]), **TEST_FILE))


def test_exit_status_is_zero_when_no_mutation_survives(capsys: pytest.CaptureFixture[str]) -> None:
    assert report([]) == 0
    assert capsys.readouterr().out == "0 killed, 0 timed out, 0 survived, 0 not executed\n"
