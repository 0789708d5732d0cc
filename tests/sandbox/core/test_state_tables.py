# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the tables of the state."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox import client
from support.work import processor_time, run_within

COUNT = 50_000


def walk(sandbox: client.Sandbox) -> list[tuple[str, str, dict[str, Any]]]:
    """Return all rows of all tables, each with the service and the path of the table."""
    pending = [
        (service, name, row, table["nested"])
        for service, tables in sandbox.state().items()
        for name, table in tables.items()
        for row in table["rows"]
    ]
    found = []
    while pending:
        service, path, row, nested = pending.pop()
        found.append((service, path, row))
        names = row["_nested"].split(",") if "_nested" in row else nested
        for name in filter(None, names):
            below = sandbox.state_table(service, name, row.get("_id", next(iter(row.values()))))
            pending += [(service, f"{path} {name}", inner, below["nested"]) for inner in below["rows"]]
    return found


def find(rows: list[tuple[str, str, dict[str, Any]]], service: str, path: str, **values: Any) -> dict[str, Any]:
    """Return the row of a table with these values."""
    matching = [row for row in rows if row[:2] == (service, path) and values.items() <= row[2].items()]
    assert matching, (service, path, values)
    return matching[0][2]


def test_tables_lead_to_all_objects(sandbox):
    sandbox.seed(
        {
            "artifact": {
                "permissions": [
                    {
                        "name": "web",
                        "resources": {
                            "artifact": {
                                "targets": {"generic-local": {}},
                                "actions": {"groups": {"readers": ["READ", "WRITE"]}},
                            }
                        },
                    }
                ]
            },
            "ci": {
                "agents": [{"name": "linux"}],
                "credentials": [{"id": "deploy", "type": "secret_text", "secret": "hidden-secret"}],
            },
        }
    )
    rows = walk(sandbox)
    file = find(rows, "artifact", "repositories items contents contents", name="app-1.0.tar.gz")
    assert file["size"] == 17
    assert len(file["sha256"]) == 64
    path = "repositories items contents contents properties"
    assert find(rows, "artifact", path, name="build.number")["value"] == "1"
    assert find(rows, "artifact", "tokens", subject="admin")["expires"] == "never"
    assert find(rows, "artifact", "permissions grants", name="readers")["actions"] == "READ, WRITE"
    assert find(rows, "artifact", "builds runs", number="1", promotion="staged")
    assert find(rows, "ci", "jobs builds", number=2)["result"] == "SUCCESS"
    assert find(rows, "ci", "nodes", name="linux")["connected"] == "yes"
    assert find(rows, "ci", "credentials", id="deploy")["store"] == "Jenkins"
    assert find(rows, "ci", "users", name="admin")["api_tokens"] == 1
    assert find(rows, "ci", "plugins", name="cloudbees-folder")["enabled"] == "yes"
    assert find(rows, "review", "projects builds", name="build_3")
    assert find(rows, "review", "projects issues_by_status", status="Fix")["issues"] == 1
    assert find(rows, "review", "projects issues_by_status issues", id=2)["owner"] == "alice"
    assert find(rows, "review", "roles assignments", account="admin")["project"] == "all projects"
    assert find(rows, "review", "groups members", user="bob")
    assert find(rows, "inference", "projects members", email="Alice@sandbox.example")["role"] == "member"
    assert find(rows, "inference", "projects service_accounts", name="pipeline")
    assert find(rows, "inference", "projects project_keys", name="Only reads models")["class"] == "secret"
    text = json.dumps(rows)
    secrets = [value for name, value in sandbox.environment.items() if name.endswith(("_TOKEN", "_KEY"))]
    assert [secret for secret in (*secrets, "sandbox-admin", "hidden-secret") if secret in text] == []


def test_large_folder_is_read_in_pages(sandbox):
    sandbox.seed(
        {
            "artifact": {
                "repositories": [
                    {
                        "key": "many-local",
                        "rclass": "local",
                        "packageType": "generic",
                        "generate": [{"path": "many/{n}.bin", "count": COUNT, "size": 1}],
                    }
                ]
            }
        }
    )
    folder = sandbox.state_table("artifact", "items", "many-local")["rows"][0]

    def read_ends() -> list[dict[str, Any]]:
        return [sandbox.state_table("artifact", "contents", folder["_id"], offset) for offset in (0, COUNT - 1)]

    first, last = run_within(5, read_ends, lambda: processor_time(sandbox) / 1000)
    assert (first["total"], len(first["rows"]), len(last["rows"])) == (COUNT, 100, 1)
    names = [row["name"] for row in (*first["rows"], *last["rows"])]
    assert names == sorted(names)


@pytest.mark.parametrize("path", ["artifact/fire", "fire/users", "artifact/users?parent=admin", "artifact/items"])
def test_unknown_table_is_not_found(sandbox, path):
    with pytest.raises(client.SandboxError, match=r"404.*does not exist"):
        sandbox.call("GET", f"state/{path}")


def test_table_is_empty_when_the_parent_does_not_exist(sandbox):
    assert sandbox.state_table("artifact", "items", "missing' OR 1=1")["total"] == 0
