# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: folders, and jobs in them."""

from __future__ import annotations

import pytest

from support.wire.ci import XML, Ci

ROOT = "com.cloudbees.hudson.plugins.folder.Folder"
FOLDER = f"<{ROOT}><description>Ours</description></{ROOT}>"
JOB = "<project><builders><hudson.tasks.Shell><command>echo hi</command></hudson.tasks.Shell></builders></project>"


@pytest.fixture
def folder(ci: Ci) -> Ci:
    """Client with the job `team/web/app`."""
    for path, name, config in (("", "team", FOLDER), ("/job/team", "web", FOLDER), ("/job/team/job/web", "app", JOB)):
        assert ci.post(f"{path}/createItem?name={name}", data=config, headers=XML).status_code == 200
    return ci


def test_folder_lists_its_items(folder: Ci) -> None:
    team = folder.json("/job/team")
    assert list(team) == [
        "_class",
        "actions",
        "description",
        "displayName",
        "displayNameOrNull",
        "fullDisplayName",
        "fullName",
        "name",
        "url",
        "healthReport",
        "jobs",
        "primaryView",
        "views",
    ]
    assert team["_class"] == "com.cloudbees.hudson.plugins.folder.Folder"
    assert team["description"] == "Ours"
    assert team["jobs"] == [
        {
            "_class": "com.cloudbees.hudson.plugins.folder.Folder",
            "name": "web",
            "url": f"{folder.url}/job/team/job/web/",
        }
    ]
    assert "team" in [job["name"] for job in folder.members("", "jobs[name]")["jobs"]]
    assert "web" not in [job["name"] for job in folder.members("/view/all", "jobs[name]")["jobs"]]
    assert [job["name"] for job in folder.members("/job/team/view/All", "jobs[name]")["jobs"]] == ["web"]


def test_job_has_full_and_display_names(folder: Ci) -> None:
    tree = "displayName,fullDisplayName,fullName,name,url"
    assert folder.members("/job/team/job/web/job/app", tree) == {
        "displayName": "app",
        "fullDisplayName": "team \u00bb web \u00bb app",
        "fullName": "team/web/app",
        "name": "app",
        "url": f"{folder.url}/job/team/job/web/job/app/",
    }


def test_build_runs_in_a_folder(folder: Ci) -> None:
    answer = folder.post("/job/team/job/web/job/app/build?delay=0sec")
    item = folder.json(answer.headers["Location"].removeprefix(folder.url).rstrip("/"))
    assert item["executable"]["url"] == f"{folder.url}/job/team/job/web/job/app/1/"
    build = folder.json("/job/team/job/web/job/app/1")
    assert build["fullDisplayName"] == "team \u00bb web \u00bb app #1"
    folder.later(1)
    log = folder.get("/job/team/job/web/job/app/lastBuild/consoleText").text
    assert "Building in workspace /var/jenkins_home/workspace/team/web/app\n[app] $ /bin/sh" in log
    redirect = folder.post("/job/team/job/web/job/app/1/doDelete").headers["Location"]
    assert redirect == "/ci/job/team/job/web/job/app/"


def test_folder_cannot_be_built(folder: Ci) -> None:
    for path in ("build", "buildWithParameters", "1/api/json", "lastBuild/api/json"):
        assert folder.post(f"/job/team/{path}").status_code == 404


def test_item_cannot_be_created_in_a_job(folder: Ci) -> None:
    for path in ("/job/app", "/job/team/job/web/job/app", "/job/nowhere"):
        assert folder.post(f"{path}/createItem?name=x", data=JOB, headers=XML).status_code == 404


def test_item_is_refused_when_name_exists(folder: Ci) -> None:
    answer = folder.post("/job/team/createItem?name=web", data=JOB, headers=XML)
    assert answer.status_code == 400
    assert answer.headers["X-Error"].startswith("A job already exists with the name")
    assert folder.post("/createItem?name=web", data=JOB, headers=XML).status_code == 200


def test_path_with_an_encoded_slash_does_not_reach_an_item(folder: Ci) -> None:
    assert folder.get("/job/team/job/web/api/json").status_code == 200
    assert folder.get("/job/team%2Fweb/api/json").status_code == 404


