# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CI server on the wire: installing plugins, and what comes of it now and after a restart."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.plugin_site import plugin_file, seed
from support.wire.ci import Ci

UPDATES = "/ci/pluginManager/updates/"
JOBS = "restartRequiredForCompletion,jobs[*,plugin[name,version],status[*]]"


@pytest.fixture
def ci(ci: Ci) -> Ci:
    ci.sandbox.seed(seed())
    return ci


def install(ci: Ci, *names: str, dynamic: bool = True) -> requests.Response:
    return ci.post("/pluginManager/installPlugins", json={"plugins": names, "dynamicLoad": dynamic})


def jobs(ci: Ci) -> list[dict[str, Any]]:
    return ci.members("/updateCenter", JOBS)["jobs"]


def ended(ci: Ci) -> dict[str, tuple[str, str]]:
    """How the jobs ended, by plugin, else by type."""
    ci.later(10)
    return {
        job.get("plugin", {}).get("name", job["type"]): (job["type"], job["status"]["_class"].rpartition("$")[2])
        for job in jobs(ci)
    }


def reason(ci: Ci, name: str) -> str | None:
    return next(job["errorMessage"] for job in jobs(ci) if job.get("plugin", {}).get("name") == name)


def restart(ci: Ci) -> None:
    assert ci.post("/restart").status_code == 302
    ci.later(2)


def listed(ci: Ci, name: str) -> dict[str, Any] | None:
    members = "active,backupVersion,deleted,enabled,version"
    answer = ci.get(f"/pluginManager/plugin/{name}/api/json?tree={members}")
    return {k: v for k, v in answer.json().items() if k != "_class"} if answer.status_code == 200 else None


def pending(ci: Ci) -> bool:
    return ci.members("/updateCenter", "restartRequiredForCompletion")["restartRequiredForCompletion"]


def new(version: str = "1.0", **more: Any) -> dict[str, Any]:
    return {"active": True, "backupVersion": None, "deleted": False, "enabled": True, "version": version, **more}


def test_an_installation_takes_its_time(ci: Ci) -> None:
    answer = install(ci, "plain")
    assert answer.status_code == 200
    correlation = answer.json()["data"]["correlationId"]
    assert answer.json() == {"status": "ok", "data": {"correlationId": correlation}}
    assert [job["status"]["_class"].rpartition("$")[2] for job in jobs(ci)] == ["Pending", "Pending"]
    ci.later(0.05)
    first = jobs(ci)[0]
    assert first == {
        "_class": "hudson.model.UpdateCenter$InstallationJob",
        "errorMessage": None,
        "id": 1,
        "type": "InstallationJob",
        "name": "Plain Plugin",
        "status": {
            "_class": "hudson.model.UpdateCenter$DownloadJob$Installing",
            "success": False,
            "type": "Installing",
        },
        "plugin": {"name": "plain", "version": "1.0"},
    }
    assert listed(ci, "plain") is None
    ended(ci)
    assert jobs(ci)[0]["status"]["type"] == "Success"
    assert jobs(ci)[1]["status"] == {"_class": "hudson.model.UpdateCenter$CompleteBatchJob$Success"}
    assert listed(ci, "plain") == new()
    assert not pending(ci)
    status = ci.get(f"/updateCenter/installStatus?correlationId={correlation}").json()
    assert status["data"]["jobs"][0]["installStatus"] == "Success"
    restart(ci)
    assert jobs(ci) == []
    assert listed(ci, "plain") == new()


def test_dependencies_come_first_and_have_no_correlation(ci: Ci) -> None:
    correlation = install(ci, "top").json()["data"]["correlationId"]
    assert list(ended(ci)) == ["base", "middle", "top", "CompleteBatchJob"]
    found = ci.get(f"/updateCenter/installStatus?correlationId={correlation}").json()["data"]["jobs"]
    assert [job["name"] for job in found] == ["top"]
    again = install(ci, "top").json()["data"]["correlationId"]
    assert ended(ci)["top"] == ("NoOpJob", "Success")
    assert ci.get(f"/updateCenter/installStatus?correlationId={again}").json()["data"]["jobs"] == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone", "Failed to download from https://updates.jenkins.io/"),
        ("forged", "does not match expected SHA-256, expected '"),
        ("unsummed", "Unable to confirm integrity of downloaded file, refusing installation"),
        ("orphan", "Failed to dynamically deploy this plugin"),
        ("modern", "Failed to dynamically deploy this plugin"),
        ("broken", "Failed to dynamically deploy this plugin"),
    ],
)
def test_failures(ci: Ci, name: str, said: str) -> None:
    install(ci, name)
    outcome = ended(ci)
    assert outcome[name] == ("InstallationJob", "Failure")
    assert outcome["CompleteBatchJob"][1] == "Success"
    assert said in str(reason(ci, name))
    assert listed(ci, name) is None
    assert name in str(ci.members("/updateCenter", "availables[name]"))


