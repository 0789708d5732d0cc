# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module through the real ansible-playbook, in the worker and as an ordinary module under the oldest Python."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import generate
from sandbox.client import Sandbox
from support.cases import (
    FETCHES,
    MODULES,
    OPERATIONS,
    QUERIES,
    RESOURCES,
    SECRETS,
    SERVICE_OF,
    forget,
    logins,
    module_of,
    task,
)
from support.playbook import Done, Run, run_tasks
from support.servers.environments import environment, find

OLDEST = "python3.9"
VOLATILE = re.compile(
    r'"(token_id|access_token|revoked|issued_at|expiry|session_before|session_after|session_id|request_id|id'
    r"|created|created_at|last_used|last_used_at|modified|updated|timestamp"
    r'|secret|removed|redacted_value|invite_id|added|added_at|expires|expires_at)": [^,}]+'
)
# How often these look depends on the time
POLLING = [
    f"{module}: {step}"
    for module, case in {**OPERATIONS, **RESOURCES}.items()
    if case.polls
    for step in ("do", "create", "update", "absent")
]


def ladder() -> Iterator[dict[str, Any]]:
    """Check, create, again; check, update, again; check, absent, again. Then all queries, fetches and operations."""
    for module, resource in RESOURCES.items():
        for step in ("create", "update", "absent"):
            options = getattr(resource, step)
            yield task(module, f"check {step}", options, check_mode=True)
            yield task(module, step, options)
            yield task(module, f"{step} again", options)
    for module, query in QUERIES.items():
        yield task(module, "ask", query.options)
        yield task(module, "check ask", query.options, check_mode=True)
    for module, fetch in FETCHES.items():
        yield task(module, "check fetch", fetch.options, check_mode=True)
        yield task(module, "fetch", fetch.options)
        yield task(module, "fetch again", fetch.options)
    for module, operation in OPERATIONS.items():
        yield task(module, "check", operation.options, check_mode=True)
        yield task(module, "do", operation.options)
        if operation.lasting:
            yield task(module, "do again", operation.options)


def short_ladder() -> Iterator[dict[str, Any]]:
    """The steps that do something, and the first check of each module: an ordinary module takes a second for each."""
    for step in ladder():
        _case, _colon, what = step["name"].partition(": ")
        if not what.endswith(" again") and what not in ("check update", "check absent", "check ask"):
            yield step


LADDERS = {"in process": ladder, "as a module": short_ladder}


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox) -> Run:
    """All modules climb their ladders, in one run of ansible-playbook."""
    return climbed(running_sandbox, "in process")


@functools.cache
def climbed(sandbox: Sandbox, way: str) -> Run:
    sandbox.reset()
    forget()
    tasks = [{**step, "module_defaults": logins()} for step in LADDERS[way]()]
    variables = {"toolchain_in_process": way == "in process", "ansible_python_interpreter": python_of(way)}
    return run_tasks(sandbox, tasks, "--diff", "-vvvv", name=f"ladder {way}", **variables)


def python_of(way: str) -> str:
    """The Python that runs modules, with the oldest packages that they may be run with, if this machine has it."""
    oldest = find(OLDEST)
    return str(environment("oldest", oldest) / "python") if oldest and way == "as a module" else sys.executable


def test_the_oldest_python_runs_modules() -> None:
    if not find(OLDEST):
        pytest.skip(f"CANNOT RUN HERE: there is no {OLDEST}")
    version = subprocess.run([python_of("as a module"), "--version"], check=True, capture_output=True, text=True).stdout
    assert version.startswith("Python 3.9.")


def test_every_module_has_a_place_here() -> None:
    assert {(module, generate.service_of(module)) for module in MODULES} == {
        (module_of(case), service) for case, service in SERVICE_OF.items()
    }


