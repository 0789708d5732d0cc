# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `quality_gate`: open, shut, and for other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sandbox.client import Sandbox
from support.playbook import play_mistakes
from support.steps import Step, run_role

CRITICAL = {"title": "critical", "query": "severity:1", "allowed": 1}
NEW = {"title": "new ones", "query": "state:New"}


def test_a_gate_passes_or_fails_and_writes_its_results(sandbox: Sandbox, tmp_path: Path) -> None:
    files = {f"review_quality_gate_{kind}_file": str(tmp_path / kind) for kind in ("json", "sarif")}
    common = {"review_quality_gate_project": "mobile-app", **files}
    comparison = {"from": "build_1", "to": "build_3"}
    steps = [
        Step({**common, "review_quality_gate_checks": []}),
        Step({**common, "review_quality_gate_checks": [CRITICAL]}),
        Step({**common, "review_quality_gate_checks": [CRITICAL, NEW], "review_quality_gate_compare": comparison}),
    ]
    empty, passed, failed = run_role(sandbox, "review_quality_gate", steps, tmp_path)
    assert not empty.failure
    assert not passed.failure
    assert "mobile-app has no more issues than are allowed." in passed.output
    assert passed.changed == 0
    assert failed.failure == "mobile-app has more issues than are allowed: new ones (2 found, 0 allowed)."
    assert "src/app/main.c:99: Warning RLK.MAIN Resource acquired to 'file' is not freed (http" in failed.output
    assert not [*empty.writes, *passed.writes, *failed.writes]
    result = json.loads((tmp_path / "json").read_text())
    assert result["comparison"] == {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
    assert [check["passed"] for check in result["checks"]] == [True, False]
    (sarif_run,) = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert len(sarif_run["results"]) == 2


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"query": "severty:1"}, "Unknown keyword: severty. So nobody knows what the check counts."),
    ({"query": "severity:1", "alowed": 1}, "alowed. Supported parameters include"),
    ({"query": "grouping:on"}, "leaves 'grouping:' to the module"),
    ({"query": "", "view": "elsewhere"}, "View not found: elsewhere"),
]


def test_a_gate_fails_when_a_check_cannot_be_evaluated(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [
        {"review_quality_gate_project": "mobile-app", "review_quality_gate_checks": [check]}
        for check, _problem in MISTAKES
    ]
    messages = play_mistakes("buildworks.toolchain.quality_gate", "review", mistakes, tmp_path, sandbox=sandbox)
    for message, (_check, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert {entry["effect"] for entry in sandbox.journal("review")} <= {"read"}
