# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles close access before they open it, continue after failures, and report them at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandbox.client import Sandbox
from support.steps import RESET, Step, StepResult, fault, run_role

USER = {"name": "dora", "email": "dora@example.com", "password": "Sandbox-d0ra"}


def permission(*actions: str) -> dict[str, Any]:
    """Return a permission of the group `movers`."""
    return {"name": "movers", "repositories": {"targets": {"generic-local": {}}, "groups": {"movers": [*actions]}}}


BEFORE: dict[str, Any] = {
    "artifact_provision_groups": [{"name": "movers", "members": ["reader"]}],
    "artifact_provision_permissions": [permission("read", "write")],
}
MOVED: dict[str, Any] = {
    "artifact_provision_repositories": [{"key": "broken", "type": "local", "package_type": "generic"}],
    "artifact_provision_groups": [{"name": "movers", "members": ["dora"], "purge": True}],
    "artifact_provision_users": [USER],
    "artifact_provision_permissions": [permission("read")],
}


def writes(result: StepResult) -> list[str]:
    """Return method and last part of the path of each write request."""
    return [
        f"{request['method']} {request['path'].split('/')[-1]}"
        for request in result.requests
        if request["effect"] == "write"
    ]


def test_members_leave_and_permissions_are_narrowed_before_members_join(sandbox: Sandbox, tmp_path: Path) -> None:
    broken = fault(service="artifact", kind="status", status=403, path="repositories/", effect="write", body="no")
    locked = fault(service="artifact", kind="status", status=403, path="permissions/", effect="write", body="locked")
    steps = [
        Step(BEFORE),
        Step(MOVED, [broken]),
        Step(MOVED),
        Step(BEFORE, [RESET]),
        Step(MOVED, [locked]),
        Step(MOVED),
    ]
    results = run_role(sandbox, "artifact_provision", steps, tmp_path)
    _before, moved, repeated, _again, failed, complete = results
    assert moved.failure.startswith("Manage repositories: 1 of 1 items failed. ")
    assert writes(moved) == ["PUT broken", "PATCH members", "POST users", "PATCH artifact", "PATCH members"]
    assert (repeated.failure, writes(repeated)) == ("", ["PUT broken"])
    assert failed.failure.startswith("Manage permissions: 1 of 1 items failed. ")
    assert failed.failure.endswith("Add members and privileges to groups: skipped because of these failures.")
    assert writes(failed) == ["PUT broken", "PATCH members", "POST users", "PATCH artifact"]
    assert (complete.failure, writes(complete)) == ("", ["PATCH artifact", "PATCH members"])


def test_other_sections_are_skipped_when_the_credential_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    refused = fault(service="artifact", kind="status", status=401, times=0)
    (result,) = run_role(sandbox, "artifact_provision", [Step(MOVED, [refused])], tmp_path)
    assert len(result.requests) == 1
    assert "Manage permissions: skipped because of these failures." in result.failure


TOKENS: dict[str, Any] = {
    "artifact_provision_token_descriptions": "team-.*",
    "artifact_provision_undeclared": {"tokens": "remove"},
}


def test_tokens_of_a_removed_team_are_revoked(sandbox: Sandbox, tmp_path: Path) -> None:
    tokens = [
        {"description": name, "subject": "admin", "token_file": str(tmp_path / name)}
        for name in ("team-a", "team-b", "other team-a")
    ]
    report = {**TOKENS, "artifact_provision_undeclared": {"tokens": "report"}, "artifact_provision_tokens": tokens[1:]}
    remove = {**TOKENS, "artifact_provision_tokens": tokens[1:]}
    unlimited = {"artifact_provision_undeclared": {"tokens": "remove"}}
    last = {**TOKENS, "artifact_provision_tokens": []}
    steps = [Step({"artifact_provision_tokens": tokens}), *map(Step, (report, unlimited, remove, remove, last))]
    created, reported, refused, removed, repeated, emptied = run_role(sandbox, "artifact_provision", steps, tmp_path)
    assert (created.failure, created.changed) == ("", 1)
    assert "These access tokens exist, but are not declared: team-a." in reported.output
    assert reported.writes == refused.writes == []
    assert "requires artifact_provision_token_descriptions" in refused.failure
    for result in (removed, emptied):
        assert (result.failure, [write.split()[0] for write in writes(result)]) == ("", ["DELETE"])
    assert (repeated.failure, repeated.writes) == ("", [])


