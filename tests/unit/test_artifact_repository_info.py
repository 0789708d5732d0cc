# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

REPOSITORIES = "/artifactory/api/repositories"
VERSION = "/artifactory/api/system/version"
LIST = [
    {
        "key": "libs-release-local",
        "description": "Local repository for in-house libraries",
        "type": "LOCAL",
        "url": "http://host/artifactory/libs-release-local",
        "packageType": "Maven",
    },
    {"key": "docker-remote", "type": "REMOTE", "url": "https://registry-1.docker.io/", "packageType": "Docker"},
]
DETAIL = {
    "key": "libs-release",
    "packageType": "maven",
    "description": "",
    "notes": "",
    "includesPattern": "**/*",
    "repositories": ["libs-release-local", "remote-repos"],
    "defaultDeploymentRepo": "libs-release-local",
    "rclass": "virtual",
}
LISTED: list[dict[str, Any]] = [
    {
        "key": "docker-remote",
        "type": "remote",
        "package_type": "docker",
        "description": "",
        "url": "https://registry-1.docker.io/",
    },
    {
        "key": "libs-release-local",
        "type": "local",
        "package_type": "maven",
        "description": "Local repository for in-house libraries",
    },
]


def refusal(message: str, status: int = 400) -> Any:
    return {"errors": [{"status": status, "message": message}]}


def lists() -> Call:
    return call("GET", REPOSITORIES, json=LIST)


@pytest.mark.parametrize("check_mode", [False, True])
def test_repositories_are_sorted(check_mode: bool) -> None:
    with conversation(lists()) as server:
        result = run("artifact_repository_info", url=server.url, check_mode=check_mode)
    assert result == {"changed": False, "repositories": LISTED}


@pytest.mark.parametrize(
    ("options", "query"),
    [
        ({"type": "local"}, "type=local"),
        ({"package_type": "docker"}, "packageType=docker"),
        ({"project": "p&q"}, "project=p%26q"),
        ({"type": "virtual", "package_type": "maven"}, "type=virtual&packageType=maven"),
    ],
)
def test_filters_are_sent_to_the_server(options: dict[str, str], query: str) -> None:
    versions = [call("GET", VERSION, json={"version": "7.17.4"})] if "project" in options else []
    with conversation(*versions, call("GET", f"{REPOSITORIES}?{query}", json=[])) as server:
        assert run("artifact_repository_info", url=server.url, **options) == {"changed": False, "repositories": []}


def test_repository_is_returned_in_the_form_of_the_options() -> None:
    detail = {**DETAIL, "keyPair": "jws", "hideUnauthorizedResources": True}
    with conversation(call("GET", f"{REPOSITORIES}/libs-release", json=detail)) as server:
        result = run("artifact_repository_info", url=server.url, key="libs-release")
    assert result["configurations"] == {"libs-release": detail}
    [repository] = result["repositories"]
    assert repository == {
        "key": "libs-release",
        "type": "virtual",
        "package_type": "maven",
        "description": "",
        "notes": "",
        "includes_pattern": "**/*",
        "excludes_pattern": "",
        "layout": "",
        "project": "",
        "environments": [],
        "repositories": ["libs-release-local", "remote-repos"],
        "default_deployment_repo": "libs-release-local",
        "artifactory_requests_can_retrieve_remote_artifacts": False,
        "virtual_retrieval_cache_period_secs": 600,
        "force_maven_authentication": False,
        "key_pair": "jws",
        "pom_repository_references_cleanup_policy": "discard_active_reference",
        "settings": {"hideUnauthorizedResources": True},
    }


def test_secrets_are_not_returned() -> None:
    headers = [
        {"name": "X-A", "value": "plain", "sensitive": False},
        {"name": "X-B", "value": "AM.encrypted", "sensitive": True},
    ]
    detail = {
        "key": "files",
        "rclass": "remote",
        "packageType": "generic",
        "url": "https://example.com",
        "includesPattern": "**/*",
        "description": "Files (local file cache)",
        "password": "AM.encrypted",
        "customHttpHeaders": headers,
    }
    with conversation(call("GET", f"{REPOSITORIES}/files", json=detail)) as server:
        result = run("artifact_repository_info", url=server.url, key="files")
    assert "AM.encrypted" not in str(result)
    [repository] = result["repositories"]
    assert (repository["url"], repository["description"]) == ("https://example.com", "Files")
    assert repository["custom_http_headers"] == [{"name": "X-A", "value": "plain"}, {"name": "X-B", "value": None}]


def test_all_configurations_cost_one_request() -> None:
    local = {"key": "libs-local", "rclass": "local", "packageType": "maven", "includesPattern": "**/*"}
    answer = {"VIRTUAL": [DETAIL], "LOCAL": [local]}
    target = f"{REPOSITORIES}/configurations?packageType=maven"
    with conversation(call("GET", target, json=answer)) as server:
        result = run("artifact_repository_info", url=server.url, package_type="maven", configuration=True)
    assert [repository["key"] for repository in result["repositories"]] == ["libs-local", "libs-release"]
    assert result["configurations"]["libs-release"] == DETAIL


