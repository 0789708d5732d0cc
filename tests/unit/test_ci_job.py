# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.ci_scripts import ask_unknown
from support.ci_server import TOKEN, deny_permission, read_before_update
from support.conversation import Call, call, conversation
from support.running import run

FREESTYLE = "hudson.model.FreeStyleProject"
PIPELINE = "org.jenkinsci.plugins.workflow.job.WorkflowJob"
MULTIBRANCH = "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"
FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
ON_HOLD = "held"
SECRET = "{AQAAABAAAAAQfaWvadxc0dh+QSVm9AqzTGE/JYhvbJqsGdJ5iKU1oAE=}"
XML = {"Content-Type": "application/xml; charset=utf-8"}
DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'


def listed(*names: str, folder: str = "", **others: str) -> Call:
    """Return the read of a folder with freestyle jobs, and items of other classes by name."""
    tree = quote("fullName,jobs[fullName,buildable]", safe="")
    prefix = folder.replace("/job/", "/").removeprefix("/")
    classes = {**dict.fromkeys(names, FREESTYLE), **others}
    items = [
        {"_class": kind, "fullName": f"{prefix}/{name}".removeprefix("/"), "buildable": name != ON_HOLD}
        for name, kind in classes.items()
    ]
    return call("GET", f"{folder}/api/json?tree={tree}", json={"_class": FOLDER, "fullName": prefix, "jobs": items})


def missing_folder(folder: str) -> Call:
    tree = quote("fullName,jobs[fullName,buildable]", safe="")
    return call("GET", f"{folder}/api/json?tree={tree}", 404)


def plugins(*names: str) -> Call:
    tree = quote("plugins[active,shortName]", safe="")
    found = [{"shortName": name, "active": True} for name in names]
    return call("GET", f"/pluginManager/api/json?tree={tree}", json={"plugins": found})


def history(path: str, **members: Any) -> Call:
    build = "number,building"
    tree = quote(f"builds[{build}],jobs[name,lastBuild[{build}]]", safe="")
    return call("GET", f"{path}/api/json?tree={tree}", json=members)


def stored(path: str, content: str, tag: str = "project") -> Call:
    """Return the read of a configuration."""
    return call("GET", f"{path}/config.xml", text=f"{DECLARATION}<{tag}>{content}</{tag}>")


def written(path: str, *lines: str) -> Call:
    """Return the write of a configuration."""
    return call("POST", f"{path}/config.xml", sent_body=(DECLARATION + "\n".join(lines)).encode(), sent_headers=XML)


def created(name: str, *lines: str, folder: str = "", status: int = 200) -> Call:
    body = (DECLARATION + "\n".join(lines)).encode()
    target = f"{folder}/createItem?name={name}"
    return call(
        "POST", target, status, sent_body=body, sent_headers=XML, text="" if status == 200 else "<h1>Oops!</h1>"
    )


def manage(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*read_before_update(calls, "/config.xml")) as server:
        return run("ci_job", url=server.url, **TOKEN, **options)


def test_unchanged_job_costs_two_requests() -> None:
    result = manage(
        listed("app"), stored("/job/app", "<description>x</description><disabled>false</disabled>"), name="app",
        description="x",
    )  # fmt: skip
    assert result == {
        "changed": False,
        "job": {"name": "app", "type": "freestyle", "elements": {"description": "x"}},
    }


def test_unchanged_jobs_cost_one_request_each_and_one_for_the_folder() -> None:
    items = [{"name": f"team/{name}", "description": "x"} for name in "abc"]
    reads = [stored(f"/job/team/job/{name}", "<description>x</description>") for name in "abc"]
    result = manage(listed("a", "b", "c", folder="/job/team"), *reads, items=items, workers=1)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


def test_missing_job_is_created() -> None:
    lines = (
        "<project>",
        "  <description>a &amp; b</description>",
        "  <builders>",
        "    <hudson.tasks.Shell>",
        "      <command>make</command>",
        "    </hudson.tasks.Shell>",
        "  </builders>",
        "  <canRoam>true</canRoam>",
        "</project>",
    )
    content = "".join(line.strip() for line in lines[1:-1]).replace("</command>", "</command><configuredLocalRules/>")
    options = {"name": "team/app", "type": "freestyle", "description": "a & b", "shell": ["make"]}
    folder = "/job/team"
    result = manage(
        listed(folder=folder),
        created("app", *lines, folder=folder),
        stored("/job/team/job/app", content),
        diff_mode=True,
        **options,
    )
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {
            "state": "present",
            "name": "team/app",
            "type": "freestyle",
            "elements": {
                "description": "a & b",
                "builders/hudson.tasks.Shell/command": "make",
                "canRoam": "true",
            },
        },
    }
    predicted = manage(listed(folder=folder), check_mode=True, diff_mode=True, **options)
    assert (predicted["changed"], predicted["diff"]) == (True, result["diff"])


