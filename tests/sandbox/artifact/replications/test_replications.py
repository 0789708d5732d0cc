# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of replications in Artifactory."""

from __future__ import annotations

from typing import Any

import pytest

from support.session import Session
from support.wire.artifact import error_of

REPLICATIONS = "/api/replications"
LOCAL, MULTIPLE = f"{REPLICATIONS}/generic-local", f"{REPLICATIONS}/multiple/generic-local"
EAST, WEST = (f"https://{site}.example.com/artifactory/generic" for site in ("east", "west"))
CRON = "0 0 2 * * ?"
PUSH = {"url": EAST, "username": "replicator", "password": "pw", "cronExp": CRON}
MEDIA_TYPE = "application/vnd.org.jfrog.artifactory.replications.ReplicationConfigRequest+json"


def find_urls(artifactory: Session) -> list[str]:
    """Return the targets of the repository in the Enterprise edition."""
    response = artifactory.get(LOCAL)
    return [] if response.status_code == 404 else [entry["url"] for entry in response.json()]


def test_push_replication_is_created_updated_and_deleted(artifactory):
    created = artifactory.put(LOCAL, json=PUSH, headers={"Content-Type": MEDIA_TYPE})
    assert (created.status_code, created.content) == (201, b"")
    replication = artifactory.get(LOCAL).json()
    assert replication.pop("password").startswith("AM.")
    assert replication == {
        "enabled": False,
        "cronExp": CRON,
        "syncDeletes": False,
        "syncProperties": True,
        "enableEventReplication": False,
        "checkBinaryExistenceInFilestore": False,
        "includePathPrefixPattern": "",
        "excludePathPrefixPattern": "",
        "url": EAST,
        "username": "replicator",
        "socketTimeoutMillis": 15000,
        "syncStatistics": False,
        "disableProxy": False,
        "repoKey": "generic-local",
        "replicationKey": "generic-local_https_996e05c713",
        "replicationType": "PUSH",
    }
    assert artifactory.post(LOCAL, json={"url": EAST, "syncDeletes": True}).status_code == 200
    changed = artifactory.get(LOCAL).json()
    assert (changed["syncDeletes"], changed["cronExp"], changed["username"]) == (True, CRON, "replicator")
    assert artifactory.put(LOCAL, json=PUSH).status_code == 200
    assert not artifactory.get(LOCAL).json()["syncDeletes"]
    assert artifactory.delete(LOCAL).status_code == 200
    assert error_of(artifactory.get(LOCAL)) == (404, "Could not find replication")


def test_pull_replication_has_no_target(artifactory):
    artifactory.post("/api/repositories/libs-remote", json={"username": "me", "password": "pw"})
    assert artifactory.put(f"{REPLICATIONS}/libs-remote", json={"cronExp": CRON, "enabled": True}).status_code == 201
    assert artifactory.get(f"{REPLICATIONS}/libs-remote").json() == {
        "enabled": True,
        "cronExp": CRON,
        "syncDeletes": False,
        "syncProperties": True,
        "enableEventReplication": False,
        "checkBinaryExistenceInFilestore": False,
        "includePathPrefixPattern": "",
        "excludePathPrefixPattern": "",
        "repoKey": "libs-remote",
        "replicationKey": "libs-remote",
        "replicationType": "PULL",
    }


def test_several_targets_share_the_schedule_in_the_enterprise_edition(artifactory, sandbox):
    sandbox.switch("artifact", edition="enterprise")
    body = {"cronExp": CRON, "enableEventReplication": True, "replications": [PUSH, {**PUSH, "url": WEST}]}
    assert artifactory.put(MULTIPLE, json=body).status_code == 201
    changed = {"cronExp": "0 0 3 * * ?", "replications": [{"url": WEST, "enabled": True}]}
    assert artifactory.post(MULTIPLE, json=changed).status_code == 200
    entries = artifactory.get(LOCAL).json()
    assert [(entry["url"], entry["enabled"], entry["cronExp"]) for entry in entries] == [
        (EAST, False, "0 0 3 * * ?"),
        (WEST, True, "0 0 3 * * ?"),
    ]
    assert all(entry["enableEventReplication"] for entry in entries)
    assert error_of(artifactory.delete(f"{LOCAL}?url=https://other.example.com/x")) == (400, "Invalid replication url")
    assert artifactory.delete(LOCAL, params={"url": EAST}).status_code == 200
    assert find_urls(artifactory) == [WEST]


