# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import run_tests
from run_tests import Outcome

REPORT = """echo '<testsuite tests="{}" failures="{}" errors="{}" skipped="{}"/>' > build/test/$@.xml"""
RECIPES = {
    "good": "echo fine",
    "bad": "echo this is why; exit 1",
    "missing": "echo CANNOT RUN HERE: there is no Java",
    "some-failed": f"{REPORT.format(9, 1, 1, 2)}; exit 1",
    "all-passed": REPORT.format(9, 0, 0, 0),
    "none-ran": REPORT.format(0, 0, 0, 0),
}
CONTRIBUTING = """\
| phase | proves | CPU seconds |
| --- | --- | --- |
| `good` | something | 100 |
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a folder with a few phases in place of the checkout."""
    (tmp_path / "Makefile").write_text("".join(f"{name}:\n\t@{recipe}\n" for name, recipe in RECIPES.items()))
    (tmp_path / "CONTRIBUTING.md").write_text(CONTRIBUTING)
    monkeypatch.setattr(run_tests, "CHECKOUT", tmp_path)
    monkeypatch.setattr(run_tests, "LOGS", tmp_path / "build" / "test")
    monkeypatch.delenv("TOOLCHAIN_REQUIRE_ALL", raising=False)


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """Return the exit status and the lines that were printed."""
    monkeypatch.setattr("sys.argv", ["run_tests.py", *arguments])
    status = run_tests.main()
    return status, capsys.readouterr().out.splitlines()


def test_phases_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = run(monkeypatch, capsys, "good", "all-passed", "missing")
    assert status == 0
    assert lines[-1] == "10 passed, 0 failed, 1 skipped"
    assert sorted(line.split()[:2] for line in lines[:3]) == [
        ["ok", "all-passed"],
        ["ok", "good"],
        ["skipped", "missing"],
    ]


def test_failed_phases_are_named_with_their_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = run(monkeypatch, capsys, "good", "bad", "some-failed")
    assert status == 1
    assert "this is why" in lines
    assert sorted(lines[-2].removeprefix("failed: ").split(", ")) == ["bad", "some-failed"]
    assert lines[-1] == "6 passed, 3 failed, 2 skipped"


def test_phase_fails_when_it_runs_no_test(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = run(monkeypatch, capsys, "none-ran")
    assert status == 1
    assert lines[-1] == "0 passed, 1 failed, 0 skipped"


def test_skipped_test_is_a_failure_when_all_tests_are_required(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOOLCHAIN_REQUIRE_ALL", "1")
    status, lines = run(monkeypatch, capsys, "missing")
    assert status == 1
    assert "CANNOT RUN HERE: there is no Java" in lines


def test_no_phase_runs_when_the_setup_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = run(monkeypatch, capsys, "--set-up", "bad", "good")
    assert status == 1
    assert not [line for line in lines if "good" in line]


def test_setup_has_its_own_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = run(monkeypatch, capsys, "--set-up", "good", "all-passed")
    assert status == 0
    assert [line for line in lines if line.startswith("set-up: ")]
    assert lines[-1] == "9 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(("cpu", "exceeds"), [(150.0, False), (150.1, True)])
def test_phase_is_named_when_it_exceeds_its_budget(cpu: float, exceeds: bool) -> None:
    outcomes = [Outcome(name, Counter(passed=1), 60.0, cpu) for name in ("good", "good,ANSIBLE_CORE=2.18", "other")]
    named = [line.split()[0] for line in run_tests.format_table(outcomes).splitlines() if "EXCEEDS" in line]
    assert named == (["good", "good,ANSIBLE_CORE=2.18"] if exceeds else [])


def test_every_phase_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.setattr(run_tests, "CHECKOUT", root)
    makefile = (root / "Makefile").read_text().replace("\\\n", "")
    (phases,) = (line for line in makefile.splitlines() if line.startswith("phases := "))
    names = {phase.partition(",")[0] for phase in phases.removeprefix("phases := ").split()}
    assert names | {"matrix", "rule-sets"} == run_tests.read_budgets().keys()
