# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every module through its ladder, in this process and against the sandbox.

A ladder is check, run and run again, for each state of a resource; other modules have fewer steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import generate
from sandbox.client import Sandbox
from support import running
from support.cases import (
    FETCHES,
    MODULES,
    OPERATIONS,
    QUERIES,
    RESOURCES,
    SECRETS,
    SERVICE_OF,
    forget,
    module_of,
)
from support.playbook import Done, list_members, normalize_diff

Step = Callable[..., Done]


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Step:
    """Return a function that runs a case in this process and returns its result and requests."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    forget()

    def run(case: str, options: dict[str, Any], check_mode: bool = False) -> Done:
        sandbox.clear_journal()
        result = running.run(module_of(case), check_mode=check_mode, diff_mode=True, **options)
        status = "failed" if result.get("failed") else "ok"
        done = Done(case, status, result, sandbox.journal())
        check_result(done, sandbox)
        return done

    return run


def check_result(done: Done, sandbox: Sandbox) -> None:
    """Assert that the run succeeded without warnings and that its result has no secret."""
    assert done.status == "ok", done.result
    assert "warnings" not in done.result
    shown = json.dumps(done.result)
    assert not [name for name in SECRETS if sandbox.environment[name] in shown]


def test_every_module_has_a_case_of_its_service() -> None:
    assert {(module, generate.service_of(module)) for module in MODULES} == {
        (module_of(case), service) for case, service in SERVICE_OF.items()
    }


@pytest.mark.parametrize("case", RESOURCES)
def test_resource_changes_only_when_run_for_the_first_time(case: str, step: Step) -> None:
    resource = RESOURCES[case]
    for options in (resource.create, resource.update, resource.absent):
        checked = step(case, options, check_mode=True)
        made = step(case, options)
        again = step(case, options)
        assert checked.result["changed"]
        assert not checked.writes
        assert made.result["changed"]
        assert made.writes
        assert not again.result["changed"], again.result["diff"]
        assert not again.writes
        assert made.result["diff"]["before"] != made.result["diff"]["after"]
        assert normalize_diff(checked) == normalize_diff(made)
        assert list_members(checked.result) == list_members(made.result)


@pytest.mark.parametrize("case", QUERIES)
def test_query_sends_only_reads(case: str, step: Step) -> None:
    found = step(case, QUERIES[case].options)
    checked = step(case, QUERIES[case].options, check_mode=True)
    assert not found.result["changed"]
    assert found.reads
    assert not found.writes
    assert checked.result == found.result


@pytest.mark.parametrize("case", FETCHES)
def test_fetch_changes_only_when_run_for_the_first_time(case: str, step: Step) -> None:
    options = FETCHES[case].options
    checked = step(case, options, check_mode=True)
    fetched = step(case, options)
    again = step(case, options)
    for done in (checked, fetched, again):
        assert done.reads
        assert not done.writes
    assert checked.result["changed"]
    assert fetched.result["changed"]
    assert not again.result["changed"]
    assert checked.result["diff"] == fetched.result["diff"]
    assert list_members(checked.result) == list_members(fetched.result)
    assert len(checked.reads) < len(fetched.reads)


@pytest.mark.parametrize("case", OPERATIONS)
def test_operation_does_what_check_mode_predicts(case: str, step: Step) -> None:
    operation = OPERATIONS[case]
    checked = step(case, operation.options, check_mode=True)
    done = step(case, operation.options)
    assert not checked.writes
    assert done.writes
    assert checked.result["plan"] == done.result["plan"]
    assert checked.result["changed"] == done.result["changed"] == operation.changes
    if operation.lasting:
        again = step(case, operation.options)
        assert not again.result["changed"]
        assert not again.writes
