# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `onboarding`: a project and all who work on it, from nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from sandbox.client import Sandbox
from support.playbook import ROOT, play_mistakes, run_ansible
from support.steps import Call, Step, run_role

PAYMENTS: dict[str, Any] = {
    "review_onboarding_project": {"name": "payments", "description": "Cards, & more", "tags": ["pci"]},
    "review_onboarding_groups": [
        {"name": 'payers, "all"', "users": ["alice", "bob"], "role": "Payer: 50 % \\ {x}"},
        {"name": "leads", "users": ["alice"], "role": "Project admin"},
        {"name": "developers"},
    ],
    "review_onboarding_roles": [{"name": "Payer: 50 % \\ {x}", "permissions": {"access_source_files": True}}],
    "review_onboarding_modules": [{"name": "ui", "paths": ["**/ui/*"], "allow_groups": ["leads"]}],
    "review_onboarding_views": [{"name": "critical", "query": "severity:1"}],
    "review_onboarding_gate": [{"query": "state:New"}],
}


def test_project_is_onboarded_once(sandbox: Sandbox, tmp_path: Path) -> None:
    switches: Call = ("PATCH", "switches", {"review": {"version_major": "23", "module_access_lists": True}})
    # The role does not use the variables of review_provision on the same host
    variables = {**PAYMENTS, "review_provision_users": [{"name": "mallory"}]}
    (predicted,) = run_role(sandbox, "review_onboarding", [Step(variables, [switches])], tmp_path, "--check")
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", 5, [])
    created, repeated = run_role(sandbox, "review_onboarding", [Step(variables), Step(variables)], tmp_path)
    assert not created.failure
    assert created.writes == [
        *["create_group", "create_group", "create_project", "update_project", "create_role"],
        *["update_role_assignment", "update_role_assignment", "create_module", "create_view"],
    ]
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


def test_gate_runs_at_the_end_when_project_has_builds(sandbox: Sandbox, tmp_path: Path) -> None:
    project: dict[str, Any] = {
        **PAYMENTS,
        "review_onboarding_project": {"name": "mobile-app"},
        "review_onboarding_groups": [],
        "review_onboarding_modules": [],
    }
    strict, tolerant = (
        {**project, "review_onboarding_gate": [{"query": "severity:1", "view": "critical", **allowed}]}
        for allowed in ({}, {"allowed": 1})
    )
    failed, passed = run_role(sandbox, "review_onboarding", [Step(strict), Step(tolerant)], tmp_path)
    assert failed.failure == "mobile-app has more issues than allowed: severity:1 (1 found, 0 allowed)."
    assert failed.writes == ["create_role", "create_view"]
    assert not passed.failure
    assert "mobile-app has no more issues than allowed." in passed.output
    options = ("--check", "--tags", "gate")
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(yaml.safe_dump({"review": {"hosts": {"klocwork": tolerant}}}))
    output, good = run_ansible(["buildworks.toolchain.onboarding", "-i", inventory, *options], sandbox)
    assert good, output
    assert "mobile-app has no more issues than allowed." in output


def test_check_mode_skips_gate_when_views_would_change(sandbox: Sandbox, tmp_path: Path) -> None:
    readme = (ROOT / "roles/review_onboarding/README.md").read_text()
    (play,) = yaml.safe_load(re.search("```yaml\n(.*?)```", readme, re.DOTALL)[1])  # type: ignore[index]
    (role,) = play["roles"]
    variables = {name: value for name, value in role.items() if name.startswith("review_")}
    (predicted,) = run_role(sandbox, "review_onboarding", [Step(variables)], tmp_path, "--check")
    assert not predicted.failure
    assert "Check mode skips the quality gate of mobile-app: modules or views" in predicted.output
    done, again = run_role(sandbox, "review_onboarding", [Step(variables), Step(variables)], tmp_path)
    assert predicted.changed == done.changed
    (checked,) = run_role(sandbox, "review_onboarding", [Step(variables)], tmp_path, "--check")
    for run in (done, again, checked):
        assert (run.failure, "mobile-app has no more issues than allowed." in run.output) == ("", True)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"review_onboarding_groups": [{"name": "leads", "role": "Projct admin"}]},
        "Cannot assign missing roles to the groups in review_onboarding_groups: Projct admin.",
    ),
    ({"review_onboarding_project": {"tags": []}}, "missing required arguments: name"),
    ({"review_onboarding_views": [{"name": "x", "qery": "severity:1"}]}, "Supported parameters include"),
    ({}, "Cannot create project 'payments': the Web API of this server (20.4) does not support it"),
]


def test_mistakes_are_reported(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [{**PAYMENTS, **variables} for variables, _problem in MISTAKES]
    playbook = "buildworks.toolchain.onboarding"
    messages = play_mistakes(playbook, "review", mistakes, tmp_path, "--check", sandbox=sandbox)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