def test_only_declared_elements_are_changed() -> None:
    result = manage(
        listed("app"),
        stored(
            "/job/app", "<description>old</description><canRoam>true</canRoam><properties><x.Y a='1'/></properties>"
        ),
        written(
            "/job/app",
            "<project>",
            "  <description>new</description>",
            "  <canRoam>true</canRoam>",
            "  <properties>",
            '    <x.Y a="1"/>',
            "  </properties>",
            "</project>",
        ),
        stored(
            "/job/app", "<description>new</description><canRoam>true</canRoam><properties><x.Y a='1'/></properties>"
        ),
        name="app",
        config="<project><!-- a --><description>new</description></project>",
        diff_mode=True,
    )
    assert "failed" not in result
    shown = {"state": "present", "name": "app", "type": "freestyle"}
    assert result["diff"] == {
        "before": {**shown, "elements": {"description": "old"}},
        "after": {**shown, "elements": {"description": "new"}},
    }


def test_change_of_another_client_survives() -> None:
    foreign = "<description>old</description><label>theirs</label>"
    lines = ("<project>", "  <description>new</description>", "  <label>theirs</label>", "</project>")
    calls = (
        listed("app"),
        stored("/job/app", "<description>old</description>"),
        stored("/job/app", foreign),  # immediately before the write
        stored("/job/app", foreign),
        written("/job/app", *lines),
        stored("/job/app", "<description>new</description><label>theirs</label>"),
    )
    with conversation(*calls) as server:
        result = run("ci_job", url=server.url, **TOKEN, name="app", description="new")
    assert (result["changed"], result["job"]["elements"]) == (True, {"description": "new"})
    assert "Another client changed the job while the task was running" in result["warnings"][0]


def test_task_fails_when_jenkins_drops_an_element_that_is_not_declared() -> None:
    lines = ("<project>", "  <description>new</description>", "  <extra>", "    <a>1</a>", "  </extra>", "</project>")
    result = manage(
        listed("app"),
        stored("/job/app", "<description>old</description><extra><a>1</a></extra>"),
        written("/job/app", *lines),
        stored("/job/app", "<description>new</description>"),
        name="app",
        description="new",
        visibility_timeout=0,
    )
    assert (result["failed"], result["changed"]) == (True, True)
    assert "elements (extra/a)" in result["msg"]


@pytest.mark.parametrize("declared", ["", "<displayName>App</displayName>"])
def test_display_name_is_removed_when_configuration_is_set(declared: str) -> None:
    result = manage(
        listed("app"),
        stored("/job/app", "<displayName>App</displayName>"),
        written("/job/app", "<project/>"),
        stored("/job/app", ""),
        name="app",
        config=f"<project>{declared}</project>",
        display_name="",
    )
    assert result["changed"]


def test_configuration_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "app.xml"
    file.write_text("\ufeff<?xml version='1.0'?><hudson.model.FreeStyleProject><disabled>true</disabled>"
                    "</hudson.model.FreeStyleProject>", encoding="utf-8")  # fmt: skip
    assert not manage(listed("app"), stored("/job/app", "<disabled>true</disabled>"), name="app", src=str(file))[
        "changed"
    ]


@pytest.mark.parametrize(("disabled", "action"), [(True, "disable"), (False, "enable")])
def test_job_is_switched_without_writing_its_configuration(disabled: bool, action: str) -> None:
    before, after = (f"<disabled>{str(value).lower()}</disabled>" for value in (not disabled, disabled))
    switched = call("POST", f"/job/app/{action}", 302, headers={"Location": "/job/app/"})
    result = manage(
        listed("app"), stored("/job/app", before), switched, stored("/job/app", after), name="app", disabled=disabled
    )
    assert (result["changed"], result["job"]["elements"]["disabled"]) == (True, str(disabled).lower())


def test_job_is_disabled_after_its_configuration_was_written() -> None:
    result = manage(
        listed("app"),
        stored("/job/app", "<description>a</description><disabled>false</disabled>"),
        written(
            "/job/app", "<project>", "  <description>b</description>", "  <disabled>false</disabled>", "</project>"
        ),
        call("POST", "/job/app/disable", 302, headers={"Location": "/job/app/"}),
        stored("/job/app", "<description>b</description><disabled>true</disabled>"),
        name="app",
        description="b",
        disabled=True,
    )
    assert result["changed"]


def buildable(name: str, is_buildable: bool = True) -> Call:
    tree = quote("fullName,buildable", safe="")
    return call("GET", f"/job/{name}/api/json?tree={tree}", json={"fullName": name, "buildable": is_buildable})


def released(name: str, **form: str) -> Call:
    """Return the request with which Jenkins saves a job: the description, which stays the same."""
    return call("POST", f"/job/{name}/submitDescription", 302, sent_form=form, headers={"Location": f"/job/{name}/"})


def test_job_is_copied_and_saved() -> None:
    copied = call(
        "POST",
        "/createItem",
        302,
        sent_form={"name": "new", "mode": "copy", "from": "/team/app"},
        headers={"Location": "/job/new/configure"},
    )
    old = "<description>a</description><disabled>false</disabled>"
    options = {"name": "new", "copy_from": "team/app", "description": "b"}
    result = manage(
        listed("app"),
        stored("/job/team/job/app", old),
        copied,
        stored("/job/new", old),
        written(
            "/job/new", "<project>", "  <description>b</description>", "  <disabled>false</disabled>", "</project>"
        ),
        released("new", description="b"),
        stored("/job/new", "<description>b</description><disabled>false</disabled>"),
        buildable("new"),
        diff_mode=True,
        **options,
    )
    assert (result["changed"], result["job"]["on_hold"]) == (True, False)
    predicted = manage(listed("app"), stored("/job/team/job/app", old), check_mode=True, diff_mode=True, **options)
    assert predicted["diff"] == result["diff"]