def test_a_failing_download_is_skipped_for_a_moment(ci: Ci) -> None:
    install(ci, "gone")
    ci.later(0.02 + 0.095)
    assert jobs(ci)[0]["status"] == {
        "_class": "hudson.model.UpdateCenter$DownloadJob$Skipped",
        "success": True,
        "type": "Skipped",
    }
    ci.later(0.02)
    assert jobs(ci)[0]["status"]["type"] == "Failure"


def test_what_failed_to_load_is_tried_again(ci: Ci) -> None:
    install(ci, "orphan")
    ended(ci)
    assert "Plugin is missing: nowhere (2.0)" in ci.get("/pluginManager/installed").text
    restart(ci)
    assert listed(ci, "orphan") is None
    assert ci.post("/pluginManager/plugin/orphan/doUninstall").status_code == 404
    assert "Plugin is missing: nowhere (2.0)" in ci.get("/pluginManager/installed").text
    upload(ci, plugin_file("nowhere", "2.0"))
    ended(ci)
    install(ci, "orphan")
    ended(ci)
    assert listed(ci, "orphan") == new()


def test_a_file_that_is_another_one(ci: Ci) -> None:
    install(ci, "stale", "alias")
    assert ended(ci)["stale"][1] == ended(ci)["alias"][1] == "Success"
    assert ci.members("/pluginManager/plugin/stale", "hasUpdate,version") == {"hasUpdate": True, "version": "1.0"}
    assert listed(ci, "alias") is None
    assert listed(ci, "other") == new()


def test_what_waits_for_a_restart(ci: Ci) -> None:
    install(ci, "static", "git")
    assert {name: how[1] for name, how in ended(ci).items()} == {
        "static": "SuccessButRequiresRestart",
        "git": "SuccessButRequiresRestart",
        "CompleteBatchJob": "Success",
    }
    assert pending(ci)
    assert listed(ci, "static") is None
    assert listed(ci, "git") == new("5.2.1", backupVersion="5.2.1")
    restart(ci)
    assert not pending(ci)
    assert (listed(ci, "static"), listed(ci, "git")) == (new(), new("5.3.0", backupVersion="5.2.1"))


def test_installing_again_what_waits_says_plain_success(ci: Ci) -> None:
    install(ci, "git")
    ended(ci)
    install(ci, "git")
    ended(ci)
    assert [job["status"]["type"] for job in jobs(ci) if "plugin" in job] == ["SuccessButRequiresRestart", "Success"]
    assert listed(ci, "git") == new("5.2.1", backupVersion="5.2.1")


def test_a_disabled_dependency(ci: Ci) -> None:
    offers = [
        {"name": "matrix-auth", "version": "3.2.1"},
        {"name": "ldap", "version": "1.0", "dependencies": [{"name": "matrix-auth", "version": "3.0"}]},
    ]
    ci.sandbox.seed(seed(plugins=offers))
    install(ci, "ldap")
    assert ended(ci) == {
        "matrix-auth": ("EnableJob", "Failure"),
        "ldap": ("InstallationJob", "Failure"),
        "CompleteBatchJob": ("CompleteBatchJob", "Success"),
    }
    assert reason(ci, "matrix-auth") is None
    assert listed(ci, "matrix-auth") == new("3.2.1", active=False)
    restart(ci)
    assert (listed(ci, "matrix-auth"), listed(ci, "ldap")) == (new("3.2.1"), new())
    ci.post("/pluginManager/plugin/matrix-auth/makeDisabled")
    ci.post("/pluginManager/plugin/ldap/doUninstall")
    restart(ci)
    install(ci, "ldap", dynamic=False)
    assert ended(ci) == {
        "matrix-auth": ("EnableJob", "Success"),
        "ldap": ("InstallationJob", "SuccessButRequiresRestart"),
    }
    restart(ci)
    assert (listed(ci, "matrix-auth"), listed(ci, "ldap")) == (new("3.2.1"), new())


