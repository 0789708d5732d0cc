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
    assert [job["name"] for job in folder.members("/job/team/view/all", "jobs[name]")["jobs"]] == ["web"]


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
