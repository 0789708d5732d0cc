# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the control API: health, reset, seeds, clock and switches."""

from __future__ import annotations

import json
import re
import time

import pytest
import requests
import yaml

from sandbox import client
from support.wire.core import EXTENSIONS


def test_secret_is_required_except_for_health(sandbox):
    health = requests.get(f"{sandbox.url}/_sandbox/health")
    assert health.json() == {"status": "ok", "services": ["artifact", "ci", "review", "inference"]}
    for secret in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": sandbox.secret}):
        assert requests.get(f"{sandbox.url}/_sandbox/journal", headers=secret).status_code == 401


def test_unknown_path_returns_404_as_json(sandbox):
    answer = requests.get(f"{sandbox.url}/artifactoryish")
    assert (answer.status_code, answer.json()) == (404, {"error": "No service is available at /artifactoryish"})


def test_client_ignores_proxies_of_the_environment(sandbox, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    client.Sandbox(sandbox.url, sandbox.secret).clear_journal()


def test_environment_contains_every_service(sandbox):
    assert sandbox.environment["JFROG_URL"] == sandbox.url
    assert sandbox.environment["JFROG_ACCESS_TOKEN"]


def test_reset_restores_switches_clock_faults_and_journal(sandbox, ping):
    sandbox.switch("artifact", anonymous=True)
    sandbox.clock(advance=3600)
    sandbox.fault(kind="status", status=500)
    requests.get(ping)
    sandbox.reset()
    assert sandbox.switches()["artifact"]["anonymous"] is False
    assert abs(sandbox.clock()["now"] - time.time()) < 600
    assert sandbox.faults() == sandbox.journal() == []


def test_state_contains_tables_by_service(sandbox, artifactory):
    assert {
        name: {table: table_state["total"] for table, table_state in tables.items()}
        for name, tables in sandbox.state().items()
    } == {
        "artifact": {
            "repositories": 7,
            "users": 3,
            "groups": 1,
            "tokens": 1,
            "certificates": 0,
            "keypairs": 0,
            "trusted_keys": 0,
            "permissions": 0,
            "projects": 0,
            "replications": 0,
            "webhooks": 0,
            "ldap_settings": 0,
            "saml_settings": 0,
            "oidc_providers": 0,
            "release_bundles": 0,
            "licenses": 0,
            "cleanup_policies": 0,
            "builds": 2,
        },
        "ci": {"jobs": 3, "queue": 1, "nodes": 0, "credentials": 0, "users": 4, "plugins": 16},
        "review": {"projects": 2, "roles": 2, "users": 3, "groups": 1},
        "inference": {"projects": 3, "models": 37, "keys": 6, "users": 3, "invites": 1},
    }
    artifactory.put("/generic-local/new.txt", data=b"new")
    repositories = {row["key"]: row for row in sandbox.state()["artifact"]["repositories"]["rows"]}
    assert repositories["generic-local"] == {
        "key": "generic-local",
        "class": "local",
        "package_type": "generic",
        "files": 4,
        "_nested": "items",
    }
    assert repositories["libs-remote"]["files"] == 1  # the cache of the remote repository


def test_state_shows_artifactory_accounts_without_passwords(sandbox, artifactory):
    sandbox.seed(
        {"artifact": {"groups": [{"name": "team"}], "users": [{"name": "ann", "groups": ["readers", "team"]}]}}
    )
    principals = {"users": {"ann": ["r", "w"]}, "groups": {"team": ["r"]}}
    target = {"repositories": ["generic-local", "docker-local"], "principals": principals}
    assert artifactory.put("/api/security/permissions/deploy", json=target).status_code == 201
    tables = sandbox.state()["artifact"]
    users = {row["name"]: row for row in tables["users"]["rows"]}
    assert users["ann"] == {"name": "ann", "admin": "no", "locked": "no", "groups": "readers, team"}
    assert (users["admin"]["admin"], users["admin"]["groups"]) == ("yes", None)
    assert {row["name"]: row["members"] for row in tables["groups"]["rows"]} == {"readers": 3, "team": 1}
    assert tables["permissions"]["rows"] == [
        {"name": "deploy", "targets": "generic-local, docker-local", "users": 1, "groups": 1}
    ]
    assert "sandbox-admin" not in str(tables)


def test_state_changes_when_the_clock_advances(sandbox):
    queue, jobs = {}, {}
    for hours in (0, 10):
        sandbox.clock(advance=3600 * hours + 1)
        ci = sandbox.state()["ci"]
        queue[hours] = [row["job"] for row in ci["queue"]["rows"]]
        jobs[hours] = {row["name"]: row["last_build"] for row in ci["jobs"]["rows"]}
    assert (queue[0], queue[10]) == (["nightly"], [])
    assert (jobs[0]["nightly"], jobs[10]["nightly"]) == (None, 1)


def test_state_contains_no_secrets_and_at_most_100_rows(sandbox):
    model = {"created": 0, "owned_by": "system"}
    sandbox.seed({"inference": {"models": [{"id": f"model-{n}", **model} for n in range(200)]}})
    state = sandbox.state()
    assert (state["inference"]["models"]["total"], len(state["inference"]["models"]["rows"])) == (237, 100)
    for secret in ("JFROG_ACCESS_TOKEN", "JENKINS_API_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        assert sandbox.environment[secret] not in str(state)


def test_clock_is_set_advanced_and_frozen(sandbox):
    assert sandbox.clock(set=1_000_000)["now"] == pytest.approx(1_000_000, abs=5)
    assert sandbox.clock(advance=500)["now"] == pytest.approx(1_000_500, abs=5)
    stopped = sandbox.clock(frozen=True)["now"]
    time.sleep(0.02)
    clock = sandbox.clock()
    assert (clock["now"], clock["frozen"]) == (stopped, True)
    assert clock["offset"] == pytest.approx(stopped - time.time(), abs=600)
    assert sandbox.clock(advance=1)["now"] == pytest.approx(stopped + 1)
    with pytest.raises(client.SandboxError, match="400"):
        sandbox.clock(forward=1)


@pytest.mark.parametrize(
    ("service", "values", "complaint"),
    [
        ("artifact", {"colour": "red"}, "Unknown switch 'colour'"),
        ("artifact", {"anonymous": "yes"}, "expected bool"),
        ("nothing", {}, "Unknown service 'nothing'"),
    ],
)
def test_switches_are_rejected_when_name_or_type_is_wrong(sandbox, service, values, complaint):
    with pytest.raises(client.SandboxError, match=f"400.*{complaint}"):
        sandbox.switch(service, **values)


def test_readme_documents_switches_exports_and_seeds(sandbox):
    readme = (EXTENSIONS / "sandbox" / "README.md").read_text()
    (table,) = re.findall(r"### Switches\n(.*?)###", readme, re.DOTALL)
    for values in sandbox.switches().values():
        for name, value in values.items():
            default = json.dumps(value).strip('"') or "empty"
            assert any(f"`{name}`" in row and default in row for row in table.splitlines()), (name, default)
    for name in sandbox.environment:
        assert f"`{name}`" in readme
    (seed,) = re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)
    sandbox.seed(yaml.safe_load(seed), reset=True)
