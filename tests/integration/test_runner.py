# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of ansible-runner: its events and artifacts contain results and no secrets."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from sandbox.client import Sandbox
from support.playbook import PLAYBOOK, environment, run_command
from support.runner import PROVISION, RunnerFolder

PROGRESS = r"^artifactory: artifact_file: [01] of 2 done"
REPOSITORIES = "buildworks.toolchain.artifact_repository_info"
TOKEN = {"description": "runner", "subject": "ci"}
TELLING = {
    "name": "Make a secret",
    "hosts": "artifact",
    "connection": "local",
    "gather_facts": False,
    "tasks": [
        {"name": "Tell a token", "buildworks.toolchain.access_token": TOKEN, "no_log": True, "register": "made"},
        {
            "name": "Log in with it",
            "buildworks.toolchain.artifact_repository_info": {"token": "{{ made.access_token }}"},
        },
        {"name": "Log in with a wrong one", REPOSITORIES: {"token": "wrong-but-secret"}, "ignore_errors": True},
        {
            "name": "Keep it for the test",
            "ansible.builtin.copy": {"content": "{{ made.access_token }}", "dest": "{{ kept }}", "mode": "0600"},
            "no_log": True,
        },
    ],
}


@pytest.mark.ansible_core
def test_events_and_artifacts_contain_results_and_no_secrets(sandbox: Sandbox, tmp_path: Path) -> None:
    files = [{"repo": "generic-local", "path": f"app/{name}", "content": name} for name in ("first", "late")]
    host = {"toolchain_artifact_url": sandbox.environment["JFROG_URL"], "artifact_provision_files": files}
    credential = sandbox.environment["JFROG_ACCESS_TOKEN"]
    job = RunnerFolder(
        tmp_path / "job",
        [*PROVISION, TELLING],
        {"artifact": {"hosts": {"artifactory": host}}},
        toolchain_artifact_token=credential,  # like credentials of AWX
        kept=str(tmp_path / "kept"),
    )
    again = {"status": 503, "headers": {"Retry-After": "2"}, "times": 2}  # Progress is reported after one second.
    sandbox.fault(service="artifact", kind="status", path="app/late", **again)
    output, status = run_command(
        ["run", job.path, "-p", "play.yml", "--ident", "1", "-vvv"],
        environment(
            PATH=os.pathsep.join([str(PLAYBOOK.parent), os.environ["PATH"]]),
            ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report",
        ),
        program="ansible-runner",
    )
    assert status == 0, output
    assert (job.read("1", "status"), job.read("1", "rc")) == ("successful", "0")
    (stats,) = job.events("1", "playbook_on_stats")
    assert stats["event_data"]["changed"] == {"artifactory": 3}
    assert stats["event_data"]["ignored"] == {"artifactory": 1}
    results = {event["event_data"]["task"]: event["event_data"]["res"] for event in job.events("1", "runner_on_ok")}
    assert results["Upload and delete files"]["counts"]["changed"] == 2
    assert any(re.search(PROGRESS, event["stdout"]) for event in job.events("1", "verbose"))
    assert re.search(PROGRESS, output, re.MULTILINE)
    assert len(json.loads(job.read("1", "toolchain-report.json"))["changes"]) == 3
    assert "<html" in job.read("1", "toolchain-report.html")
    outputs = output + job.everything("1")
    for secret in (credential, (tmp_path / "kept").read_text(), "wrong-but-secret"):
        assert secret
        assert secret not in outputs
