# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A large server is exactly as its information modules say: managing their results changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox
from support.running import run

VERSION = "7.111.4"
TEAMS = 50
REPOSITORIES = [
    {"key": "libs-{n}-local", "rclass": "local", "packageType": "maven", "count": 400, "handleSnapshots": False},
    {"key": "npm-{n}-remote", "rclass": "remote", "packageType": "npm", "count": 300, "url": "https://npm.example/{n}"},
    {"key": "docker-{n}-local", "rclass": "local", "packageType": "docker", "count": 200, "maxUniqueTags": 10},
    {
        "key": "npm-{n}",
        "rclass": "virtual",
        "packageType": "npm",
        "count": 100,
        "repositories": ["npm-{n}-remote"],
    },
]
GROUPS = [{"name": f"team-{number:02}"} for number in range(TEAMS)]
USERS = [
    {"name": f"user-{number:03}", "email": f"user-{number:03}@example.com", "groups": [f"team-{number % TEAMS:02}"]}
    for number in range(500)
]
PERMISSIONS = [
    {
        "name": f"permission {number}",
        "resources": {
            "artifact": {
                "actions": {"groups": {f"team-{number % TEAMS:02}": ["READ", "WRITE"]}},
                "targets": {f"libs-{number}-local": {"include_patterns": ["org/**"]}},
            }
        },
    }
    for number in range(200)
]


@pytest.fixture
def large_server(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox with many repositories, users and permissions."""
    sandbox.switch("artifact", version=VERSION)
    objects = {"repositories": REPOSITORIES, "groups": GROUPS, "users": USERS, "permissions": PERMISSIONS}
    sandbox.seed({"artifact": objects})
    return sandbox


def run_on(sandbox: Sandbox, module: str, **options: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the result of a module and its requests."""
    sandbox.clear_journal()
    token = sandbox.environment["JFROG_ACCESS_TOKEN"]
    result = run(module, url=sandbox.url, token=token, workers=8, **options)
    assert not result.get("failed"), result
    return result, sandbox.journal("artifact")


@pytest.mark.parametrize(
    ("kind", "name", "options", "count", "most_requests"),
    [
        ("repository", "repositories", {"configuration": True}, 1000, 3),
        ("group", "groups", {}, TEAMS, TEAMS + 1),
        ("user", "users", {}, 500, 502),
        ("permission", "permissions", {}, 200, 203),
    ],
)
def test_objects_are_unchanged_when_their_information_is_declared(
    large_server: Sandbox, kind: str, name: str, options: dict[str, Any], count: int, most_requests: int
) -> None:
    information, reads = run_on(large_server, f"artifact_{kind}_info", **options)
    assert len(information[name]) >= count
    assert len(reads) <= most_requests + len(information[name]) - count
    result, requests = run_on(large_server, f"artifact_{kind}", items=information[name], undeclared="report")
    assert result["counts"] == {"changed": 0, "ok": len(information[name]), "failed": 0, "unknown": 0, "skipped": 0}
    assert (result["changed"], result["undeclared"]) == (False, [])
    assert {entry["effect"] for entry in requests} == {"read"}
    assert len(requests) <= most_requests + len(information[name]) - count
