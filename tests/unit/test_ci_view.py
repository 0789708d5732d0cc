# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import quote

import pytest

from support import conversation as exact
from support.ci_scripts import ask_unknown
from support.ci_server import read_before_update
from support.conversation import Call, Conversation, call
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

HEAD = '<?xml version="1.1" encoding="UTF-8"?>\n'
TREE = quote("url,views[name],primaryView[name]", safe="")
JOBS_TREE = quote("jobs[name]", safe="")
LIST = "hudson.model.ListView"
NESTED = "hudson.plugins.nested_view.NestedView"
FORBIDDEN = {"X-Required-Permission": "hudson.model.View.Read"}
OPTIONS = {"username": "admin", "api_token": "t0ken-of-mine"}
COLUMNS = {"status": "Status", "weather": "Weather", "job": "Job", "last_success": "LastSuccess"}
COLUMNS |= {"last_failure": "LastFailure", "last_duration": "LastDuration", "build_button": "BuildButton"}
RESULT = {
    "name": "mine",
    "folder": "",
    "parent": "",
    "type": "list",
    "description": "",
    "filter_queue": False,
    "filter_executors": False,
    "jobs": [],
    "regex": "",
    "recurse": False,
    "columns": list(COLUMNS),
    "status_filter": "all",
}


def conversation(*calls: Call) -> AbstractContextManager[Any]:
    """Run a server that expects these requests, and the reads again immediately before an update."""
    return exact.conversation(*read_before_update(calls, "url%2Cviews", "/config.xml"))


def list_xml(
    description: str = "",
    jobs: tuple[str, ...] = (),
    filters: str = "",
    columns: tuple[str, ...] = tuple(COLUMNS.values()),
    regex: str = "",
    recurse: str = "false",
    name: str = "mine",
) -> str:
    """Return the configuration of a list view as Jenkins stores it."""
    lines = [
        f"<{LIST}>",
        f"  <name>{name}</name>",
        *([f"  <description>{description}</description>"] if description else ()),
        "  <filterExecutors>false</filterExecutors>",
        "  <filterQueue>false</filterQueue>",
        "  <jobNames>",
        '    <comparator class="java.lang.String$CaseInsensitiveComparator"/>',
        *(f"    <string>{job}</string>" for job in jobs),
        "  </jobNames>",
        f"  <jobFilters>{filters}</jobFilters>" if filters else "  <jobFilters/>",
        "  <columns>",
        *(f"    <hudson.views.{column}Column/>" for column in columns),
        "  </columns>",
        *([f"  <includeRegex>{regex}</includeRegex>"] if regex else ()),
        f"  <recurse>{recurse}</recurse>",
        f"</{LIST}>",
    ]
    return HEAD + "\n".join(lines)


def listing(*names: str, path: str = "", url: str = "", **classes: str) -> Call:
    """Return the request for the views of an owner. The first one is the primary view, unless they are nested."""
    views = [{"_class": classes.get(name, LIST), "name": name} for name in names]
    primary = {"_class": LIST, "name": names[0]} if names and "/view/" not in path else None
    document = {"_class": "hudson.model.Hudson", "url": url or None, "views": views, "primaryView": primary}
    return call("GET", f"{path}/api/json?tree={TREE}", json=document)


def missing(path: str) -> Call:
    return call("GET", path, 404, text="Not Found")


def config(text: str, path: str = "/view/mine") -> Call:
    return call("GET", f"{path}/config.xml", text=text)


def posted(text: str, path: str = "/view/mine/config.xml", status: int = 200) -> Call:
    headers = {"Content-Type": "application/xml; charset=utf-8"}
    return call("POST", path, status, sent_body=text.encode(), sent_headers=headers)


def existing_jobs(*names: str, folder: str = "") -> Call:
    return call("GET", f"{folder}/api/json?tree={JOBS_TREE}", json={"jobs": [{"name": name} for name in names]})


def manage(server: Conversation, **options: Any) -> dict[str, Any]:
    return run("ci_view", url=server.url, **OPTIONS, **{"name": "mine", **options})


