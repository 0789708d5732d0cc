# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module climbs its ladder in this process, against the sandbox."""

from __future__ import annotations

import json

import pytest

import generate
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import CASES, MODULES, SECRETS, SERVICE_OF, forget, get_switches, module_of, prepare
from support.ladder import Step, check_ladder, list_steps, other_warnings
from support.playbook import Done, run_here


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, and remove files of earlier tests."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    forget()


def run_step(case: str, step: Step, sandbox: Sandbox) -> Done:
    """Run a step and return its result and requests."""
    return run_here(sandbox, module_of(case), step.check_mode, **step.options)


def test_every_module_has_a_case_of_its_service() -> None:
    assert {(module, generate.find_service(module)) for module in MODULES} == {
        (module_of(case), service) for case, service in SERVICE_OF.items()
    }


@pytest.mark.parametrize("case", CASES)
def test_each_step_of_a_ladder_has_the_expected_result(
    case: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    if get_switches(case):
        monkeypatch.setattr(session, "_CONNECTIONS", {})  # connections cache version and license of the server
        prepare(sandbox, case)
    results = {step.name: run_step(case, step, sandbox) for step in list_steps(case)}
    check_ladder(case, results)
    for step in results.values():
        assert other_warnings(step) == []
        output = json.dumps(step.result)
        assert not [name for name in SECRETS if sandbox.environment[name] in output]
