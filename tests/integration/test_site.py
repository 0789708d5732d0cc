# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of a page of the documentation site run in their order, beside the files that the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from integration.playbook import PLAYBOOK, ROOT, environment
from sandbox.client import Sandbox

SITE = ROOT / "docs" / "site"
FOLDERS = ("guides", "coming-from")
COMMAND = re.compile(r"^ +\$ ((?:ansible(?:-playbook|-vault)?|head|pytest) .*)$", re.MULTILINE)
SHOWN = re.compile(r"^\.\. literalinclude:: ([\w.-]+)$|:download:`[^`]*<([\w.-]+)>`", re.MULTILINE)
# Where the second run acts again, and is meant to
EACH_TIME = {"maintenance"}
# Where nothing is written at all
ONLY_READS = {"execution-environments", "in-process", "quality-gate", "testing"}


def commands(page: Path) -> list[str]:
    """The commands of a page."""
    return COMMAND.findall(page.read_text())


def pages(folder: str) -> list[Path]:
    """The pages with commands in a folder."""
    return [page for page in sorted((SITE / folder).glob("*.rst")) if commands(page)]


FILES = [file for folder in FOLDERS for file in sorted((SITE / folder).iterdir()) if file.suffix != ".rst"]


@pytest.fixture
def reader(sandbox: Sandbox, tmp_path: Path) -> dict[str, str]:
    """The environment of a reader with the sandbox, who has a home, and a copy of the files in it."""
    for folder in FOLDERS:
        shutil.copytree(SITE / folder, tmp_path / folder)
    (tmp_path / "kwadmin").symlink_to(sandbox.environment["SANDBOX_KWADMIN"])
    path = os.pathsep.join([str(tmp_path), str(PLAYBOOK.parent), os.environ["PATH"]])
    return environment(sandbox, HOME=str(tmp_path), PATH=path, PYTHONPATH=str(ROOT / "extensions"))


def run(command: str, folder: Path, reader: dict[str, str]) -> str:
    """The output of a command, which succeeds, warns of nothing and tells no credential."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=reader,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "WARNING" not in output, output
    for name in ("JFROG_ACCESS_TOKEN", "JENKINS_API_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        assert reader[name] not in output, name
    return output


def writes(sandbox: Sandbox) -> list[str]:
    """What was written since the last look; of a script nobody knows, it may only have asked."""
    written = [entry["label"] for entry in sandbox.journal() if entry["effect"] == "write"]
    sandbox.clear_journal()
    return [label for label in written if label != "script"]


@pytest.mark.parametrize("page", pages("guides"), ids=lambda page: page.stem)
def test_the_commands_of_a_guide_run_and_the_last_has_nothing_to_do_again(
    page: Path, sandbox: Sandbox, reader: dict[str, str]
) -> None:
    folder = Path(reader["HOME"]) / page.parent.name
    if "--seed empty.yml" in page.read_text():
        sandbox.seed(yaml.safe_load((folder / "empty.yml").read_text()), reset=True)
    for command in commands(page):
        run(command, folder, reader)
    assert bool(writes(sandbox)) == (page.stem not in ONLY_READS)
    if page.stem in ONLY_READS:
        return
    output = run(commands(page)[-1], folder, reader)
    again = page.stem in EACH_TIME
    assert bool(writes(sandbox)) == again
    assert again or not re.search("changed=[1-9]", output), output


def test_what_replaces_other_tools_runs_and_has_nothing_to_do_again(sandbox: Sandbox, reader: dict[str, str]) -> None:
    """The playbooks run in one command: each page has the same one, and the start takes longer than the tasks."""
    folder, command = Path(reader["HOME"]) / "coming-from", "ansible-playbook -i ../guides/inventory.yml"
    for page in pages("coming-from"):
        assert commands(page) == [f"{command} {page.stem}.yml"]
    run(f"{command} *.yml", folder, reader)
    assert writes(sandbox)
    output = run(f"{command} *.yml", folder, reader)
    assert not writes(sandbox)
    assert not re.search("changed=[1-9]", output), output


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_shown_by_a_page_beside_it(file: Path) -> None:
    pages = "".join(page.read_text() for page in file.parent.glob("*.rst"))
    assert file.name in {name for names in SHOWN.findall(pages) for name in names}


def test_a_playbook_is_run_by_a_page_beside_it() -> None:
    run_somewhere = " ".join(
        command for folder in FOLDERS for page in pages(folder) for command in commands(page)
    ).split()
    playbooks = [file.name for file in FILES if file.suffix == ".yml" and "\n  hosts: " in file.read_text()]
    assert playbooks
    assert set(playbooks) <= set(run_somewhere)