@pytest.mark.parametrize("module", RESOURCES)
@pytest.mark.parametrize("step", ["create", "update", "absent"])
def test_a_resource(run: Run, module: str, step: str) -> None:
    checked, made, again = (run.of(f"{module}: {name}") for name in (f"check {step}", step, f"{step} again"))
    for done in (checked, made, again):
        assert done.status == "ok", done.result
    assert checked.result["changed"]
    assert not checked.writes
    assert made.result["changed"]
    assert made.writes
    assert not again.result["changed"], again.result["diff"]
    assert not again.writes
    assert made.result["diff"]["before"] != made.result["diff"]["after"]
    assert predicted(checked) == predicted(made)
    assert members(checked.result) == members(made.result)


def members(result: dict[str, Any]) -> dict[str, Any]:
    """What is in a result, without its values."""
    own = {name: value for name, value in result.items() if name not in ("diff", "invocation")}
    return {name: sorted(value) if isinstance(value, dict) else None for name, value in own.items()}


def predicted(done: Done) -> dict[str, Any]:
    """The diff without what only the server knows."""
    diff = json.loads(VOLATILE.sub(r'"\1": 0', json.dumps(done.result["diff"])))
    diff["after"].pop("id", None)
    return diff


@pytest.mark.parametrize("module", QUERIES)
def test_a_query(run: Run, module: str) -> None:
    asked, checked = run.of(f"{module}: ask"), run.of(f"{module}: check ask")
    assert asked.status == "ok", asked.result
    assert not asked.result["changed"]
    assert asked.reads
    assert not asked.writes
    assert checked.result == asked.result


@pytest.mark.parametrize("module", FETCHES)
def test_a_fetch(run: Run, module: str) -> None:
    checked, fetched, again = (run.of(f"{module}: {name}") for name in ("check fetch", "fetch", "fetch again"))
    for done in (checked, fetched, again):
        assert done.status == "ok", done.result
        assert done.reads
        assert not done.writes
    assert checked.result["changed"]
    assert fetched.result["changed"]
    assert not again.result["changed"]
    assert checked.result["diff"] == fetched.result["diff"]
    assert members(checked.result) == members(fetched.result)
    assert len(checked.reads) < len(fetched.reads)


@pytest.mark.parametrize("module", OPERATIONS)
def test_an_operation(run: Run, module: str) -> None:
    checked, done = run.of(f"{module}: check"), run.of(f"{module}: do")
    assert (checked.status, done.status) == ("ok", "ok"), done.result
    assert not checked.writes
    assert done.writes
    assert checked.result["plan"] == done.result["plan"]
    assert checked.result["changed"] == done.result["changed"] == OPERATIONS[module].changes
    if OPERATIONS[module].lasting:
        again = run.of(f"{module}: do again")
        assert not again.result["changed"]
        assert not again.writes


@pytest.mark.parametrize("way", LADDERS)
def test_no_secret_is_told(running_sandbox: Sandbox, way: str) -> None:
    output = climbed(running_sandbox, way).output
    assert not [name for name in SECRETS if running_sandbox.environment[name] in output]


@pytest.mark.parametrize("way", LADDERS)
def test_no_warnings(running_sandbox: Sandbox, way: str) -> None:
    output = climbed(running_sandbox, way).output
    assert "[WARNING]" not in output
    assert "[DEPRECATION" not in output


@pytest.mark.parametrize("name", [step["name"] for step in short_ladder()])
def test_both_ways_give_the_same(running_sandbox: Sandbox, name: str) -> None:
    here, elsewhere = (climbed(running_sandbox, way).of(name) for way in LADDERS)
    assert plain(here) == plain(elsewhere)
    # Sorted, for a command line's two requests go side by side
    assert sorted(here.writes) == sorted(elsewhere.writes)
    if name not in POLLING:
        assert sorted(here.reads) == sorted(elsewhere.reads)


def plain(done: Done) -> dict[str, Any]:
    """The result without what differs from one run to the next."""
    result = {key: value for key, value in done.result.items() if not key.startswith(("_ansible", "ansible_facts"))}
    return json.loads(VOLATILE.sub(r'"\1": 0', json.dumps(result, sort_keys=True)))
