# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: jobs."""

from __future__ import annotations

import pytest

from support.wire.ci import CONFIG, XML, Ci, oops

MULTIBRANCH = "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"


def test_job_is_created_from_xml(ci: Ci) -> None:
    answer = ci.post("/createItem?name=new", data=CONFIG, headers={"Content-Type": "application/xml"})
    assert (answer.status_code, answer.content) == (200, b"")
    response = ci.get("/job/new/config.xml")
    assert response.headers["Content-Type"] == "application/xml"
    assert response.text.startswith('<?xml version="1.1" encoding="UTF-8"?>\n<project>\n  <keepDependencies>')
    assert "\n    <hudson.tasks.Shell>\n      <command>sleep 10</command>\n" in response.text
    assert ci.post("/job/new/config.xml", data=response.text, headers=XML).status_code == 200


@pytest.mark.parametrize(
    ("query", "content_type", "error"),
    [
        ("name=new", "text/html", "No mode given"),
        ("name=new", None, "No Content-Type header set"),
        ("name=APP", "text/xml", "A job already exists with the name  APP "),
        ("name=a%3Fb", "text/xml", "?  is an unsafe character"),
        ("name=new", "", "No mode given"),
        ("", "text/xml", "Query parameter 'name' is required"),
    ],
)
def test_job_is_refused_when_name_is_invalid(ci: Ci, query: str, content_type: str | None, error: str) -> None:
    headers = {"Content-Type": content_type} if content_type is not None else {}
    answer = ci.post(f"/createItem?{query}", data=CONFIG.encode(), headers=headers)
    assert answer.status_code == 400
    assert answer.headers["X-Error"].strip() == error.strip()


@pytest.mark.parametrize("config", ["<project>", "<no.such.Class/>", ""])
def test_job_is_refused_when_configuration_is_invalid(ci: Ci, config: str) -> None:
    assert oops(ci.post("/createItem?name=new", data=config, headers=XML))
    assert oops(ci.post("/job/app/config.xml", data=config, headers=XML))


def test_configuration_can_be_replaced(ci: Ci) -> None:
    assert ci.post("/job/app/config.xml", data=CONFIG.encode()).status_code == 200
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ci.post("/job/app/config.xml", data=CONFIG, headers=form).status_code == 500
    assert ci.request("PUT", "/job/app/config.xml", data=CONFIG).status_code == 400


def test_display_name_is_shown(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "team", "kind": "folder"}, {"name": "team/app", "builds": [{}]}]}})
    ci.post("/job/team/job/app/config.xml", data=CONFIG.replace("<project>", "<project><displayName>App</displayName>"))
    assert ci.members("/job/team/job/app", "displayName,displayNameOrNull,fullDisplayName,name") == {
        "displayName": "App",
        "displayNameOrNull": "App",
        "fullDisplayName": "team \u00bb App",
        "name": "app",
    }
    assert ci.json("/job/team/job/app/1")["fullDisplayName"] == "team \u00bb App #1"


def test_special_characters_are_encoded_in_urls(ci: Ci) -> None:
    assert ci.post("/createItem", params={"name": "a+b (c), d='~\u00e9"}, data=CONFIG, headers=XML).status_code == 200
    path = "/job/a+b%20(c),%20d='%7E%C3%A9"
    assert ci.json(path)["url"] == f"{ci.url}{path}/"
    assert ci.post(f"{path}/build").status_code == 201
    waiting = ci.json("/queue", tree="items[task[url]]")["items"]
    assert f"{ci.url}{path}/" in [item["task"]["url"] for item in waiting]


def test_label_restricts_the_node(ci: Ci) -> None:
    ci.create("job", "<project><assignedNode>linux</assignedNode><canRoam>false</canRoam></project>")
    assert ci.json("/job/job")["labelExpression"] == "linux"
    assert ci.json("/job/app")["labelExpression"] is None


def test_configure_permission_adds_an_action(ci: Ci) -> None:
    credentials = {"_class": "com.cloudbees.plugins.credentials.ViewCredentialsAction"}
    assert ci.json("/job/app")["actions"] == [{}, {}, credentials]
    assert ci.get("/job/app/api/json", "reader").json()["actions"] == [{}, credentials]
    ci.sandbox.seed({"ci": {"plugins": [{"name": "credentials", "version": "1", "active": False}]}})
    assert ci.json("/job/app")["actions"] == [{}, {}]


def test_job_is_copied(ci: Ci) -> None:
    answer = ci.post("/createItem?name=app%20two&mode=copy&from=app")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app%20two/configure")
    assert ci.json("/job/app two")["description"] == "Builds the application"