def test_list_view_is_created() -> None:
    sent = f"""{HEAD}<{LIST}>
  <name>mine</name>
  <description>A &lt; B</description>
  <includeRegex>release-.*</includeRegex>
  <filterQueue>true</filterQueue>
  <recurse>false</recurse>
  <jobNames>
    <comparator class="java.lang.String$CaseInsensitiveComparator"/>
    <string>app</string>
  </jobNames>
  <columns>
    <hudson.views.StatusColumn/>
    <a.b__c.Some_-Column/>
  </columns>
  <jobFilters>
    <hudson.views.StatusFilter>
      <statusFilter>true</statusFilter>
    </hudson.views.StatusFilter>
  </jobFilters>
</{LIST}>"""
    with conversation(
        listing("all"),
        missing("/view/mine/config.xml"),
        existing_jobs("app", "deploy"),
        posted(sent, "/createView?name=mine"),
        listing("all", "mine"),
        config(sent),
    ) as server:
        outcome = manage(
            server,
            description="A < B",
            jobs=["app"],
            regex="release-.*",
            recurse=False,
            columns=["hudson.views.StatusColumn", "a.b_c.Some$Column"],
            status_filter="enabled",
            filter_queue=True,
        )
    assert outcome["changed"]
    assert outcome["view"] == {
        **RESULT,
        "description": "A < B",
        "jobs": ["app"],
        "regex": "release-.*",
        "columns": ["status", "a.b_c.Some$Column"],
        "status_filter": "enabled",
        "filter_queue": True,
    }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"jobs": ["app"]},
        {"jobs": ["gone", "app"], "purge": True},
        {"jobs": [], "regex": "", "description": "", "status_filter": "all", "type": "list", "columns": list(COLUMNS)},
    ],
)
def test_unchanged_view_is_only_read(options: dict[str, Any]) -> None:
    with conversation(listing("all", "mine"), config(list_xml(jobs=("app", "gone")))) as server:
        outcome = manage(server, **options)
    assert not outcome["changed"]
    assert outcome["view"] == {**RESULT, "jobs": ["app", "gone"]}


def test_jobs_are_added_and_others_are_kept() -> None:
    stored, sent = list_xml(jobs=("gone", "web")), list_xml(jobs=("app", "gone", "web"))
    with conversation(
        listing("all", "mine"),
        config(stored),
        existing_jobs("app", "web"),
        posted(sent),
        listing("all", "mine"),
        config(sent),
    ) as server:
        outcome = manage(server, jobs=["web", "app"])
    assert outcome["view"]["jobs"] == ["app", "gone", "web"]


def test_other_jobs_are_removed_when_purging() -> None:
    sent = list_xml(jobs=("web",))
    with conversation(
        listing("all", "mine"),
        config(list_xml(jobs=("gone", "web"))),
        posted(sent),
        listing("all", "mine"),
        config(sent),
    ) as server:
        outcome = manage(server, jobs=["web"], purge=True)
    assert outcome["view"]["jobs"] == ["web"]


def test_other_settings_are_kept() -> None:
    status = "<hudson.views.StatusFilter><statusFilter>{}</statusFilter></hudson.views.StatusFilter>"
    other = "<a.Filter><depth>2</depth></a.Filter>"
    column = '<a.Column plugin="a@1"><width>9</width></a.Column>'
    stored = list_xml("old", ("web",), other + status.format("true"), regex="a.*", recurse="true")
    stored = stored.replace("<hudson.views.JobColumn/>", column)
    after = list_xml("", ("web",), other + status.format("false"), ("Status",), recurse="true")
    after = after.replace("    <hudson.views.StatusColumn/>", f"    {column}\n    <hudson.views.StatusColumn/>")
    columns = f"""  <columns>
    <a.Column plugin="a@1">
      <width>9</width>
    </a.Column>
    <hudson.views.StatusColumn/>
  </columns>
</{LIST}>"""
    sent = list_xml("", ("web",), "FILTERS", (), recurse="true").replace("  <columns>\n  </columns>\n", "")
    sent = sent.replace(f"</{LIST}>", columns).replace(
        "FILTERS",
        """
    <a.Filter>
      <depth>2</depth>
    </a.Filter>
    <hudson.views.StatusFilter>
      <statusFilter>false</statusFilter>
    </hudson.views.StatusFilter>
  """,
    )
    with conversation(
        listing("all", "mine"), config(stored), posted(sent), listing("all", "mine"), config(after)
    ) as server:
        outcome = run(
            "ci_view",
            diff_mode=True,
            url=server.url,
            **OPTIONS,
            name="mine",
            description="",
            regex="",
            status_filter="disabled",
            columns=["a.Column", "status"],
        )
    assert outcome["diff"] == {
        "before": {
            "state": "present",
            "description": "old",
            "regex": "a.*",
            "status_filter": "enabled",
            "columns": ["status", "weather", "a.Column", *list(COLUMNS)[3:]],
        },
        "after": {
            "state": "present",
            "description": "",
            "regex": "",
            "status_filter": "disabled",
            "columns": ["a.Column", "status"],
        },
    }