def test_update_adds_targets_in_the_enterprise_edition(artifactory, sandbox):
    sandbox.switch("artifact", edition="enterprise")
    artifactory.put(LOCAL, json=PUSH)
    body = {"cronExp": CRON, "replications": [{"url": EAST}, {**PUSH, "url": WEST}]}
    assert artifactory.post(MULTIPLE, json=body).status_code == 200
    assert find_urls(artifactory) == [EAST, WEST]
    third = "https://third.example.com/artifactory/generic"
    assert artifactory.put(LOCAL, json=[PUSH, {**PUSH, "url": third, "cronExp": "x"}]).status_code == 200
    assert find_urls(artifactory) == [EAST, third]


def test_several_targets_are_refused_when_the_edition_is_not_enterprise(artifactory):
    for response in (
        artifactory.put(MULTIPLE, json={"cronExp": CRON, "replications": [PUSH]}),
        artifactory.put(LOCAL, json=[PUSH, {**PUSH, "url": WEST}]),
    ):
        status, message = error_of(response)
        assert (status, "Enterprise" in message) == (400, True)
    assert error_of(artifactory.get(LOCAL))[0] == 404


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cronExp": None}, "cronExp is required"),
        ({"cronExp": "0 2 * * *"}, "Invalid cronExp"),
        ({"cronExp": "0 0 2 * * *"}, "Invalid cronExp"),
        ({"cronExp": "0 0 24 * * ?"}, "Invalid cronExp"),
        ({"url": ""}, "url is required"),
        ({"url": "ftp://example.com"}, "Invalid url [ftp://example.com]"),
        ({"username": ""}, "username is required"),
        ({"proxy": "missing"}, "Could not find proxy"),
    ],
)
def test_invalid_replication_is_refused(artifactory, fields, message):
    assert error_of(artifactory.put(LOCAL, json={**PUSH, **fields})) == (400, message)
    assert error_of(artifactory.get(LOCAL))[0] == 404


@pytest.mark.parametrize("cron", ["0 0/5 * ? * MON-FRI", "0 0 /4 * * ?", "0 0 0 L * ? 2030", "0 0 0 ? * 6#3"])
def test_cron_expression_is_accepted(artifactory, cron):
    assert artifactory.put(LOCAL, json={**PUSH, "cronExp": cron}).status_code == 201


def test_unsuitable_repositories_are_refused(artifactory):
    for method in ("GET", "PUT", "POST", "DELETE"):
        response = artifactory.request(method, f"{REPLICATIONS}/nope", json=PUSH)
        assert error_of(response) == (400, "Could not find repository")
    assert error_of(artifactory.put(f"{REPLICATIONS}/libs-release", json=PUSH)) == (400, "Invalid repository")


def test_pull_replication_requires_a_user_before_version_6(artifactory, sandbox):
    replication = f"{REPLICATIONS}/libs-remote"
    sandbox.switch("artifact", version="5.4.6")
    status, message = error_of(artifactory.put(replication, json={"cronExp": CRON}))
    assert (status, message.split(" to the")[0]) == (401, "Pull replication requires non-anonymous authentication")
    sandbox.switch("artifact", version="7.161.5", edition="enterprise")
    assert artifactory.put(replication, json={"cronExp": CRON}).status_code == 201
    assert artifactory.get(replication).json()["replicationType"] == "PULL"  # no list, unlike replications of others


