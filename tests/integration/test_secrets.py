# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Ansible is asked to tell, it tells no secret."""

from __future__ import annotations

import pathlib

import pytest

from integration.cases import MODULES, RESOURCES, SECRETS, SERVICES, forget, logins, parameters, task
from integration.playbook import run_tasks
from sandbox.client import Sandbox

SECRET_FILES = {module: resource.secret_file for module, resource in RESOURCES.items() if resource.secret_file}
# What tells of a refusal is the same for all modules of a service
IN_PROCESS = {True: MODULES, False: [next(iter(service.cases)) for service in SERVICES.values()]}


@pytest.mark.parametrize("here", [True, False], ids=["in process", "as a module"])
def test_no_secret_that_was_made_is_told(here: bool, sandbox: Sandbox, tmp_path: pathlib.Path) -> None:
    files = {module: tmp_path / module for module in SECRET_FILES}
    tasks = [
        task(module, "make", {**parameters(module), SECRET_FILES[module]: str(path)}) for module, path in files.items()
    ]
    output = run_tasks(sandbox, tasks, "-vvvv", name="secrets_made", toolchain_in_process=here).output
    made = [path.read_text().strip() for path in files.values()]
    assert not [secret for secret in made if secret in output]


@pytest.mark.parametrize("here", [True, False], ids=["in process", "as a module"])
def test_no_secret_that_is_refused_is_told(here: bool, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    for name in SECRETS:
        monkeypatch.setenv(f"WRONG_{name}", "s3cret-of-mine")
    tasks = [task(module, "try", parameters(module), module_defaults=logins("WRONG_")) for module in IN_PROCESS[here]]
    output = run_tasks(sandbox, tasks, "-vvvv", name="secrets_refused", toolchain_in_process=here).output
    assert "s3cret-of-mine" not in output
