# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `quality_gate`: open, shut, and for other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from sandbox.client import Sandbox
from support.playbook import ROOT, play_mistakes
from support.steps import Step, run_role

CRITICAL = {"title": "critical", "query": "severity:1", "allowed": 1}
NEW = {"title": "new ones", "query": "state:New"}


def test_gate_passes_or_fails_and_writes_files(sandbox: Sandbox, tmp_path: Path) -> None:
    files = {f"review_quality_gate_{kind}_file": str(tmp_path / kind) for kind in ("json", "sarif")}
    common = {"review_quality_gate_project": "mobile-app", **files}
    comparison = {"from": "build_1", "to": "build_3"}
    steps = [
        Step({**common, "review_quality_gate_checks": [CRITICAL]}),
        Step({**common, "review_quality_gate_checks": [CRITICAL, NEW], "review_quality_gate_compare": comparison}),
    ]
    passed, failed = run_role(sandbox, "review_quality_gate", steps, tmp_path)
    assert not passed.failure
    assert "mobile-app has no more issues than allowed." in passed.output
    assert passed.changed == 0
    assert failed.failure == "mobile-app has more issues than allowed: new ones (2 found, 0 allowed)."
    assert "src/app/main.c:99: Warning RLK.MAIN Resource acquired to 'file' is not freed (http" in failed.output
    assert not [*passed.writes, *failed.writes]
    result = json.loads((tmp_path / "json").read_text())
    assert result["comparison"] == {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
    assert [check["passed"] for check in result["checks"]] == [True, False]
    (sarif_run,) = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert len(sarif_run["results"]) == 2


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"query": "severty:1"}, "Unknown keyword: severty. The result of the check would be unreliable."),
    ({"query": "severity:1", "alowed": 1}, "alowed. Supported parameters include"),
    ({"query": "grouping:on"}, "must not contain 'grouping:', which the module adds"),
    ({"query": "", "view": "elsewhere"}, "contains the view 'elsewhere', which does not exist in project 'mobile-app'"),
    ({"query": "code:ABV.*"}, "contains the wildcard '*' in 'ABV.*'"),
    ({"query": "module:iu"}, "contains the module 'iu', which does not exist in project 'mobile-app'"),
]
WITHOUT_CHECKS: list[tuple[dict[str, Any], str]] = [
    ({"review_quality_gate_checks": []}, "Option 'checks': must not be empty"),
    ({"review_quality_gate_checks": None}, "checks"),
    (
        {"review_quality_gate_checks": [CRITICAL], "review_quality_gate_compare": None},
        "argument 'review_quality_gate_compare' is of type NoneType",
    ),
    ({"review_quality_gate_check": [CRITICAL]}, "missing required arguments: review_quality_gate_checks"),
]


def test_gate_fails_when_check_is_invalid(sandbox: Sandbox, tmp_path: Path) -> None:
    cases = [*(({"review_quality_gate_checks": [check]}, problem) for check, problem in MISTAKES), *WITHOUT_CHECKS]
    mistakes = [{"review_quality_gate_project": "mobile-app", **variables} for variables, _problem in cases]
    messages = play_mistakes("buildworks.toolchain.quality_gate", "review", mistakes, tmp_path, sandbox=sandbox)
    for message, (_variables, problem) in zip(messages, cases, strict=True):
        assert problem in message
    assert {entry["effect"] for entry in sandbox.journal("review")} <= {"read"}


def test_gate_of_guide_fails_as_documented(sandbox: Sandbox, tmp_path: Path) -> None:
    guide = ROOT / "docs/site/guides/quality-gate.rst"
    (play,) = yaml.safe_load(guide.with_suffix(".yml").read_text())
    (role,) = play["roles"]
    variables = {name: value for name, value in role.items() if name.startswith("review_")}
    variables["review_quality_gate_sarif_file"] = str(tmp_path / "issues.sarif")
    strict = [{**check, "allowed": 0} for check in variables["review_quality_gate_checks"]]
    steps = [Step({**variables, "review_quality_gate_checks": strict}), Step(variables)]
    failed, passed = run_role(sandbox, "review_quality_gate", steps, tmp_path)
    assert failed.failure
    assert failed.failure in guide.read_text()
    assert not passed.failure