def test_refused_installations(ci: Ci) -> None:
    for name, message in [("nothing", "No such plugin: nothing"), ("plain@1.0", "No such update center: 0")]:
        answer = install(ci, "plain", name)
        assert answer.status_code == 200
        assert answer.json() == {"status": "error", "message": message}
    assert ended(ci) == {"plain": ("InstallationJob", "Success")}
    for body in ("", "plugins=git", '{"plugins": ["git"]}', '{"dynamicLoad": true}'):
        assert ci.post("/pluginManager/installPlugins", data=body).status_code == 500
    assert ci.post("/pluginManager/installPlugins", "manager", json={}).status_code == 403
    assert ci.get("/pluginManager/installPlugins").status_code == 405


def test_the_pages_form(ci: Ci) -> None:
    answer = ci.post("/pluginManager/install", data={"plugin.plain.default": "off", "dynamicLoad": "false"})
    assert (answer.status_code, answer.headers["Location"]) == (302, UPDATES)
    assert ended(ci) == {"plain": ("InstallationJob", "Success")}
    refused = ci.post("/pluginManager/install", data={"plugin.nothing.default": "on"})
    assert (refused.status_code, refused.headers["X-Error"]) == (400, "No such plugin: nothing.default")
    assert ci.post("/updateCenter/plugin/base/installNow").status_code == 302
    assert ci.post("/updateCenter/site/default/plugin/nothing/installNow").status_code == 404
    ended(ci)
    assert listed(ci, "base") == new()
    ci.post("/updateCenter/plugin/middle/install")
    assert ended(ci)["middle"][1] == "SuccessButRequiresRestart"


def necessary(ci: Ci, *wanted: str, call: str = "installNecessaryPlugins") -> requests.Response:
    elements = "".join(f'<install plugin="{one}"/>' for one in wanted)
    return ci.post(f"/pluginManager/{call}", data=f"<jenkins>{elements}</jenkins>")


def test_necessary_plugins(ci: Ci) -> None:
    for wanted in ("git@5.2", "git@latest", "plain@1.1", "nothing@1.0"):
        answer = necessary(ci, wanted)
        assert (answer.status_code, answer.headers["Location"]) == (302, UPDATES)
        assert ended(ci) == {}
    necessary(ci, "git@5.2.9", "plain@0.1", "base@latest")
    assert list(ended(ci)) == ["git", "plain", "base"]
    for body in ("", "a=b", "<a", '<!DOCTYPE a><a plugin="git@9"/>', '<a plugin="git"/>'):
        assert ci.post("/pluginManager/installNecessaryPlugins", data=body).status_code == 500


def test_what_is_necessary(ci: Ci) -> None:
    answer = necessary(ci, "git@9", "nothing@1", "credentials@1", "git@latest", call="prevalidateConfig")
    assert answer.json() == [{"name": "nothing", "version": "1", "mode": "missing"}]
    assert necessary(ci, "git@9", call="prevalidateConfig").json() == [{"name": "git", "version": "9", "mode": "old"}]
    assert ended(ci) == {}


def upload(ci: Ci, content: bytes, name: str = "a.hpi", url: str = "") -> requests.Response:
    parts = {"name": (name, content), "pluginUrl": (None, url)}
    return ci.post("/pluginManager/uploadPlugin", files=parts)


def test_uploads(ci: Ci) -> None:
    content = plugin_file("own", "3.0", Plugin_Dependencies="base:1.0,git:9.9;resolution:=optional")
    answer = upload(ci, content)
    assert (answer.status_code, answer.headers["Location"]) == (302, UPDATES)
    assert next(job["plugin"] for job in jobs(ci) if job["plugin"]["name"] == "own") == {"name": "own", "version": "0"}
    assert next(iter(ended(ci))) == "base"
    assert listed(ci, "own") is None
    assert "Update required: git (5.2.1) to be updated to 9.9 or higher" in ci.get("/pluginManager/installed").text
    upload(ci, plugin_file("git", "5.0"))
    assert ended(ci)["git"] == ("InstallationJob", "SuccessButRequiresRestart")
    restart(ci)
    assert listed(ci, "git") == new("5.0", backupVersion="5.2.1")
    assert ci.post("/updateCenter/plugin/git/downgrade").status_code == 302
    assert ended(ci) == {"PluginDowngradeJob": ("PluginDowngradeJob", "Success")}
    assert not pending(ci)
    restart(ci)
    assert listed(ci, "git") == new("5.2.1")


