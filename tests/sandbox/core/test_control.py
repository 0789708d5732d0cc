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
            "platform_objects": 0,
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
        ("artifact", {"anonymous": "yes"}, "expected boolean"),
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


NONSENSE = [
    ("PATCH", "switches", {"artifact": {"edition": "entreprise"}}, 'expected one of "oss", "pro", "enterprise"'),
    ("PATCH", "switches", {"artifact": {"edition": 1}}, "expected string, not 1"),
    ("PATCH", "switches", {"artifact": {"version": "abc"}}, 'expected a version such as 7.77.3, not "abc"'),
    ("PATCH", "switches", {"artifact": {"version": ""}}, "expected a version such as 7.77.3"),
    ("PATCH", "switches", {"artifact": {"version": "7."}}, "expected a version"),
    ("PATCH", "switches", {"artifact": {"search_limit": -1}}, "expected a number that is not negative, not -1"),
    ("PATCH", "switches", {"artifact": {"search_limit": 1.5}}, "expected whole number"),
    ("PATCH", "switches", {"artifact": {"webhook_conflict_status": 418}}, "expected one of 409, 400"),
    ("PATCH", "switches", {"artifact": {"trashcan": 1}}, "expected boolean"),
    ("PATCH", "switches", {"artifact": {"trashcan": None}}, "expected boolean, not null"),
    ("PATCH", "switches", {"artifact": []}, "must be an object"),
    ("PATCH", "switches", {"ci": {"version": "latest"}}, "expected a version"),
    ("PATCH", "switches", {"ci": {"restart_seconds": -0.5}}, "not negative"),
    ("PATCH", "switches", {"ci": {"restart_stages": [{"stage": "x"}]}}, "expected a list of objects with 'stage'"),
    ("PATCH", "switches", {"ci": {"restart_stages": ["stopping"]}}, "expected a list of objects with 'stage'"),
    ("PATCH", "switches", {"ci": {"restart_stages": [{"stage": "refused", "seconds": -1}]}}, "positive 'seconds'"),
    ("PATCH", "switches", {"review": {"version_major": "x"}}, "expected a version"),
    ("PATCH", "switches", {"review": {"kwadmin_warnings": [1]}}, "expected a list of strings"),
    ("PATCH", "switches", {"inference": {"chat_failure": "fire"}}, 'expected one of "", "rate_limit_exceeded"'),
    ("PATCH", "switches", {"inference": {"chat_failure_headers": {"a": []}}}, "expected an object of strings"),
    ("PATCH", "switches?x=1", {}, "Unknown argument 'x'. The path has no arguments."),
    ("POST", "faults", {}, "A fault requires 'kind', one of: latency, status"),
    ("POST", "faults", {"kind": "fire"}, "Unknown kind of fault 'fire'"),
    ("POST", "faults", {"kind": ["status"]}, "The 'kind' of a fault must be a string"),
    ("POST", "faults", {"kind": "truncate", "nth": 0}, "The 'nth' of a fault must be 1 or more"),
    ("POST", "faults", {"kind": "truncate", "nth": 1.5}, "The 'nth' of a fault must be a whole number"),
    ("POST", "faults", {"kind": "truncate", "times": -1}, "The 'times' of a fault must be 0 or more"),
    ("POST", "faults", {"kind": "latency", "seconds": -1}, "The 'seconds' of a fault must be 0 or more"),
    ("POST", "faults", {"kind": "truncate", "for_seconds": -1}, "'for_seconds' of a fault must be positive"),
    ("POST", "faults", {"kind": "truncate", "matched": 5}, "A fault has no member 'matched'. Its members are: kind"),
    ("POST", "faults", {"kind": "truncate", "id": 5}, "A fault has no member 'id'"),
    ("POST", "faults", {"kind": "truncate", "tines": 5}, "A fault has no member 'tines'"),
    ("POST", "faults", {"kind": "truncate", "path": "("}, "The 'path' of a fault is not a valid regular expression."),
    ("POST", "faults", {"kind": "status", "status": 500, "headers": {"a": [1]}}, "The 'headers' of a fault must be"),
    ("POST", "faults/presets/unavailable", {"tines": 5}, "A fault has no member 'tines'"),
    ("PUT", "clock", {"frozen": "no"}, "'frozen' of the clock must be true or false"),
    ("PUT", "clock", {"set": "now"}, "'set' of the clock must be a number of seconds"),
    ("PUT", "clock", {"set": -1}, "must be between 1970 and the year 9000"),
    ("PUT", "clock", {"advance": True}, "'advance' of the clock must be a number of seconds"),
    ("PUT", "clock", {"advance": 1e300}, "'advance' of the clock must be a number of seconds"),
    ("PUT", "clock", [], "A change of the clock must be an object"),
    ("GET", "journal?status=x", None, "The argument 'status' must be a status, its first digits, or 'none'."),
    ("GET", "journal?service=artefact", None, "Unknown service 'artefact'. Use one of: artifact, ci"),
    ("GET", "journal?method=get", None, "The argument 'method' must be an HTTP method in capital letters."),
    ("GET", "journal?effect=append", None, "The argument 'effect' must be 'read' or 'write'."),
    ("GET", "journal?first=1", None, "Unknown argument 'first'. Valid arguments: service, method, status"),
    ("GET", "journal?last=1&last=2", None, "An argument is given twice."),
    ("GET", "journal?last=%C2%B2", None, "last must be a number"),
    ("GET", "state?table=users", None, "Unknown argument 'table'. The path has no arguments."),
    ("POST", "seed?reset=yes", {}, "The argument 'reset' must be 0 or 1."),
    ("POST", "seed", {"ci": {"jobs": [{"name": 5}]}}, "seed.ci"),
    ("POST", "reset?hard=1", None, "Unknown argument 'hard'"),
]
PYTHON_WORDS = ("__init__", "positional argument", "NoneType", "object is not", "has no attribute", "Traceback", "str(")


@pytest.mark.parametrize(("method", "path", "body", "message"), NONSENSE)
def test_request_is_400_in_own_words_when_it_makes_no_sense(sandbox, method, path, body, message):
    before = (sandbox.switches(), sandbox.call("GET", "faults"), sandbox.clock()["offset"])
    with pytest.raises(client.SandboxError) as refusal:
        sandbox.call(method, path, body)
    assert "400" in str(refusal.value)
    assert message in str(refusal.value).replace('\\"', '"')
    assert not any(words in str(refusal.value) for words in PYTHON_WORDS)
    switches, faults, offset = before
    assert (sandbox.switches(), sandbox.call("GET", "faults")) == (switches, faults)
    assert sandbox.clock()["offset"] == pytest.approx(offset, abs=5)


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("seed", b"{", "The seed is neither valid JSON nor valid YAML: see line 1, column 2."),
        ("seed", b"\xff\xfe\xfd", "The seed is neither valid JSON nor valid YAML"),
        ("faults", b"{", "A fault is not valid JSON: see line 1, column 2."),
        ("faults", b"", "A fault is not valid JSON: see line 1, column 1."),
        ("faults", b'{"a": "\xff"}', "A fault is not UTF-8."),
        ("faults", b'{"kind": "latency", "seconds": NaN}', "NaN is not JSON"),
    ],
)
def test_body_is_400_in_own_words_when_it_cannot_be_parsed(sandbox, path, body, message):
    headers = {"Authorization": f"Bearer {sandbox.secret}"}
    answer = requests.post(f"{sandbox.url}/_sandbox/{path}", body, headers=headers)
    assert answer.status_code == 400
    assert message in answer.json()["error"]