def test_names_are_case_sensitive_in_folders_only(folder: Ci) -> None:
    assert folder.get("/job/TEAM/job/web/api/json").json()["fullName"] == "team/web"
    assert folder.get("/job/team/job/WEB/api/json").status_code == 404
    assert folder.post("/createItem?name=Team", data=JOB, headers=XML).status_code == 400
    assert folder.post("/job/TEAM/createItem?name=WEB", data=JOB, headers=XML).status_code == 200
    jobs = folder.get("/job/team/api/json?tree=jobs[fullName]").json()["jobs"]
    assert [job["fullName"] for job in jobs if job["fullName"].lower() == "team/web"] == ["team/WEB", "team/web"]
    assert folder.post("/job/team/job/web/doDelete").status_code == 302
    assert folder.get("/job/team/job/WEB/api/json").status_code == 200


def test_items_are_created_by_kind_and_as_copies(folder: Ci) -> None:
    mode = "com.cloudbees.hudson.plugins.folder.Folder"
    answer = folder.post("/job/team/createItem", data={"name": "new", "mode": mode})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/team/job/new/configure")
    for source, name in (("web/app", "a"), ("/team/web/app", "b")):
        answer = folder.post("/job/team/createItem", params={"name": name, "mode": "copy", "from": source})
        assert answer.headers["Location"] == f"/ci/job/team/job/{name}/configure"


def test_content_moves_when_folder_is_renamed(folder: Ci) -> None:
    folder.post("/job/team/job/web/job/app/build?delay=0sec")
    folder.later(60)
    answer = folder.post("/job/team/job/web/confirmRename?newName=site")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/team/job/site")
    assert folder.json("/job/team/job/site/job/app/1")["number"] == 1
    assert folder.get("/job/team/job/web/job/app/api/json").status_code == 404


def test_content_is_deleted_with_its_folder(folder: Ci) -> None:
    assert folder.post("/job/team/doDelete").status_code == 302
    assert folder.get("/job/team/job/web/job/app/api/json").status_code == 404


def test_item_name_can_contain_an_encoded_slash(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "app2/feature%2Flogin", "builds": [{}]}]}})
    assert ci.members("/job/app2/job/feature%252Flogin", "fullName,name,url") == {
        "fullName": "app2/feature%2Flogin",
        "name": "feature%2Flogin",
        "url": f"{ci.url}/job/app2/job/feature%252Flogin/",
    }


EMPTY = f"""<?xml version="1.1" encoding="UTF-8"?>
<{ROOT} plugin="cloudbees-folder@6.858.v898218f3609d">
  <properties/>
  <folderViews class="com.cloudbees.hudson.plugins.folder.views.DefaultFolderViewHolder">
    <views>
      <hudson.model.AllView>
        <owner class="{ROOT}" reference="../../../.."/>
        <name>All</name>
        <filterExecutors>false</filterExecutors>
        <filterQueue>false</filterQueue>
        <properties class="hudson.model.View$PropertyList"/>
      </hudson.model.AllView>
    </views>
    <tabBar class="hudson.views.DefaultViewsTabBar"/>
  </folderViews>
  <healthMetrics/>
  <icon class="com.cloudbees.hudson.plugins.folder.icons.StockFolderIcon"/>
</{ROOT}>"""
WORST_CHILD = "com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric"


def put(ci: Ci, path: str, config: str) -> int:
    return ci.post(f"{path}/config.xml", data=config.encode(), headers=XML).status_code


def read(ci: Ci, path: str) -> str:
    return ci.get(f"{path}/config.xml").text


def test_minimal_configuration_is_completed(ci: Ci) -> None:
    assert ci.post("/createItem?name=fa", data=f"<{ROOT}/>", headers=XML).status_code == 200
    assert read(ci, "/job/fa") == EMPTY
    ci.json("/job/fa")
    stored = read(ci, "/job/fa")
    assert stored == EMPTY.replace("  <properties/>\n  <folder", "  <actions/>\n  <properties/>\n  <folder")
    assert (put(ci, "/job/fa", stored), read(ci, "/job/fa")) == (200, stored)


def test_views_and_properties_are_lost_when_they_are_left_out(folder: Ci) -> None:
    view = "<hudson.model.ListView><name>v1</name></hudson.model.ListView>"
    assert folder.post("/job/team/createView?name=v1", data=view, headers=XML).status_code == 200
    full = read(folder, "/job/team")
    assert f'<owner class="{ROOT}" reference="../../../.."/>\n        <name>v1</name>' in full
    assert (put(folder, "/job/team", full), read(folder, "/job/team")) == (200, full)
    assert put(folder, "/job/team", f"<{ROOT}><description>only</description></{ROOT}>") == 200
    minimal = EMPTY.replace(
        "  <properties/>\n  <folder", "  <description>only</description>\n  <properties/>\n  <folder"
    )
    assert read(folder, "/job/team") == minimal
    assert folder.get("/job/team/view/v1/config.xml").status_code == 404
    assert [job["name"] for job in folder.json("/job/team")["jobs"]] == ["web"]
    assert (put(folder, "/job/team", full), read(folder, "/job/team")) == (200, full)
    assert folder.get("/job/team/view/v1/config.xml").status_code == 200


