# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `quality_gate`: open, shut, and for other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.playbook import play_mistakes, played

CRITICAL = {"title": "critical", "query": "severity:1", "allowed": 1}
NEW = {"title": "new ones", "query": "state:New"}


def judge(sandbox: Sandbox, folder: Path, checks: list[dict[str, Any]], **variables: Any) -> tuple[str, bool]:
    """The output in one line, and whether the gate is open; nothing was written on the server."""
    inventory, values = folder / "hosts.ini", folder / "gate.json"
    inventory.write_text("[review]\nklocwork\n")
    told = {f"review_quality_gate_{kind}_file": str(folder / kind) for kind in ("json", "sarif")}
    given = {"project": "mobile-app", "checks": checks, **variables}
    values.write_text(json.dumps({**told, **{f"review_quality_gate_{name}": value for name, value in given.items()}}))
    sandbox.clear_journal()
    output, good = played(["buildworks.toolchain.quality_gate", "-i", inventory, "-e", f"@{values}"], sandbox)
    assert {entry["effect"] for entry in sandbox.journal("review")} <= {"read"}
    return output, good


@pytest.mark.ansible_core
def test_a_gate_is_open_or_shut_and_tells_what_it_met(sandbox: Sandbox, tmp_path: Path) -> None:
    output, good = judge(sandbox, tmp_path, [CRITICAL])
    assert good, output
    assert "mobile-app has no more issues than are allowed." in output
    assert "changed=0" in output
    output, good = judge(sandbox, tmp_path, [CRITICAL, NEW], compare={"from": "build_1", "to": "build_3"})
    assert not good
    assert "mobile-app has more issues than are allowed: new ones (2 found, 0 allowed)." in output
    assert "src/app/main.c:99: Warning RLK.MAIN Resource acquired to 'file' is not freed (http" in output
    told = json.loads((tmp_path / "json").read_text())
    assert told["comparison"] == {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
    assert [check["passed"] for check in told["checks"]] == [True, False]
    (made,) = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert len(made["results"]) == 2


def test_without_checks_it_is_open(sandbox: Sandbox, tmp_path: Path) -> None:
    output, good = judge(sandbox, tmp_path, [])
    assert good, output


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
