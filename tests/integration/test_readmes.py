# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the examples in the READMEs of the roles with the addresses and credentials of the sandbox.

test_site.py follows the README of the collection.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import ROOT, SUPPORT, environment, run_command

READMES = sorted((ROOT / "roles").glob("*/README.md"))
STARTED = re.compile(r"^PLAY \[(\S+)\] \*", re.MULTILINE)


def blocks(readme: Path, language: str) -> list[str]:
    """Return the code blocks of a README that have this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)


def play(block: str) -> dict[str, Any]:
    """Return a code block as a play; wrap a list of tasks in one."""
    entries = yaml.safe_load(block)
    if "hosts" not in entries[0]:
        return {"hosts": "localhost", "gather_facts": False, "tasks": entries}
    (only,) = entries
    return only


PLAYS = {
    f"{readme.parent.name}-{number}": play(block)
    for readme in READMES
    for number, block in enumerate(blocks(readme, "yaml"))
}


@pytest.fixture(scope="module")
def home(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new home directory with the login token of Klocwork."""
    folder = tmp_path_factory.mktemp("home")
    running_sandbox.reset()
    (folder / ".klocwork").mkdir()
    (folder / ".klocwork" / "ltoken").write_text(Path(running_sandbox.environment["KLOCWORK_LTOKEN"]).read_text())
    return folder


def run_plays(sandbox: Sandbox, home: Path, **settings: str) -> tuple[str, int]:
    """Run plays.yml in the home directory with the sandbox in place of the servers.

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
    return run_command(["plays.yml", "--extra-vars", json.dumps(servers)], where, home)


@pytest.fixture(scope="module")
def failures(running_sandbox: Sandbox, home: Path) -> dict[str, str]:
    """Run all plays with one start of ansible-playbook, each on a fresh sandbox; return the output of those that fail.

    A failure ends a run; the remaining plays run after another start.
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
        output, status = run_plays(running_sandbox, home, **settings)
        started = STARTED.findall(output)
        assert started, output
        assert started == rest[: len(started)]
        if status:
            failed[started[-1]] = output[output.index(f"PLAY [{started[-1]}]") :]
        rest = rest[len(started) :]
    return failed


@pytest.mark.parametrize("name", PLAYS)
def test_example_succeeds(failures: dict[str, str], name: str) -> None:
    assert name not in failures, failures[name]
