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
from support.playbook import played

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


@pytest.mark.parametrize(
    ("rules", "variables", "problem"),
    [
        ([{"query": "status:Analyze", "status": "Fix"}], {}, "say it in 'from_status'"),
        ([{"query": "code:RLK"}], {}, "one of the following is required: status, owner, comment"),
        ([{**LEAKS, "from": ["Analyze"]}], {}, "from. Supported parameters include"),
        ([{**LEAKS, "status": "Done"}], {}, "value of status must be one of: Analyze, Ignore"),
        ([LEAKS], {"review_triage_project": "elsewhere"}, "Project not found: elsewhere"),
        ([LEAKS, {"query": "cod:RLK", "status": "Fix"}], {}, "Unknown keyword: cod. Nothing was cited."),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_done(
    rules: list[dict[str, Any]], variables: dict[str, Any], problem: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    output, written, well = triage(sandbox, tmp_path, rules, **variables)
    assert not well
    assert problem in output
    assert not written