# the texts of the element `description`, and the description that keeps it
@pytest.mark.parametrize(
    ("element", "form"),
    [
        ("", {}),
        ("<description></description>", {"description": ""}),
        ("<description> a&#x1b;&amp;&#xd;\nb </description>", {"description": " a\x1b&\r\nb "}),
    ],
)
def test_copy_is_released_with_its_description(element: str, form: dict[str, str]) -> None:
    content = f"{element}<disabled>false</disabled>"
    held = (stored(f"/job/{ON_HOLD}", content), released(ON_HOLD, **form), stored(f"/job/{ON_HOLD}", content))
    repaired = manage(listed(ON_HOLD), *held, buildable(ON_HOLD), name=ON_HOLD, copy_from="app")
    assert (repaired["changed"], repaired["job"]["on_hold"]) == (True, False)
    copied = call("POST", "/createItem", 302, sent_form={"name": ON_HOLD, "mode": "copy", "from": "/app"})
    new = manage(
        listed(), stored("/job/app", content), copied, *held, buildable(ON_HOLD), name=ON_HOLD, copy_from="app"
    )
    assert (new["changed"], new["job"]["on_hold"]) == (True, False)


def test_disabling_a_held_copy_releases_it() -> None:
    result = manage(
        listed(ON_HOLD),
        stored(f"/job/{ON_HOLD}", "<disabled>false</disabled>"),
        call("POST", f"/job/{ON_HOLD}/disable", 302),
        stored(f"/job/{ON_HOLD}", "<disabled>true</disabled>"),
        buildable(ON_HOLD, is_buildable=False),
        name=ON_HOLD,
        copy_from="app",
        disabled=True,
    )
    assert (result["changed"], result["job"]["on_hold"]) == (True, False)


def test_copy_of_a_multibranch_pipeline_is_not_saved_and_not_held_back() -> None:
    copied = call("POST", "/createItem", 302, sent_form={"name": ON_HOLD, "mode": "copy", "from": "/lib"})
    options = {"name": ON_HOLD, "copy_from": "lib"}
    new = manage(
        listed(),
        stored("/job/lib", "<description>a</description>", MULTIBRANCH),
        plugins("workflow-multibranch"),
        copied,
        *[stored(f"/job/{ON_HOLD}", "<description>a</description>", MULTIBRANCH)] * 2,
        **options,
    )
    assert (new["changed"], new["job"]["on_hold"]) == (True, False)
    # a project without sources is not buildable either
    listing = listed(**{ON_HOLD: MULTIBRANCH})
    assert not manage(listing, stored(f"/job/{ON_HOLD}", "", MULTIBRANCH), **options)["changed"]


def test_unheld_copy_is_unchanged() -> None:
    content = "<disabled>false</disabled>"
    assert not manage(listed("new"), stored("/job/new", content), name="new", copy_from="app")["changed"]


def test_copy_of_another_type_is_refused() -> None:
    for check_mode in (True, False):
        source = stored("/job/app", "", "flow-definition")
        result = manage(listed(), source, name="new", copy_from="app", type="freestyle", check_mode=check_mode)
        assert result["msg"] == "Option 'copy_from': job 'app' is a Pipeline job, not a freestyle job."


@pytest.mark.parametrize("root", ["com.cloudbees.hudson.plugins.folder.Folder", "jenkins.branch.OrganizationFolder"])
@pytest.mark.parametrize("check_mode", [True, False])
def test_copy_of_a_folder_is_refused(root: str, check_mode: bool) -> None:
    result = manage(listed(), stored("/job/app", "", root), name="new", copy_from="app", check_mode=check_mode)
    assert result["msg"] == "Option 'copy_from': 'app' is a folder, not a job."


def test_missing_source_of_a_copy_is_reported() -> None:
    for check_mode in (True, False):
        missing = call("GET", "/job/app/config.xml", 404)
        result = manage(listed(), missing, name="new", copy_from="app", check_mode=check_mode)
        assert "Option 'copy_from': job 'app' does not exist" in result["msg"]
    missing = call("GET", "/job/app/config.xml", 404)
    predicted = manage(listed(), missing, name="n", copy_from="app", check_mode=True, predict_missing=True)
    assert predicted["changed"]


def test_job_is_moved_and_renamed() -> None:
    result = manage(
        listed(folder="/job/new"),
        listed("a", folder="/job/old"),
        stored("/job/old/job/a", ""),
        history("/job/old/job/a", builds=[{"number": 1, "building": False}]),
        call("GET", "/job/new/job/b/config.xml", 404),
        call("POST", "/job/old/job/a/move/move", 302, sent_form={"destination": "/new"}),
        call("POST", "/job/new/job/a/confirmRename", 302, sent_form={"newName": "b"}),
        stored("/job/new/job/b", ""),
        name="new/b",
        previous_name="old/a",
        diff_mode=True,
    )
    assert (result["diff"]["before"]["name"], result["diff"]["after"]["name"]) == ("old/a", "new/b")
    assert not manage(listed("b"), stored("/job/b", ""), name="b", previous_name="x/a")["changed"]


