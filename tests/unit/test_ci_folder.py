# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from support.ci_scripts import ask_unknown
from support.ci_server import TOKEN
from support.conversation import Call, call, conversation
from support.running import run

FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
FREESTYLE = "hudson.model.FreeStyleProject"
MULTIBRANCH = "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"
MEMBERS = "fullName,displayNameOrNull,description"
DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'
PLUGINS = call(
    "GET",
    "/pluginManager/api/json?tree=plugins%5Bactive%2CshortName%5D",
    json={"plugins": [{"active": True, "shortName": "cloudbees-folder"}]},
)
VIEWS = """<folderViews class="com.cloudbees.hudson.plugins.folder.views.DefaultFolderViewHolder">
    <views>
      <hudson.model.AllView>
        <owner class="com.cloudbees.hudson.plugins.folder.Folder" reference="../../../.."/>
        <name>All</name>
      </hudson.model.AllView>
    </views>
  </folderViews>"""
HEALTH = (
    f"<{FOLDER}><healthMetrics><com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric>"
    "<nonRecursive>false</nonRecursive>"
    f"</com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric></healthMetrics></{FOLDER}>"
)


def item(name: str, kind: str = FOLDER, **members: Any) -> dict[str, Any]:
    return {"_class": kind, "fullName": name, "displayNameOrNull": None, "description": None, **members}


def path(folder: str) -> str:
    return "".join(f"/job/{quote(part, safe='')}" for part in folder.split("/") if part)


def listed(*items: dict[str, Any], folder: str = "", members: str = MEMBERS, kind: str = FOLDER) -> Call:
    """Return the read of the items in a folder."""
    found = {"_class": kind, "jobs": list(items)}
    found |= {"fullName": folder} if folder else {"_class": "hudson.model.Hudson"}
    return call("GET", f"{path(folder)}/api/json?tree={quote(f'fullName,jobs[{members}]', safe='')}", json=found)


def missing_folder(folder: str) -> Call:
    return call(
        "GET", f"{path(folder)}/api/json?tree={quote(f'fullName,jobs[{MEMBERS}]', safe='')}", 404, text="Not Found"
    )


def read(name: str, **members: Any) -> Call:
    """Return the read of one item."""
    return call("GET", f"{path(name)}/api/json?tree={quote(MEMBERS, safe='')}", json=item(name, **members))


def missing(name: str) -> Call:
    return call("GET", f"{path(name)}/api/json?tree={quote(MEMBERS, safe='')}", 404, text="Not Found")


def config(name: str, *elements: str) -> Call:
    """Return the read of a configuration."""
    return call("GET", f"{path(name)}/config.xml", headers={"Content-Type": "application/xml"}, text=xml(*elements))


def xml(*elements: str) -> str:
    if not elements:
        return f"{DECLARATION}<{FOLDER}/>"
    return f"{DECLARATION}<{FOLDER}>\n  " + "\n  ".join(elements) + f"\n</{FOLDER}>"


def created(name: str, *elements: str, status: int = 200, **more: Any) -> Call:
    folder, _slash, last = name.rpartition("/")
    target = f"{path(folder)}/createItem?name={quote(last, safe='')}"
    return call("POST", target, status, sent_body=xml(*elements).encode(), **more)


def written(name: str, *elements: str) -> Call:
    return call("POST", f"{path(name)}/config.xml", sent_body=xml(*elements).encode())


def moved(name: str, folder: str, location: str) -> Call:
    form = {"destination": f"/{folder}"}
    return call("POST", f"{path(name)}/move/move", 302, sent_form=form, headers={"Location": location})


def renamed(name: str, last: str) -> Call:
    return call("POST", f"{path(name)}/confirmRename", 302, sent_form={"newName": last}, headers={"Location": "/"})


def deleted(name: str) -> Call:
    return call("POST", f"{path(name)}/doDelete", 302, headers={"Location": "/"})