def test_an_address_instead_of_a_file(ci: Ci) -> None:
    older = "https://updates.jenkins.io/download/plugins/plain/0.9/plain.hpi"
    assert upload(ci, b"", "", older).status_code == 302
    ended(ci)
    assert listed(ci, "plain") == new("0.9")
    assert upload(ci, b"", "", older.replace("0.9", "0.8")).status_code == 500
    refused = upload(ci, b"{}", "data.json")
    assert (refused.status_code, refused.headers["X-Error"]) == (400, "data.json is not a Jenkins plugin")
    assert ci.post("/pluginManager/uploadPlugin", files={"name": ("a.hpi", b"")}).status_code == 500


def test_an_uninstalled_plugin_does_not_come_back_by_installing(ci: Ci) -> None:
    install(ci, "plain")
    ended(ci)
    ci.post("/pluginManager/plugin/plain/doUninstall")
    install(ci, "plain")
    ended(ci)
    assert jobs(ci)[-2]["type"] == "NoOpJob"
    assert listed(ci, "plain") == new(deleted=True)
    upload(ci, plugin_file("plain", "1.0"))
    ended(ci)
    assert listed(ci, "plain") == new(backupVersion="1.0")


def test_dependants_of_what_is_disabled_or_gone_fail_to_load(ci: Ci) -> None:
    install(ci, "top")
    ended(ci)
    assert ci.post("/pluginManager/plugin/base/makeDisabled").status_code == 200
    restart(ci)
    assert listed(ci, "base") == new(active=False, enabled=False)
    page = ci.get("/pluginManager/installed").text
    assert "Required plugin is disabled: base" in page
    assert (listed(ci, "middle"), listed(ci, "top")) == (None, None)
    ci.post("/pluginManager/plugin/base/makeEnabled")
    assert listed(ci, "base") == new(active=False)
    restart(ci)
    assert (listed(ci, "base"), listed(ci, "top")) == (new(), new())
    assert ci.post("/pluginManager/plugin/base/pin").status_code == 200
    assert ci.get("/pluginManager/plugin/base/doUninstall").status_code == 405


@pytest.mark.parametrize("path", ["/safeRestart", "/restart"])
def test_a_restart_loses_what_is_being_installed(ci: Ci, path: str) -> None:
    install(ci, "plain", "base")
    ci.later(0.05)
    ci.post(path)
    ci.later(5)
    assert jobs(ci) == []
    assert (listed(ci, "plain"), listed(ci, "base")) == (None, None)


def test_the_restart_behind_what_is_being_installed(ci: Ci) -> None:
    session = ci.get("/login").headers["X-Jenkins-Session"]
    install(ci, "plain", "base")
    assert ci.post("/updateCenter/safeRestart").status_code == 302
    assert ci.post("/updateCenter/safeRestart").status_code == 302
    assert [job["type"] for job in jobs(ci)].count("RestartJenkinsJob") == 1
    assert jobs(ci)[-1]["status"] == {"_class": "hudson.model.UpdateCenter$RestartJenkinsJob$Pending"}
    assert "plugin" not in jobs(ci)[-1]
    ci.later(5)
    ci.get("/login")
    ci.later(2)
    assert ci.get("/login").headers["X-Jenkins-Session"] != session
    assert (listed(ci, "plain"), listed(ci, "base")) == (new(), new())


def test_the_restart_behind_can_be_cancelled(ci: Ci) -> None:
    install(ci, "plain")
    ci.post("/updateCenter/safeRestart")
    assert ci.post("/updateCenter/cancelRestart").status_code == 302
    assert jobs(ci)[-1]["status"]["_class"].endswith("$Canceled")
    ci.later(10)
    assert listed(ci, "plain") == new()
    assert jobs(ci)


def test_a_server_that_cannot_restart(ci: Ci) -> None:
    ci.sandbox.switch("ci", restart_supported=False)
    assert ci.post("/updateCenter/safeRestart").status_code == 302
    assert ended(ci) == {"RestartJenkinsJob": ("RestartJenkinsJob", "Failure")}
    assert "cannot restart itself" in jobs(ci)[-1]["errorMessage"]


def test_the_script_that_tells_why_plugins_failed(ci: Ci) -> None:
    install(ci, "orphan")
    ended(ci)
    failed = "jenkins.model.Jenkins.get().pluginManager.failedPlugins.collectEntries"
    script = f"println groovy.json.JsonOutput.toJson({failed} {{\n    [it.name, it.exceptionString]\n}})\nnull\n"
    told = ci.post("/scriptText", data={"script": script}).json()
    assert told["orphan"].endswith("\n - Plugin is missing: nowhere (2.0)")