def test_running_job_is_not_renamed() -> None:
    result = manage(
        listed("a"),
        stored("/job/a", ""),
        history("/job/a", builds=[{"number": 2, "building": True}]),
        name="b",
        previous_name="a",
        check_mode=True,
    )
    assert result["msg"] == "Job 'a' cannot be renamed, because build #2 is running. Wait until it has finished."


def test_job_without_builds_is_deleted() -> None:
    gone = call("GET", "/job/app/api/json?tree=name", 404)
    deleted = call("POST", "/job/app/doDelete", 302, headers={"Location": "/"})
    result = manage(listed("app"), history("/job/app", builds=[]), deleted, gone, name="app", state="absent")
    assert (result["changed"], result["job"]) == (True, None)
    assert not manage(listed(), name="app", state="absent")["changed"]
    assert not manage(missing_folder("/job/no"), name="no/app", state="absent")["changed"]


@pytest.mark.parametrize(
    ("members", "allowed", "message"),
    [
        (
            {"builds": [{"number": 7, "building": False}, {"number": 6}]},
            False,
            "Job 'app' is not deleted, because it has 2 builds, of which #7 is the newest. Set 'allow_delete_builds: "
            "true' to delete them as well.",
        ),
        ({"builds": [{"number": 300}] * 100}, False, "it has at least 100 builds, of which #300 is the newest"),
        ({"jobs": [{"name": "main", "lastBuild": None}]}, False, "it has 1 branch job with their builds"),
        ({"builds": [{"number": 7, "building": True}]}, True, "build #7 is running and would be aborted"),
        (
            {"jobs": [{"name": "main", "lastBuild": {"number": 3, "building": True}}]},
            True,
            "build #3 of branch 'main' is running",
        ),
    ],
)
def test_builds_are_not_deleted(members: dict[str, Any], allowed: bool, message: str) -> None:
    for check_mode in (True, False):
        result = manage(
            listed("app"),
            history("/job/app", **members),
            name="app",
            state="absent",
            allow_delete_builds=allowed,
            check_mode=check_mode,
        )
        assert message in result["msg"]


def test_job_is_not_deleted_when_its_builds_are_unknown() -> None:
    result = manage(listed("app"), history("/job/app"), name="app", state="absent")
    assert (result["failed"], result["changed"]) == (True, False)
    assert "200, but without 'builds'" in result["msg"]


@pytest.mark.parametrize("answer", [{"json": {}}, {"json": []}, {"text": "<html>Sign in</html>"}, {"text": ""}])
def test_deletion_is_not_denied_when_the_read_back_is_not_the_job(answer: dict[str, Any]) -> None:
    deleted = call("POST", "/job/app/doDelete", 302, headers={"Location": "/"})
    back = call("GET", "/job/app/api/json?tree=name", **answer)
    options = {"name": "app", "state": "absent", "visibility_timeout": 0}
    result = manage(listed("app"), history("/job/app", builds=[]), deleted, back, **options)
    assert (result["failed"], result["changed"]) == (True, True)
    assert "still exists" not in result["msg"]


def test_login_page_does_not_accept_a_change() -> None:
    page = call("POST", "/job/app/config.xml", text="<!DOCTYPE html><html>Sign in</html>")
    old = stored("/job/app", "<description>old</description>")
    result = manage(listed("app"), old, page, old, name="app", description="new", visibility_timeout=0)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "the response is not empty" in result["msg"]


def test_login_page_in_xhtml_is_not_a_job() -> None:
    page = call("GET", "/job/app/config.xml", text='<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>')
    result = manage(listed("app"), page, name="app", description="x")
    assert "but the response is not an XML document" in result["msg"]


def test_undeclared_jobs_are_deleted_but_never_folders() -> None:
    gone = call("GET", "/job/t/job/old/api/json?tree=name", 404)
    deleted = call("POST", "/job/t/job/old/doDelete", 302, headers={"Location": "/job/t/"})
    result = manage(
        listed("a", "renamed", folder="/job/t", old=MULTIBRANCH, sub=FOLDER),
        stored("/job/t/job/a", ""),
        history("/job/t/job/old", jobs=[]),
        deleted,
        gone,
        items=[{"name": "t/a", "previous_name": "t/renamed"}],
        undeclared="remove",
        workers=1,
    )
    assert (result["undeclared"], result["counts"]["changed"]) == (["t/old"], 1)


@pytest.mark.parametrize(
    ("options", "content", "message"),
    [
        (
            {"type": "pipeline", "script": "x"},
            "",
            "Job 'app' is a freestyle job, and Jenkins cannot change it to a Pipeline job. Delete the job first, or "
            "use another name.",
        ),
        ({"config": "<maven2-moduleset/>"}, "", "Jenkins cannot change it to a job of the type 'maven2-moduleset'"),
        ({"description": "x"}, "<authToken>********</authToken>", "may not read the secret in 'authToken'"),
    ],
)
def test_change_that_would_destroy_something_is_refused(options: dict[str, Any], content: str, message: str) -> None:
    for check_mode in (True, False):
        result = manage(listed("app"), stored("/job/app", content), name="app", check_mode=check_mode, **options)
        assert message in result["msg"]


