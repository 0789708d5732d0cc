# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the READMEs show runs as a user would copy it into an empty folder, with other addresses and credentials."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import ROOT, environment

READMES = [ROOT / "README.md", *sorted((ROOT / "roles").glob("*/README.md"))]
FILE = re.compile(r"# (inventory/\S+)\n")


def blocks(readme: Path, language: str) -> list[str]:
    """The blocks of a README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)


def play(block: str) -> list[dict[str, Any]]:
    """The block as a play, which tasks alone are not."""
    entries = yaml.safe_load(block)
    return entries if "hosts" in entries[0] else [{"hosts": "localhost", "gather_facts": False, "tasks": entries}]


PLAYS = [
    pytest.param(play(block), id=f"{readme.parent.name}-{number}")
    for readme in READMES
    for number, block in enumerate(blocks(readme, "yaml"))
    if not FILE.match(block)
]
COMMANDS = [
    line.removeprefix("$ ")
    for block in blocks(ROOT / "README.md", "console")
    for line in block.splitlines()
    if line.startswith(("$ ansible ", "$ ansible-playbook "))
]


@pytest.fixture
def reached(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options for a command of Ansible that put the sandbox in place of the servers, in a new home."""
    variables = sandbox.environment
    for name in ("HOME", "PWD"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / ".klocwork").mkdir()
    (tmp_path / ".klocwork" / "ltoken").write_text(Path(variables["KLOCWORK_LTOKEN"]).read_text())
    instead = {
        "toolchain_artifact_url": variables["JFROG_URL"],
        "toolchain_artifact_token": variables["JFROG_ACCESS_TOKEN"],
        "toolchain_ci_url": variables["JENKINS_URL"],
        "toolchain_ci_username": variables["JENKINS_USER_ID"],
        "toolchain_ci_api_token": variables["JENKINS_API_TOKEN"],
        "toolchain_review_url": variables["KLOCWORK_URL"],
        "toolchain_inference_url": variables["OPENAI_BASE_URL"],
        "toolchain_inference_api_key": variables["OPENAI_API_KEY"],
    }
    return ["--extra-vars", json.dumps(instead)]


def run(sandbox: Sandbox, folder: Path, *command: str) -> None:
    """Run a command of Ansible, which must succeed."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name(command[0])), *command[1:]],
        cwd=folder,
        env=environment(sandbox),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("plays", PLAYS)
def test_an_example_runs(plays: list[dict[str, Any]], sandbox: Sandbox, reached: list[str], tmp_path: Path) -> None:
    (tmp_path / "play.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    run(sandbox, tmp_path, "ansible-playbook", "play.yml", *reached)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command: str, sandbox: Sandbox, reached: list[str], tmp_path: Path) -> None:
    for block in blocks(ROOT / "README.md", "yaml"):
        if named := FILE.match(block):
            file = tmp_path / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block)
    run(sandbox, tmp_path, *shlex.split(command), *reached)
