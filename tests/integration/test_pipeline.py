# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `pipeline`: builds in order and side by side, up to the first bad one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.playbook import play_mistakes, played

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
    {"name": "tests", "builds": TESTS, "side_by_side": 3},
    {"name": "deploy", "builds": [{"job": "deploy", "parameters": {"VERSION": 3}}]},
]


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox, which has some jobs, through the environment."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    sandbox.seed({"ci": {"executors": 4, "jobs": JOBS}})


def pipeline(
    sandbox: Sandbox, folder: Path, stages: Any = None, *options: str, **variables: Any
) -> tuple[str, int, bool]:
    """The output in one line, how many builds it asked for, and whether all went well."""
    stages = STAGES if stages is None else stages
    inventory, values = folder / "hosts.ini", folder / "pipeline.json"
    inventory.write_text("[ci]\njenkins\n")
    for stage in stages if isinstance(stages, list) else []:
        stage.setdefault("wait_delay", 0.2)
    values.write_text(json.dumps({"ci_pipeline_stages": stages, **variables}))
    sandbox.clear_journal()
    output, good = played(["buildworks.toolchain.pipeline", "-i", inventory, "-e", f"@{values}", *options], sandbox)
    writes = [entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"]
    assert set(writes) <= {"build"}
    return output, len(writes), good


@pytest.mark.ansible_core
def test_stages_run_in_their_order(sandbox: Sandbox, tmp_path: Path) -> None:
    output, builds, well = pipeline(sandbox, tmp_path, STAGES, "--check")
    assert (well, builds) == (True, 0), output
    assert "team/test: would be built" in output
    output, builds, well = pipeline(sandbox, tmp_path)
    assert (well, builds) == (True, 5), output
    for line in ("app #1: SUCCESS after 0.", "team/test #1: SUCCESS", "team/test #3: SUCCESS", "deploy #1: SUCCESS"):
        assert line in output
    assert output.index("app #1") < output.index("team/test #1") < output.index("deploy #1")


def test_without_stages_nothing_is_done(sandbox: Sandbox, tmp_path: Path) -> None:
    output, builds, well = pipeline(sandbox, tmp_path, [])
    assert (well, builds) == (True, 0), output


def test_the_first_bad_build_ends_it_and_another_run_goes_on_from_there(sandbox: Sandbox, tmp_path: Path) -> None:
    good = [{**build, "unless": {}} for build in TESTS[:2]]
    bad = [*good, {"job": "broken"}, {"job": "app"}]
    after = {"name": "deploy", "builds": [{"job": "deploy", "unless": {}}]}
    stages = [{"name": "tests", "builds": bad, "side_by_side": 1}, after]
    output, builds, well = pipeline(sandbox, tmp_path, stages)
    assert (well, builds) == (False, 3), output
    assert "team/test #2: SUCCESS" in output
    assert "broken #1: failed, 'broken' #1 ended with FAILURE" in output
    assert "no luck" in output
    assert "app: skipped, not tried, for 1 items had failed" in output
    assert "deploy #" not in output
    mended = [{"name": "tests", "builds": good}, after]
    output, builds, well = pipeline(sandbox, tmp_path, mended)
    assert (well, builds) == (True, 1), output
    assert "team/test #1: SUCCESS already" in output
    output, builds, well = pipeline(sandbox, tmp_path, mended)
    assert (well, builds) == (True, 0), output
    assert "changed=0" in output


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"job": "deploi"}, "deploi"),
    ({"job": "deploy", "parameters": {"VERSIN": 3}}, "VERSIN"),
    ({"parameters": {}}, "missing required arguments: job"),
    ({"job": "deploy", "parameters": {"VERSION": "{{ mistyped }}"}}, "'mistyped' is undefined"),
    ({"job": "deploy", "unless": {"within": "a day"}}, "within"),
]


def test_mistakes_are_reported_before_the_first_build(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [
        {"ci_pipeline_stages": [STAGES[0], {"name": "deploy", "builds": [last]}]} for last, _problem in MISTAKES
    ]
    messages = play_mistakes("buildworks.toolchain.pipeline", "ci", mistakes, tmp_path, sandbox=sandbox)
    for message, (_last, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert "build" not in {entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"}


def test_a_job_that_an_earlier_build_makes_is_not_looked_for_first(sandbox: Sandbox, tmp_path: Path) -> None:
    stages = [STAGES[0], {"name": "deploy", "builds": [{"job": "made-by-app"}]}]
    output, builds, well = pipeline(sandbox, tmp_path, stages, ci_pipeline_check_first=False)
    assert (well, builds) == (False, 1), output
    assert "made-by-app: failed" in output