@pytest.mark.parametrize("holder", ["<folderViews>{}</folderViews>", "{}"])
def test_views_without_owner_break_the_folder(holder: str, ci: Ci) -> None:
    views = "<views><hudson.model.ListView><name>only</name></hudson.model.ListView></views>"
    config = f"<{ROOT}>{holder.format(views)}</{ROOT}>"
    assert ci.post("/createItem?name=fv", data=config, headers=XML).status_code == 200
    assert "<name>only</name>" in read(ci, "/job/fv")
    assert ci.get("/job/fv/api/json?tree=views[name]").status_code == 500
    assert ci.get("/job/fv/api/json").status_code == 500
    assert ci.get("/job/fv/api/json?tree=jobs[name]").status_code == 200
    assert "fv" in [job["name"] for job in ci.members("", "jobs[name]")["jobs"]]


@pytest.mark.parametrize("config", ["<project/>", "<a", "<no.such.Folder/>"])
def test_other_configuration_is_refused(folder: Ci, config: str) -> None:
    before = read(folder, "/job/team")
    assert (put(folder, "/job/team", config), read(folder, "/job/team")) == (500, before)


def test_items_are_moved(folder: Ci) -> None:
    folder.post("/createItem?name=ops", data=FOLDER, headers=XML)
    moved = folder.post("/job/team/job/web/move/move", data={"destination": "/ops"})
    assert (moved.status_code, moved.headers["Location"]) == (302, "/ci/job/ops/job/web/")
    assert folder.members("/job/ops/job/web/job/app", "fullName")["fullName"] == "ops/web/app"
    moved = folder.post("/job/ops/job/web/move/move", data={"destination": "/"})
    assert moved.headers["Location"] == "/ci/job/web/"
    assert folder.get("/job/team/job/web/api/json").status_code == 404


@pytest.mark.parametrize(
    ("item", "form"),
    [
        ("/job/team/job/web", {"destination": "/ops"}),
        ("/job/team/job/web", {"destination": "ops"}),
        ("/job/team/job/web", {"destination": "/team"}),
        ("/job/team/job/web", {"destination": "/nosuch"}),
        ("/job/team/job/web", {"destination": "/app"}),
        ("/job/team/job/web", {}),
        ("/job/team", {"destination": "/team"}),
        ("/job/team", {"destination": "/team/web"}),
    ],
)
def test_refused_move_redirects_to_its_form(folder: Ci, item: str, form: dict[str, str]) -> None:
    folder.post("/createItem?name=ops", data=FOLDER, headers=XML)
    folder.post("/job/ops/createItem?name=web", data=FOLDER, headers=XML)
    refused = folder.post(f"{item}/move/move", data=form)
    assert (refused.status_code, refused.headers["Location"]) == (302, f"/ci{item}/move/")
    assert folder.get("/job/team/job/web/api/json").status_code == 200


def test_move_requires_permission_and_plugin(folder: Ci) -> None:
    refused = folder.post("/job/team/job/web/move/move", user="builder", data={"destination": "/"})
    assert (refused.status_code, refused.headers["X-Required-Permission"]) == (403, "hudson.model.Item.Move")
    assert folder.get("/job/team/job/web/move/move").status_code == 405
    for plugin in ("workflow-aggregator", "cloudbees-folder"):
        folder.post(f"/pluginManager/plugin/{plugin}/doUninstall")
    folder.post("/safeRestart")
    folder.later(60)
    assert folder.post("/job/app/move/move", data={"destination": "/"}).status_code == 404
    created = folder.post("/createItem", data={"name": "x", "mode": ROOT})
    assert (created.status_code, created.headers["X-Error"]) == (400, f"No item type  {ROOT}  is known")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("team", "The new name is the same as the current name."),
        ("app", "The name  app  is already in use."),
        ("TEAM", "The name  TEAM  is already in use."),
        ("a/b", "/  is an unsafe character"),
        ("a.", "A name cannot end with  . "),
        ("", "No name is specified"),
    ],
)
def test_rename_is_refused(folder: Ci, name: str, message: str) -> None:
    refused = folder.post("/job/team/confirmRename", data={"newName": name})
    assert (refused.status_code, refused.headers["X-Error"].strip()) == (400, message.strip())
    assert folder.post("/job/team/doRename", data={"newName": "crew"}).status_code == 404


