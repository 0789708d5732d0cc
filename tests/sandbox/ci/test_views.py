# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: views."""

from __future__ import annotations

import json

import pytest

from support.wire.ci import XML, Ci, oops

LIST = "<hudson.model.ListView><jobNames><string>app</string></jobNames></hudson.model.ListView>"
FORM = {"mode": "hudson.model.ListView", "json": json.dumps({"name": "mine", "mode": "hudson.model.ListView"})}


def create(ci: Ci, path: str = "/createView?name=mine", config: str = LIST) -> None:
    answer = ci.post(path, data=config, headers=XML)
    assert (answer.status_code, answer.content) == (200, b"")


def list_jobs(ci: Ci, path: str = "/view/mine") -> list[str]:
    return [job["name"] for job in ci.json(path)["jobs"]]


def test_view_is_created_from_xml(ci: Ci) -> None:
    create(ci)
    assert ci.members("", "views[name,url]")["views"] == [
        {"_class": "hudson.model.AllView", "name": "all", "url": f"{ci.url}/"},
        {"_class": "hudson.model.ListView", "name": "mine", "url": f"{ci.url}/view/mine/"},
    ]
    assert list_jobs(ci) == ["app"]
    config = ci.get("/view/mine/config.xml")
    assert config.headers["Content-Type"] == "application/xml"
    assert config.text.startswith(
        '<?xml version="1.1" encoding="UTF-8"?>\n<hudson.model.ListView>\n  <name>mine</name>\n  <filterExecutors>'
    )
    assert ci.get("/view/mine").headers["Location"] == "/ci/view/mine/"
    assert ci.get("/view/mine/").status_code == ci.get("/view/all/config.xml").status_code == 200


def test_view_is_created_by_form(ci: Ci) -> None:
    response = ci.post("/createView", data={"name": "of mine", **FORM})
    assert (response.status_code, response.headers["Location"]) == (302, "/ci/view/of%20mine/configure")
    assert list_jobs(ci, "/view/of%20mine") == []


@pytest.mark.parametrize(
    ("query", "headers", "error"),
    [
        ("name=mine", XML, "A view already exists with the name"),
        ("name=all", XML, "A view already exists with the name"),
        ("", XML, "No name is specified"),
        ("name=a/b", XML, "is an unsafe character"),
        ("name=new", {}, "No Content-Type header set"),
        ("name=new", {"Content-Type": "text/plain"}, "No mode given"),
        ("name=new&mode=no.such", {"Content-Type": "text/plain"}, "is known"),
    ],
)
def test_view_is_refused_when_name_is_invalid(ci: Ci, query: str, headers: dict[str, str], error: str) -> None:
    create(ci)
    answer = ci.post(f"/createView?{query}", data=LIST.encode(), headers=headers)
    assert (answer.status_code, error in answer.headers["X-Error"]) == (400, True)


def test_view_is_refused_when_configuration_is_malformed(ci: Ci) -> None:
    for config in ("<hudson.model.ListView>", "<project/>", ""):
        assert oops(ci.post("/createView?name=new", data=config, headers=XML))


def test_jobs_are_added_to_and_removed_from_view(ci: Ci) -> None:
    create(ci)
    for _unused in range(2):
        assert ci.post("/view/mine/addJobToView?name=deploy").status_code == 200
    assert list_jobs(ci) == ["app", "deploy"]
    assert ci.post("/view/mine/removeJobFromView?name=app").status_code == 200
    assert list_jobs(ci) == ["deploy"]
    assert ci.post("/view/mine/addJobToView?name=nosuch").status_code == 400
    assert ci.post("/view/mine/addJobToView").status_code == 400
    assert ci.post("/view/all/addJobToView?name=app").status_code == 404
    by_pattern = "<hudson.model.ListView><name>other</name><includeRegex>.*p.*</includeRegex></hudson.model.ListView>"
    assert ci.post("/view/mine/config.xml", data=by_pattern, headers=XML).status_code == 200
    assert list_jobs(ci) == ["app", "deploy"]


def test_view_can_be_in_a_folder(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "team", "kind": "folder"}, {"name": "team/app"}]}})
    create(ci, "/job/team/createView?name=mine")
    assert list_jobs(ci, "/job/team/view/mine") == ["app"]
    assert ci.get("/view/mine/api/json").status_code == 404
    assert ci.post("/job/team/view/mine/doDelete").headers["Location"] == "/ci/job/team/"
    assert ci.get("/job/team/view/mine/api/json").status_code == 404


def test_view_is_deleted(ci: Ci) -> None:
    create(ci)
    deleted = ci.post("/view/mine/doDelete")
    assert (deleted.status_code, deleted.headers["Location"]) == (302, "/ci/")
    assert ci.post("/view/mine/doDelete").status_code == 404
    assert oops(ci.post("/view/all/doDelete"))


def test_job_path_through_view_is_redirected(ci: Ci) -> None:
    create(ci)
    assert ci.json("/view/mine/job/app")["url"] == f"{ci.url}/job/app/"
    assert ci.json("/view/all/job/app")["name"] == "app"
    assert ci.get("/view/nosuch/job/app/api/json").status_code == 404
    assert ci.post("/view/mine/job/app/build").status_code == 201


@pytest.mark.parametrize(
    ("path", "permission"),
    [
        ("/createView?name=x", "Create"),
        ("/view/mine/config.xml", "Configure"),
        ("/view/mine/addJobToView?name=app", "Configure"),
        ("/view/mine/doDelete", "Delete"),
    ],
)
def test_view_permissions_are_enforced(ci: Ci, path: str, permission: str) -> None:
    create(ci)
    refused = ci.post(path, "reader", data=LIST, headers=XML)
    assert refused.status_code == 403
    assert refused.headers["X-Required-Permission"] == f"hudson.model.View.{permission}"
    assert ci.get("/view/mine/doDelete").status_code == 405
