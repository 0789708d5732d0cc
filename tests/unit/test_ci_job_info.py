# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from support.ci_server import TOKEN, page
from support.conversation import Call, call, conversation
from support.running import run

QUEUE = "name,fullName,url,queueItem[id,why]"
PARAMETERS = (
    "name,fullName,url,property[parameterDefinitions[name,type,description,choices,defaultParameterValue[value]]]"
)
EMPTY_FOLDER = "jobs[name,fullName,url,jobs[name]]"


def listing(tree: str, document: dict[str, Any], path: str = "") -> Call:
    return call("GET", f"{path}/api/json?tree={quote(tree, safe='')}", json=document)


def job(name: str, **members: Any) -> dict[str, Any]:
    return {"name": name, "url": f"https://ci.example.com/job/{name}/", **members}


def get_jobs(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("ci_job_info", url=server.url, **TOKEN, **options)


def test_jobs_are_listed_with_one_request() -> None:
    document = {
        "jobs": [job("app", queueItem={"id": 7, "why": "In the quiet period."}), job("team", jobs=[{"name": "x"}])]
    }
    result = get_jobs(listing(f"jobs[{QUEUE},jobs[name]]", document), fields=["queue_item"])
    assert result == {
        "changed": False,
        "jobs": [
            {
                "name": "app",
                "url": "https://ci.example.com/job/app/",
                "folder": False,
                "queue_item": {"id": 7, "why": "In the quiet period."},
            },
            {"name": "team", "url": "https://ci.example.com/job/team/", "folder": True, "queue_item": None},
        ],
        "count": 2,
    }


def test_full_name_of_server_is_returned() -> None:
    document = {"name": "fb", "fullName": "fb", "url": "https://ci.example.com/job/fb/"}
    result = get_jobs(listing("name,fullName,url,jobs[name]", document, "/job/FB"), job="FB", fields=[])
    assert result["job"]["name"] == "fb"


def test_job_has_all_fields() -> None:
    build = "number,url,result,building,timestamp,duration"
    members = (
        "name,fullName,url,description,buildable,inQueue,queueItem[id,why],nextBuildNumber,"
        f"{PARAMETERS.removeprefix('name,fullName,url,')},lastBuild[{build}],lastCompletedBuild[{build}],"
        f"lastSuccessfulBuild[{build}],lastFailedBuild[{build}]"
    )
    last = {"number": 7, "url": "u", "result": None, "building": True, "timestamp": 1772366400000, "duration": 0}
    document = job(
        "app",
        description="",
        buildable=True,
        inQueue=False,
        queueItem=None,
        nextBuildNumber=8,
        property=[{}, {"parameterDefinitions": [{"name": "A", "type": "StringParameterDefinition"}]}],
        lastBuild=last,
        lastCompletedBuild=None,
    )
    assert get_jobs(listing(f"{members},jobs[name]", document, "/job/team/job/app"), job="team/app")["job"] == {
        "name": "team/app",
        "url": "https://ci.example.com/job/app/",
        "folder": False,
        "type": None,
        "description": "",
        "buildable": True,
        "in_queue": False,
        "queue_item": None,
        "next_build": 8,
        "parameters": [{"name": "A", "type": "string", "default": None, "choices": [], "description": None}],
        "last": {
            "number": 7,
            "url": "u",
            "result": None,
            "building": True,
            "timestamp": "2026-03-01T12:00:00.000Z",
            "duration": 0.0,
        },
        "last_completed": None,
        "last_successful": None,
        "last_failed": None,
    }


def test_parameters_are_returned() -> None:
    definitions = [
        {
            "name": "T",
            "type": "ChoiceParameterDefinition",
            "choices": ["a", "b"],
            "defaultParameterValue": {"value": "a"},
        },
        {
            "name": "D",
            "type": "BooleanParameterDefinition",
            "defaultParameterValue": {"value": False},
            "description": "x",
        },
        {"name": "K", "type": "PasswordParameterDefinition", "defaultParameterValue": {}},
        {"name": "F", "type": "FileParameterDefinition", "defaultParameterValue": None},
    ]
    document = job("app", property=[{"parameterDefinitions": definitions}])
    result = get_jobs(listing(f"{PARAMETERS},jobs[name]", document, "/job/app"), job="app", fields=["parameters"])
    assert [list(one.values()) for one in result["job"]["parameters"]] == [
        ["T", "choice", "a", ["a", "b"], None],
        ["D", "boolean", False, [], "x"],
        ["K", "password", None, [], None],
        ["F", "file", None, [], None],
    ]


def test_nested_folders_are_listed() -> None:
    inner = {"jobs": [job("a", jobs=[job("b", jobs=[{"name": "deep"}]), job("c")]), job("d")]}
    result = get_jobs(
        listing("jobs[name,fullName,url,jobs[name,fullName,url,jobs[name]]]", inner, "/job/team"),
        folder="team",
        depth=2,
        fields=[],
    )
    assert [one["name"] for one in result["jobs"]] == ["team/a", "team/a/b", "team/a/c", "team/d"]
    assert [one["folder"] for one in result["jobs"]] == [True, True, False, False]


def test_deep_folders_are_listed_with_several_requests() -> None:
    four = "jobs[name,fullName,url,jobs[name,fullName,url,jobs[name,fullName,url,jobs[name,fullName,url,jobs[name]]]]]"
    folder: dict[str, Any] = job("d", jobs=[{"name": "e"}])
    for name in ("c", "b", "a"):
        folder = job(name, jobs=[folder])
    below = listing(EMPTY_FOLDER, {"jobs": [job("e")]}, "/job/a/job/b/job/c/job/d")
    result = get_jobs(listing(four, {"jobs": [folder]}), below, depth=5, fields=[])
    assert [one["name"] for one in result["jobs"]] == ["a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e"]


def test_task_fails_when_folder_does_not_exist() -> None:
    for answer in ({"status": 404, "text": page("Not Found", "Oops!")}, {"json": {"_class": "FreeStyleProject"}}):
        refused = call("GET", listing(EMPTY_FOLDER, {}, "/job/app").target, **answer)  # type: ignore[arg-type]
        assert get_jobs(refused, folder="app", fields=[])["msg"].startswith("Folder 'app' does not exist")


def test_job_is_null_when_it_does_not_exist() -> None:
    target = listing("name,fullName,url,jobs[name]", {}, "/job/app").target
    refused = call("GET", target, 404, text=page("Not Found", "Oops!"))
    assert get_jobs(refused, job="app", fields=[]) == {"changed": False, "job": None}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"job": "a", "folder": "b"}, "parameters are mutually exclusive: job|folder"),
        ({"depth": 0}, "Option 'depth': must be 1 to 50"),
        ({"folder": "a/"}, "Option 'folder': must be the full name"),
        ({"folder": ".."}, "Option 'folder': '..' is not a valid part of a path"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    assert message in get_jobs(**options)["msg"]


def test_jobs_without_permission_are_named_and_have_no_configuration() -> None:
    jobs = listing("jobs[name,fullName,url,jobs[name]]", {"jobs": [job("app"), job("web")]})
    readable = call(
        "GET", "/job/app/config.xml", text="<project><a>{AQAAABAAAAAQaaaaaaaaaaaaaaaaaaaaaaaa}</a></project>"
    )
    refused = call("GET", "/job/web/config.xml", 403, text="")
    result = get_jobs(jobs, readable, refused, fields=["config"], workers=1)
    assert [each["config"] and each["config"].partition("?>\n")[2] for each in result["jobs"]] == [
        "<project>\n  <a>(encrypted)</a>\n</project>",
        None,
    ]
    assert result["refused"] == ["web"]
