# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions of Artifactory on the sandbox, with each API that servers have."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox import client
from support.running import run

VERSIONS = ("7.77.3", "7.71.0", "6.5.0")
TASK = {
    "name": "wéb team",
    "repositories": {
        "targets": {"generic-local": {"include_patterns": ["web/**"]}, "libs-remote": {"include_patterns": ["web/**"]}},
        "users": {"Reader": ["read", "scan"]},
        "groups": {"readers": ["read", "annotate", "write", "delete", "manage"]},
    },
}


def run_task(sandbox: client.Sandbox, **options: Any) -> dict[str, Any]:
    """Run the module with the token of an administrator."""
    access = {"url": sandbox.url, "token": sandbox.environment["JFROG_ACCESS_TOKEN"]}
    result = run("artifact_permission", **access, **{**TASK, **options})
    assert not result.get("failed"), result.get("msg")
    return result


def set_version(sandbox: client.Sandbox, version: str) -> None:
    """Switch the version, and forget that of the connections to the server."""
    sandbox.switch("artifact", version=version)
    session._CONNECTIONS.clear()


def count_writes(sandbox: client.Sandbox) -> int:
    """Return the number of write requests since the last call."""
    writes = [entry for entry in sandbox.journal("artifact") if entry["effect"] == "write"]
    sandbox.clear_journal()
    return len(writes)


@pytest.mark.parametrize("version", VERSIONS)
def test_permission_converges_with_each_api(sandbox, version):
    set_version(sandbox, version)
    remaining = {"targets": {"ANY REMOTE": {"exclude_patterns": ["secret/**"]}}, "users": {"reader": ["read"]}}
    for options in (
        {},
        {"repositories": {"users": {"reader": []}}},
        {"repositories": remaining, "purge": True},
        {"state": "absent"},
    ):
        predicted = run_task(sandbox, check_mode=True, diff_mode=True, **options)
        actual = run_task(sandbox, diff_mode=True, **options)
        assert actual["changed"] is True
        assert {**predicted, "warnings": None} == {**actual, "warnings": None}
        count_writes(sandbox)
        again = run_task(sandbox, **options)
        assert (again["changed"], again["permission"], count_writes(sandbox)) == (False, actual["permission"], 0)


@pytest.mark.parametrize("version", VERSIONS)
def test_permission_is_unchanged_after_an_upgrade(sandbox, version):
    set_version(sandbox, version)
    run_task(sandbox)
    set_version(sandbox, "7.104.2")
    assert run_task(sandbox, purge=True)["changed"] is False


@pytest.mark.parametrize("wildcard", ["ANY LOCAL", "ANY REMOTE"])
def test_permission_converges_when_the_server_expands_wildcards(sandbox, wildcard):
    sandbox.switch("artifact", expanded_wildcards=True, permission_destinations=True)
    declared = {"repositories": {"targets": {wildcard: {}}, "groups": {"readers": ["read"]}}, "purge": True}
    assert run_task(sandbox, **declared)["changed"] is True
    assert run_task(sandbox, **declared)["changed"] is False


def test_many_unchanged_permissions_cost_one_request_each(sandbox):
    resource = {"actions": {"groups": {"readers": ["READ"]}}, "targets": {"generic-local": {}, "libs-remote-cache": {}}}
    names = [f"team-{number}" for number in range(200)]
    permissions = [{"name": name, "resources": {"artifact": resource}} for name in names]
    sandbox.seed({"artifact": {"permissions": permissions}})
    items = [
        {
            "name": name,
            "repositories": {"targets": {"generic-local": {}, "libs-remote": {}}, "groups": {"readers": ["read"]}},
        }
        for name in names
    ]
    sandbox.clear_journal()
    access = {"url": sandbox.url, "token": sandbox.environment["JFROG_ACCESS_TOKEN"]}
    result = run("artifact_permission", **access, items=items, workers=8, undeclared="report")
    assert (result["changed"], result["undeclared"]) == (False, [])
    labels = [entry["label"] for entry in sandbox.journal("artifact")]
    assert sorted(set(labels)) == ["list_platform_permissions", "list_repositories", "platform_permission"]
    assert len(labels) == 202
