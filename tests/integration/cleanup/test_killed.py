# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cleanup stops when Ansible is killed, and the next run continues it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from sandbox.client import Sandbox
from support.cleanup.world import Artifact, deletes, paths_in, run, store_artifacts
from support.playbook import PLAYBOOK, environment, wait_until

PATHS = [f"app/{number:02}.bin" for number in range(40)]
RULES = [{"repos": ["old-local"], "older_than": "30d"}]


@pytest.mark.parametrize("in_process", [True, False])
@pytest.mark.usefixtures("as_a_user")
def test_deletions_stop_when_ansible_is_killed(sandbox: Sandbox, tmp_path: Path, in_process: bool) -> None:
    store_artifacts(sandbox, [Artifact("old-local", path, 90, 90) for path in PATHS])
    file, state = tmp_path / "outcomes.jsonl", str(tmp_path / "state")
    options = {"rules": RULES, "workers": 1, "state_file": state}
    task = {
        "buildworks.toolchain.artifact_cleanup": {**options, "to_file": str(file)},
        "vars": {"toolchain_in_process": in_process},
    }
    playbook = tmp_path / "play.yml"
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]))
    sandbox.fault(kind="latency", seconds=0.5, method="DELETE", times=0)
    with subprocess.Popen(
        [PLAYBOOK, playbook], env=environment(sandbox), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        wait_until(lambda: len(deletes(sandbox)) > 1, "nothing is deleted")
        before = len(deletes(sandbox))
        process.kill()
    wait_until(lambda: file.read_text().count("\n") == len(PATHS), "the task goes on")
    outcomes = [json.loads(line) for line in file.read_text().splitlines()]
    skipped = [one for one in outcomes if one["status"] == "skipped"]
    assert len(deletes(sandbox)) == len(PATHS) - len(skipped) <= before + 2
    assert skipped[0]["reason"] == "the process that runs Ansible was killed"
    sandbox.clear_faults()
    resumed = []
    wait_until(lambda: bool(resumed.append(run(**options)) or not resumed[-1].get("failed")), "the state stays in use")
    assert resumed[-1]["deleted"]["items"] == len(PATHS)
    assert paths_in(sandbox, "old-local") == []
