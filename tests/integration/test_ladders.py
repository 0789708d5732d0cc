# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module through the real ansible-playbook, inside the worker and as an ordinary module."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from integration.cases import MODULES, OPERATIONS, QUERIES, RESOURCES, task
from integration.playbook import Done, Run, run_tasks
from sandbox.client import Sandbox

WAYS = {"in process": True, "as a module": False}
VOLATILE = re.compile(
    r'"(token_id|access_token|issued_at|expiry|session_before|session_after|session_id|request_id|id)": [^,}]+'
)


def ladder() -> Iterator[dict[str, Any]]:
    """Check, create, again; check, update, again; check, absent, again. Then all queries and operations."""
    for module, resource in RESOURCES.items():
        for step in ("create", "update", "absent"):
            options = getattr(resource, step)
            yield task(module, f"check {step}", options, check_mode=True)
            yield task(module, step, options)
            yield task(module, f"{step} again", options)
    for module, options in QUERIES.items():
        yield task(module, "ask", options)
        yield task(module, "check ask", options, check_mode=True)
    for module, options in OPERATIONS.items():
        yield task(module, "check", options, check_mode=True)
        yield task(module, "do", options)


@pytest.fixture(scope="module", params=WAYS, ids=str)
def run(request: pytest.FixtureRequest, running_sandbox: Sandbox) -> Run:
    """All modules climb their ladders, in one run of ansible-playbook."""
    return climbed(running_sandbox, request.param)


@functools.cache
def climbed(sandbox: Sandbox, way: str) -> Run:
    sandbox.reset()
    return run_tasks(sandbox, list(ladder()), "--diff", name=f"ladder {way}", toolchain_in_process=WAYS[way])


def test_every_module_has_a_place_here() -> None:
    assert sorted({*RESOURCES, *QUERIES, *OPERATIONS}) == MODULES


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


@pytest.mark.parametrize("module", OPERATIONS)
def test_an_operation(run: Run, module: str) -> None:
    checked, done = run.of(f"{module}: check"), run.of(f"{module}: do")
    assert (checked.status, done.status) == ("ok", "ok"), done.result
    assert not checked.writes
    assert done.writes
    assert checked.result["plan"] == done.result["plan"]
    assert checked.result["changed"] == done.result["changed"] == (module == "ci_safe_restart")


def test_no_warnings(run: Run) -> None:
    assert "[WARNING]" not in run.output
    assert "[DEPRECATION" not in run.output


@pytest.mark.parametrize("name", [step["name"] for step in ladder()])
def test_both_ways_give_the_same(running_sandbox: Sandbox, name: str) -> None:
    here, elsewhere = (climbed(running_sandbox, way).of(name) for way in WAYS)
    assert plain(here) == plain(elsewhere)
    assert here.writes == elsewhere.writes
    if name != "ci_safe_restart: do":  # how often it looks depends on the time
        assert here.reads == elsewhere.reads


def plain(done: Done) -> dict[str, Any]:
    """The result without what differs from one run to the next."""
    result = {key: value for key, value in done.result.items() if not key.startswith(("_ansible", "ansible_facts"))}
    return json.loads(VOLATILE.sub(r'"\1": 0', json.dumps(result, sort_keys=True)))
