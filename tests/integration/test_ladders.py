# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules through the real ansible-playbook, in the worker and as ordinary modules under the oldest Python.

Representatives climb their ladders; `tests/ladder` has those of all modules. Of every other module one task shows that
argument parsing, secrets, result and requests agree.
"""

from __future__ import annotations

import functools
import importlib
import re
import subprocess
import sys
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.cases import CASES, FETCHES, OPERATIONS, QUERIES, RESOURCES, SECRETS, forget, logins, module_of, task
from support.ladder import Step, check_ladder, list_steps, normalize
from support.playbook import Done, Run, run_tasks
from support.servers.environments import environment, find

OLDEST = "python3.9"
WAYS = ["in process", "as a module"]
REPRESENTATIVES = [
    "artifact_item_info",
    "ci_job_info",
    "review_view_info",
    "artifact_download",
    "ci_script",
    "inference_chat",
    "access_token",
    "ci_quiet_down",
    "inference_service_account",
    "review_role",
]
# What changes the state of a service comes last: a quiet Jenkins, say, starts no builds
IN_ORDER = [*QUERIES, *FETCHES, *OPERATIONS, *RESOURCES]
OTHERS = [
    case
    for case in IN_ORDER
    if case == next(first for first in CASES if module_of(first) == module_of(case)) and case not in REPRESENTATIVES
]
EFFECTS = ("read", "fetch", "do", "create")
LEFT_OUT = "update|absent|check read|fetch again|do again"


def plan_ladder(way: str) -> list[tuple[str, Step]]:
    """Return the steps of the representatives; an ordinary module takes a second for each, so it has fewer."""
    steps = [(case, step) for case in REPRESENTATIVES for step in list_steps(case)]
    return [(case, step) for case, step in steps if way == "in process" or not re.search(LEFT_OUT, step.name)]


def plan_each(_way: str) -> list[tuple[str, Step]]:
    """Return one step of each other module: the first with an effect."""
    return [(case, next(step for step in list_steps(case) if step.name in EFFECTS)) for case in OTHERS]


PLANS = {"ladder": plan_ladder, "each": plan_each}
RUNS = [
    pytest.param(plan, way, marks=[pytest.mark.ansible_core] * (plan == "ladder")) for plan in PLANS for way in WAYS
]


@functools.cache
def run_plan(sandbox: Sandbox, plan: str, way: str) -> Run:
    """Run the steps of a plan in one start of ansible-playbook."""
    sandbox.reset()
    forget()
    tasks = [
        task(case, step.name, step.options, check_mode=step.check_mode, module_defaults=logins())
        for case, step in PLANS[plan](way)
    ]
    variables = {"toolchain_in_process": way == "in process", "ansible_python_interpreter": choose_python(way)}
    return run_tasks(sandbox, tasks, "--diff", "-vvvv", name=f"{plan} {way}", **variables)


def choose_python(way: str) -> str:
    """Return the Python that runs modules: the oldest with the oldest packages, if this machine has it."""
    oldest = find(OLDEST)
    return str(environment("oldest", oldest) / "python") if oldest and way == "as a module" else sys.executable


@pytest.mark.ansible_core
def test_the_oldest_python_runs_modules() -> None:
    if not find(OLDEST):
        pytest.skip(f"CANNOT RUN HERE: there is no {OLDEST}")
    command = [choose_python("as a module"), "--version"]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert version.startswith("Python 3.9.")


@pytest.mark.ansible_core
@pytest.mark.parametrize("case", REPRESENTATIVES)
def test_representative_climbs_its_ladder(running_sandbox: Sandbox, case: str) -> None:
    run = run_plan(running_sandbox, "ladder", "in process")
    check_ladder(case, {step.name: run.of(f"{case}: {step.name}") for step in list_steps(case)})


@pytest.mark.ansible_core
@pytest.mark.parametrize("name", [f"{case}: {step.name}" for case, step in plan_ladder("as a module")])
def test_representative_agrees_both_ways(running_sandbox: Sandbox, name: str) -> None:
    check_agreement(running_sandbox, "ladder", name)


@pytest.mark.parametrize("name", [f"{case}: {step.name}" for case, step in plan_each("")])
def test_module_agrees_both_ways(running_sandbox: Sandbox, name: str) -> None:
    check_agreement(running_sandbox, "each", name)


def check_agreement(sandbox: Sandbox, plan: str, name: str) -> None:
    """Assert that a task gives the same result and sends the same requests both ways."""
    here, elsewhere = (run_plan(sandbox, plan, way).of(name) for way in WAYS)
    assert here.status == "ok", here.result
    assert list_result(here) == list_result(elsewhere)
    # Sorted, for a command line's two requests go side by side
    assert sorted(here.writes) == sorted(elsewhere.writes)
    # The number of polls depends on the time
    if not getattr(CASES[name.partition(": ")[0]], "polls", False):
        assert sorted(here.reads) == sorted(elsewhere.reads)


def list_result(done: Done) -> dict[str, Any]:
    """Return the result without the members that differ between two runs."""
    result = {key: value for key, value in done.result.items() if not key.startswith(("_ansible", "ansible_facts"))}
    return normalize(result)


@pytest.mark.parametrize(("plan", "way"), RUNS)
def test_no_secret_is_shown(running_sandbox: Sandbox, plan: str, way: str) -> None:
    secrets = {running_sandbox.environment[name] for name in SECRETS}
    for case, step in PLANS[plan](way):
        code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module_of(case)}")
        secrets |= code.SPEC.secrets(step.options)
    output = run_plan(running_sandbox, plan, way).output
    assert not [secret for secret in secrets if secret in output]


@pytest.mark.parametrize(("plan", "way"), RUNS)
def test_no_warning_is_shown(running_sandbox: Sandbox, plan: str, way: str) -> None:
    output = run_plan(running_sandbox, plan, way).output
    assert "[WARNING]" not in output
    assert "[DEPRECATION" not in output
