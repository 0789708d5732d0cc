# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the READMEs run as a user would copy them, with the addresses and credentials of the sandbox."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import ROOT, SUPPORT, environment, finished

READMES = [ROOT / "README.md", *sorted((ROOT / "roles").glob("*/README.md"))]
FILE = re.compile(r"# (inventory/\S+)\n")
STARTED = re.compile(r"^PLAY \[(\S+)\] \*", re.MULTILINE)


def blocks(readme: Path, language: str) -> list[str]:
    """Return the code blocks of a README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)


def play(block: str) -> dict[str, Any]:
    """Return a code block as a play, which tasks alone are not."""
    entries = yaml.safe_load(block)
    if "hosts" not in entries[0]:
        return {"hosts": "localhost", "gather_facts": False, "tasks": entries}
    (only,) = entries
    return only


PLAYS = {
    f"{readme.parent.name if readme.parent != ROOT else 'README'}-{number}": play(block)
    for readme in READMES
    for number, block in enumerate(blocks(readme, "yaml"))
    if not FILE.match(block)
}
COMMANDS = [
    line.removeprefix("$ ")
    for block in blocks(ROOT / "README.md", "console")
    for line in block.splitlines()
    if line.startswith(("$ ansible ", "$ ansible-playbook "))
]
# A command with more options proves the one without them, and test_site.py runs the commands of the guide
GUIDE = (ROOT / "docs/docsite/rst/guide_start.rst").read_text()
LONGEST = [
    command
    for command in COMMANDS
    if f"$ {command}\n" not in GUIDE and not any(other.startswith(f"{command} ") for other in COMMANDS)
]


@pytest.fixture(scope="module")
def home(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new home folder, with the login of Klocwork and the inventory of the README."""
    folder = tmp_path_factory.mktemp("home")
    running_sandbox.reset()
    (folder / ".klocwork").mkdir()
    (folder / ".klocwork" / "ltoken").write_text(Path(running_sandbox.environment["KLOCWORK_LTOKEN"]).read_text())
    for block in blocks(ROOT / "README.md", "yaml"):
        if named := FILE.match(block):
            file = folder / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block)
    return folder


def run(sandbox: Sandbox, home: Path, program: str, *options: str, **settings: str) -> tuple[str, int]:
    """Run a program of Ansible in the home folder with the sandbox in place of the servers.

    :return: the output and the exit status
    """
    variables = sandbox.environment
    servers = {
        "toolchain_artifact_url": variables["JFROG_URL"],
        "toolchain_artifact_token": variables["JFROG_ACCESS_TOKEN"],
        "toolchain_ci_url": variables["JENKINS_URL"],
        "toolchain_ci_username": variables["JENKINS_USER_ID"],
        "toolchain_ci_api_token": variables["JENKINS_API_TOKEN"],
        "toolchain_review_url": variables["KLOCWORK_URL"],
        "toolchain_inference_url": variables["OPENAI_BASE_URL"],
        "toolchain_inference_api_key": variables["OPENAI_API_KEY"],
    }
    where = environment(sandbox, HOME=str(home), PWD=str(home), **settings)
    return finished([*options, "--extra-vars", json.dumps(servers)], where, home, program)


@pytest.fixture(scope="module")
def failures(running_sandbox: Sandbox, home: Path) -> dict[str, str]:
    """Run all plays with one start of ansible-playbook, each on a fresh sandbox; return the output of those that fail.

    A failure ends a run, so that the plays after it need one more start.
    """
    settings = {
        "ANSIBLE_CALLBACK_PLUGINS": str(SUPPORT / "callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "fresh",
        "ANSIBLE_GATHERING": "explicit",
    }
    failed: dict[str, str] = {}
    rest = list(PLAYS)
    while rest:
        plays = [{**PLAYS[name], "name": name} for name in rest]
        (home / "plays.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
        output, status = run(running_sandbox, home, "ansible-playbook", "plays.yml", **settings)
        started = STARTED.findall(output)
        assert started, output
        assert started == rest[: len(started)]
        if status:
            failed[started[-1]] = output[output.index(f"PLAY [{started[-1]}]") :]
        rest = rest[len(started) :]
    return failed


@pytest.mark.parametrize("name", PLAYS)
def test_an_example_runs(failures: dict[str, str], name: str) -> None:
    assert name not in failures, failures[name]


@pytest.mark.parametrize("command", LONGEST)
def test_a_command_runs(command: str, sandbox: Sandbox, home: Path) -> None:
    output, status = run(sandbox, home, *shlex.split(command))
    assert status == 0, output
