# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module as an ordinary module under the oldest Python, with the oldest packages that it may be run with."""

from __future__ import annotations

import pytest

from contract.servers.environments import environment, find
from integration.cases import MODULES, parameters, task
from integration.playbook import Run, run_tasks
from sandbox.client import Sandbox

OLDEST = "python3.9"


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox) -> Run:
    """Every module once, in one run of ansible-playbook."""
    oldest = find(OLDEST)
    if not oldest:
        pytest.skip(f"CANNOT RUN HERE: there is no {OLDEST}")
    python = environment("oldest", oldest) / "python"
    running_sandbox.reset()
    tasks = [task(module, "do", parameters(module)) for module in MODULES]
    return run_tasks(
        running_sandbox, tasks, name="oldest", ansible_python_interpreter=str(python), toolchain_in_process=False
    )


@pytest.mark.parametrize("module", MODULES)
def test_a_module_runs(run: Run, module: str) -> None:
    done = run.of(f"{module}: do")
    assert done.status == "ok", done.result