@pytest.mark.parametrize(
    ("calls", "options", "message"),
    [
        ([listed()], {"name": "app"}, "Option 'type': is required, because job 'app' does not exist"),
        (
            [listed("App")],
            {"name": "app", "type": "freestyle"},
            "'app' differs only in case from the existing item 'App'",
        ),
        (
            [missing_folder("/job/no")] * 2,
            {"name": "no/app", "type": "freestyle"},
            "Folder 'no' does not exist, or the account has no Job/Read permission on it. Create it first.",
        ),
        (
            [listed(team=FOLDER)],
            {"name": "team", "type": "freestyle"},
            "'team' is a folder, not a job. Choose another name.",
        ),
        (
            [listed(), plugins("workflow-job", "branch-api")],
            {"name": "app", "type": "pipeline", "script": "x"},
            "The configuration of job 'app' requires the Jenkins plugin 'workflow-cps', which is not installed",
        ),
        (
            [listed(), plugins("branch-api")],
            {"name": "app", "config": f'<{MULTIBRANCH}><a class="jenkins.branch.B"/></{MULTIBRANCH}>'},
            "requires the Jenkins plugin 'workflow-multibranch', which is not installed",
        ),
        (
            [listed(), plugins()],
            {"name": "app", "config": '<project><scm class="hudson.plugins.git.GitSCM"/></project>'},
            "requires the Jenkins plugin 'git', which is not installed",
        ),
    ],
)
def test_job_is_not_created(calls: list[Call], options: dict[str, Any], message: str) -> None:
    for check_mode in (True, False):
        assert message in manage(*calls, check_mode=check_mode, **options)["msg"]


def test_missing_folder_can_be_predicted() -> None:
    options = {"name": "no/app", "type": "freestyle"}
    result = manage(*[missing_folder("/job/no")] * 2, check_mode=True, predict_missing=True, **options)
    assert result["changed"]


def test_unexplained_failure_names_the_usual_causes() -> None:
    missing = call("GET", "/job/app/config.xml", 404)
    ask = ask_unknown({"class": ["no.such.Job"]})
    create = created("app", "<no.such.Job/>", status=500)
    result = manage(listed(), ask, create, missing, name="app", config="<no.such.Job/>")
    assert "no installed plugin provides the root element 'no.such.Job'" in result["msg"]


def test_missing_permission_is_reported() -> None:
    denied = call("GET", "/job/app/config.xml", 403, text=deny_permission("reader", "Job/Configure"))
    result = manage(listed("app"), denied, name="app", disabled=True)
    assert "reader is missing the Job/Configure permission" in result["msg"]


def test_secret_is_kept_and_never_returned() -> None:
    path = "properties/hudson.model.ParametersDefinitionProperty/parameterDefinitions/hudson.model"
    content = (
        "<properties><hudson.model.ParametersDefinitionProperty><parameterDefinitions>"
        "<hudson.model.PasswordParameterDefinition><name>P</name><defaultValue>{}</defaultValue>"
        "</hudson.model.PasswordParameterDefinition></parameterDefinitions>"
        "</hudson.model.ParametersDefinitionProperty></properties>"
    )
    options = {"name": "app", "parameters": [{"name": "P", "type": "password", "secret_default": "open-sesame"}]}
    result = manage(listed("app"), stored("/job/app", content.format(SECRET)), **options)
    assert result["job"]["elements"][f"{path}.PasswordParameterDefinition/defaultValue"] == "(encrypted)"
    assert not result["changed"]
    rewritten = manage(
        listed("app"),
        stored("/job/app", content.format(SECRET)),
        call("POST", "/job/app/config.xml"),
        stored("/job/app", content.format(SECRET.replace("AQfa", "AQfb"))),
        update_secret="always",
        diff_mode=True,
        **options,
    )
    assert rewritten["changed"]
    assert rewritten["diff"]["after"]["elements"][f"{path}.PasswordParameterDefinition/defaultValue"] == (
        "(encrypted, rewritten)"
    )
    assert "open-sesame" not in str(rewritten)
    assert "AQfa" not in str(rewritten)


