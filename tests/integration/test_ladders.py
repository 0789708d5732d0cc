# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules through the real ansible-playbook, in the worker and as ordinary modules under the oldest Python.

Representatives climb their ladders; `tests/ladder` has those of all modules. One run of each other module shows that
argument parsing, secrets, result and requests agree. Its ordinary way is its main function under the oldest Python:
the representatives show that Ansible ships modules, and all imports are ones that Ansible finds.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ansible
import pytest

from sandbox.client import Sandbox
from support import module_program
from support.cases import (
    CASES,
    FETCHES,
    OPERATIONS,
    QUERIES,
    RESOURCES,
    SECRETS,
    SERVICE_OF,
    SERVICES,
    forget,
    get_switches,
    logins,
    module_of,
    prepare,
    prepare_task,
    task,
)
from support.ladder import SECRET_IN_RESULT, Step, check_ladder, list_steps, normalize
from support.playbook import ROOT, Done, Run, run_tasks
from support.playbook import environment as environment_of
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
# Modules that change the state of a service are last. For example, Jenkins starts no builds in quiet-down mode. Cases
# with another version or edition of a service follow
IN_ORDER = sorted([*QUERIES, *FETCHES, *OPERATIONS, *RESOURCES], key=lambda case: bool(get_switches(case)))
OTHERS = [
    case
    for case in IN_ORDER
    if case == next(first for first in CASES if module_of(first) == module_of(case)) and case not in REPRESENTATIVES
]
EFFECTS = ("read", "fetch", "do", "create")
OMITTED_STEPS = "update|absent|check read|fetch again|do again"


def plan_ladder(way: str) -> list[tuple[str, Step]]:
    """Return the steps of the representatives; an ordinary module takes a second for each, so it has fewer."""
    steps = [(case, step) for case in REPRESENTATIVES for step in list_steps(case)]
    return [(case, step) for case, step in steps if way == "in process" or not re.search(OMITTED_STEPS, step.name)]


def plan_each(_way: str) -> list[tuple[str, Step]]:
    """Return one step of each other module: the first with an effect."""
    return [(case, next(step for step in list_steps(case) if step.name in EFFECTS)) for case in OTHERS]


PLANS = {"ladder": plan_ladder, "each": plan_each}
RUNS = [
    pytest.param(plan, way, marks=[pytest.mark.ansible_core] * (plan == "ladder")) for plan in PLANS for way in WAYS
]


@functools.cache
def run_plan(sandbox: Sandbox, plan: str, way: str) -> Run:
    """Run the steps of a plan in one start of ansible-playbook, or the main functions of ordinary modules."""
    sandbox.reset()
    forget()
    if (plan, way) == ("each", "as a module"):
        return run_main_functions(sandbox, PLANS[plan](way))
    tasks = []
    for case, step in PLANS[plan](way):
        tasks += [prepare_task(case)] if get_switches(case) else []
        tasks.append(task(case, step.name, step.options, check_mode=step.check_mode, module_defaults=logins()))
    variables = {"toolchain_in_process": way == "in process", "ansible_python_interpreter": choose_python(way)}
    return run_tasks(sandbox, tasks, "--diff", "-vvvv", name=f"{plan} {way}", **variables)


def run_main_functions(sandbox: Sandbox, steps: list[tuple[str, Step]]) -> Run:
    """Run the main function of each module under the oldest Python, logged in by options as by `logins`."""
    done, outputs = [], []
    with start_modules(sandbox) as run_module:
        for case, step in steps:
            prepare(sandbox, case)
            sandbox.clear_journal()
            credentials = SERVICES[SERVICE_OF[case]].credentials
            login = {option: sandbox.environment[name] for option, name in credentials.items()}
            lines = run_module(module_of(case), {**login, **step.options, "_ansible_diff": True})
            result = next((json.loads(line) for line in lines if line.startswith("{")), {"failed": True, "msg": lines})
            status = "failed" if result.get("failed") else "ok"
            done.append(Done(f"{case}: {step.name}", status, result, sandbox.journal()))
            outputs += lines
    return Run(0, "".join(outputs), done)


@contextmanager
def start_modules(sandbox: Sandbox) -> Iterator[Callable[[str, dict[str, Any]], list[str]]]:
    """Return a function that runs a module with these arguments and returns the lines of its output."""
    with tempfile.TemporaryDirectory() as folder:
        # Without the packages that are installed beside ansible-core, which are for another Python
        Path(folder, "ansible").symlink_to(Path(ansible.__file__).parent)
        path = os.pathsep.join([folder, str(ROOT / "build" / "collections")])
        # Each module imports the code that all share: it is compiled once.
        variables = {"PYTHONPATH": path, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        with subprocess.Popen(
            [choose_python("as a module"), module_program.__file__],
            env=environment_of(sandbox, **variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            yield functools.partial(run_by, process)
            assert process.stdin
            process.stdin.close()


def run_by(process: subprocess.Popen[str], module: str, arguments: dict[str, Any]) -> list[str]:
    """Return the lines that a module prints in a process of `module_program`."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps({"module": module, "arguments": arguments}) + "\n")
    process.stdin.flush()
    return list(iter(process.stdout.readline, f"{module_program.END}\n"))


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


def test_ansible_finds_all_imports_of_modules() -> None:
    files = [*ROOT.glob("plugins/modules/*.py"), *ROOT.glob("plugins/module_utils/**/*.py")]
    assert not [path for path in files if re.search("importlib|__import__", path.read_text())]


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
    if "warnings" in result:
        result["warnings"] = [text_of(warning) for warning in result["warnings"]]
    return normalize(result)


def text_of(warning: str | dict[str, Any]) -> str:
    """Return the text of a warning, which modules of ansible-core 2.19 and later wrap."""
    return warning if isinstance(warning, str) else warning["event"]["msg"]


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
    unwrapped = " ".join(run_plan(running_sandbox, plan, way).output.split())
    output = re.sub(rf"\[WARNING\]: {SECRET_IN_RESULT}", "", unwrapped)
    assert "[WARNING]" not in output
    assert "[DEPRECATION" not in output
