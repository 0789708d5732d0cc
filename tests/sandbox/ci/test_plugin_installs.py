# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: installing plugins, before and after a restart."""

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


def job_outcomes(ci: Ci) -> dict[str, tuple[str, str]]:
    """Return the outcomes of the jobs by plugin or type."""
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


def find_plugin(ci: Ci, name: str) -> dict[str, Any] | None:
    members = "active,backupVersion,deleted,enabled,version"
    answer = ci.get(f"/pluginManager/plugin/{name}/api/json?tree={members}")
    return {k: v for k, v in answer.json().items() if k != "_class"} if answer.status_code == 200 else None


def pending(ci: Ci) -> bool:
    return ci.members("/updateCenter", "restartRequiredForCompletion")["restartRequiredForCompletion"]


def new(version: str = "1.0", **more: Any) -> dict[str, Any]:
    return {"active": True, "backupVersion": None, "deleted": False, "enabled": True, "version": version, **more}


def test_installation_takes_time(ci: Ci) -> None:
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
    assert find_plugin(ci, "plain") is None
    job_outcomes(ci)
    assert jobs(ci)[0]["status"]["type"] == "Success"
    assert jobs(ci)[1]["status"] == {"_class": "hudson.model.UpdateCenter$CompleteBatchJob$Success"}
    assert find_plugin(ci, "plain") == new()
    assert not pending(ci)
    status = ci.get(f"/updateCenter/installStatus?correlationId={correlation}").json()
    assert status["data"]["jobs"][0]["installStatus"] == "Success"
    restart(ci)
    assert jobs(ci) == []
    assert find_plugin(ci, "plain") == new()


def test_dependencies_are_installed_first_without_correlation_id(ci: Ci) -> None:
    correlation = install(ci, "top").json()["data"]["correlationId"]
    assert list(job_outcomes(ci)) == ["base", "middle", "top", "CompleteBatchJob"]
    listed_jobs = ci.get(f"/updateCenter/installStatus?correlationId={correlation}").json()["data"]["jobs"]
    assert [job["name"] for job in listed_jobs] == ["top"]
    again = install(ci, "top").json()["data"]["correlationId"]
    assert job_outcomes(ci)["top"] == ("NoOpJob", "Success")
    assert ci.get(f"/updateCenter/installStatus?correlationId={again}").json()["data"]["jobs"] == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "Failed to download from https://updates.jenkins.io/"),
        ("forged", "does not match expected SHA-256, expected '"),
        ("unsummed", "Unable to confirm integrity of downloaded file, refusing installation"),
        ("orphan", "Failed to dynamically deploy this plugin"),
        ("modern", "Failed to dynamically deploy this plugin"),
        ("broken", "Failed to dynamically deploy this plugin"),
    ],
)
def test_installation_reports_failures(ci: Ci, name: str, message: str) -> None:
    install(ci, name)
    outcome = job_outcomes(ci)
    assert outcome[name] == ("InstallationJob", "Failure")
    assert outcome["CompleteBatchJob"][1] == "Success"
    assert message in str(reason(ci, name))
    assert find_plugin(ci, name) is None
    assert name in str(ci.members("/updateCenter", "availables[name]"))


def test_failing_download_is_skipped_temporarily(ci: Ci) -> None:
    install(ci, "gone")
    ci.later(0.02 + 0.095)
    assert jobs(ci)[0]["status"] == {
        "_class": "hudson.model.UpdateCenter$DownloadJob$Skipped",
        "success": True,
        "type": "Skipped",
    }
    ci.later(0.02)
    assert jobs(ci)[0]["status"]["type"] == "Failure"


def test_plugin_is_installed_again_when_it_failed_to_load(ci: Ci) -> None:
    install(ci, "orphan")
    job_outcomes(ci)
    assert "Plugin is missing: nowhere (2.0)" in ci.get("/pluginManager/installed").text
    restart(ci)
    assert find_plugin(ci, "orphan") is None
    assert ci.post("/pluginManager/plugin/orphan/doUninstall").status_code == 404
    assert "Plugin is missing: nowhere (2.0)" in ci.get("/pluginManager/installed").text
    upload(ci, plugin_file("nowhere", "2.0"))
    job_outcomes(ci)
    install(ci, "orphan")
    job_outcomes(ci)
    assert find_plugin(ci, "orphan") == new()


