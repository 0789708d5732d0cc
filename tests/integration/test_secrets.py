# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Ansible is asked to tell, it tells no secret."""

from __future__ import annotations

import pathlib

import pytest

from integration.cases import MODULES, RESOURCES, SERVICES, forget, parameters, task
from integration.playbook import run_tasks
from sandbox.client import Sandbox

SECRETS = [name for service in SERVICES.values() for name in service.credentials.values()]
SECRET_FILES = {module: resource.secret_file for module, resource in RESOURCES.items() if resource.secret_file}


@pytest.mark.parametrize("right", [True, False], ids=["right credentials", "wrong credentials"])
def test_no_secret_in_the_most_verbose_output(
    right: bool, sandbox: Sandbox, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget()
    secrets = {name: sandbox.environment[name] if right else "s3cret-of-mine" for name in SECRETS}
    for name, secret in secrets.items():
        monkeypatch.setenv(f"TEST_{name}", secret)
    defaults = {
        f"group/buildworks.toolchain.{group}": {
            option: f"{{{{ lookup('ansible.builtin.env', 'TEST_{name}') }}}}"
            for option, name in service.credentials.items()
        }
        for group, service in SERVICES.items()
    }
    files = {module: tmp_path / module for module in SECRET_FILES}
    options = {module: {SECRET_FILES[module]: str(path)} for module, path in files.items()}
    tasks = [
        task(module, "do", {**parameters(module), **options.get(module, {})}, module_defaults=defaults)
        for module in MODULES
    ]
    for here in (True, False):
        sandbox.reset()
        for path in files.values():
            path.unlink(missing_ok=True)
        output = run_tasks(sandbox, tasks, "-vvvv", name="secrets", toolchain_in_process=here).output
        assert all(path.exists() is right for path in files.values())
        made = [path.read_text().strip() for path in files.values() if right]
        assert not [secret for secret in [*secrets.values(), *made] if secret in output]