FOLDER: dict[str, Any] = {
    "ci_provision_folders": [{"name": "vault"}],
    "ci_provision_credentials": [{"id": "key", "folder": "vault", "type": "secret_text", "secret": "s3cret-of-ours"}],
    "ci_provision_jobs": [{"name": "vault/app", "type": "freestyle"}],
    "ci_provision_authorization": [
        {"strategy": "project_matrix", "users": {"dora": ["Overall/Read"]}},
        {"folder": "vault", "inheritance": "none", "users": {"dora": ["Job/Read"]}},
    ],
}


def test_new_folder_is_closed_before_it_has_content(sandbox: Sandbox, tmp_path: Path) -> None:
    refused = fault(service="ci", kind="status", status=403, label="create_credential", body="no")
    locked = fault(service="ci", kind="status", status=403, path="vault/config.xml", effect="write", body="locked")
    steps = [Step(FOLDER, [refused]), Step(FOLDER), Step(FOLDER), Step(FOLDER, [RESET, locked])]
    failed, continued, repeated, open_still = run_role(sandbox, "ci_provision", steps, tmp_path)
    server, folder, matrix = "POST configure", "POST createItem", "POST config.xml"
    # The job is created although the credential was refused
    assert writes(failed) == [server, folder, matrix, "POST createCredentials", "POST createItem"]
    assert failed.failure.startswith("Manage credentials: 1 of 1 items failed. ")
    assert (continued.failure, writes(continued)) == ("", ["POST createCredentials"])
    assert (repeated.failure, repeated.writes) == ("", [])
    assert writes(open_still) == [server, folder, matrix]
    assert "Manage jobs: skipped because of these failures." in open_still.failure


PREDICTED: dict[str, Any] = {
    "ci_provision_folders": [{"name": "new"}, {"name": "new/web"}],
    "ci_provision_undeclared": {"folders": "report"},
}


def test_folders_are_predicted_once(sandbox: Sandbox, tmp_path: Path) -> None:
    (predicted,) = run_role(sandbox, "ci_provision", [Step(PREDICTED)], tmp_path, "--check", "--diff")
    (created,) = run_role(sandbox, "ci_provision", [Step(PREDICTED)], tmp_path)
    assert (predicted.failure, created.failure, predicted.changed, created.changed) == ("", "", 1, 1)


GROUP: dict[str, Any] = {
    "review_provision_groups": [{"name": "movers", "users": ["bob"]}],
    "review_provision_roles": [{"name": "Mover", "permissions": {"access_source_files": True}}],
}
MOVERS: dict[str, Any] = {
    "review_provision_groups": [{"name": "movers", "users": ["alice"]}, {"name": "newcomers", "users": ["bob"]}],
    "review_provision_roles": [{"name": "Mover", "permissions": {"access_source_files": False}}],
}


def test_members_of_klocwork_groups_join_after_roles_are_narrowed(sandbox: Sandbox, tmp_path: Path) -> None:
    locked = fault(service="review", kind="status", status=403, label="update_role_permissions", body="locked")
    steps = [Step(GROUP), Step(MOVERS, [locked]), Step(MOVERS), Step(MOVERS)]
    _before, failed, continued, repeated = run_role(sandbox, "review_provision", steps, tmp_path)
    # The member leaves the group, and a new group has no role
    assert failed.writes == ["update_group", "create_group", "update_role_permissions"]
    assert "Add members to groups: skipped because of these failures." in failed.failure
    assert (continued.failure, continued.writes) == ("", ["update_role_permissions", "update_group"])
    assert (repeated.failure, repeated.writes) == ("", [])