def test_installation_uses_the_manifest_when_file_differs(ci: Ci) -> None:
    install(ci, "stale", "alias")
    assert job_outcomes(ci)["stale"][1] == job_outcomes(ci)["alias"][1] == "Success"
    assert ci.members("/pluginManager/plugin/stale", "hasUpdate,version") == {"hasUpdate": True, "version": "1.0"}
    assert find_plugin(ci, "alias") is None
    assert find_plugin(ci, "other") == new()


def test_plugin_takes_effect_after_restart_when_dynamic_load_is_unsupported(ci: Ci) -> None:
    install(ci, "static", "git")
    assert {name: how[1] for name, how in job_outcomes(ci).items()} == {
        "static": "SuccessButRequiresRestart",
        "git": "SuccessButRequiresRestart",
        "CompleteBatchJob": "Success",
    }
    assert pending(ci)
    assert find_plugin(ci, "static") is None
    assert find_plugin(ci, "git") == new("5.2.1", backupVersion="5.2.1")
    restart(ci)
    assert not pending(ci)
    assert (find_plugin(ci, "static"), find_plugin(ci, "git")) == (new(), new("5.3.0", backupVersion="5.2.1"))


def test_installation_succeeds_when_plugin_already_waits_for_restart(ci: Ci) -> None:
    install(ci, "git")
    job_outcomes(ci)
    install(ci, "git")
    job_outcomes(ci)
    assert [job["status"]["type"] for job in jobs(ci) if "plugin" in job] == ["SuccessButRequiresRestart", "Success"]
    assert find_plugin(ci, "git") == new("5.2.1", backupVersion="5.2.1")


def test_disabled_dependency_is_enabled(ci: Ci) -> None:
    offers = [
        {"name": "pam-auth", "version": "3.2.1"},
        {"name": "ldap", "version": "1.0", "dependencies": [{"name": "pam-auth", "version": "3.0"}]},
    ]
    ci.sandbox.seed(seed(plugins=offers))
    install(ci, "ldap")
    assert job_outcomes(ci) == {
        "pam-auth": ("EnableJob", "Failure"),
        "ldap": ("InstallationJob", "Failure"),
        "CompleteBatchJob": ("CompleteBatchJob", "Success"),
    }
    assert reason(ci, "pam-auth") is None
    assert find_plugin(ci, "pam-auth") == new("3.2.1", active=False)
    restart(ci)
    assert (find_plugin(ci, "pam-auth"), find_plugin(ci, "ldap")) == (new("3.2.1"), new())
    ci.post("/pluginManager/plugin/pam-auth/makeDisabled")
    ci.post("/pluginManager/plugin/ldap/doUninstall")
    restart(ci)
    install(ci, "ldap", dynamic=False)
    assert job_outcomes(ci) == {
        "pam-auth": ("EnableJob", "Success"),
        "ldap": ("InstallationJob", "SuccessButRequiresRestart"),
    }
    restart(ci)
    assert (find_plugin(ci, "pam-auth"), find_plugin(ci, "ldap")) == (new("3.2.1"), new())


def test_installation_is_refused_when_request_is_invalid(ci: Ci) -> None:
    for name, message in [("nothing", "No such plugin: nothing"), ("plain@1.0", "No such update center: 0")]:
        answer = install(ci, "plain", name)
        assert answer.status_code == 200
        assert answer.json() == {"status": "error", "message": message}
    assert job_outcomes(ci) == {"plain": ("InstallationJob", "Success")}
    for body in ("", "plugins=git", '{"plugins": ["git"]}', '{"dynamicLoad": true}'):
        assert ci.post("/pluginManager/installPlugins", data=body).status_code == 500
    assert ci.post("/pluginManager/installPlugins", "manager", json={}).status_code == 403
    assert ci.get("/pluginManager/installPlugins").status_code == 405


