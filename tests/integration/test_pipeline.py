# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `pipeline`: builds in order and in parallel, up to the first failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.playbook import play_mistakes
from support.steps import Step, run_role

VERSION = [{"name": "VERSION", "type": "string", "default": "1"}]
JOBS = [
    {"name": "app", "seconds": 0.3, "quiet_period": 0},
    {"name": "team/test", "seconds": 0.3, "quiet_period": 0, "concurrent": True, "parameters": VERSION},
    {"name": "broken", "command": "echo no luck\nexit 1", "quiet_period": 0},
    {"name": "deploy", "seconds": 0.1, "quiet_period": 0, "parameters": VERSION},
]
TESTS = [{"job": "team/test", "parameters": {"VERSION": number}} for number in (1, 2, 3)]
STAGES: list[dict[str, Any]] = [
    {"name": "build", "builds": [{"job": "app"}]},
    {"name": "tests", "builds": TESTS, "parallel": 3},
    {"name": "deploy", "builds": [{"job": "deploy", "parameters": {"VERSION": 3}}]},
]


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, and create jobs."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    sandbox.seed({"ci": {"executors": 4, "jobs": JOBS}})


def stages_step(stages: list[dict[str, Any]], **variables: Any) -> Step:
    """Return a step that runs these stages and polls their builds at short intervals."""
    return Step({"ci_pipeline_stages": [{**stage, "wait_delay": 0.2} for stage in stages], **variables})


def test_stages_run_in_order_until_first_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    good = [{**build, "skip_if_built": {}} for build in TESTS[:2]]
    bad = [*good, {"job": "broken"}, {"job": "app"}]
    after = {"name": "deploy", "builds": [{"job": "deploy", "skip_if_built": {}}]}
    broken = stages_step([{"name": "tests", "builds": bad, "parallel": 1}, after])
    repaired = stages_step([{"name": "tests", "builds": good}, after])
    unchecked = [STAGES[0], {"name": "deploy", "builds": [{"job": "made-by-app"}]}]
    steps = [
        broken,
        repaired,
        repaired,
        stages_step(STAGES),
        stages_step([]),
        stages_step(unchecked, ci_pipeline_check_first=False),
    ]
    results = run_role(sandbox, "ci_pipeline", steps, tmp_path)
    assert [result.writes for result in results] == [["build"] * number for number in (3, 1, 0, 5, 0, 1)]
    assert [bool(result.failure) for result in results] == [True, False, False, False, False, True]
    stopped, continued, repeated, complete, _empty, unchecked_run = results
    assert "team/test #2: SUCCESS" in stopped.output
    assert "broken #1: failed, The result of 'broken' #1 is FAILURE" in stopped.output
    assert "no luck" in stopped.output
    assert "app: skipped, 1 item(s) had failed" in stopped.output
    assert "deploy #" not in stopped.output
    assert "team/test #1: SUCCESS already" in continued.output
    assert repeated.changed == 0
    for line in ("app #1: SUCCESS after 0.", "team/test #3: SUCCESS", "team/test #5: SUCCESS", "deploy #2: SUCCESS"):
        assert line in complete.output
    assert complete.output.index("app #1") < complete.output.index("team/test #3") < complete.output.index("deploy #2")
    assert "made-by-app: failed" in unchecked_run.output


def test_check_mode_starts_no_build(sandbox: Sandbox, tmp_path: Path) -> None:
    (predicted,) = run_role(sandbox, "ci_pipeline", [stages_step(STAGES)], tmp_path, "--check")
    assert (predicted.failure, predicted.writes) == ("", [])
    assert "team/test: would be built" in predicted.output


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"job": "deploi"}, "deploi"),
    ({"job": "deploy", "parameters": {"VERSIN": 3}}, "VERSIN"),
    ({"parameters": {}}, "missing required arguments: job"),
    ({"job": "deploy", "parameters": {"VERSION": "{{ mistyped }}"}}, "'mistyped' is undefined"),
    ({"job": "deploy", "skip_if_built": {"max_age": "a day"}}, "max_age"),
]


def test_mistakes_are_reported_before_the_first_build(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [
        {"ci_pipeline_stages": [STAGES[0], {"name": "deploy", "builds": [last]}]} for last, _problem in MISTAKES
    ]
    messages = play_mistakes("buildworks.toolchain.pipeline", "ci", mistakes, tmp_path, sandbox=sandbox)
    for message, (_last, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert "build" not in {entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"}
