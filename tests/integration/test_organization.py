# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles `inference_provision` and `inference_governance`: the first run changes, the second only reads."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support import running
from support.playbook import ROOT, play_mistakes, run_ansible
from support.steps import RESET, Call, Step, run_role

SEARCH = {
    "name": "Search & find",
    "external_key_id": "ext_1",
    "limits": [
        {"model": "gpt-4o", "max_requests_per_1_minute": 100, "max_tokens_per_1_minute": 1000},
        {"model": "gpt-4o-mini", "max_requests_per_1_day": 50},
    ],
}
SEEDED = yaml.safe_load((ROOT / "extensions" / "sandbox" / "seeds" / "default" / "inference.yml").read_text())
PROJECTS = [SEARCH, {"name": "Sandbox", "limits": [{"model": "gpt-4", "max_requests_per_1_minute": 7}]}]
CREATED = ["create_project", "update_project_limit", "update_project_limit", "update_project_limit"]
OTHERS = [{"id": "proj_old", "name": "Old"}, {"id": "proj_unused", "name": "Unused"}]
# The minimum: the list, and one request per project with limits
READS = ["list_projects", "list_project_limits", "list_project_limits"]


pytestmark = pytest.mark.usefixtures("sandbox_environment")


def list_projects() -> dict[str, Any]:
    """Return the projects with their limits, by name."""
    projects = running.run("inference_project_info", details=["rate_limits"])["projects"]
    return {project["name"]: project for project in projects}


def test_second_run_only_reads(sandbox: Sandbox, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("indexer.key", "audit.key")]
    limits = {"inference_provision_projects": PROJECTS}
    accounts = {
        "inference_provision_projects": [{"name": "New"}],
        "inference_provision_users": [
            {"email": "dora@sandbox.example", "projects": [{"name": "New", "role": "owner"}]},
            {"email": "bob@sandbox.example", "state": "absent"},
        ],
        "inference_provision_service_accounts": [
            {"project_name": "New", "name": "indexer", "key_file": str(files[0])},
            {"project_id": "proj_sandbox", "name": "pipeline", "state": "absent"},
        ],
        "inference_provision_admin_keys": [{"name": "audit", "key_file": str(files[1]), "expires_in": 86400}],
    }
    others = {"id": "org-sandbox", "name": "sandbox", "projects": OTHERS}
    seed: Call = ("POST", "seed", {"inference": {"organizations": [others]}})
    other_projects = [{"name": "Renamed", "id": "proj_old"}, {"name": "Unused", "state": "absent"}]
    renamed = {"inference_provision_projects": other_projects}
    steps = [Step(limits), Step(limits), Step(accounts), Step(accounts), Step(renamed, [seed]), Step(renamed)]
    results = run_role(sandbox, "inference_provision", steps, tmp_path)
    assert not [result.failure for result in results if result.failure]
    assert [result.writes for result in results] == [
        CREATED,
        [],
        [
            "delete_user",
            "delete_service_account",
            "create_project",
            "create_invite",
            "create_service_account",
            "create_admin_key",
        ],
        [],
        ["update_project", "archive_project"],
        [],
    ]
    assert [result.changed for result in results[1::2]] == [0, 0, 0]
    assert [results[1].reads, results[5].reads] == [READS, ["list_projects"]]
    projects = list_projects()
    assert set(projects) == {"Default project", "Sandbox", "Search & find", "New", "Renamed"}
    search = projects["Search & find"]
    assert search["external_key_id"] == "ext_1"
    assert search["rate_limits"]["gpt-4o"]["max_tokens_per_1_minute"] == 1000
    values = [file.read_text().strip() for file in files]
    assert [value.startswith(start) for value, start in zip(values, ("sk-svcacct-", "sk-admin-"), strict=True)]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]
    assert not any(value in result.output for value in values for result in results)


def test_invalid_variables_are_reported_before_any_write(sandbox: Sandbox, tmp_path: Path) -> None:
    limit = {"model": "gpt-4o", "max_requests_per_minute": 1}
    keyless = {"name": "x", "project_name": "Sandbox"}
    invalid = [
        ("projects", {"name": "Sandbox", "limits": [limit]}, "Supported parameters"),
        ("projects", {"name": "Default project", "state": "absent"}, "cannot be changed or archived"),
        ("service_accounts", keyless, "state is present but all of the following are missing: key_file"),
    ]
    mistakes = [{f"inference_provision_{name}": [entry]} for name, entry, _problem in invalid]
    messages = play_mistakes("buildworks.toolchain.provision", "inference", mistakes, tmp_path, sandbox=sandbox)
    for message, (_name, _entry, problem) in zip(messages, invalid, strict=True):
        assert problem in message
    assert not [entry for entry in sandbox.journal("inference") if entry["effect"] == "write"]


