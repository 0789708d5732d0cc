# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: `tree`, `depth` and the order of members."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.ci import Ci, oops


@pytest.mark.parametrize(
    ("tree", "numbers"),
    [("{0,2}", [3, 2]), ("{2}", [1]), ("{,2}", [3, 2]), ("{1,}", [2, 1]), ("{99,100}", []), ("{2,1}", [])],
)
def test_ranges_select_list_elements(ci: Ci, tree: str, numbers: list[int]) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "many", "builds": [{}, {}, {}]}]}})
    builds = ci.json("/job/many", tree=f"builds[number]{tree}")["builds"]
    assert [build["number"] for build in builds] == numbers
    assert len(ci.json("/job/many", tree=f"builds{tree}")["builds"]) == len(numbers)


@pytest.mark.parametrize(
    "tree",
    [
        "jobs{0,1}[name]",
        "jobs[]",
        "",
        ",",
        "mode,",
        "jobs[name] ,mode",
        "jobs{ 0,1}",
        "jobs{-1,2}",
        "jobs[name",
        "jobs]",
        "jobs{0,1",
        "jobs{0,2147483648}",
        "jobs{+1}",
    ],
)
def test_malformed_tree_is_refused(ci: Ci, tree: str) -> None:
    answer = ci.get("/api/json", params={"tree": tree})
    assert (answer.status_code, oops(answer)) == (500, True)
    assert "Malformed" not in answer.text


@pytest.mark.parametrize(
    ("tree", "members"),
    [
        ("mode, useSecurity", {"mode": "NORMAL"}),
        ("mode[x]", {"mode": "NORMAL"}),
        ("nothing", {}),
        (
            "jobs[name]{0,2}",
            {
                "jobs": [
                    {"_class": "hudson.model.FreeStyleProject", "name": "app"},
                    {"_class": "hudson.model.FreeStyleProject", "name": "deploy"},
                ]
            },
        ),
    ],
)
def test_blanks_are_part_of_names(ci: Ci, tree: str, members: dict[str, Any]) -> None:
    assert ci.json("", tree=tree) == {"_class": "hudson.model.Hudson", **members}


def test_tree_takes_precedence_over_depth(ci: Ci) -> None:
    assert ci.json("", tree="mode", depth="x") == {"_class": "hudson.model.Hudson", "mode": "NORMAL"}
    assert ci.get("/api/json?depth=").status_code == 500
    assert ci.get("/api/json?depth=x").status_code == 500
    assert ci.get("/api/json?depth=2147483648").status_code == 500
    assert ci.get("/api/json?depth=0_0").status_code == 500
    assert ci.json("", depth="-1") == {"_class": "hudson.model.Hudson", "nodeName": ""}


def test_pretty_accepts_any_value(ci: Ci) -> None:
    answer = ci.get("/api/json?tree=mode,jobs[x]{5}&pretty=false")
    assert answer.text == ('{\n  "_class" : "hudson.model.Hudson",\n  "mode" : "NORMAL",\n  "jobs" : [\n    \n  ]\n}')


def test_python_format_is_supported(ci: Ci) -> None:
    answer = ci.get("/job/app/1/api/python?tree=building,description,inProgress,number,displayName")
    assert answer.headers["Content-Type"] == "text/x-python;charset=UTF-8"
    assert answer.headers["X-Jenkins"] == "2.579"
    assert answer.text == (
        '{"_class":"hudson.model.FreeStyleBuild","building":False,"description":None,"displayName":"#1",'
        '"inProgress":False,"number":1}'
    )
    assert ci.get("/api/python?tree=").status_code == 500


def test_members_have_the_order_of_jenkins(ci: Ci) -> None:
    assert list(ci.json("")) == [
        "_class",
        "assignedLabels",
        "mode",
        "nodeDescription",
        "nodeName",
        "numExecutors",
        "description",
        "jobs",
        "overallLoad",
        "primaryView",
        "quietDownReason",
        "quietingDown",
        "slaveAgentPort",
        "unlabeledLoad",
        "url",
        "useCrumbs",
        "useSecurity",
        "views",
    ]


def test_urls_have_the_form_of_jenkins(ci: Ci) -> None:
    assert ci.members("", "url") == {"url": None}
    assert ci.members("", "views[url]")["views"][0]["url"] == ci.url + "/"
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "ci.example.com"}
    assert ci.get("/job/app/api/json", headers=forwarded).json()["url"] == "https://ci.example.com/ci/job/app/"
    for port, host in (("443", "ci.example.com"), ("8443", "ci.example.com:8443")):
        answer = ci.get("/job/app/api/json", headers={**forwarded, "X-Forwarded-Port": port})
        assert answer.json()["url"] == f"https://{host}/ci/job/app/"
    ci.sandbox.seed({"ci": {"url": "https://configured.example.com/"}})
    assert ci.members("/job/app", "url") == {"url": "https://configured.example.com/job/app/"}
    location = ci.post("/job/app/build").headers["Location"]
    assert location.startswith(ci.url)


@pytest.mark.parametrize("path", ["", "/crumbIssuer", "/job/app", "/job/app/1", "/queue", "/computer", "/view/all"])
def test_all_formats_are_served(ci: Ci, path: str) -> None:
    there = ci.get(path + "/api?depth=1")
    assert (there.status_code, there.headers["Location"]) == (302, f"/ci{path}/api/?depth=1")
    assert "<h1>REST API</h1>" in ci.get(path + "/api/").text
    assert ci.get(path + "/api/json/whatever").json()["_class"] == ci.json(path)["_class"]
    assert ci.get(path + "/api/yaml").status_code == 404
    schema = ci.get(path + "/api/schema")
    assert (schema.headers["Content-Type"], schema.headers["X-Jenkins"]) == ("application/xml", "2.579")
    assert f'type="{ci.json(path)["_class"]}"' in schema.text


def test_views_labels_and_loads_are_exported(ci: Ci) -> None:
    view = ci.members("/view/all", "name,jobs[name]{0,1}")
    assert (view["name"], [job["name"] for job in view["jobs"]]) == ("all", ["app"])
    assert [job["name"] for job in ci.members("", "primaryView[jobs[name]]")["primaryView"]["jobs"]] == [
        "app",
        "deploy",
        "nightly",
    ]
    assert ci.members("/label/built-in", "name,totalExecutors,idleExecutors") == {
        "name": "built-in",
        "totalExecutors": 2,
        "idleExecutors": 2,
    }
    assert [job["name"] for job in ci.members("/label/built-in", "tiedJobs[name]")["tiedJobs"]] == []
    ci.create("tied")  # restricted to the built-in node
    assert ci.members("/label/built-in", "tiedJobs[name]")["tiedJobs"] == [
        {"_class": "hudson.model.FreeStyleProject", "name": "tied"}
    ]
    assert ci.members("/overallLoad", "busyExecutors") == {"busyExecutors": {}}
    assert ci.json("/manage")["_class"] == "hudson.model.Hudson"
    assert ci.get("/manage/api/json", "reader").status_code == 403


def test_monitor_data_requires_connect_permission(ci: Ci) -> None:
    def monitor_data(user: str) -> set[str]:
        return set(ci.get("/computer/(built-in)/api/json?tree=monitorData[*]", user).json()["monitorData"])

    assert "hudson.node_monitors.ClockMonitor" in monitor_data("admin")
    assert monitor_data("reader") == set()