def test_running_items_are_not_renamed_but_moved(folder: Ci) -> None:
    folder.sandbox.seed({"ci": {"jobs": [{"name": "team/slow", "seconds": 600, "quiet_period": 0}]}})
    folder.post("/job/team/job/slow/build?delay=0sec")
    folder.later(10)
    for path, what in (("/job/team", "folder while a job inside it"), ("/job/team/job/slow", "job while it")):
        refused = folder.post(f"{path}/confirmRename", data={"newName": "new"})
        assert (refused.status_code, refused.headers["X-Error"]) == (400, f"Unable to rename a {what} is building.")
    moved = folder.post("/job/team/job/slow/move/move", data={"destination": "/team/web"})
    assert moved.headers["Location"] == "/ci/job/team/job/web/job/slow/"
    assert folder.members("/job/team/job/web/job/slow/1", "building")["building"]


def test_folder_is_copied_with_its_content(folder: Ci) -> None:
    copied = folder.post("/createItem?name=copy&mode=copy&from=team")
    assert (copied.status_code, copied.headers["Location"]) == (302, "/ci/job/copy/configure")
    assert folder.get("/job/copy/job/web/job/app/api/json").status_code == 200
    refused = folder.post("/job/copy/job/web/job/app/build")
    assert (refused.status_code, "copy/web/app is not buildable" in refused.text) == (409, True)
    assert folder.post("/job/team/createItem?name=b&mode=copy&from=app").status_code == 302


def test_folder_shows_the_worst_health_of_its_jobs(folder: Ci) -> None:
    assert folder.json("/job/team")["healthReport"] == []
    folder.sandbox.seed({"ci": {"jobs": [{"name": "team/web/bad", "builds": [{"result": "FAILURE"}]}]}})
    metric = f"<healthMetrics><{WORST_CHILD}><nonRecursive>false</nonRecursive></{WORST_CHILD}></healthMetrics>"
    assert put(folder, "/job/team", f"<{ROOT}>{metric}</{ROOT}>") == 200
    report = folder.members("/job/team", "healthReport[description,score]")["healthReport"]
    description = "Worst health: team \u00bb web \u00bb bad: Build stability: All recent builds failed."
    assert report == [{"description": description, "score": 0}]
    assert put(folder, "/job/team", f"<{ROOT}>{metric.replace('false', 'true')}</{ROOT}>") == 200
    assert folder.members("/job/team", "healthReport[score]")["healthReport"] == []


def test_folder_cannot_be_disabled_or_built(folder: Ci) -> None:
    for action in ("disable", "enable"):
        answer = folder.post(f"/job/team/{action}")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/team/")
    assert "disabled" not in read(folder, "/job/team")
    assert folder.post("/job/team/build").status_code == 404


def test_names_are_checked(folder: Ci) -> None:
    for name in ("a b", "\u00fc \u0142", "a+b", ".dot", "a..b", "{a}", "\U0001f600", "job", "x" * 200):
        answer = folder.post("/job/team/createItem", params={"name": name}, data=FOLDER, headers=XML)
        assert answer.status_code == 200, name
        assert folder.post("/job/team/createItem", params={"name": name}, data=FOLDER, headers=XML).status_code == 400
    assert folder.post("/createItem", params={"name": "x" * 300}, data=FOLDER, headers=XML).status_code == 500
    for name in ("low", "LOW"):
        assert folder.post(f"/job/team/createItem?name={name}", data=FOLDER, headers=XML).status_code == 200
    assert folder.post("/createItem?name=TEAM", data=FOLDER, headers=XML).status_code == 400
    assert folder.members("/job/TEAM", "name")["name"] == "team"


def test_deletion_redirects_to_the_parent(folder: Ci) -> None:
    assert folder.post("/job/team/job/web/doDelete").headers["Location"] == "/ci/job/team/"
    assert folder.post("/job/team/doDelete").headers["Location"] == "/ci/"
    assert folder.post("/job/team/doDelete").status_code == 404
