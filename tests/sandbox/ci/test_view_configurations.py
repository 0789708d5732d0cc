# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: configuration, nesting and visibility of views."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from sandbox.ci.controller import Controller
from sandbox.ci.jobs import stored_views
from sandbox.ci.storage import SCHEMA
from sandbox.runtime.runtime import Runtime
from support.wire.ci import XML, Ci, oops

HEAD = '<?xml version="1.1" encoding="UTF-8"?>\n'
COLUMNS = ("Status", "Weather", "Job", "LastSuccess", "LastFailure", "LastDuration", "BuildButton")
DEFAULT_COLUMNS = [f"hudson.views.{name}Column" for name in COLUMNS]
JOBS = {"ci": {"jobs": [{"name": "team", "kind": "folder"}, {"name": "team/app"}, {"name": "team/sub/low"}]}}
NESTED_PLUGIN = {"ci": {"plugins": [{"name": "nested-view", "version": "1.36"}]}}
NESTED = "<hudson.plugins.nested__view.NestedView/>"


def create(ci: Ci, name: str, content: str = "", owner: str = "") -> None:
    config = content if content.startswith("<hudson.") else f"<hudson.model.ListView>{content}</hudson.model.ListView>"
    answer = ci.post(f"{owner}/createView?name={name}", data=config, headers=XML)
    assert answer.status_code == 200, answer.text


def read(ci: Ci, path: str) -> etree._Element:
    answer = ci.get(f"{path}/config.xml")
    assert answer.status_code == 200
    return etree.fromstring(answer.text.removeprefix(HEAD))


def update(ci: Ci, path: str, content: str) -> None:
    config = f"<hudson.model.ListView>{content}</hudson.model.ListView>"
    assert ci.post(f"{path}/config.xml", data=config, headers=XML).status_code == 200


def texts(root: etree._Element, path: str) -> list[str | None]:
    return [element.text for element in root.iterfind(path)]


def list_names(ci: Ci, path: str = "") -> list[str]:
    return [view["name"] for view in ci.members(path, "views[name]")["views"]]


def test_configuration_is_rewritten(ci: Ci) -> None:
    create(
        ci,
        "v1",
        "<jobNames><string>j1</string><string>nix</string></jobNames><columns><hudson.views.StatusColumn/>"
        "<hudson.views.JobColumn/></columns><unknown/><name>other</name>",
    )
    expected = """<hudson.model.ListView>
  <name>v1</name>
  <filterExecutors>false</filterExecutors>
  <filterQueue>false</filterQueue>
  <jobNames>
    <string>j1</string>
    <string>nix</string>
  </jobNames>
  <jobFilters/>
  <columns>
    <hudson.views.StatusColumn/>
    <hudson.views.JobColumn/>
  </columns>
  <recurse>false</recurse>
</hudson.model.ListView>"""
    stored = ci.get("/view/v1/config.xml").text
    assert stored == HEAD + expected
    assert ci.post("/view/v1/config.xml", data=stored.encode(), headers=XML).status_code == 200
    assert ci.get("/view/v1/config.xml").text == stored


def test_columns_have_defaults_unless_they_are_empty(ci: Ci) -> None:
    create(ci, "without")
    create(ci, "empty", "<columns/>")
    assert [column.tag for column in read(ci, "/view/without").find("columns")] == DEFAULT_COLUMNS  # type: ignore[union-attr]
    assert len(read(ci, "/view/empty").find("columns")) == 0  # type: ignore[arg-type]
    update(ci, "/view/empty", "")
    assert [column.tag for column in read(ci, "/view/empty").find("columns")] == DEFAULT_COLUMNS  # type: ignore[union-attr]


def test_form_adds_properties(ci: Ci) -> None:
    mode = "hudson.model.ListView"
    ci.post("/createView", data={"name": "form", "mode": mode, "json": json.dumps({"name": "form", "mode": mode})})
    create(ci, "xml")
    assert read(ci, "/view/form").find("properties") is not None
    assert read(ci, "/view/xml").find("properties") is None


def test_view_is_copied(ci: Ci) -> None:
    create(ci, "mine", "<jobNames><string>app</string></jobNames>")
    copied = ci.post("/createView?name=copy&mode=copy&from=mine")
    assert (copied.status_code, copied.headers["Location"]) == (302, "/ci/view/copy/configure")
    assert texts(read(ci, "/view/copy"), "jobNames/string") == ["app"]
    missing = ci.post("/createView?name=other&mode=copy&from=nosuch")
    assert (missing.status_code, missing.headers["X-Error"]) == (400, "No such view: nosuch")
    assert ci.post("/createView?name=other&mode=copy").headers["X-Error"] == "Specify which view to copy"


def test_names_are_case_sensitive(ci: Ci) -> None:
    create(ci, "v1")
    create(ci, "V1")
    again = ci.post("/createView?name=v1", data="<hudson.model.ListView/>", headers=XML)
    assert (again.status_code, again.headers["X-Error"]) == (400, 'A view already exists with the name "v1"')
    assert list_names(ci) == ["V1", "all", "v1"]