def test_view_is_deleted() -> None:
    deleted = call("POST", "/view/mine/doDelete", 302, headers={"Location": "/"})
    with conversation(listing("all", "mine"), config(list_xml()), deleted, listing("all")) as server:
        outcome = manage(server, state="absent", jobs=["app"])
    assert (outcome["changed"], outcome["view"]) == (True, None)


def test_missing_view_is_not_deleted() -> None:
    with conversation(listing("all"), missing("/view/mine/config.xml")) as server:
        assert not manage(server, state="absent")["changed"]


@pytest.mark.parametrize("state", ["present", "absent"])
def test_hidden_view_is_reported(state: str) -> None:
    page = "<h1>Access Denied</h1> u is missing the View/Read permission"
    hidden = call("GET", "/view/mine/config.xml", 403, headers=FORBIDDEN, text=page)
    with conversation(listing("all"), hidden) as server:
        outcome = manage(server, state=state)
    assert outcome["failed"]
    assert "missing the View/Read permission" in outcome["msg"]


def test_view_with_the_name_in_a_nested_view_is_another_one() -> None:
    views = listing("all", "outer", outer=NESTED)
    with conversation(views, config(list_xml()), views) as server:
        assert not manage(server, state="absent")["changed"]
    with conversation(views, config(list_xml()), views) as server:
        outcome = manage(server)
    assert outcome["msg"].startswith("View 'mine' cannot be created, because a view inside a nested view of Jenkins")


def test_view_that_another_client_creates_is_found() -> None:
    stored = config(list_xml())
    with conversation(listing("all"), stored, listing("all", "mine"), stored) as server:
        assert not manage(server)["changed"]


def test_primary_view_is_not_deleted() -> None:
    with conversation(listing("mine", "other"), config(list_xml())) as server:
        outcome = manage(server, state="absent")
    assert outcome["msg"].startswith("View 'mine' was not deleted: it is the primary view of Jenkins")


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        (
            {"folder": "team/web"},
            "/job/team/job/web",
            "Folder 'team/web' does not exist, or the account has no Job/Read",
        ),
        ({"parent": "outer"}, "/view/outer", "View 'outer' does not exist, or the account has no View/Read"),
        (
            {"folder": "team", "parent": "a/b"},
            "/job/team/view/a/view/b",
            "View 'a/b' of folder 'team' does not exist, or the account has no View/Read",
        ),
    ],
)
@pytest.mark.parametrize("state", ["present", "absent"])
def test_missing_owner_is_reported(options: dict[str, str], path: str, message: str, state: str) -> None:
    with conversation(missing(f"{path}/api/json?tree={TREE}")) as server:
        assert manage(server, state=state, **options)["msg"].startswith(message)
    with conversation(missing(f"{path}/api/json?tree={TREE}")) as server:
        outcome = run(
            "ci_view",
            check_mode=True,
            url=server.url,
            **OPTIONS,
            name="mine",
            state=state,
            predict_missing=True,
            **options,
        )
    assert outcome["changed"] == (state == "present")


def test_nested_view_elsewhere_is_not_the_parent() -> None:
    found = listing(path="/view/inner", url="https://ci.example.com/view/outer/view/inner/")
    with conversation(found) as server:
        assert manage(server, parent="inner")["msg"].startswith("View 'inner' does not exist")


def test_owner_without_views_is_reported() -> None:
    job = call("GET", f"/job/app/api/json?tree={TREE}", json={"_class": "hudson.model.FreeStyleProject", "url": "x"})
    with conversation(job) as server:
        outcome = manage(server, folder="app")
    assert outcome["msg"].startswith("Cannot find views: folder 'app' cannot contain any.")


