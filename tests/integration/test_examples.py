# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the modules run as a user would paste them."""

from __future__ import annotations

import base64
import datetime
import functools
import importlib
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.cases import MODULES, get_switches, prepare_task
from support.certificates import Authority
from support.keys import gpg_pair, rsa_pair
from support.playbook import SCRATCH, Run, run_tasks


@functools.cache
def examples(module: str) -> list[dict[str, Any]]:
    """Return the tasks of a module's examples."""
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")
    return yaml.safe_load(code.EXAMPLES)


def needs_client(task: dict[str, Any]) -> bool:
    """Return whether a task needs a client program or an SSH server; tests/contract/test_command_line.py has those."""
    return task.get("buildworks.toolchain.ci_cli", {}).get("via") in ("jar", "ssh")


def leaves_restart_pending(module: str, number: int) -> bool:
    """Return whether the example ends before Jenkins restarts, so that later examples would fail."""
    options = examples(module)[number].get("buildworks.toolchain.ci_safe_restart") or {}
    return options.get("wait") is False


NUMBERED = [
    (module, number) for module in MODULES for number, task in enumerate(examples(module)) if not needs_client(task)
]


def write_keys(folder: Path) -> dict[str, str]:
    """Write the public keys of the examples next to the playbook. Return the variables with the private keys."""
    release, alpine = gpg_pair(), rsa_pair()
    certificate, key = Authority(folder, "authority").sign("mirror", until=datetime.timedelta(days=90))
    texts = {
        "packages-2026.asc": release.public,
        "alpine.rsa.pub": alpine.public,
        "mirror.pem": certificate.read_text(),
        "release-bundles.asc": gpg_pair(1).public,
        "new-release-bundles.asc": gpg_pair(2).public,
    }
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (SCRATCH / name).write_text(text)
    return {"SIGNING_KEY": release.private, "ALPINE_KEY": alpine.private, "MIRROR_KEY": key.read_text()}


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run all examples in turn with one start of ansible-playbook."""
    running_sandbox.reset()
    in_turn = sorted(NUMBERED, key=lambda example: (leaves_restart_pending(*example), bool(get_switches(example[0]))))
    tasks = []
    for module, number in in_turn:
        tasks += [prepare_task(module)] if get_switches(module) else []
        tasks.append({**examples(module)[number], "name": f"{module} {number}"})
    home = {"HOME": str(tmp_path_factory.mktemp("home"))}
    programs = tmp_path_factory.mktemp("bin")
    (programs / "kwadmin").symlink_to(running_sandbox.environment["SANDBOX_KWADMIN"])
    keys = write_keys(tmp_path_factory.mktemp("keys"))
    license_key = base64.b64encode(b'{"licensedTo": "Example"}').decode()
    settings = {
        **home,
        **keys,
        "ARTIFACTORY_LICENSE": license_key,
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    return run_tasks(running_sandbox, tasks, name="examples", settings=settings, ansible_facts={"env": home})


@pytest.mark.parametrize(("module", "number"), NUMBERED)
def test_example_succeeds(run: Run, module: str, number: int) -> None:
    done = run.of(f"{module} {number}")
    assert done.status == "ok", done.result.get("msg")


def test_every_module_has_examples_with_names() -> None:
    assert [module for module in MODULES if not examples(module)] == []
    assert [module for module in MODULES if not all(task.get("name") for task in examples(module))] == []
