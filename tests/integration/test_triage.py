# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `triage`: planned, done once, each issue by the first rule that finds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.playbook import play_mistakes, played

LEAKS = {"title": "leaks", "query": "code:RLK", "from_owner": ["unowned"], "owner": "alice"}
REST = {"title": "rest", "query": "severity:1-4", "from_status": ["Analyze"], "status": "Fix", "comment": "soon"}


def triage(
    sandbox: Sandbox, folder: Path, rules: list[dict[str, Any]], *options: str, **variables: Any
) -> tuple[str, list[str], bool]:
    """The output in one line, the writes, and whether all went well."""
    inventory, values = folder / "hosts.ini", folder / "triage.json"
    inventory.write_text("[review]\nklocwork\n")
    told = {"review_triage_summary_file": str(folder / "summary"), "review_triage_project": "mobile-app"}
    values.write_text(json.dumps({**told, "review_triage_rules": rules, **variables}))
    sandbox.clear_journal()
    output, good = played(["buildworks.toolchain.triage", "-i", inventory, "-e", f"@{values}", *options], sandbox)
    written = [entry["label"] for entry in sandbox.journal("review") if entry["effect"] == "write"]
    return output, written, good


def summary(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "summary").read_text())


@pytest.mark.ansible_core
def test_it_is_planned_done_once_and_summed_up(sandbox: Sandbox, tmp_path: Path) -> None:
    output, written, well = triage(sandbox, tmp_path, [LEAKS, REST], "--check")
    assert well, output
    assert not written
    assert "rest: 2 found, 1 to be cited" in output
    plan = summary(tmp_path)
    assert [(rule["count"], len(rule["differing"])) for rule in plan["rules"]] == [(1, 1), (2, 1)]
    output, written, well = triage(sandbox, tmp_path, [LEAKS, REST])
    assert well, output
    assert written == ["update_status", "update_status"]
    assert "leaks: 1 found, 1 cited" in output
    done = summary(tmp_path)
    assert done["rules"] == plan["rules"]
    assert {number: issue["status"] for number, issue in done["issues"].items()} == {
        number: issue["status"] for number, issue in plan["issues"].items()
    }
    output, written, well = triage(sandbox, tmp_path, [LEAKS, REST])
    assert well, output
    assert not written
    assert "changed=0" in output
    assert summary(tmp_path) == done


MISTAKES: list[tuple[list[dict[str, Any]], str, str]] = [
    ([{"query": "status:Analyze", "status": "Fix"}], "mobile-app", "say it in 'from_status'"),
    ([{"query": "code:RLK"}], "mobile-app", "one of the following is required: status, owner, comment"),
    ([{**LEAKS, "from": ["Analyze"]}], "mobile-app", "from. Supported parameters include"),
    ([{**LEAKS, "status": "Done"}], "mobile-app", "value of status must be one of: Analyze, Ignore"),
    ([LEAKS], "elsewhere", "Project not found: elsewhere"),
    ([LEAKS, {"query": "cod:RLK", "status": "Fix"}], "mobile-app", "Unknown keyword: cod. Nothing was cited."),
]


def test_mistakes_are_reported_before_an_issue_is_changed(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [
        {"review_triage_rules": rules, "review_triage_project": project} for rules, project, _problem in MISTAKES
    ]
    messages = play_mistakes("buildworks.toolchain.triage", "review", mistakes, tmp_path, sandbox=sandbox)
    for message, (_rules, _project, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert {entry["effect"] for entry in sandbox.journal("review")} == {"read"}