def test_view_in_a_folder_and_a_nested_view_is_managed() -> None:
    owner = "/job/team/view/a%20b"
    stored, sent = list_xml(jobs=("app",)), list_xml(jobs=("app", "sub/low"), recurse="true")
    views = listing("mine", path=owner, url="https://ci.example.com/ci/job/team/view/a%20b/")
    with conversation(
        views,
        config(stored, f"{owner}/view/mine"),
        existing_jobs("low", folder="/job/team/job/sub"),
        posted(sent, f"{owner}/view/mine/config.xml"),
        views,
        config(sent, f"{owner}/view/mine"),
    ) as server:
        outcome = manage(server, folder="team", parent="a b", jobs=["sub/low"], recurse=True)
    assert outcome["view"] == {
        **RESULT,
        "folder": "team",
        "parent": "a b",
        "jobs": ["app", "sub/low"],
        "recurse": True,
    }


def test_unknown_jobs_are_refused() -> None:
    with conversation(listing("all", "mine"), config(list_xml()), existing_jobs("app")) as server:
        outcome = manage(server, jobs=["app", "App", "nix"])
    assert outcome["msg"].startswith(
        "Option 'jobs': these jobs do not exist, or the account has no Job/Read permission"
    )
    assert outcome["msg"].endswith(": App, nix.")


def test_jobs_of_subfolders_require_recursion() -> None:
    with conversation(listing("all", "mine"), config(list_xml())) as server:
        outcome = manage(server, jobs=["sub/low"])
    assert outcome["msg"] == "Option 'recurse': must be true to show jobs of subfolders, such as 'sub/low'."


def test_type_of_view_is_not_changed() -> None:
    stored = f"{HEAD}<hudson.model.MyView><name>mine</name></hudson.model.MyView>"
    for options, message in (
        ({"type": "all"}, "The type of view 'mine' cannot be changed from 'my' to 'all'."),
        ({"jobs": ["app"]}, "Option 'jobs': applies only to list views, but the type of the existing view is 'my'"),
        ({"config": "<hudson.model.AllView/>"}, "The type of view 'mine' cannot be changed from 'my' to 'all'."),
    ):
        with conversation(listing("all", "mine"), config(stored)) as server:
            assert manage(server, **options)["msg"].startswith(message)


def test_nested_view_is_created_but_not_changed() -> None:
    tag = NESTED.replace("_", "__")
    sent = f"{HEAD}<{tag}>\n  <name>mine</name>\n  <description>new</description>\n</{tag}>"
    plugins = {"plugins": [{"active": True, "shortName": "nested-view"}]}
    installed = call("GET", f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}", json=plugins)
    with conversation(
        listing("all"),
        missing("/view/mine/config.xml"),
        installed,
        posted(sent, "/createView?name=mine"),
        listing("all", "mine"),
        config(sent),
    ) as server:
        assert manage(server, type="nested", description="new")["view"]["type"] == "nested"
    with conversation(listing("all", "mine"), config(sent)) as server:
        assert "was not changed: writing the configuration of a nested view" in manage(server, description="")["msg"]


def test_nested_view_is_refused_when_plugin_is_missing() -> None:
    path = f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}"
    for check_mode in (True, False):
        with conversation(
            listing("all"), missing("/view/mine/config.xml"), call("GET", path, json={"plugins": []})
        ) as server:
            outcome = run("ci_view", check_mode=check_mode, url=server.url, **OPTIONS, name="mine", type="nested")
        assert "requires the Jenkins plugin 'nested-view', which is not installed" in outcome["msg"]


def test_configuration_is_merged() -> None:
    tag = "a.Dashboard"
    stored = f'{HEAD}<{tag} plugin="a@1">\n  <name>mine</name>\n  <width>1</width>\n  <height>2</height>\n</{tag}>'
    declared = f"<{tag} plugin='a@2'><!-- wide --><name>other</name><owner class='x'/><width>9</width></{tag}>"
    sent = stored.replace("<width>1", "<width>9")
    with conversation(
        listing("all", "mine"),
        config(stored),
        call("POST", "/view/mine/config.xml"),
        listing("all", "mine"),
        config(sent),
    ) as server:
        outcome = manage(server, config=declared)
    assert outcome["view"]["type"] == tag
    assert outcome["view"]["elements"] == {"name": "mine", "width": "9", "height": "2"}
    with conversation(listing("all", "mine"), config(sent)) as server:
        assert not manage(server, config=declared)["changed"]