def test_each_configuration_is_read_when_the_server_cannot_list_them() -> None:
    none = call("GET", f"{REPOSITORIES}/configurations?repoType=virtual", 400, json=refusal("Bad Request"))
    entry = {"key": "libs-release", "type": "VIRTUAL", "url": "http://host/artifactory/libs-release"}
    listed = call("GET", f"{REPOSITORIES}?type=virtual", json=[entry])
    with conversation(none, listed, call("GET", f"{REPOSITORIES}/libs-release", json=DETAIL)) as server:
        result = run("artifact_repository_info", url=server.url, type="virtual", configuration=True)
    assert result["configurations"] == {"libs-release": DETAIL}


def test_task_fails_when_the_account_may_not_list_configurations() -> None:
    refused = call("GET", f"{REPOSITORIES}/configurations", 403, json=refusal("Forbidden", 403))
    with conversation(refused) as server:
        result = run("artifact_repository_info", url=server.url, configuration=True)
    assert "403 Forbidden" in result["msg"]


@pytest.mark.parametrize(("status", "message"), [(400, "Bad Request"), (404, "Not Found")])
def test_list_is_empty_when_the_key_is_unknown(status: int, message: str) -> None:
    unknown = call("GET", f"{REPOSITORIES}/gone", status, json=refusal(message, status))
    with conversation(unknown, lists()) as server:
        result = run("artifact_repository_info", url=server.url, key="gone")
    assert result == {"changed": False, "repositories": [], "configurations": {}}


def test_list_entry_is_returned_when_the_edition_has_no_details() -> None:
    text = "This REST API is available only in Artifactory Pro"
    no_detail = call("GET", f"{REPOSITORIES}/docker-remote", 400, json=refusal(text))
    with conversation(no_detail, lists()) as server:
        result = run("artifact_repository_info", url=server.url, key="docker-remote")
    assert result["repositories"] == LISTED[:1]
    assert result["configurations"] == {"docker-remote": None}


def test_special_characters_in_keys_are_encoded() -> None:
    target = f"{REPOSITORIES}/a%20b%2Fc%23d%3F%C3%A9"
    with conversation(call("GET", target, json={**DETAIL, "key": "a b/c#d?é"})) as server:
        result = run("artifact_repository_info", url=server.url, key="a b/c#d?é")
    assert result["repositories"][0]["key"] == "a b/c#d?é"


@pytest.mark.parametrize("status", [401, 403])
def test_list_entry_is_returned_when_the_details_are_hidden(status: int) -> None:
    no_detail = call("GET", f"{REPOSITORIES}/docker-remote", status, json=refusal("No", status))
    with conversation(no_detail, lists()) as server:
        result = run("artifact_repository_info", url=server.url, key="docker-remote")
    assert result["repositories"] == LISTED[:1]
    assert result["configurations"] == {"docker-remote": None}


@pytest.mark.parametrize("status", [401, 403])
def test_task_fails_when_a_permission_is_missing(status: int) -> None:
    no_detail = call("GET", f"{REPOSITORIES}/libs-release", status, json=refusal("Forbidden", status))
    with conversation(no_detail, lists()) as server:
        result = run("artifact_repository_info", url=server.url, key="libs-release")
    assert result["failed"]
    assert f"GET {server.url}{REPOSITORIES}/libs-release: {status} Forbidden." in result["msg"]


@pytest.mark.parametrize("other", [{"type": "local"}, {"package_type": "maven"}, {"project": "p"}])
def test_key_is_refused_when_a_filter_is_set(other: dict[str, str]) -> None:
    with conversation() as server:
        result = run("artifact_repository_info", url=server.url, key="libs", **other)
    assert result["msg"] == f"parameters are mutually exclusive: key|{next(iter(other))}"


def sharing_of(repo: str, status: int = 200, **fields: Any) -> Call:
    path = f"/access/api/v1/projects/_/repositories/{repo}"
    body = {"resource_name": repo, **fields} if status == 200 else {"errors": [{"message": "Not found"}]}
    return call("GET", path, status=status, json=body)


def version(number: str) -> Call:
    return call("GET", "/artifactory/api/system/version", json={"version": number, "license": "Pro"})


def test_shared_repositories_are_returned_by_key() -> None:
    shared = {"shared_with_projects": ["web", "api"], "shared_with_all_projects": False, "shared_read_only": True}
    common = {"shared_with_projects": [], "shared_with_all_projects": True}
    own = {"shared_with_projects": [], "shared_with_all_projects": False}
    entries = [{"key": key, "type": "LOCAL", "packageType": "Generic"} for key in ("common", "gone", "own", "shared")]
    reads = [
        sharing_of("common", **common),
        *(sharing_of("gone", 404), version("7.111.4")),
        *(sharing_of("own", **own), sharing_of("shared", **shared)),
    ]
    with conversation(call("GET", REPOSITORIES, json=entries), *reads) as server:
        result = run("artifact_repository_info", url=server.url, sharing=True, workers=1)
    assert result["sharing"] == {
        "common": {"projects": [], "all_projects": True, "read_only": False},
        "shared": {"projects": ["api", "web"], "all_projects": False, "read_only": True},
    }


def test_sharing_is_refused_when_the_version_lacks_it() -> None:
    entries = [{"key": "libs", "type": "LOCAL", "packageType": "Generic"}]
    with conversation(call("GET", REPOSITORIES, json=entries), sharing_of("libs", 404), version("7.77.3")) as server:
        result = run("artifact_repository_info", url=server.url, sharing=True, workers=1)
    assert result["msg"] == "Sharing repositories between projects requires Artifactory 7.90.1 or later."
