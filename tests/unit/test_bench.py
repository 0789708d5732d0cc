# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark fails when a target is missed, and computes the figures correctly."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import run
from bench.play import compute_times
from bench.row import CannotRunError, Figure, Row, ratio

SUBJECTS = run.SUBJECTS
ROWS = (Row("fast", "what has to be fast", "<=", 1.5), Row("slow", "what has to be slow", ">=", 2), Row("note", "n"))


@pytest.fixture(autouse=True)
def subject(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """Replace the subjects of the benchmark by one whose figures a test sets."""
    (tmp_path / "build").mkdir()
    subject = SimpleNamespace(ROWS=ROWS, measure=lambda _sandbox: subject.figures, figures={})
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "import_module", lambda _name: subject)
    monkeypatch.setattr(run, "SUBJECTS", ("one",))
    monkeypatch.setattr(run.client, "start", contextlib.nullcontext)
    monkeypatch.delenv("TOOLCHAIN_REQUIRE_ALL", raising=False)
    return subject


@pytest.mark.parametrize(
    ("fast", "slow", "status"), [(1.5, 2, 0), (1.51, 2, 1), (1.5, 1.99, 1), (1, 3, 0)], ids=["just", "<=", ">=", "well"]
)
def test_benchmark_fails_when_a_target_is_missed(
    subject: SimpleNamespace, capsys: pytest.CaptureFixture[str], tmp_path: Path, fast: float, slow: float, status: int
) -> None:
    subject.figures = {"fast": Figure(fast), "slow": Figure(slow, [1.0, 4.0]), "note": Figure(7, details={"ms": 3})}
    assert run.main([]) == status
    assert ("MISSED" in capsys.readouterr().out) is bool(status)
    rows = json.loads((tmp_path / "build" / "bench.json").read_text())["rows"]
    slow_row = {"description": "what has to be slow", "value": slow, "reached": slow >= 2, "spread": [1.0, 4.0]}
    assert rows["slow"] == slow_row
    assert rows["note"] == {"description": "n", "value": 7, "reached": True, "spread": None, "ms": 3}


@pytest.mark.parametrize(("required", "status"), [("0", 0), ("1", 1)])
def test_reason_is_printed_when_a_subject_cannot_be_measured(
    subject: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    required: str,
    status: int,
) -> None:
    def measure(_sandbox: Any) -> None:
        raise CannotRunError("there is no such thing")

    subject.measure = measure
    monkeypatch.setenv("TOOLCHAIN_REQUIRE_ALL", required)
    assert run.main([]) == status
    assert capsys.readouterr().out.count("CANNOT RUN HERE: there is no such thing") == len(ROWS)


def test_ratio_is_computed_per_round() -> None:
    figure = ratio([2.0, 40.0, 6.0], [1.0, 20.0, 2.0], ms=1)
    assert (figure.value, figure.spread, figure.details) == (2.0, [2.0, 2.5], {"ms": 1})


def test_times_are_computed_for_tasks_and_items() -> None:
    moments: list[tuple[str, str, float]] = []
    for start, item in ((0.0, 5.0), (100.0, 1.0), (200.0, 2.0)):
        moments += [("start", "one", start), ("end", "one", start + 3), ("end", "one", start + 4)]
        moments += [("start", "loop", start + 5)]
        moments += [("item", "loop", start + 6 + number * item) for number in range(4)]
        moments += [("end", "loop", start + 30)]
    events = [{"event": event, "task": task, "at": at} for event, task, at in moments]
    times = compute_times(events, skip=1)
    assert times.task == {"one": [4.0, 4.0], "loop": [25.0, 25.0]}
    assert times.item == {"loop": [1.0, 2.0]}


def test_each_module_in_rows_is_a_subject() -> None:
    files = Path(run.__file__).with_name("rows").glob("*.py")
    subjects = {path.stem for path in files if "\ndef measure(" in path.read_text()}
    assert subjects == set(SUBJECTS)