def test_plugins_are_installed_by_form(ci: Ci) -> None:
    answer = ci.post("/pluginManager/install", data={"plugin.plain.default": "off", "dynamicLoad": "false"})
    assert (answer.status_code, answer.headers["Location"]) == (302, UPDATES)
    assert job_outcomes(ci) == {"plain": ("InstallationJob", "Success")}
    refused = ci.post("/pluginManager/install", data={"plugin.nothing.default": "on"})
    assert (refused.status_code, refused.headers["X-Error"]) == (400, "No such plugin: nothing.default")
    assert ci.post("/updateCenter/plugin/base/installNow").status_code == 302
    assert ci.post("/updateCenter/site/default/plugin/nothing/installNow").status_code == 404
    job_outcomes(ci)
    assert find_plugin(ci, "base") == new()
    ci.post("/updateCenter/plugin/middle/install")
    assert job_outcomes(ci)["middle"][1] == "SuccessButRequiresRestart"


def necessary(ci: Ci, *requirements: str, call: str = "installNecessaryPlugins") -> requests.Response:
    elements = "".join(f'<install plugin="{one}"/>' for one in requirements)
    return ci.post(f"/pluginManager/{call}", data=f"<jenkins>{elements}</jenkins>")


def test_necessary_plugins_are_installed(ci: Ci) -> None:
    for requirement in ("git@5.2", "git@latest", "plain@1.1", "nothing@1.0"):
        answer = necessary(ci, requirement)
        assert (answer.status_code, answer.headers["Location"]) == (302, UPDATES)
        assert job_outcomes(ci) == {}
    necessary(ci, "git@5.2.9", "plain@0.1", "base@latest")
    assert list(job_outcomes(ci)) == ["git", "plain", "base"]
    for body in ("", "a=b", "<a", '<!DOCTYPE a><a plugin="git@9"/>', '<a plugin="git"/>'):
        assert ci.post("/pluginManager/installNecessaryPlugins", data=body).status_code == 500


def test_validation_lists_unsatisfied_plugins(ci: Ci) -> None:
    answer = necessary(ci, "git@9", "nothing@1", "credentials@1", "git@latest", call="prevalidateConfig")
    assert answer.json() == [{"name": "nothing", "version": "1", "mode": "missing"}]
    assert necessary(ci, "git@9", call="prevalidateConfig").json() == [{"name": "git", "version": "9", "mode": "old"}]
    assert job_outcomes(ci) == {}


def upload(ci: Ci, content: bytes, name: str = "a.hpi", url: str = "") -> requests.Response:
    parts = {"name": (name, content), "pluginUrl": (None, url)}
    return ci.post("/pluginManager/uploadPlugin", files=parts)


def test_plugin_file_is_uploaded(ci: Ci) -> None:
    content = plugin_file("own", "3.0", Plugin_Dependencies="base:1.0,git:9.9;resolution:=optional")
    answer = upload(ci, content)
    assert (answer.status_code, answer.headers["Location"]) == (302, UPDATES)
    assert next(job["plugin"] for job in jobs(ci) if job["plugin"]["name"] == "own") == {"name": "own", "version": "0"}
    assert next(iter(job_outcomes(ci))) == "base"
    assert find_plugin(ci, "own") is None
    assert "Update required: git (5.2.1) to be updated to 9.9 or higher" in ci.get("/pluginManager/installed").text
    upload(ci, plugin_file("git", "5.0"))
    assert job_outcomes(ci)["git"] == ("InstallationJob", "SuccessButRequiresRestart")
    restart(ci)
    assert find_plugin(ci, "git") == new("5.0", backupVersion="5.2.1")
    assert ci.post("/updateCenter/plugin/git/downgrade").status_code == 302
    assert job_outcomes(ci) == {"PluginDowngradeJob": ("PluginDowngradeJob", "Success")}
    assert not pending(ci)
    restart(ci)
    assert find_plugin(ci, "git") == new("5.2.1")