def test_change_without_effect_fails() -> None:
    result = manage(
        listed("app"),
        stored("/job/app", "<properties/>"),
        ask_unknown({"class": ["no.such.Property"]}),
        call("POST", "/job/app/config.xml"),
        stored("/job/app", "<properties/>"),
        name="app",
        config="<project><properties><no.such.Property><x>1</x></no.such.Property></properties></project>",
    )
    assert "do not have the requested values: elements (properties, properties/no.such.Property/x)" in result["msg"]
    assert result["changed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"script": "x"}, "'script': requires 'type'"),
        ({"type": "freestyle", "script": "x"}, "'script': does not apply to a freestyle job"),
        ({"type": "multibranch", "parameters": []}, "'parameters': does not apply to a multibranch Pipeline"),
        ({"type": "pipeline", "script_path": "x"}, "'script_path': requires 'git'"),
        ({"type": "pipeline", "script_sandbox": True}, "'script_sandbox': requires 'script'"),
        ({"type": "pipeline", "git": {"url": "u"}}, "'git.branch': is required"),
        ({"type": "multibranch", "git": {"url": "u", "branch": "b"}}, "'git.branch': does not apply"),
        ({"type": "pipeline", "script": "x", "git": {"url": "u", "branch": "b"}}, "'script': must not be set together"),
        ({"type": "freestyle", "config": "<project/>"}, "mutually exclusive"),
        ({"config": "<project/>", "parameters": []}, "'parameters': must not be set together with 'config'"),
        ({"config": "<project>"}, "'config': must be an XML document, but"),
        ({"config": f"<{FOLDER}/>"}, "'config': is the configuration of a folder"),
        ({"config": "<!DOCTYPE a><project/>"}, "'config': must be an XML document, but a document type"),
        ({"src": "/no/such/file"}, "'src': '/no/such/file' cannot be read: it does not exist"),
        ({"exact": True}, "'exact': requires 'type', 'config' or 'src'"),
        ({"previous_name": "old", "state": "absent"}, "'previous_name': must not be set with 'state: absent'"),
        ({"previous_name": "app"}, "'previous_name': must differ from 'name'"),
        ({"parameters": [{"default": "a"}]}, "'parameters[0].name': is required"),
        ({"type": "freestyle", "git": {"branch": "b"}}, "'git.url': is required"),
        ({"parameters": [{"name": "A"}, {"name": "A"}]}, "'parameters[1].name': duplicate of another parameter: 'A'"),
        ({"parameters": [{"name": "A", "default": 1.5}]}, "must be a string for the type 'string'. Put it in quotes"),
        ({"parameters": [{"name": "A", "default": "\0"}]}, "'parameters[0].default': must not contain NUL"),
        ({"parameters": [{"name": "A", "type": "choice"}]}, "'parameters[0].choices': is required"),
        ({"parameters": [{"name": "A", "choices": ["x"]}]}, "'parameters[0].choices': applies only to the type"),
        ({"parameters": [{"name": "A", "type": "boolean", "default": "x"}]}, "must be true or false"),
        ({"parameters": [{"name": "A", "type": "password", "default": "x"}]}, "Use 'secret_default'"),
        ({"parameters": [{"name": "A", "secret_default": "x"}]}, "applies only to the type 'password'"),
        ({"parameters": [{"name": "A", "type": "boolean", "trim": True}]}, "applies only to the types 'string' and"),
        ({"triggers": {"cron": "0 0 * *"}}, "'triggers.cron': '0 0 * *' must have five fields"),
        ({"name": "a:b", "type": "freestyle"}, "'name': 'a:b' is not a valid name in Jenkins: it must not contain ':'"),
        ({"name": "a/", "type": "freestyle"}, "'name': must be the full name"),
        ({"description": "\0"}, "'description': must be a text without NUL characters"),
        ({"script": "\ufffe"}, "'script': must be a text without NUL characters, U+FFFE and U+FFFF"),
        ({"parameters": [{"name": "A", "default": "\uffff"}]}, "must not contain NUL characters, U+FFFE and U+FFFF"),
        ({"retention": None}, "retention"),
        (
            {"config": "<project><triggers><hudson.triggers.TimerTrigger><spec>x</spec></hudson.triggers.TimerTrigger>"
             "</triggers></project>"},
            "'config': 'x' must have five fields",
        ),
    ],
)  # fmt: skip
def test_invalid_options_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    for check_mode in (True, False):
        result = manage(check_mode=check_mode, **{"name": "app", **options})
        assert result["failed"]
        assert message in result["msg"]


REBUILD = "com.sonyericsson.rebuild.RebuildSettings"


@pytest.mark.parametrize(
    ("kept", "failed"),
    [
        ("<properties/>", True),
        (f"<properties><{REBUILD}/></properties>", False),
        (f"<properties><{REBUILD}><auto>false</auto></{REBUILD}></properties>", False),
    ],
)
def test_creation_fails_when_jenkins_drops_an_empty_object(kept: str, failed: bool) -> None:
    config = f"<project><description/><properties><{REBUILD} plugin='rebuild@1.25'/></properties></project>"
    lines = ("<project>", "  <description/>", "  <properties>", f'    <{REBUILD} plugin="rebuild@1.25"/>')
    create = created("app", *lines, "  </properties>", "</project>")
    read_plugins = call("GET", f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}", 403)
    result = manage(listed(), read_plugins, create, stored("/job/app", kept), name="app", config=config)
    assert (result.get("failed", False), result["changed"]) == (failed, True)
    if failed:
        assert result["msg"] == (
            "The server accepted the change, but these fields of the job do not have the requested values: elements "
            f"(properties/{REBUILD}). Jenkins did not keep these elements: 'properties/{REBUILD}' (unknown or "
            "outdated, or the plugin 'rebuild', 1.25 in the XML, is not installed). Remove them from the "
            "configuration, install the plugin, or set 'on_dropped: warn'."
        )


@pytest.mark.parametrize(("before", "after"), [("", " "), (" ", ""), ("\t", " ")])
def test_blanks_are_a_value(before: str, after: str) -> None:
    tag = "hudson.model.ParametersDefinitionProperty"

    def content(text: str) -> str:
        parameter = f"<hudson.model.StringParameterDefinition><name>SEP</name><defaultValue>{text}</defaultValue>"
        return (
            f"<properties><{tag}><parameterDefinitions>{parameter}</hudson.model.StringParameterDefinition>"
            f"</parameterDefinitions></{tag}></properties>"
        )

    options = {"name": "app", "parameters": [{"name": "SEP", "default": after}], "check_mode": True}
    assert manage(listed("app"), stored("/job/app", content(before)), **options)["changed"]
    assert not manage(listed("app"), stored("/job/app", content(after)), **options)["changed"]


