# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If the body of a response is lost, no task reports a deleted resource, and no quality gate passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.cases import RESOURCES, SERVICE_OF, module_of, parameters

EMPTY = {"kind": "status", "status": 200, "body": "", "headers": {"Content-Type": "application/json"}}
TRIAGE = {"name": "Triage", "permissions": {"access_source_files": True}}
TRIAGE_OF_BOB = {**TRIAGE, "assignments": [{"account": "bob"}]}

Preparation = tuple[tuple[str, dict[str, Any]], ...]


def find_destructive_cases() -> Iterator[tuple[str, dict[str, Any], Preparation]]:
    """Yield modules, the options with which they delete something, and the tasks that prepare it."""
    for case, resource in RESOURCES.items():
        module = module_of(case)
        options = resource.absent
        if SERVICE_OF[case] == "review" and not resource.by_program and options.get("state") == "absent":
            yield module, options, ((module, resource.create), (module, resource.update))
    yield "review_build", {"project": "mobile-app", "keep_newest": 1}, ()
    yield "review_project", {"name": "mobile-app", "state": "absent", "allow_delete": True}, ()
    yield "review_role", {**TRIAGE, "assignments": [], "purge": True}, (("review_role", TRIAGE_OF_BOB),)


DESTRUCTIVE_CASES = list(find_destructive_cases())


def prepare(sandbox: Sandbox, tasks: Preparation) -> None:
    """Bring the sandbox to the state before a deletion."""
    sandbox.reset()
    sandbox.switch("review", version_major="23")
    for module, options in tasks:
        assert not running.run(module, **options).get("failed")
    sandbox.clear_journal()


@pytest.mark.parametrize(
    ("module", "options", "before"), DESTRUCTIVE_CASES, ids=[case[0] for case in DESTRUCTIVE_CASES]
)
def test_deletion_is_not_skipped_when_response_is_empty(
    module: str, options: dict[str, Any], before: Preparation, sandbox: Sandbox
) -> None:
    prepare(sandbox, before)
    assert running.run(module, **options)["changed"]
    effects = [entry["effect"] for entry in sandbox.journal("review")]
    for nth, effect in enumerate(effects, 1):
        prepare(sandbox, before)
        if effect == "read":
            sandbox.fault(service="review", nth=nth, **EMPTY)
        result = running.run(module, **options)
        assert result.get("failed") or result["changed"], (nth, result)
        sandbox.clear_faults()
        again = running.run(module, **options)
        assert not again.get("failed"), (nth, again)
        assert not running.run(module, **options)["changed"], nth


def test_gate_does_not_pass_when_response_is_empty(sandbox: Sandbox) -> None:
    options = {
        **parameters("review_gate_info"),
        "checks": [{"query": "module:*default* code:ABV. taxonomy:MISRA", "view": "*default*"}],
    }
    expected = running.run("review_gate_info", **options)
    assert expected["passed"]
    for nth in range(1, len(sandbox.journal("review")) + 1):
        sandbox.fault(service="review", nth=nth, **EMPTY)
        result = running.run("review_gate_info", **options)
        sandbox.clear_faults()
        assert result == expected or ("failed" in result and "passed" not in result), (nth, result)