def test_missing_replication_is_neither_updated_nor_deleted(artifactory):
    message = "Could not find existing replication for {}"
    assert error_of(artifactory.post(LOCAL, json=PUSH)) == (400, message.format("update"))
    assert error_of(artifactory.delete(LOCAL)) == (400, message.format("delete"))


@pytest.mark.parametrize(("mode", "password"), [("stored", "pw"), ("absent", None)])
def test_password_is_returned_as_the_switch_says(artifactory, sandbox, mode, password):
    sandbox.switch("artifact", replication_passwords=mode)
    artifactory.put(LOCAL, json=PUSH)
    assert artifactory.get(LOCAL).json().get("password") == password


def test_encrypted_password_differs_between_responses(artifactory):
    artifactory.put(LOCAL, json=PUSH)
    assert artifactory.get(LOCAL).json()["password"] != artifactory.get(LOCAL).json()["password"]


def test_all_replications_are_listed_when_the_server_has_the_call(artifactory, sandbox):
    artifactory.put(LOCAL, json=PUSH)
    assert [entry["repoKey"] for entry in artifactory.get(REPLICATIONS).json()] == ["generic-local"]
    sandbox.switch("artifact", replication_list=False)
    assert artifactory.get(REPLICATIONS).status_code == 404


def test_status_of_a_missing_replication_is_400_when_the_switch_says_so(artifactory, sandbox):
    sandbox.switch("artifact", missing_replication_status=400)
    assert error_of(artifactory.get(LOCAL)) == (400, "Could not find replication")


def test_patterns_are_a_prefix_before_7_24_4(artifactory, sandbox):
    sandbox.switch("artifact", version="7.20.0")
    artifactory.put(LOCAL, json={**PUSH, "pathPrefix": "app", "includePathPrefixPattern": "**"})
    replication: dict[str, Any] = artifactory.get(LOCAL).json()
    assert replication["pathPrefix"] == "app"
    assert "includePathPrefixPattern" not in replication


def test_proxy_is_returned_as_a_reference(artifactory):
    patch = b"proxies:\n  corporate:\n    host: proxy.example.com\n    port: 8080\n"
    headers = {"Content-Type": "application/yaml"}
    assert artifactory.patch("/api/system/configuration", data=patch, headers=headers).status_code == 200
    artifactory.put(LOCAL, json={**PUSH, "proxy": "corporate"})
    replication = artifactory.get(LOCAL).json()
    assert (replication["proxyRef"], "proxy" in replication) == ("corporate", False)


def test_replications_require_an_administrator_and_the_pro_edition(artifactory, artifactory_reader, sandbox):
    assert error_of(artifactory_reader.get(LOCAL)) == (403, "Forbidden")
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.get(LOCAL))[1].startswith("This REST API is available only in Artifactory Pro")


def test_write_fails_when_the_descriptor_cannot_be_merged(artifactory, sandbox):
    sandbox.switch("artifact", merge_refusals=1)
    status, message = error_of(artifactory.put(LOCAL, json=PUSH))
    assert (status, message.startswith("Could not merge and save new descriptor")) == (400, True)
    assert artifactory.put(LOCAL, json=PUSH).status_code == 201


def test_replications_are_deleted_with_the_repository(artifactory):
    artifactory.put(LOCAL, json=PUSH)
    artifactory.delete("/api/repositories/generic-local")
    artifactory.put("/api/repositories/generic-local", json={"rclass": "local", "packageType": "generic"})
    assert error_of(artifactory.get(LOCAL))[0] == 404


@pytest.mark.parametrize("body", [[], "x", [1], {"replications": []}])
def test_malformed_body_is_refused(artifactory, sandbox, body):
    sandbox.switch("artifact", edition="enterprise")
    assert error_of(artifactory.put(MULTIPLE, json=body))[0] == 400
    assert error_of(artifactory.put(LOCAL, json=body))[0] == 400