USERS = [
    {"email": "olivia@sandbox.example", "role": "owner"},
    {"email": "alice@sandbox.example", "role": "reader"},
    {"email": "dora@sandbox.example", "role": "reader", "projects": []},
]
DRIFT = [
    "Project 'Search & find' does not exist.",
    "Project 'Shadow' (proj_shadow) is not declared.",
    "The rate limits of project 'Search & find' are not set, because the project does not exist.",
    "Project 'Sandbox': max_requests_per_1_minute of gpt-4 is 500, but 7 is declared.",
    "User dora@sandbox.example does not exist and has no pending invitation.",
    "User bob@sandbox.example with the role reader is not declared.",
    "Admin key 'Old' (key_old, owner: unknown) is 400 days old, but the maximum is 90.",
]


def seed_drift() -> Call:
    """Return the call that seeds an undeclared project and an old key, and makes all other keys new."""
    today = int(time.time())
    keys = [{**key, "created_at": today} for key in SEEDED["keys"]]
    old = {"key": "sk-admin-old00000000000", "id": "key_old", "name": "Old", "organization": "org-sandbox"}
    shadow = {"id": "org-sandbox", "name": "sandbox", "projects": [{"id": "proj_shadow", "name": "Shadow"}]}
    old["created_at"] = today - 400 * 86_400 - 3600
    return ("POST", "seed", {"inference": {"organizations": [shadow], "keys": [*keys, old]}})


@pytest.mark.ansible_core
def test_drift_is_reported_and_remediated(sandbox: Sandbox, tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("first.json", "second.json"))
    declared = {
        "inference_governance_projects": PROJECTS,
        "inference_governance_users": USERS,
        "inference_governance_max_key_age_days": 90,
    }
    remediate = {**declared, "inference_governance_remediate": ["projects", "limits", "users", "keys"]}
    without_owner = {
        "inference_governance_projects": [{"name": "Sandbox"}],
        "inference_governance_users": USERS[1:2],
        "inference_governance_remediate": ["projects", "users"],
    }
    steps = [
        Step({**declared, "inference_governance_report_file": str(first)}, [seed_drift()]),
        Step({**remediate, "inference_governance_report_file": str(second)}),
        Step({**remediate, "inference_governance_fail_on_drift": True}),
        Step(without_owner, [RESET, seed_drift()]),
    ]
    reported, remediated, repeated, refused = run_role(sandbox, "inference_governance", steps, tmp_path)
    report = json.loads(first.read_text())
    assert (reported.failure, reported.writes, report["remediated"]) == ("", [], [])
    assert [finding["text"] for finding in report["remaining"]] == DRIFT
    assert not remediated.failure
    assert sorted(remediated.writes) == [
        "archive_project",
        "create_invite",
        "create_project",
        "delete_admin_key",
        "delete_user",
        *["update_project_limit"] * 3,
    ]
    assert [finding["text"] for finding in json.loads(second.read_text())["remediated"]] == DRIFT
    assert (repeated.failure, repeated.writes) == ("", [])
    assert refused.writes == ["archive_project", "delete_user"]
    assert refused.failure
    assert "olivia@sandbox.example is the last owner of the organization" in refused.output
    remainder = '"remaining": [ "User olivia@sandbox.example with the role owner is not declared."'
    assert remainder in refused.output


def test_check_mode_predicts_remediation(sandbox: Sandbox, tmp_path: Path) -> None:
    method, path, seed = seed_drift()
    sandbox.call(method, path, seed)
    inventory = tmp_path / "hosts.yml"
    variables = {"inference_governance_projects": PROJECTS, "inference_governance_remediate": ["projects"]}
    inventory.write_text(yaml.safe_dump({"inference": {"hosts": {"openai": variables}}}))
    output, succeeded = run_ansible(["buildworks.toolchain.governance", "-i", inventory, "--check"], sandbox)
    assert succeeded, output
    assert "write" not in {entry["effect"] for entry in sandbox.journal("inference")}
    assert f'"to be remediated": [ "{DRIFT[0]}"' in output
