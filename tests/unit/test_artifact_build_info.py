# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

BUILD = "/artifactory/api/build"
VERSION = call("GET", "/artifactory/api/system/version", json={"version": "7.98.4", "license": "Pro"})
RECORD = {
    "version": "1.0.1",
    "name": "my-build",
    "number": "51",
    "type": "GENERIC",
    "agent": {"name": "jfrog-cli-go", "version": "2.50.0"},
    "started": "2024-05-01T10:11:12.345+0200",
    "durationMillis": 6000,
    "artifactoryPrincipal": "ci",
    "url": "http://jenkins/job/my-build/51/",
    "modules": [
        {"id": "a", "artifacts": [{"name": "a.jar"}, {"name": "a.pom"}], "dependencies": [{"id": "log4j"}]},
        {"id": "b", "artifacts": [{"name": "b.jar"}]},
        {"id": "empty"},
    ],
    "statuses": [
        {
            "status": "staged",
            "comment": "ok",
            "repository": "libs-staging-local",
            "timestamp": "2024-05-03T10:00:00.000+0000",
            "user": "admin",
            "ciUser": "builder",
            "timestampDate": 1714730400000,
        },
        {"status": "released"},
    ],
    "properties": {"buildInfo.env.JOB_NAME": "my-build", "buildInfo.env.PATH": "/bin", "kept": "yes"},
}


def none(target: str, text: str = "No build was found for build name: my-build") -> Call:
    """Return the 404 response of Artifactory for a missing build."""
    return call("GET", target, 404, json={"errors": [{"status": 404, "message": text}]})


def test_all_builds_are_sorted() -> None:
    document = {
        "uri": "…",
        "builds": [
            {"uri": "/team%2Fnightly%20of%20web", "lastStarted": "2024-05-02T10:11:12.345+0000"},
            {"uri": "/app", "lastStarted": "2024-05-01T10:11:12.345+02:00"},
        ],
    }
    with conversation(VERSION, call("GET", f"{BUILD}?project=p1", json=document)) as server:
        result = run("artifact_build_info", url=server.url, project_key="p1")
    assert result == {
        "changed": False,
        "builds": [
            {"name": "app", "last_started": "2024-05-01T08:11:12.345Z"},
            {"name": "team/nightly of web", "last_started": "2024-05-02T10:11:12.345Z"},
        ],
    }


def test_runs_are_sorted_newest_first() -> None:
    document = {
        "uri": "…",
        "buildsNumbers": [
            {"uri": "/51", "started": "2024-05-01T10:00:00.000+0000"},
            {"uri": "/rc%2F2", "started": "2024-05-03T10:00:00.000+0000"},
            {"uri": "/51", "started": "2024-05-02T10:00:00.000+0000"},
        ],
    }
    with conversation(call("GET", f"{BUILD}/team%2Fnightly%20of%20web", json=document)) as server:
        result = run("artifact_build_info", url=server.url, build="team/nightly of web")
    assert result["runs"] == [
        {"number": "rc/2", "started": "2024-05-03T10:00:00.000Z"},
        {"number": "51", "started": "2024-05-02T10:00:00.000Z"},
        {"number": "51", "started": "2024-05-01T10:00:00.000Z"},
    ]


def test_a_run_has_its_environment_and_history_as_typed_members() -> None:
    with conversation(call("GET", f"{BUILD}/my-build/51", json={"uri": "…", "buildInfo": RECORD})) as server:
        result = run("artifact_build_info", url=server.url, build="my-build", number="51")
    assert result["build"] == {
        "name": "my-build",
        "number": "51",
        "started": "2024-05-01T08:11:12.345Z",
        "duration_ms": 6000,
        "url": "http://jenkins/job/my-build/51/",
        "principal": "ci",
        "agent": "jfrog-cli-go",
        "environment": {"JOB_NAME": "my-build", "PATH": "/bin"},
        "properties": {"kept": "yes"},
        "artifacts": 3,
        "dependencies": 1,
        "statuses": [
            {
                "status": "staged",
                "comment": "ok",
                "repository": "libs-staging-local",
                "timestamp": "2024-05-03T10:00:00.000Z",
                "user": "admin",
                "ci_user": "builder",
            },
            {
                "status": "released",
                "comment": None,
                "repository": None,
                "timestamp": None,
                "user": None,
                "ci_user": None,
            },
        ],
        "record": RECORD,
    }


def test_start_time_selects_a_run_when_several_have_one_number() -> None:
    target = f"{BUILD}/my-build/51?project=p&started=2024-05-01T08%3A11%3A12.345%2B0000"
    with conversation(VERSION, call("GET", target, json={"uri": "…", "buildInfo": RECORD})) as server:
        result = run(
            "artifact_build_info",
            url=server.url,
            build="my-build",
            number="51",
            started="2024-05-01T10:11:12.345+02:00",
            project_key="p",
        )
    assert result["build"]["number"] == "51"


@pytest.mark.parametrize(
    ("options", "target", "nothing"),
    [
        ({}, BUILD, {"builds": []}),
        ({"build": "b"}, f"{BUILD}/b", {"runs": []}),
        ({"build": "b", "number": "1"}, f"{BUILD}/b/1", {"build": None}),
    ],
)
def test_missing_item_is_not_an_error(options: dict[str, Any], target: str, nothing: dict[str, Any]) -> None:
    with conversation(none(target)) as server:
        assert run("artifact_build_info", url=server.url, **options) == {"changed": False, **nothing}


def test_task_fails_when_a_404_is_not_from_artifactory() -> None:
    with conversation(call("GET", BUILD, 404, text="<html>nginx</html>")) as server:
        result = run("artifact_build_info", url=server.url)
    assert result["msg"].startswith(f"GET {server.url}{BUILD}: 404 Not Found. Check the path in 'url'.")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"number": "1"}, "missing parameter(s) required by 'number': build"),
        ({"build": "b", "started": "2024-05-01T00:00:00Z"}, "missing parameter(s) required by 'started': number"),
        ({"build": ".."}, "Option 'build': '..' is not a valid part of a path"),
        ({"build": "b", "number": "."}, "Option 'number': '.' is not a valid part of a path"),
        (
            {"build": "b", "number": "1", "started": "2024-05-01"},
            "Option 'started': must be a date and time with a time zone",
        ),
        ({"build": "b", "number": "1", "started": "2024-13-01T00:00:00Z"}, "Option 'started': must be a date and time"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_build_info", url=server.url, **options)
    assert result["failed"]
    assert problem in result["msg"]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"number": "51", "started": RECORD["started"]}, "200, but without 'buildInfo.name'"),
        ({**RECORD, "started": "soon"}, "'buildInfo.started' is a text instead of a date and time"),
        ({**RECORD, "statuses": [{}]}, "without 'buildInfo.statuses[0].status'"),
    ],
)
def test_error_names_the_place_of_an_unexpected_value(record: dict[str, Any], problem: str) -> None:
    with conversation(call("GET", f"{BUILD}/b/51", json={"buildInfo": record})) as server:
        result = run("artifact_build_info", url=server.url, build="b", number="51")
    assert problem in result["msg"]
