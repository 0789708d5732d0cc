# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles `inference_provision` and `inference_governance`: one run changes, the next only reads."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support import running
from support.playbook import ROOT, play_mistakes, played

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
MADE = ["create_project", "update_project_limit", "update_project_limit", "update_project_limit"]
# As few as can be: the list, and one for each project with limits
READS = ["list_projects", "list_project_limits", "list_project_limits"]


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


class Organization:
    """The sandbox's organization, provisioned by the playbook."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self._sandbox = sandbox
        self._inventory = folder / "hosts.ini"
        self._inventory.write_text("[inference]\nopenai\n")
        self._values = folder / "values.json"

    def play(self, playbook: str, *options: str, **variables: Any) -> tuple[str, list[str], list[str]]:
        """The output in one line, the writes and the reads."""
        self._values.write_text(json.dumps(variables))
        self._sandbox.clear_journal()
        command = [f"buildworks.toolchain.{playbook}", "-i", self._inventory, "-e", f"@{self._values}", *options]
        self.output, self.well = played(command, self._sandbox)
        journal = self._sandbox.journal("inference")
        writes, reads = ([entry["label"] for entry in journal if entry["effect"] == kind] for kind in ("write", "read"))
        return self.output, writes, reads


@pytest.fixture
def organization(sandbox: Sandbox, tmp_path: Path) -> Organization:
    return Organization(sandbox, tmp_path)


def listed() -> dict[str, Any]:
    """The projects with their limits, by name."""
    projects = running.run("inference_project_info", details=["rate_limits"])["projects"]
    return {project["name"]: project for project in projects}


def test_projects_with_limits_are_there_at_once_and_once(organization: Organization) -> None:
    output, writes, _reads = organization.play("provision", "--check", inference_provision_projects=PROJECTS)
    assert organization.well, output
    assert "changed=2 " in output
    assert not writes
    output, writes, reads = organization.play("provision", inference_provision_projects=PROJECTS)
    assert organization.well, output
    assert writes == MADE
    search = listed()["Search & find"]
    assert search["external_key_id"] == "ext_1"
    assert search["rate_limits"]["gpt-4o"]["max_tokens_per_1_minute"] == 1000
    output, writes, reads = organization.play("provision", inference_provision_projects=PROJECTS)
    assert "changed=0 " in output
    assert (writes, reads) == ([], READS)


def test_people_accounts_and_keys_are_there_at_once_and_once(organization: Organization, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("indexer.key", "audit.key")]
    wanted = {
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
    output, writes, _reads = organization.play("provision", "--check", **wanted)
    assert organization.well, output
    assert not writes
    output, writes, _reads = organization.play("provision", **wanted)
    assert organization.well, output
    assert writes == [
        "create_project",
        "create_invite",
        "delete_user",
        "create_service_account",
        "delete_service_account",
        "create_admin_key",
    ]
    values = [file.read_text().strip() for file in files]
    assert [value.startswith(start) for value, start in zip(values, ("sk-svcacct-", "sk-admin-"), strict=True)]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]
    assert not any(value in output for value in values)
    output, writes, _reads = organization.play("provision", **wanted)
    assert "changed=0 " in output
    assert not writes


def test_projects_are_renamed_and_archived(organization: Organization) -> None:
    organization.play("provision", inference_provision_projects=[{"name": "Old"}, {"name": "Done with"}])
    wanted = [{"name": "New", "id": listed()["Old"]["id"]}, {"name": "Done with", "state": "absent"}]
    output, writes, _reads = organization.play("provision", inference_provision_projects=wanted)
    assert organization.well, output
    assert writes == ["update_project", "archive_project"]
    assert set(listed()) == {"Default project", "Sandbox", "New"}
    output, writes, reads = organization.play("provision", inference_provision_projects=wanted)
    assert "changed=0 " in output
    assert (writes, reads) == ([], ["list_projects"])


def test_mistakes_are_reported_before_anything_is_written(sandbox: Sandbox, tmp_path: Path) -> None:
    limit = {"model": "gpt-4o", "max_requests_per_minute": 1}
    keyless = {"name": "x", "project_name": "Sandbox"}
    wrong = [
        ("projects", {"name": "Sandbox", "limits": [limit]}, "Supported parameters"),
        ("projects", {"name": "Default project", "state": "absent"}, "can be neither changed nor archived"),
        ("service_accounts", keyless, "state is present but all of the following are missing: key_file"),
    ]
    mistakes = [{f"inference_provision_{name}": [entry]} for name, entry, _problem in wrong]
    messages = play_mistakes("buildworks.toolchain.provision", "inference", mistakes, tmp_path, sandbox=sandbox)
    for message, (_name, _entry, problem) in zip(messages, wrong, strict=True):
        assert problem in message
    assert not [entry for entry in sandbox.journal("inference") if entry["effect"] == "write"]


USERS = [
    {"email": "olivia@sandbox.example", "role": "owner"},
    {"email": "alice@sandbox.example", "role": "reader"},
    {"email": "dora@sandbox.example", "role": "reader", "projects": []},
]
DRIFT = [
    "There is no project 'Search & find'.",
    "The project 'Shadow' (proj_shadow) is not declared.",
    "The limits of the project 'Search & find' are not set.",
    "The project 'Sandbox' has 500 as max_requests_per_1_minute of gpt-4, but shall have 7.",
    "dora@sandbox.example is neither in the organization nor invited.",
    "bob@sandbox.example is in the organization as reader, but is not declared.",
    "The admin key 'Old' (key_old, of an owner that is not told) is 400 days old, which is more than 90.",
]


def drifted(sandbox: Sandbox) -> None:
    """A project and a key that nobody declared; all other keys are as of today."""
    today = int(time.time())
    keys = [{**key, "created_at": today} for key in SEEDED["keys"]]
    old = {"key": "sk-admin-old00000000000", "id": "key_old", "name": "Old", "organization": "org-sandbox"}
    shadow = {"id": "org-sandbox", "name": "sandbox", "projects": [{"id": "proj_shadow", "name": "Shadow"}]}
    old["created_at"] = today - 400 * 86_400 - 3600
    sandbox.seed({"inference": {"organizations": [shadow], "keys": [*keys, old]}})


def test_drift_is_reported_and_mended_when_told(organization: Organization, sandbox: Sandbox, tmp_path: Path) -> None:
    drifted(sandbox)
    declared = {
        "inference_governance_projects": PROJECTS,
        "inference_governance_users": USERS,
        "inference_governance_max_key_age_days": 90,
        "inference_governance_report_file": str(tmp_path / "report.json"),
    }
    output, writes, _reads = organization.play("governance", **declared)
    assert organization.well, output
    report = json.loads((tmp_path / "report.json").read_text())
    assert (writes, report["mended"]) == ([], [])
    assert [finding["text"] for finding in report["remaining"]] == DRIFT
    declared["inference_governance_mend"] = ["projects", "limits", "users", "keys"]
    output, writes, _reads = organization.play("governance", "--check", **declared)
    assert organization.well, output
    assert not writes
    assert f'"to be mended": [ "{DRIFT[0]}"' in output
    output, writes, _reads = organization.play("governance", **declared)
    assert organization.well, output
    assert sorted(writes) == [
        "archive_project",
        "create_invite",
        "create_project",
        "delete_admin_key",
        "delete_user",
        *["update_project_limit"] * 3,
    ]
    report = json.loads((tmp_path / "report.json").read_text())
    assert [finding["text"] for finding in report["mended"]] == DRIFT
    declared["inference_governance_fail_on_drift"] = True
    output, writes, _reads = organization.play("governance", **declared)
    assert organization.well, output
    assert not writes


@pytest.mark.ansible_core
def test_what_cannot_be_mended_stops_nothing_else_and_is_told(organization: Organization, sandbox: Sandbox) -> None:
    drifted(sandbox)
    output, writes, _reads = organization.play(
        "governance",
        inference_governance_projects=[{"name": "Sandbox"}],
        inference_governance_users=USERS[1:2],
        inference_governance_mend=["projects", "users"],
    )
    assert not organization.well
    assert writes == ["archive_project", "delete_user"]
    assert "olivia@sandbox.example is the last owner of the organization" in output
    assert '"remaining": [ "olivia@sandbox.example is in the organization as owner, but is not declared."' in output
