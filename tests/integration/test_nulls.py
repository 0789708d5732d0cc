# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A member without a value, as YAML reads `modules:`, counts as omitted. Options that narrow an effect refuse null."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.release import __version__

from sandbox.client import Sandbox
from support.nulls import NULLS, REFUSAL
from support.playbook import played, run_tasks

NOTHING = dict.fromkeys(("modules", "views", "builds", "defect_types"))
MEMBERS: list[tuple[str, dict[str, Any]]] = [
    ("review_provision", {"projects": [{"name": "mobile-app", **NOTHING}]}),
    ("review_onboarding", {"project": {"name": "mobile-app"}, "groups": [{"name": "devs", "role": None}]}),
    ("inference_provision", {"projects": [{"name": "Sandbox", "limits": None}]}),
    ("inference_provision", {"questions": [{"model": "gpt-4o", "prompt": "Hi", "expect": None}]}),
]
VARIABLES: list[tuple[str, dict[str, Any]]] = [
    ("review_triage", {"project": "mobile-app", "rules": [{"query": "id:0", "status": "Fix"}], "summary_file": None}),
    ("inference_governance", {"max_key_age_days": 36500, "report_file": None}),
    ("inference_batch", {"prompts": [{"id": "1", "prompt": "Hi"}], "limits_of": None, "summary_file": None}),
]
# Before 2.19 ansible-core refuses files that are null, and says so
OLD = __version__.startswith("2.18.")


@pytest.mark.ansible_core
def test_members_without_a_value_are_as_if_they_were_not_there(sandbox: Sandbox, tmp_path: Path) -> None:
    play = tmp_path / "play.yml"
    tasks = [
        {
            "ansible.builtin.include_role": {"name": f"buildworks.toolchain.{role}"},
            "vars": {f"{role}_{name}": value for name, value in variables.items()},
        }
        for role, variables in (MEMBERS if OLD else MEMBERS + VARIABLES)
    ]
    batch = {"inference_batch_to_file": str(tmp_path / "a.jsonl"), "inference_batch_options": {"model": "gpt-4o"}}
    play.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "vars": batch, "tasks": tasks}]))
    output, good = played([play], sandbox)
    assert good, output
    assert "failed=0" in output


@pytest.mark.ansible_core
@pytest.mark.parametrize("in_process", [True, False])
def test_null_is_refused_when_the_option_narrows_the_effect(sandbox: Sandbox, in_process: bool) -> None:
    refusals = {f"{module} {path}": REFUSAL.format(path) for module, nulls in NULLS.items() for path, _given in nulls}
    tasks = [
        {"name": f"{module} {path}", f"buildworks.toolchain.{module}": given}
        for module, nulls in NULLS.items()
        for path, given in nulls
    ]
    run = run_tasks(sandbox, tasks, name="nulls", toolchain_in_process=in_process)
    assert {done.task: done.result["msg"] for done in run.done} == refusals
    assert not any(done.requests for done in run.done)