def manage(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("ci_folder", url=server.url, **TOKEN, **options)


def test_unchanged_folder_costs_one_request() -> None:
    options = {"name": "team", "description": "Ours", "display_name": "Team"}
    result = manage(listed(item("team", description="Ours", displayNameOrNull="Team")), **options)
    assert (result["changed"], result["folder"]) == (False, options)


def test_unchanged_folders_cost_one_request_for_each_parent() -> None:
    items = [{"name": name} for name in ("team/web", "team/app", "team", "ops")]
    calls = (listed(item("team"), item("ops")), listed(item("team/web"), item("team/app"), folder="team"))
    result = manage(*calls, items=items, workers=1)
    assert (result["changed"], result["counts"]["ok"]) == (False, 4)


def test_empty_texts_equal_missing_ones() -> None:
    assert not manage(listed(item("team")), name="team", description="", display_name="")["changed"]


def test_missing_folder_is_created() -> None:
    elements = ("<description>Ours</description>", "<displayName>Team</displayName>")
    stored = {"description": "Ours", "displayNameOrNull": "Team"}
    calls = (listed(), PLUGINS, created("team", *elements), read("team", **stored))
    result = manage(*calls, name="team", description="Ours", display_name="Team", diff_mode=True)
    assert result["folder"] == {"name": "team", "description": "Ours", "display_name": "Team"}
    assert result["diff"]["before"] == {"state": "absent"}


def test_update_keeps_other_elements() -> None:
    others = ("<actions/>", "<properties/>", VIEWS, "<healthMetrics/>")
    written_texts = ("<displayName>Team</displayName>",)
    calls = (
        listed(item("team", description="Old")),
        config("team", "<description>Old</description>", *others),
        read("team", description="Old"),
        config("team", "<description>Old</description>", *others),
        written("team", "<description>New</description>", *others, *written_texts),
        read("team", description="New", displayNameOrNull="Team"),
    )
    result = manage(*calls, name="team", description="New", display_name="Team", diff_mode=True)
    assert result["diff"] == {
        "before": {"state": "present", "name": "team", "description": "Old", "display_name": ""},
        "after": {"state": "present", "name": "team", "description": "New", "display_name": "Team"},
    }


def test_credentials_that_another_client_creates_survive() -> None:
    credentials = "<properties><provider/></properties>"
    written_credentials = "<properties>\n    <provider/>\n  </properties>"
    calls = (
        listed(item("team", description="Old")),
        config("team", "<description>Old</description>", "<properties/>"),
        read("team", description="Old"),
        config("team", "<description>Old</description>", credentials),  # immediately before the write
        written("team", "<description>New</description>", written_credentials),
        read("team", description="New"),
    )
    assert manage(*calls, name="team", description="New")["changed"]


def test_empty_text_removes_its_element() -> None:
    calls = (
        listed(item("team", description="Old")),
        config("team", "<description>Old</description>", "<properties/>"),
        read("team", description="Old"),
        config("team", "<description>Old</description>", "<properties/>"),
        written("team", "<properties/>"),
        read("team"),
    )
    assert manage(*calls, name="team", description="")["folder"]["description"] == ""


HEALTH_METRIC = """<healthMetrics>
    <com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric>
      <nonRecursive>false</nonRecursive>
    </com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric>
  </healthMetrics>"""
HEALTH_PATH = "healthMetrics/com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric/nonRecursive"


def test_configuration_is_merged() -> None:
    calls = (
        listed(item("team")),
        config("team", "<properties/>", VIEWS, "<healthMetrics/>"),
        read("team"),
        config("team", "<properties/>", VIEWS, "<healthMetrics/>"),
        written("team", "<properties/>", VIEWS, HEALTH_METRIC),
        read("team"),
        config("team", "<properties/>", VIEWS, HEALTH_METRIC),
    )
    result = manage(*calls, name="team", config=HEALTH, diff_mode=True)
    assert result["folder"]["elements"] == {HEALTH_PATH: "false"}
    assert result["diff"]["after"]["elements"] == {HEALTH_PATH: "false"}
    unchanged = (listed(item("team")), config("team", "<actions/>", "<properties/>", VIEWS, HEALTH_METRIC))
    assert not manage(*unchanged, name="team", config=HEALTH)["changed"]


SECRET = "{AQAAABAAAAAQilCNvarcjdHK+xQoFT2Sg9C5ljMJF1g0j/nIElnPZ1U=}"


def test_secret_is_written_once_and_not_returned() -> None:
    properties = "<properties>\n    <a.B>\n      <password>{}</password>\n    </a.B>\n  </properties>"
    options = {"name": "team", "config": f"<{FOLDER}>{properties.format('open sesame')}</{FOLDER}>", "diff_mode": True}
    stored = (read("team"), config("team", properties.format(SECRET)))
    ask = ask_unknown({"class": ["a.B"]})
    result = manage(listed(), ask, PLUGINS, created("team", properties.format("open sesame")), *stored, **options)
    assert result["folder"]["elements"] == {"properties/a.B/password": "(encrypted)"}
    assert "sesame" not in str(result)
    unchanged = (listed(item("team")), config("team", properties.format(SECRET)))
    assert not manage(*unchanged, **options)["changed"]
    predicted = manage(listed(), ask, PLUGINS, **options, check_mode=True)
    assert "sesame" not in str(predicted)


def test_hidden_secret_is_not_overwritten() -> None:
    stored = "<properties><a.B><secret>********</secret></a.B></properties>"
    for check_mode in (False, True):
        calls = (listed(item("team")), config("team", stored))
        result = manage(*calls, name="team", description="New", check_mode=check_mode)
        assert "the account may not read the secret in 'properties/a.B/secret'" in result["msg"]


def test_folder_is_renamed() -> None:
    task = {"name": "team", "previous_name": "crew"}
    again = (missing("team"), read("crew"))
    calls = (listed(item("crew")), PLUGINS, *again, renamed("crew", "team"), read("team"))
    result = manage(*calls, **task, diff_mode=True)
    assert (result["diff"]["before"]["name"], result["diff"]["after"]["name"]) == ("crew", "team")
    for existing in (("team",), ("crew", "team")):
        assert not manage(listed(*map(item, existing)), **task)["changed"]


def test_folder_is_moved_and_renamed() -> None:
    calls = (
        listed(folder="ops"),
        listed(item("ops"), item("team")),
        PLUGINS,
        missing("ops/crew"),
        read("team"),
        moved("team", "ops", "/job/ops/job/team/"),
        renamed("ops/team", "crew"),
        read("ops/crew"),
    )
    result = manage(*calls, name="ops/crew", previous_name="team")
    assert (result["changed"], result["folder"]["name"]) == (True, "ops/crew")


def test_folder_is_moved_back_when_it_cannot_be_renamed() -> None:
    building = "Unable to rename a folder while a job inside it is building."
    refused = call("POST", "/job/ops/job/team/confirmRename", 400, headers={"X-Error": building})
    calls = (
        listed(folder="ops"),
        listed(item("ops"), item("team")),
        PLUGINS,
        missing("ops/crew"),
        read("team"),
        moved("team", "ops", "/job/ops/job/team/"),
        refused,
        moved("ops/team", "", "/job/team/"),
        missing("ops/crew"),
        read("team"),
    )
    result = manage(*calls, name="ops/crew", previous_name="team")
    assert (result["failed"], building in result["msg"]) == (True, True)


def test_folder_is_renamed_when_the_response_to_its_move_is_lost() -> None:
    calls = (
        listed(folder="ops"),
        listed(item("ops"), item("team")),
        PLUGINS,
        missing("ops/crew"),
        read("team"),
        call("POST", "/job/team/move/move", drop=True),
        call("GET", "/job/ops/job/team/api/json?tree=fullName", json=item("ops/team")),
        renamed("ops/team", "crew"),
        read("ops/crew"),
    )
    assert manage(*calls, name="ops/crew", previous_name="team")["changed"]


def test_refused_move_is_an_error() -> None:
    calls = (
        listed(folder="ops"),
        listed(item("ops"), item("team")),
        PLUGINS,
        missing("ops/team"),
        read("team"),
        moved("team", "ops", "/job/team/move/"),
        missing("ops/team"),
        read("team"),
    )
    result = manage(*calls, name="ops/team", previous_name="team")
    assert (result["failed"], result["changed"]) == (True, False)
    assert "Moving 'team' to 'ops' failed: Jenkins refused it without a reason" in result["msg"]


def test_half_of_a_move_is_not_completed_silently() -> None:
    calls = (listed(item("ops/team"), folder="ops"), listed(item("ops")), PLUGINS)
    result = manage(*calls, name="ops/crew", previous_name="team")
    assert "'ops/team' exists, but neither 'ops/crew' nor 'team'" in result["msg"]


def test_folder_is_deleted() -> None:
    calls = (listed(item("team")), listed(folder="team", members="fullName"), deleted("team"), missing("team"))
    result = manage(*calls, name="team", state="absent")
    assert (result["changed"], result["folder"]) == (True, None)
    assert not manage(listed(), name="team", state="absent")["changed"]
    assert not manage(missing_folder("team"), name="team/web", state="absent")["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_folder_with_content_is_not_deleted(check_mode: bool) -> None:
    content = listed(item("team/app", FREESTYLE), item("team/web"), folder="team", members="fullName")
    result = manage(listed(item("team")), content, name="team", state="absent", check_mode=check_mode)
    assert result["msg"] == (
        "Folder 'team' is not deleted, because it contains team/app, team/web. Set 'allow_delete_content: true' to "
        "delete this content as well."
    )
    allowed = (listed(item("team")), *((deleted("team"), missing("team")) if not check_mode else ()))
    options = {"name": "team", "state": "absent", "allow_delete_content": True}
    assert manage(*allowed, **options, check_mode=check_mode)["changed"]


def test_folder_is_not_deleted_when_its_content_is_unknown() -> None:
    target = listed(folder="team", members="fullName").target
    result = manage(listed(item("team")), call("GET", target, 404), name="team", state="absent")
    assert result["msg"] == "Folder 'team' was deleted while the task was running. Run the task again."
    assert not result["changed"]


def test_items_are_ordered() -> None:
    items = [{"name": "old", "state": "absent"}, {"name": "old/a", "state": "absent"}, {"name": "b/c"}, {"name": "b"}]
    calls = (
        listed(item("old")),
        PLUGINS,
        created("b"),
        read("b"),
        listed(folder="b"),
        created("b/c"),
        read("b/c"),
        listed(item("old/a"), folder="old"),
        listed(folder="old/a", members="fullName"),
        deleted("old/a"),
        missing("old/a"),
        listed(folder="old", members="fullName"),
        deleted("old"),
        missing("old"),
    )
    result = manage(*calls, items=items, workers=1)
    assert [outcome["index"] for outcome in result["outcomes"]] == [0, 1, 2, 3]
    assert result["counts"]["changed"] == 4


def test_check_mode_predicts_dependent_items() -> None:
    items = [
        {"name": "old", "state": "absent"},
        {"name": "old/a", "state": "absent"},
        {"name": "b/c"},
        {"name": "b"},
        {"name": "new", "previous_name": "team"},
        {"name": "new/web", "description": "Moved"},
    ]
    calls = (
        listed(item("old"), item("team")),
        PLUGINS,
        missing_folder("b"),
        missing_folder("new"),
        listed(item("team/web", description="Moved"), folder="team"),
        listed(item("old/a"), folder="old"),
        listed(folder="old/a", members="fullName"),
        listed(item("old/a"), folder="old", members="fullName"),
    )
    result = manage(*calls, items=items, workers=1, check_mode=True)
    assert [outcome["status"] for outcome in result["outcomes"]] == ["changed"] * 5 + ["ok"]


def test_missing_parent_is_reported() -> None:
    for check_mode in (False, True):
        calls = (missing_folder("team"), PLUGINS, missing_folder("team"))
        result = manage(*calls, name="team/web", check_mode=check_mode)
        assert "Folder 'team' does not exist, or the account has no Job/Read permission on it." in result["msg"]
    calls = (missing_folder("team"), PLUGINS, missing_folder("team"))
    assert manage(*calls, name="team/web", check_mode=True, predict_missing=True)["changed"]


def test_missing_plugin_is_reported() -> None:
    plugins = call("GET", PLUGINS.target, json={"plugins": []})
    for check_mode in (False, True):
        result = manage(listed(), plugins, name="team", check_mode=check_mode)
        assert (
            "Managing folders requires the Jenkins plugin 'cloudbees-folder', which is not installed" in result["msg"]
        )
    predicted = manage(listed(), name="team", check_mode=True, predicted_plugins=["cloudbees-folder"])
    assert predicted["changed"]


@pytest.mark.parametrize("kind", [FREESTYLE, MULTIBRANCH])
def test_other_item_is_refused(kind: str) -> None:
    for options in ({}, {"state": "absent", "allow_delete_content": True}):
        result = manage(listed(item("team", kind)), name="team", **options)
        assert result["msg"] == (f"'team' is not a folder, but an item of the class {kind}. Choose another name.")


def test_folder_in_another_item_is_refused() -> None:
    result = manage(listed(folder="team", kind=MULTIBRANCH), PLUGINS, name="team/web")
    assert "'team' cannot contain other items" in result["msg"]
    job = call("GET", listed(folder="team").target, json=item("team", FREESTYLE))
    result = manage(job, name="team/web")
    assert f"'team' is not a folder, but a job ({FREESTYLE})" in result["msg"]


@pytest.mark.parametrize("options", [{}, {"state": "absent"}, {"previous_name": "team"}])
def test_name_in_another_case_is_refused_at_the_root(options: dict[str, Any]) -> None:
    result = manage(listed(item("team")), name="Team", **options)
    assert "'Team' differs only in case from the existing item 'team'" in result["msg"]
    parent = call("GET", listed(folder="Team").target, json={"_class": FOLDER, "fullName": "team", "jobs": []})
    result = manage(parent, name="Team/web", **options)
    assert "'Team' differs only in case from the existing item 'team'" in result["msg"]


def test_names_in_folders_are_case_sensitive() -> None:
    calls = (listed(item("team/web"), folder="team"), PLUGINS, created("team/Web"), read("team/Web"))
    assert manage(*calls, name="team/Web")["folder"]["name"] == "team/Web"


def test_undeclared_folders_are_deleted() -> None:
    tree = "fullName,jobs[fullName,jobs[fullName,jobs[fullName,jobs[fullName,jobs[name]]]]]"
    found = {
        "jobs": [
            item("team", jobs=[item("team/web", jobs=[]), item("team/old", jobs=[]), item("team/job", FREESTYLE)]),
            item("branches", MULTIBRANCH, jobs=[item("branches/main", FREESTYLE)]),
            item("moved", jobs=[]),
        ]
    }
    walk = call("GET", f"/api/json?tree={quote(tree, safe='')}", json=found)
    items = [{"name": "team/web"}, {"name": "team/new", "previous_name": "moved"}]
    inside = listed(item("team/web"), item("team/old"), folder="team")
    calls = (
        walk,
        inside,
        listed(item("team"), item("moved")),
        PLUGINS,
        missing("team/new"),
        read("moved"),
        moved("moved", "team", "/job/team/job/moved/"),
        renamed("team/moved", "new"),
        read("team/new"),
        listed(folder="team/old", members="fullName"),
        deleted("team/old"),
        missing("team/old"),
    )
    result = manage(*calls, items=items, undeclared="remove", workers=1)
    assert (result["undeclared"], result["counts"]["changed"]) == (["team/old"], 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "a%b"}, "'a%b' is not a valid name in Jenkins: it must not contain '%'"),
        ({"name": "team/a."}, "it must not end with '.'"),
        ({"name": "team/ a"}, "it must not start or end with whitespace"),
        ({"name": ".."}, "it must not be empty, '.' or '..'"),
        ({"name": "x" * 256}, "it must not be longer than 255 bytes"),
        ({"name": "a/b/", "state": "absent"}, "must be the full name"),
        ({"name": "a", "previous_name": "a"}, "must be neither 'name' nor a folder that contains it"),
        ({"name": "a/b", "previous_name": "a"}, "must be neither 'name' nor a folder that contains it"),
        ({"name": "a", "previous_name": "b", "state": "absent"}, "must not be set with 'state: absent'"),
        ({"name": "a", "config": "<a"}, "must be XML"),
        ({"name": "a", "config": "<project/>"}, f"must have the root element '{FOLDER}', not 'project'"),
        ({"name": "a", "config": f"<{FOLDER}>{VIEWS}</{FOLDER}>"}, "must not contain 'folderViews'"),
        (
            {"name": "a", "description": "", "config": f"<{FOLDER}><description/></{FOLDER}>"},
            "must not contain 'description' if 'description' is set",
        ),
        ({"items": [{"name": "a"}, {"name": "A"}]}, "duplicate of items[0]"),
        ({"items": [{"name": "a"}, {"name": "b", "previous_name": "a"}]}, "'a' is also the name of an item"),
        (
            {"items": [{"name": "a", "state": "absent"}, {"name": "a/b"}]},
            "items[0].state': must not be 'absent', because 'a/b' should be present",
        ),
        ({"undeclared": "remove", "name": "a"}, "must be 'keep' without 'items'"),
        ({"undeclared": "remove", "items": [{"name": "a"}], "undeclared_in": None}, "undeclared_in"),
    ],
)
def test_options_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    result = manage(**options)
    assert result["failed"]
    assert message in result["msg"]
