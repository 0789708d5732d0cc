# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role snapshot on a real Hudson 1.395."""

from __future__ import annotations

import json
from pathlib import Path

from sandbox import client
from support.playbook import run_ansible
from support.servers.hudson import Hudson


def test_snapshot_contains_the_jobs_of_a_real_server(hudson_server: Hudson, tmp_path: Path) -> None:
    hudson_server.create_sleeping_job("shell", 1)
    inventory, values, folder = tmp_path / "hosts.ini", tmp_path / "values.json", tmp_path / "snapshot"
    inventory.write_text("[ci]\nhudson\n")
    connection = {"url": hudson_server.url, "username": hudson_server.admin.username}
    connection["password"] = hudson_server.admin.password
    variables = {f"toolchain_ci_{name}": value for name, value in connection.items()}
    values.write_text(json.dumps({**variables, "snapshot_folder": str(folder)}))
    output, succeeded = run_ansible(["buildworks.toolchain.snapshot", "-i", inventory, "-e", f"@{values}"])
    assert succeeded, output
    manifest = json.loads((folder / "ci" / "manifest.json").read_text())
    assert manifest["server"]["product"] == "hudson"
    assert [skipped["list"] for skipped in manifest["skipped_lists"]] == ["plugins"]
    names = [json.loads(line)["name"] for line in (folder / "ci" / "jobs.jsonl").read_text().splitlines()]
    assert names == ["shell"]  # other tests have deleted their jobs
    with client.start(seed=folder) as rehearsal:
        assert rehearsal.environment["JENKINS_USER_ID"] == "snapshot-admin"
