# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Ansible is asked to tell, it tells no secret."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

import pytest

from sandbox.client import Sandbox
from support.cases import MODULES, RESOURCES, SECRETS, SERVICES, forget, logins, parameters, task
from support.playbook import run_tasks

SECRET_FILES = {module: resource.secret_file for module, resource in RESOURCES.items() if resource.secret_file}
# What tells of a refusal is the same for all modules of a service; what makes secrets must make no file
REFUSED = {True: MODULES, False: [*SECRET_FILES, *(next(iter(service.cases)) for service in SERVICES.values())]}


def tried(
    sandbox: Sandbox, modules: Iterable[str], files: dict[str, pathlib.Path], here: bool, prefix: str = ""
) -> str:
    """The most verbose output of these modules, which log in by options and put the secrets that they make into files.

    :arg prefix: of the variables of the environment that hold what they log in with
    """
    forget()
    options = {module: {SECRET_FILES[module]: str(path)} for module, path in files.items()}
    tasks = [
        task(module, "do", {**parameters(module), **options.get(module, {})}, module_defaults=logins(prefix))
        for module in dict.fromkeys(modules)
    ]
    return run_tasks(sandbox, tasks, "-vvvv", name="secrets", toolchain_in_process=here).output


@pytest.fixture
def files(tmp_path: pathlib.Path) -> dict[str, pathlib.Path]:
    """Where each module puts the secret that it makes."""
    return {module: tmp_path / module for module in SECRET_FILES}


@pytest.mark.ansible_core
@pytest.mark.parametrize("here", [True, False], ids=["in process", "as a module"])
def test_no_secret_that_was_made_is_told(here: bool, sandbox: Sandbox, files: dict[str, pathlib.Path]) -> None:
    output = tried(sandbox, files, files, here)
    secrets = [*(path.read_text().strip() for path in files.values()), *map(sandbox.environment.get, SECRETS)]
    assert not [secret for secret in secrets if secret in output]


@pytest.mark.parametrize("here", [True, False], ids=["in process", "as a module"])
def test_no_secret_that_is_refused_is_told(
    here: bool, sandbox: Sandbox, files: dict[str, pathlib.Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SECRETS:
        monkeypatch.setenv(f"WRONG_{name}", "s3cret-of-mine")
    output = tried(sandbox, REFUSED[here], files, here, prefix="WRONG_")
    assert not [path for path in files.values() if path.exists()]
    assert "s3cret-of-mine" not in output
