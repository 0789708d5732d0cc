# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jenkinsfile of the example repository, run as Groovy with a stand-in for the steps of Jenkins."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from support.playbook import ROOT, SUPPORT
from support.servers.groovy import groovy_jar
from support.servers.process import fetch_or_skip

JENKINSFILE = ROOT / "examples/platform/Jenkinsfile"
CHECK = "ansible-playbook site.yml --check --diff"
APPLY = "ansible-playbook site.yml --diff"
COMMENT = "ANSIBLE_CONFIG=publish/ansible.cfg ansible-playbook publish/comment.yml"
ISSUE = "ANSIBLE_CONFIG=publish/ansible.cfg ansible-playbook publish/issue.yml"
INSTALL = "pip install -r requirements.txt"
VAULT = {"ANSIBLE_VAULT_PASSWORD_FILE": "credential vault-password"}
TOKEN = {"PUBLISH_TOKEN": "credential publish-token"}
PULL_REQUEST = {"branch": "PR-7", "variables": {"CHANGE_ID": "7"}}
FORK = {"branch": "PR-8", "variables": {"CHANGE_ID": "8", "CHANGE_FORK": "somebody"}}
MAIN = {"branch": "main", "variables": {}}
NIGHTLY = {**MAIN, "cause": "TimerTrigger"}
FEATURE = {"branch": "feature", "variables": {}}
# Commands after the installation, with the credentials that they see
CREDENTIALS = {COMMENT: {**VAULT, **TOKEN}, ISSUE: {**VAULT, **TOKEN}, CHECK: VAULT, APPLY: VAULT}


def run(build: dict[str, Any], markdown: str | None = "## 3 changes planned\n\nmore") -> list[list[Any]]:
    """Run the pipeline; return its steps."""
    jar = fetch_or_skip(groovy_jar)
    variables = {"WORKSPACE": "/ws", "PATH": "/bin", "BUILD_URL": "https://ci.example.com/job/platform/1/"}
    files = {} if markdown is None else {"report/report.md": markdown}
    scenario = {**build, "files": files, "env": {**variables, "BRANCH_NAME": build["branch"], **build["variables"]}}
    groovy = ["java", "-cp", str(jar), "groovy.ui.GroovyMain", str(SUPPORT / "declarative_pipeline.groovy")]
    done = subprocess.run(
        [*groovy, str(JENKINSFILE), json.dumps(scenario)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("build", "failing", "expected"),
    [
        (PULL_REQUEST, None, [CHECK, COMMENT]),
        (PULL_REQUEST, CHECK, [CHECK, COMMENT]),
        (FORK, None, []),
        (NIGHTLY, None, [CHECK, ISSUE]),
        (NIGHTLY, CHECK, [CHECK, ISSUE]),
        (MAIN, None, [APPLY]),
        (MAIN, APPLY, [APPLY]),
        (FEATURE, None, []),
        (PULL_REQUEST, INSTALL, []),
    ],
)
def test_builds_run_only_their_commands(build: dict[str, Any], failing: str | None, expected: list[str]) -> None:
    steps = run({**build, "failing": failing})
    commands = [step[1:] for step in steps if step[0] == "sh"]
    installation = 2 if failing == INSTALL else 3
    assert commands[installation:] == [[command, CREDENTIALS[command]] for command in expected]
    assert [credentials for _command, credentials in commands[:installation]] == [{}] * installation
    assert any(step[0] == "echo" and "forks get no secrets" in step[1] for step in steps) is (build is FORK)
    assert steps[-3][:2] == ["archiveArtifacts", {"artifacts": "report/**", "allowEmptyArchive": True}]
    assert steps[-2][:2] == ["junit", {"testResults": "report/report.xml", "allowEmptyResults": True}]
    assert steps[-1] == ["FAILURE" if failing else "SUCCESS", "3 changes planned"]


def test_only_the_main_branch_has_a_schedule() -> None:
    schedules = [step[1] for build in (MAIN, FEATURE, PULL_REQUEST) for step in run(build) if step[0] == "cron"]
    assert schedules == ["H 3 * * *", "", ""]


def test_build_without_report_has_no_description() -> None:
    assert run(FEATURE, markdown=None)[-1] == ["SUCCESS", None]