def test_plugin_is_uploaded_by_url(ci: Ci) -> None:
    older = "https://updates.jenkins.io/download/plugins/plain/0.9/plain.hpi"
    assert upload(ci, b"", "", older).status_code == 302
    job_outcomes(ci)
    assert find_plugin(ci, "plain") == new("0.9")
    assert upload(ci, b"", "", older.replace("0.9", "0.8")).status_code == 500
    refused = upload(ci, b"{}", "data.json")
    assert (refused.status_code, refused.headers["X-Error"]) == (400, "data.json is not a Jenkins plugin")
    assert ci.post("/pluginManager/uploadPlugin", files={"name": ("a.hpi", b"")}).status_code == 500


def test_uninstalled_plugin_stays_deleted_when_installed_again(ci: Ci) -> None:
    install(ci, "plain")
    job_outcomes(ci)
    ci.post("/pluginManager/plugin/plain/doUninstall")
    install(ci, "plain")
    job_outcomes(ci)
    assert jobs(ci)[-2]["type"] == "NoOpJob"
    assert find_plugin(ci, "plain") == new(deleted=True)
    upload(ci, plugin_file("plain", "1.0"))
    job_outcomes(ci)
    assert find_plugin(ci, "plain") == new(backupVersion="1.0")


def test_plugin_fails_to_load_when_dependency_is_missing_or_disabled(ci: Ci) -> None:
    install(ci, "top")
    job_outcomes(ci)
    assert ci.post("/pluginManager/plugin/base/makeDisabled").status_code == 200
    restart(ci)
    assert find_plugin(ci, "base") == new(active=False, enabled=False)
    page = ci.get("/pluginManager/installed").text
    assert "Required plugin is disabled: base" in page
    assert (find_plugin(ci, "middle"), find_plugin(ci, "top")) == (None, None)
    ci.post("/pluginManager/plugin/base/makeEnabled")
    assert find_plugin(ci, "base") == new(active=False)
    restart(ci)
    assert (find_plugin(ci, "base"), find_plugin(ci, "top")) == (new(), new())
    assert ci.post("/pluginManager/plugin/base/pin").status_code == 200
    assert ci.get("/pluginManager/plugin/base/doUninstall").status_code == 405


@pytest.mark.parametrize("path", ["/safeRestart", "/restart"])
def test_restart_discards_running_installations(ci: Ci, path: str) -> None:
    install(ci, "plain", "base")
    ci.later(0.05)
    ci.post(path)
    ci.later(5)
    assert jobs(ci) == []
    assert (find_plugin(ci, "plain"), find_plugin(ci, "base")) == (None, None)


def test_restart_follows_running_installations(ci: Ci) -> None:
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
    assert (find_plugin(ci, "plain"), find_plugin(ci, "base")) == (new(), new())


def test_scheduled_restart_can_be_cancelled(ci: Ci) -> None:
    install(ci, "plain")
    ci.post("/updateCenter/safeRestart")
    assert ci.post("/updateCenter/cancelRestart").status_code == 302
    assert jobs(ci)[-1]["status"]["_class"].endswith("$Canceled")
    ci.later(10)
    assert find_plugin(ci, "plain") == new()
    assert jobs(ci)


def test_restart_is_refused_when_jenkins_cannot_restart(ci: Ci) -> None:
    ci.sandbox.switch("ci", restart_supported=False)
    assert ci.post("/updateCenter/safeRestart").status_code == 302
    assert job_outcomes(ci) == {"RestartJenkinsJob": ("RestartJenkinsJob", "Failure")}
    assert "cannot restart itself" in jobs(ci)[-1]["errorMessage"]


def test_failed_plugins_script_returns_causes(ci: Ci) -> None:
    install(ci, "orphan")
    job_outcomes(ci)
    failed = "jenkins.model.Jenkins.get().pluginManager.failedPlugins.collectEntries"
    script = f"println groovy.json.JsonOutput.toJson({failed} {{\n    [it.name, it.exceptionString]\n}})\nnull\n"
    causes = ci.post("/scriptText", data={"script": script}).json()
    assert causes["orphan"].endswith("\n - Plugin is missing: nowhere (2.0)")