def test_names_of_jobs_are_sorted_without_case(ci: Ci) -> None:
    create(ci, "mine")
    for name in ("deploy", "APP", "app"):
        assert ci.post(f"/view/mine/addJobToView?name={name}").status_code == 200
    assert texts(read(ci, "/view/mine"), "jobNames/string") == ["app", "deploy"]
    assert ci.post("/view/mine/removeJobFromView?name=Deploy").status_code == 200
    assert texts(read(ci, "/view/mine"), "jobNames/string") == ["app"]
    unknown = ci.post("/view/mine/removeJobFromView?name=nix")
    assert unknown.headers["X-Error"] == "Query parameter 'name' does not correspond to a known and readable item"


def test_job_that_the_view_shows_is_not_added(ci: Ci) -> None:
    create(ci, "mine", "<includeRegex>ap.</includeRegex>")
    assert ci.post("/view/mine/addJobToView?name=app").status_code == 200
    assert texts(read(ci, "/view/mine"), "jobNames/string") == []


def test_names_of_jobs_follow_renaming_and_deletion(ci: Ci) -> None:
    ci.sandbox.seed(JOBS)
    create(ci, "mine", "<jobNames><string>nix</string><string>team/app</string><string>app</string></jobNames>")
    create(ci, "inner", "<jobNames><string>app</string><string>sub/low</string></jobNames>", "/job/team")
    ci.post("/job/team/job/app/confirmRename?newName=web")
    ci.post("/job/app/doDelete")
    assert texts(read(ci, "/view/mine"), "jobNames/string") == ["nix", "team/web"]
    assert texts(read(ci, "/job/team/view/inner"), "jobNames/string") == ["sub/low", "web"]
    ci.request("DELETE", "/job/team/")
    assert texts(read(ci, "/view/mine"), "jobNames/string") == ["nix"]


def test_invalid_expression_is_dropped(ci: Ci) -> None:
    create(ci, "mine", "<includeRegex>(</includeRegex>")
    assert read(ci, "/view/mine").find("includeRegex") is None


def test_status_filter_of_old_versions_becomes_a_filter(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "off", "disabled": True}]}})
    create(ci, "mine", "<includeRegex>off|app</includeRegex><statusFilter>false</statusFilter>")
    assert texts(read(ci, "/view/mine"), "jobFilters/hudson.views.StatusFilter/statusFilter") == ["false"]
    assert [job["name"] for job in ci.json("/view/mine")["jobs"]] == ["off"]


def test_jobs_of_subfolders_are_shown_when_view_recurses(ci: Ci) -> None:
    ci.sandbox.seed(JOBS)
    create(ci, "mine", "<jobNames><string>sub/low</string></jobNames><includeRegex>a.*</includeRegex>", "/job/team")
    assert [job["name"] for job in ci.json("/job/team/view/mine")["jobs"]] == ["app"]
    update(ci, "/job/team/view/mine", "<jobNames><string>sub/low</string></jobNames><recurse>true</recurse>")
    assert [job["name"] for job in ci.json("/job/team/view/mine")["jobs"]] == ["low"]


@pytest.mark.parametrize("config", ["<hudson.model.AllView/>", "<hudson.model.ListView>", "<no.such.View/>", NESTED])
def test_configuration_is_refused(ci: Ci, config: str) -> None:
    create(ci, "mine")
    assert oops(ci.post("/view/mine/config.xml", data=config, headers=XML))


def test_description_is_submitted(ci: Ci) -> None:
    create(ci, "mine")
    assert ci.post("/view/mine/submitDescription", data={"description": "A < B"}).status_code == 302
    assert ci.json("/view/mine")["description"] == "A < B"


def test_primary_view_is_the_oldest_one_when_all_is_deleted(ci: Ci) -> None:
    for name in ("v1", "V1"):
        create(ci, name)
    update(ci, "/view/v1", "<description>changed</description>")
    deleted = ci.post("/view/all/doDelete")
    assert (deleted.status_code, deleted.headers["Location"]) == (302, "/ci/")
    assert ci.members("", "views[name,url],primaryView[name]") == {
        "primaryView": {"_class": "hudson.model.ListView", "name": "v1"},
        "views": [
            {"_class": "hudson.model.ListView", "name": "V1", "url": f"{ci.url}/view/V1/"},
            {"_class": "hudson.model.ListView", "name": "v1", "url": f"{ci.url}/"},
        ],
    }
    assert ci.post("/view/v1/doDelete").status_code == 302
    assert oops(ci.post("/view/V1/doDelete"))


def test_view_of_all_jobs_has_another_name_in_folders(ci: Ci) -> None:
    ci.sandbox.seed(JOBS)
    assert list_names(ci, "/job/team") == ["All"]
    assert ci.get("/job/team/view/all/api/json").status_code == 404
    assert ci.json("/view/All")["name"] == "all"
    assert oops(ci.post("/job/team/view/All/doDelete"))
    create(ci, "mine", owner="/job/team")
    assert list_names(ci, "/job/team") == ["All", "mine"]