def test_view_is_created_from_configuration() -> None:
    sent = f"{HEAD}<hudson.model.MyView>\n  <description>x</description>\n  <name>mine</name>\n</hudson.model.MyView>"
    with conversation(
        listing("all"),
        missing("/view/mine/config.xml"),
        posted(sent, "/createView?name=mine"),
        listing("all", "mine"),
        config(sent),
    ) as server:
        outcome = manage(server, config="<hudson.model.MyView><description>x</description></hudson.model.MyView>")
    assert outcome["view"]["elements"] == {"name": "mine", "description": "x"}


def test_unknown_class_is_reported() -> None:
    with conversation(
        listing("all"),
        missing("/view/mine/config.xml"),
        ask_unknown({"class": ["a.b_c.View"]}),
        call("POST", "/createView?name=mine", 500, text="Oops!"),
        listing("all"),
    ) as server:
        outcome = manage(server, config="<a.b__c.View/>")
    assert outcome["msg"].endswith("Check that the plugin with the view type 'a.b_c.View' is installed.")


def test_items_in_nested_views_are_processed_after_these() -> None:
    items = [{"name": "low", "parent": "outer"}, {"name": "outer", "type": "nested"}]
    tag = NESTED.replace("_", "__")
    outer = f"{HEAD}<{tag}><name>outer</name></{tag}>"
    inner = listing("low", path="/view/outer", url="https://ci.example.com/view/outer/")
    options = {**OPTIONS, "items": items, "workers": 1}
    with conversation(
        listing("all", "outer", outer=NESTED),
        config(outer, "/view/outer"),
        inner,
        config(list_xml(), "/view/outer/view/low"),
    ) as server:
        assert run("ci_view", url=server.url, **options)["counts"]["ok"] == len(items)
    plugins = {"plugins": [{"active": True, "shortName": "nested-view"}]}
    with conversation(
        listing("all"),
        missing("/view/outer/config.xml"),
        call("GET", f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}", json=plugins),
        missing(f"/view/outer/api/json?tree={TREE}"),
    ) as server:
        predicted = run("ci_view", check_mode=True, url=server.url, **options)
    assert predicted["counts"]["changed"] == len(items)
    with conversation(
        inner,
        config(list_xml(), "/view/outer/view/low"),
        call("POST", "/view/outer/view/low/doDelete", 302),
        listing(path="/view/outer", url="https://ci.example.com/view/outer/"),
        listing("all", "outer", outer=NESTED),
        config(outer, "/view/outer"),
        call("POST", "/view/outer/doDelete", 302),
        listing("all"),
    ) as server:
        removed = run("ci_view", url=server.url, **{**options, "items": items[::-1]}, state="absent")
    assert removed["counts"]["changed"] == len(items)