def test_job_is_deleted(ci: Ci) -> None:
    assert ci.request("DELETE", "/job/app").status_code == 302
    assert ci.json("/job/app")["name"] == "app"
    assert ci.request("DELETE", "/job/app/").status_code == 204
    assert ci.post("/job/deploy/doDelete").status_code == 302
    assert ci.post("/job/deploy/doDelete").status_code == 404
    assert [job["name"] for job in ci.json("")["jobs"]] == ["nightly"]


def test_description_can_be_changed(ci: Ci) -> None:
    assert ci.post("/job/app/description", data={"description": "new & better"}).status_code == 204
    assert ci.json("/job/app")["description"] == "new & better"


def test_description_is_null_when_it_was_never_set(ci: Ci) -> None:
    ci.create("new")
    assert ci.members("/job/new", "description") == {"description": None}
    assert ci.get("/job/new/description").text == ""
    answer = ci.post("/job/new/submitDescription", data={"description": "now"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/new/")
    assert ci.members("/job/new", "description") == {"description": "now"}
    assert ci.post("/job/new/submitDescription", "builder", data={"description": "x"}).status_code == 403


@pytest.mark.parametrize(
    ("name", "answer"),
    [("fresh", "<div/>"), ("app", "<div class=error>A job already exists with the name \u2018app\u2019</div>")],
)
def test_name_check_reports_existing_names(ci: Ci, name: str, answer: str) -> None:
    response = ci.get(f"/checkJobName?value={name}")
    assert (response.status_code, response.content.decode()) == (200, answer)


def test_job_is_renamed(ci: Ci) -> None:
    assert ci.get("/job/app/doRename?newName=new").status_code == 405
    assert ci.post("/job/app/doRename?newName=deploy").headers["X-Error"] == "The name  deploy  is already in use."
    answer = ci.post("/job/app/doRename?newName=new")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/new")
    assert ci.get("/job/app/api/json").status_code == 404
    assert ci.json("/job/new/1")["url"] == f"{ci.url}/job/new/1/"
    assert ci.json("/job/new")["nextBuildNumber"] == 3


def test_workspace_exists_after_a_build(ci: Ci) -> None:
    assert ci.get("/job/app/ws/").status_code == 200
    answer = ci.post("/job/app/doWipeOutWorkspace")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app/")
    assert ci.get("/job/app/ws/").status_code == 404


def test_control_characters_are_refused(ci: Ci) -> None:
    refused = ci.post("/createItem?name=a%00b", data=CONFIG, headers=XML)
    assert (refused.status_code, refused.headers["X-Error"]) == (400, "No control code is allowed: a\\u0;b")
    assert oops(ci.post("/job/app/description", data={"description": "\0"}))


def test_build_is_404_when_number_is_too_large(ci: Ci) -> None:
    assert ci.get("/job/app/99999999999999999999/api/json").status_code == 404
    assert ci.post("/job/app/2147483648/stop").status_code == 404


@pytest.mark.parametrize(
    ("root", "plugin"),
    [
        ("flow-definition", "workflow-job"),
        ("com.cloudbees.hudson.plugins.folder.Folder", "cloudbees-folder"),
        (MULTIBRANCH, "workflow-multibranch"),
    ],
)
def test_item_is_refused_when_its_plugin_is_missing(ci: Ci, root: str, plugin: str) -> None:
    assert ci.post("/createItem?name=there", data=f"<{root}/>", headers=XML).status_code == 200
    for name in ("workflow-aggregator", plugin):
        assert ci.post(f"/pluginManager/plugin/{name}/doUninstall").status_code == 302
    ci.post("/safeRestart")
    ci.later(60)
    refused = ci.post("/createItem?name=x", data=f"<{root}/>", headers=XML)
    assert (refused.status_code, oops(refused)) == (500, True)
    assert ci.get("/job/x/").status_code == 404


def test_user_content_is_served(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"user_content": {"tools/a.xml": "<a/>", "note.txt": "\u00fc"}}})
    assert "tools/a.xml" in ci.get("/userContent/").text
    for path, kind, text in (
        ("readme.txt", "text/plain;charset=utf-8", "Files in this directory will be served under"),
        ("note.txt", "text/plain;charset=utf-8", "\u00fc"),
        ("tools/a.xml", "application/xml", "<a/>"),
    ):
        answer = ci.get(f"/userContent/{path}")
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, kind)
        assert answer.content.decode().startswith(text)
    assert ci.get("/userContent/none.txt").status_code == 404