def test_views_are_nested(ci: Ci) -> None:
    ci.sandbox.seed(NESTED_PLUGIN)
    create(ci, "outer", NESTED)
    create(ci, "inner", NESTED, "/view/outer")
    create(ci, "low", "<jobNames><string>app</string></jobNames>", "/view/outer/view/inner")
    assert ci.members("/view/outer", "views[name,url,views[name]]")["views"] == [
        {
            "_class": "hudson.plugins.nested_view.NestedView",
            "name": "inner",
            "url": f"{ci.url}/view/outer/view/inner/",
            "views": [{"_class": "hudson.model.ListView", "name": "low"}],
        }
    ]
    path = "/view/outer/view/inner/view/low"
    assert [job["name"] for job in ci.json(path)["jobs"]] == ["app"]
    update(ci, path, "<description>changed</description>")
    assert ci.json(path)["description"] == "changed"
    assert ci.json(f"{path}/job/app")["name"] == "app"
    assert read(ci, "/view/outer").get("plugin") == "nested-view@1.36"
    deleted = ci.post(f"{path}/doDelete")
    assert (deleted.status_code, deleted.headers["Location"]) == (302, "/ci/view/outer/view/inner/")
    assert list_names(ci, "/view/outer/view/inner") == []
    assert ci.post("/view/all/createView?name=x", data="<hudson.model.ListView/>", headers=XML).status_code == 404


def test_nested_view_is_found_without_the_views_that_contain_it(ci: Ci) -> None:
    ci.sandbox.seed(NESTED_PLUGIN)
    create(ci, "outer", NESTED)
    create(ci, "low", "<description>nested</description>", "/view/outer")
    assert read(ci, "/view/low").findtext("description") == "nested"
    again = ci.post("/createView?name=low", data="<hudson.model.ListView/>", headers=XML)
    assert again.headers["X-Error"] == 'A view already exists with the name "low"'


def test_nested_view_requires_the_plugin(ci: Ci) -> None:
    assert oops(ci.post("/createView?name=outer", data=NESTED, headers=XML))


def test_views_without_visible_jobs_are_hidden(ci: Ci) -> None:
    create(ci, "empty")
    create(ci, "filled", "<jobNames><string>app</string></jobNames>")
    listing = ci.get("/api/json?tree=views[name]", "reader").json()["views"]
    assert [view["name"] for view in listing] == ["all", "filled"]
    refused = ci.get("/view/empty/config.xml", "reader")
    assert (refused.status_code, refused.headers["X-Required-Permission"]) == (403, "hudson.model.View.Read")
    assert ci.get("/view/filled/config.xml", "reader").status_code == 200
    assert ci.get("/view/nosuch/config.xml", "reader").status_code == 404


def test_views_of_a_folder_that_lost_their_owner_are_errors(ci: Ci) -> None:
    views = "<folderViews><views><hudson.model.ListView><name>only</name></hudson.model.ListView></views></folderViews>"
    tag = "com.cloudbees.hudson.plugins.folder.Folder"
    ci.create("broken", f"<{tag}>{views}</{tag}>")
    assert oops(ci.get("/job/broken/view/only/config.xml"))
    assert oops(ci.post("/job/broken/view/only/doDelete"))
    create(ci, "nest", owner="/job/broken")
    assert ci.post("/job/broken/view/nest/doDelete").status_code == 302
    assert oops(ci.get("/job/broken/api/json?tree=views[name]"))


def test_views_are_seeded(ci: Ci) -> None:
    views = [
        {"name": "mine", "description": "Mine", "jobs": ["app"], "regex": "d.*"},
        {"name": "inner", "folder": "team", "config": "<hudson.model.MyView/>"},
        {"name": "all", "config": "<hudson.model.AllView><description>Everything</description></hudson.model.AllView>"},
    ]
    ci.sandbox.seed({"ci": {**JOBS["ci"], "views": views}})
    assert [job["name"] for job in ci.json("/view/mine")["jobs"]] == ["app", "deploy"]
    assert list_names(ci) == ["all", "mine"]
    assert ci.json("/view/all")["description"] == "Everything"
    assert ci.json("/job/team/view/inner")["_class"] == "hudson.model.MyView"


def test_all_views_are_replaced() -> None:
    runtime = Runtime()
    runtime.create(SCHEMA)
    try:
        controller = Controller(runtime)
        storage, writer = controller.storage, controller.create_writer()
        elements = [stored_views.from_seed({"name": name}) for name in ("b", "a")]
        stored_views.replace_views(storage, writer, elements)
        assert [view.name for view in stored_views.list_views(storage, "")] == ["b", "a"]
        storage.set(stored_views.PRIMARY_VIEW, "a")
        primary = stored_views.find_primary(storage, "")
        assert primary
        assert primary.name == "a"
        stored_views.replace_views(storage, writer, [])
        assert stored_views.list_views(storage, "") == []
        assert stored_views.find_primary(storage, "") is None
        stored_views.add_view(storage, writer, "", None, elements[0])
        assert [view.name for view in stored_views.list_views(storage, "")] == ["b"]
    finally:
        runtime.close()