def test_regular_expression_that_jenkins_drops_is_reported() -> None:
    with conversation(
        listing("all", "mine"),
        config(list_xml()),
        posted(
            list_xml(regex="(")
            .replace("  <includeRegex>(</includeRegex>\n", "")
            .replace("  <recurse>false</recurse>\n", "  <recurse>false</recurse>\n  <includeRegex>(</includeRegex>\n")
        ),
        listing("all", "mine"),
        config(list_xml()),
    ) as server:
        outcome = manage(server, regex="(")
    assert outcome["failed"]
    assert "these fields of the view do not have the requested values: regex" in outcome["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "a/b"}, "Option 'name': must be a name without"),
        ({"name": "end."}, "Option 'name': must be a name without"),
        ({"name": ".."}, "Option 'name': must be a name without"),
        ({"name": " mine"}, "Option 'name': must not start or end with whitespace"),
        ({"folder": "../x"}, "Option 'folder': '..' is not a valid part of a path"),
        ({"folder": None}, "Option 'folder': must not be null"),
        ({"parent": "a//b"}, "Option 'parent': must be the path of a nested view"),
        ({"parent": ".."}, "Option 'parent': must be the path of a nested view"),
        ({"jobs": ["a/../b"]}, "Option 'jobs': '..' is not a valid part of a path"),
        ({"columns": ["no"]}, "Option 'columns[0]': must be one of status, weather"),
        ({"description": "a\x01"}, "Option 'description': must be a text without control characters"),
        ({"type": "my", "regex": "a"}, "Option 'regex': applies only to list views"),
        ({"type": "my", "config": "<a.B/>"}, "Option 'type': must not be set with 'config'"),
        ({"jobs": [], "config": "<a.B/>"}, "Option 'jobs': must not be set with 'config'"),
        ({"config": "<a.B>"}, "Option 'config': must be an XML document"),
        ({"config": "<hudson.plugins.nested__view.NestedView/>"}, "Option 'config': must not be a nested view"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert manage(server, **options)["msg"].startswith(message)


def test_items_share_the_listing() -> None:
    with conversation(
        listing("all", "one", "two"),
        config(list_xml(name="one"), "/view/one"),
        config(list_xml(name="two"), "/view/two"),
    ) as server:
        outcome = run(
            "ci_view", url=server.url, **OPTIONS, items=[{"name": "one"}, {"name": "two", "folder": ""}], workers=1
        )
    assert outcome["counts"]["ok"] == 2


def test_undeclared_views_are_reported_unless_they_are_protected() -> None:
    views = listing("first", "all", "mine", "old", "outer", all="hudson.model.AllView", outer=NESTED)
    inner = listing("low", "x", path="/view/outer", url="https://ci.example.com/view/outer/")
    with conversation(views, inner, config(list_xml()), config(list_xml(), "/view/outer/view/low")) as server:
        outcome = run(
            "ci_view",
            url=server.url,
            **OPTIONS,
            items=[{"name": "mine"}, {"name": "low", "parent": "outer"}],
            undeclared="report",
            workers=1,
        )
    assert outcome["undeclared"] == ["/view/old", "/view/outer/view/x"]
    assert not outcome["changed"]


def test_undeclared_views_are_removed() -> None:
    deleted = call("POST", "/job/team/view/old/doDelete", 302, headers={"Location": "/job/team/"})
    with conversation(
        listing("All", "mine", "old", path="/job/team"),
        config(list_xml(), "/job/team/view/mine"),
        config(list_xml(name="old"), "/job/team/view/old"),
        deleted,
        listing("All", "mine", path="/job/team"),
    ) as server:
        outcome = run(
            "ci_view",
            url=server.url,
            **OPTIONS,
            folder="team",
            items=[{"name": "mine"}],
            undeclared="remove",
            workers=1,
        )
    assert outcome["undeclared"] == ["/job/team/view/old"]
    assert outcome["counts"]["changed"] == 1


def test_views_are_returned_as_options() -> None:
    dashboard = f"{HEAD}<a.Dashboard>\n  <name>wide</name>\n</a.Dashboard>"
    my = f"{HEAD}<hudson.model.MyView><name>My</name><filterQueue>true</filterQueue></hudson.model.MyView>"
    with conversation(
        listing("mine", "wide", "My", path="/job/team"),
        config(my, "/job/team/view/My"),
        config(list_xml(jobs=("b", "A")), "/job/team/view/mine"),
        config(dashboard, "/job/team/view/wide"),
    ) as server:
        outcome = run("ci_view_info", url=server.url, **OPTIONS, folder="team", workers=1)
    owner = {"folder": "team", "parent": ""}
    assert outcome["views"] == [
        {"name": "My", **owner, "type": "my", "description": "", "filter_queue": True, "filter_executors": False},
        {**RESULT, **owner, "jobs": ["A", "b"]},
        {"name": "wide", **owner, "config": dashboard},
    ]
    assert outcome["primary"] == "mine"


def test_configuration_of_each_view_is_returned_on_request() -> None:
    with conversation(listing("mine"), config(list_xml())) as server:
        [view] = run("ci_view_info", url=server.url, **OPTIONS, include_config=True)["views"]
    assert view.pop("config").startswith(f"{HEAD}<hudson.model.ListView>")
    assert view == RESULT


def test_one_view_is_returned() -> None:
    with conversation(listing("all", "mine"), config(list_xml())) as server:
        assert run("ci_view_info", url=server.url, **OPTIONS, name="mine")["views"] == [RESULT]
    with conversation(listing("all")) as server:
        assert run("ci_view_info", url=server.url, **OPTIONS, name="mine")["views"] == []
    with conversation(missing(f"/job/team/api/json?tree={TREE}")) as server:
        assert run("ci_view_info", url=server.url, **OPTIONS, folder="team")["msg"].startswith("Folder 'team' does not")


def test_unexpected_listing_is_reported() -> None:
    address = f"/api/json?tree={TREE}"
    for response in ({"json": {}}, {"text": "<html>Log in</html>"}, {"json": {"views": [{"name": "mine"}]}}):
        with conversation(call("GET", address, **response)) as server:
            outcome = manage(server, state="absent")
        assert outcome["failed"]
        assert ": 200, but " in outcome["msg"]