def test_lost_element_of_a_missing_plugin_is_a_warning_and_the_second_run_only_reads() -> None:
    config = f"<project><properties><{REBUILD} plugin='rebuild@1.25'/></properties></project>"
    lines = ("<project>", "  <properties>", f'    <{REBUILD} plugin="rebuild@1.25"/>', "  </properties>", "</project>")
    kept = stored("/job/app", "<properties/>")
    options = {"name": "app", "config": config, "on_dropped": "warn"}
    first = manage(listed(), plugins("git"), created("app", *lines), kept, **options)
    second = manage(listed("app"), kept, plugins("git"), **options)
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["warnings"] == second["warnings"] == [
        "Jenkins did not keep these elements of the configuration of job 'app': "
        f"'properties/{REBUILD}' (the plugin 'rebuild', 1.25 in the XML, is not installed)."
    ]  # fmt: skip
    assert first["job"]["elements"] == second["job"]["elements"] == {}


def test_unknown_element_is_sent_again_and_the_job_is_unchanged() -> None:
    kept = stored("/job/app", "<description>d</description>")
    update = written("/job/app", "<project>", "  <description>d</description>", "  <jdk>1</jdk>", "</project>")
    config = "<project><description>d</description><jdk>1</jdk></project>"
    result = manage(listed("app"), kept, update, kept, name="app", config=config, on_dropped="warn")
    assert not result["changed"]
    assert result["warnings"] == [
        "Jenkins did not keep these elements of the configuration of job 'app': 'jdk' (unknown or outdated)."
    ]


def test_refused_configuration_is_never_a_loss() -> None:
    kept = stored("/job/app", "<description>d</description>")
    refused = call("POST", "/job/app/config.xml", 500, text="<h1>Oops!</h1>")
    config = "<project><jdk>1</jdk></project>"
    result = manage(listed("app"), kept, refused, kept, name="app", config=config, on_dropped="warn")
    assert result["failed"]
    assert not result["changed"]


def test_outdated_element_is_refused_before_the_change() -> None:
    config = "<flow-definition><canRoam>true</canRoam></flow-definition>"
    for check_mode in (True, False):
        result = manage(listed(), name="app", config=config, check_mode=check_mode)
        assert result["msg"] == (
            "The configuration of job 'app' was not sent, because Jenkins would not keep these elements as declared: "
            "'canRoam' (outdated: a Pipeline has no such setting). Remove or replace them, or set 'on_dropped: warn'."
        )


@pytest.mark.parametrize("module", ["ci_job", "ci_folder"])
def test_organization_folders_are_not_supported(module: str) -> None:
    with conversation() as server:
        config = "<jenkins.branch.OrganizationFolder/>"
        result = run(module, url=server.url, **TOKEN, name="org", config=config)
    assert result["msg"] == (
        "Option 'config': is the configuration of an organization folder. Organization folders are not supported yet. "
        "Create it on the pages of Jenkins."
    )


ROWS = (
    "USER:hudson.model.Item.Read:bob",
    "GROUP:hudson.model.View.Read:team",
    "Overall/Read:ann",
    "hudson.model.Item.Create:ann",
    "Agent/Build:ann",
)
MATRIX = "hudson.security.AuthorizationMatrixProperty"


FOLDER_MATRIX = "com.cloudbees.hudson.plugins.folder.properties.AuthorizationMatrixProperty"


def matrix(*rows: str) -> str:
    lines = "".join(f"<permission>{row}</permission>" for row in rows)
    return f"<project><properties><{MATRIX}>{lines}</{MATRIX}></properties></project>"


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (
            "<project><nonsense>1</nonsense><postbuilders><x>1</x></postbuilders><jobs/></project>",
            "'nonsense', 'postbuilders' (unknown: a freestyle job has no such setting)",
        ),
        (
            "<flow-definition><jdk>8</jdk><nonsense>1</nonsense></flow-definition>",
            "'jdk' (outdated: a Pipeline has no such setting), 'nonsense' (unknown: a Pipeline has no such setting)",
        ),
        (
            matrix(*ROWS),
            f"'properties/{MATRIX}/permission' ('hudson.model.View.Read' does not apply to a job), "
            f"'properties/{MATRIX}/permission' ('hudson.model.Hudson.Read' does not apply to a job), "
            f"'properties/{MATRIX}/permission' ('hudson.model.Item.Create' does not apply to a job), "
            f"'properties/{MATRIX}/permission' ('hudson.model.Computer.Build' does not apply to a job)",
        ),
        (
            matrix("USER:hudson.model.Item.Read"),
            f"'properties/{MATRIX}/permission' ('hudson.model.Item.Read' has no name of a user or group)",
        ),
        (
            f"<project><properties><{FOLDER_MATRIX}><permission>USER:hudson.model.Item.Read:a</permission>"
            f"</{FOLDER_MATRIX}></properties></project>",
            f"'properties/{FOLDER_MATRIX}' (unknown: it is a matrix of a folder)",
        ),
    ],
)
def test_element_that_jenkins_drops_on_each_server_is_refused_before_the_change(config: str, named: str) -> None:
    for check_mode in (True, False):
        result = manage(listed(), name="app", config=config, check_mode=check_mode)
        assert not result["changed"]
        assert result["msg"] == (
            "The configuration of job 'app' was not sent, because Jenkins would not keep these elements as declared: "
            f"{named}. Remove or replace them, or set 'on_dropped: warn'."
        )


