# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""sarif-tools reads the SARIF that review_gate_info writes."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest

from sandbox.client import Sandbox
from support import running
from support.servers.environments import environment


def test_all_issues_are_read_with_their_levels(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    written, read = tmp_path / "issues.sarif", tmp_path / "issues.csv"
    checks = [{"query": "severity:1-4 state:New,Existing,Fixed"}, {"query": "severity:1"}]
    result = running.run("review_gate_info", project="mobile-app", checks=checks, sarif_file=str(written))
    assert not result.get("failed"), result
    subprocess.run([environment("sarif-tools") / "sarif", "csv", "-o", read, written], check=True)
    rows = [(row["Severity"], row["Code"], row["Location"], row["Line"]) for row in csv.DictReader(read.open())]
    assert sorted(rows) == [
        ("error", "ABV.GENERAL", "src/core/names.c", "243"),
        ("error", "NPD.FUNC.MUST", "src/core/list.c", "17"),
        ("note", "UNINIT.STACK.MUST", "src/app/main.c", "12"),
        ("warning", "RLK.MAIN", "src/app/main.c", "99"),
    ]
