# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `triage`: planned, done once, each issue by the first rule that finds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sandbox.client import Sandbox
from support.playbook import play_mistakes
from support.steps import Step, run_role

LEAKS = {"title": "leaks", "query": "code:RLK", "from_owner": ["unowned"], "owner": "alice"}
REST = {"title": "rest", "query": "severity:1-4", "from_status": ["Analyze"], "status": "Fix", "comment": "soon"}


def test_triage_is_planned_done_once_and_summarized(sandbox: Sandbox, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("plan", "done", "repeated")]
    common = {"review_triage_project": "mobile-app", "review_triage_rules": [LEAKS, REST]}
    first, second, third = (Step({**common, "review_triage_summary_file": str(file)}) for file in files)
    (planned,) = run_role(sandbox, "review_triage", [first], tmp_path, "--check")
    assert (planned.failure, planned.writes) == ("", [])
    assert "rest: 2 found, 1 to change" in planned.output
    done, repeated = run_role(sandbox, "review_triage", [second, third], tmp_path)
    assert (done.failure, done.writes) == ("", ["update_status", "update_status"])
    assert "leaks: 1 found, 1 changed" in done.output
    assert (repeated.failure, repeated.writes, repeated.changed) == ("", [], 0)
    assert not files[2].exists()
    plan, summary = (json.loads(file.read_text()) for file in files[:2])
    assert [(rule["count"], len(rule["changed_ids"])) for rule in plan["rules"]] == [(1, 1), (2, 1)]
    assert summary["rules"] == plan["rules"]
    assert {number: issue["status"] for number, issue in summary["issues"].items()} == {
        number: issue["status"] for number, issue in plan["issues"].items()
    }


MISTAKES: list[tuple[list[dict[str, Any]], str, str]] = [
    ([{"query": "status:Analyze", "status": "Fix"}], "mobile-app", "Use 'from_status' instead"),
    ([{"query": "code:RLK"}], "mobile-app", "one of the following is required: status, owner, comment"),
    ([{**LEAKS, "from": ["Analyze"]}], "mobile-app", "from. Supported parameters include"),
    ([{**LEAKS, "status": "Done"}], "mobile-app", "value of status must be one of: Analyze, Ignore"),
    ([LEAKS], "elsewhere", "Project not found: elsewhere"),
    ([LEAKS, {"query": "cod:RLK", "status": "Fix"}], "mobile-app", "Unknown keyword: cod. No issue was changed."),
]


def test_mistakes_are_reported_before_issues_are_changed(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [
        {"review_triage_rules": rules, "review_triage_project": project} for rules, project, _problem in MISTAKES
    ]
    messages = play_mistakes("buildworks.toolchain.triage", "review", mistakes, tmp_path, sandbox=sandbox)
    for message, (_rules, _project, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert {entry["effect"] for entry in sandbox.journal("review")} == {"read"}