def test_inapplicable_permission_is_dropped_with_a_warning_and_the_second_run_only_reads() -> None:
    kept = stored("/job/app", matrix(ROWS[0]).removeprefix("<project>").removesuffix("</project>"))
    result = manage(listed("app"), kept, name="app", config=matrix(*ROWS[:2]), on_dropped="warn")
    assert not result["changed"]
    assert "hudson.model.View.Read" in result["warnings"][0]


@pytest.mark.parametrize(
    ("element", "problem"),
    [
        ("<quietPeriod> 5 </quietPeriod>", "'quietPeriod' (' 5 ' must be a whole number without blanks)"),
        ("<quietPeriod>1.0</quietPeriod>", "'quietPeriod' ('1.0' must be a whole number without blanks)"),
        ("<quietPeriod>08</quietPeriod>", "'quietPeriod' ('08' must be a whole number without blanks)"),
        (
            "<quietPeriod>2147483648</quietPeriod>",
            "'quietPeriod' ('2147483648' must be from -2147483648 to 2147483647)",
        ),
        ("<disabled>yes</disabled>", "'disabled' ('yes' must be 'true' or 'false')"),
        (
            "<properties><hudson.model.ParametersDefinitionProperty><parameterDefinitions>"
            "<hudson.model.BooleanParameterDefinition><name>A</name><defaultValue>on</defaultValue>"
            "</hudson.model.BooleanParameterDefinition></parameterDefinitions></hudson.model.ParametersDefinitionProperty>"
            "</properties>",
            "'properties/hudson.model.ParametersDefinitionProperty/parameterDefinitions/"
            "hudson.model.BooleanParameterDefinition/defaultValue' ('on' must be 'true' or 'false')",
        ),
        ("<concurrentBuild> true</concurrentBuild>", "'concurrentBuild' (' true' must be 'true' or 'false')"),
    ],
)
@pytest.mark.parametrize("on_dropped", ["fail", "warn"])
def test_value_that_jenkins_does_not_read_is_refused_before_the_change(
    element: str, problem: str, on_dropped: str
) -> None:
    for calls in ([listed()], [listed("app"), stored("/job/app", "")]):
        result = manage(*calls, name="app", config=f"<project>{element}</project>", on_dropped=on_dropped)
        assert not result["changed"]
        assert result["msg"] == (
            "The configuration of job 'app' was not sent, because Jenkins would not keep these elements as declared: "
            f"{problem}. Correct them."
        )


def test_object_of_a_missing_plugin_is_refused_before_the_change() -> None:
    config = f"<project><properties><{REBUILD} plugin='rebuild@1.25'/></properties></project>"
    unknown = ask_unknown({"class": [REBUILD]}, {"class": [REBUILD]})
    denied = call("POST", "/scriptText", 403)
    for before, ask in (([listed()], unknown), ([listed("app"), stored("/job/app", "")], denied)):
        for check_mode in (True, False):
            result = manage(*before, plugins("git"), ask, name="app", config=config, check_mode=check_mode)
            assert not result["changed"]
            assert result["msg"] == (
                "The configuration of job 'app' was not sent, because Jenkins would not keep these elements as "
                f"declared: 'properties/{REBUILD}' (the plugin 'rebuild', 1.25 in the XML, is not installed). Install "
                "the plugin, remove the elements, or set 'on_dropped: warn'."
            )
    moved = ask_unknown({"class": [REBUILD]})
    assert manage(listed(), plugins("git"), moved, name="app", config=config, check_mode=True)["changed"]
    predicted = {"check_mode": True, "predicted_plugins": ["rebuild"]}
    assert manage(listed(), name="app", config=config, **predicted)["changed"]


def test_unknown_class_or_permission_is_refused_before_the_change() -> None:
    config = (
        f"<project><properties><{MATRIX}><permission>USER:x.Y.Z:bob</permission></{MATRIX}></properties><builders>"
        "<a__b.C_-D><e><f.G/></e></a__b.C_-D></builders></project>"
    )
    names = {"class": ["a_b.C$D", "f.G", MATRIX], "job": ["x.Y.Z"]}
    ask = ask_unknown(names, {"class": ["a_b.C$D"], "job": ["x.Y.Z"]})
    for check_mode in (True, False):
        result = manage(listed(), ask, name="app", config=config, check_mode=check_mode)
        assert not result["changed"]
        assert result["msg"] == (
            "The configuration of job 'app' was not sent, because Jenkins would not keep these elements as declared: "
            "'builders/a__b.C_-D' (no installed plugin has the class 'a_b.C$D'), "
            f"'properties/{MATRIX}/permission' (Jenkins does not have the permission 'x.Y.Z', or it does not apply to "
            "a job). Remove or replace them, or set 'on_dropped: warn'."
        )
