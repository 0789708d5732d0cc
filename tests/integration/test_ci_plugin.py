# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plugins on a server that reports success in any case, and problems that users reported of other tools."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import requests

from sandbox.client import Sandbox
from support import running
from support.at_once import run_concurrently
from support.plugin_site import OFFERS, URL, plugin_file, seed
from support.servers.process import wait_for
from support.wire.ci import TOKENS

Go = Callable[..., dict[str, Any]]


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Go:
    """Return a function that runs the module for some plugins in this process."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    sandbox.seed(seed())
    sandbox.switch("ci", restart_seconds=0.3, install_seconds=0.05)

    def run(*plugins: Any, **options: Any) -> dict[str, Any]:
        requested = [{"name": one} if isinstance(one, str) else one for one in plugins]
        return running.run("ci_plugin", plugins=requested, **{"wait_delay": 0.1, "wait_timeout": 120, **options})

    return run


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result.get("failed"), result["msg"]
    return result


def list_versions() -> dict[str, str]:
    """Return the listed versions by name."""
    return {plugin["name"]: plugin["version"] for plugin in running.run("ci_plugin_info")["plugins"]}


def writes(sandbox: Sandbox) -> list[str]:
    return [entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "gone 1.0: Failed to download from https://updates.jenkins.io/"),
        (
            "forged",
            "forged 1.0: Downloaded file /var/jenkins_home/plugins/forged.jpi.tmp does not match expected SHA-256",
        ),
        ("unsummed", "unsummed 1.0: Unable to confirm integrity of downloaded file, refusing installation"),
        ("broken", "broken 1.0: Failed to dynamically deploy this plugin (java.lang.ClassNotFoundException"),
        ("stale", "stale 2.0: Jenkins lists version 1.0. Check whether the file"),
        ("alias", "alias 1.0: Jenkins does not list it"),
    ],
)
def test_missing_plugins_are_reported_with_reason(go: Go, name: str, message: str) -> None:
    """Other tools report them as installed because Jenkins accepted the request (ansible#26199, #47069)."""
    result = go("plain", name)
    assert result["failed"]
    assert message in result["msg"]
    assert "1 of 2 plugin(s) were not installed" in result["msg"]
    assert "plain" in list_versions()
    assert go("plain", {"name": name, "version": "latest"})["failed"]


@pytest.mark.parametrize("name", ["orphan", "modern", "nothing"])
def test_unavailable_plugin_is_not_installed(go: Go, sandbox: Sandbox, name: str) -> None:
    result = go("plain", name, metadata_max_age=2_592_000, check_mode=True)
    assert "No plugin was changed because of 1 problem(s)" in result["msg"]
    assert "No plugin was changed because of 1 problem(s)" in go("plain", name)["msg"]
    assert set(writes(sandbox)) <= {"refresh_metadata"}
    assert "plain" not in list_versions()


def test_installation_is_complete_when_task_ends(go: Go, sandbox: Sandbox) -> None:
    """Other tools end while Jenkins downloads in the background (emmetog/ansible-jenkins PR#49)."""
    sandbox.switch("ci", install_seconds=0.5)
    assert ok(go("top"))["changed"]
    assert {"base", "middle", "top"} <= list_versions().keys()


def test_second_run_only_reads(go: Go, sandbox: Sandbox) -> None:
    """Other tools always report a change (ansible-modules-extras#3600, geerlingguy/ansible-role-jenkins#158)."""
    desired = ("plain", "static", {"name": "git", "version": "5.2.9"}, {"name": "pam-auth", "state": "enabled"})
    first = ok(go(*desired))
    assert (first["changed"], first["restart_required"]) == (True, True)
    sandbox.clear_journal()
    again = ok(go(*desired))
    assert (again["changed"], again["plan"], again["restart_required"]) == (False, [], True)
    assert not writes(sandbox)
    assert ok(go(*desired, restart="when_needed"))["restart"]["completed"]
    last = ok(go(*desired, restart="when_needed"))
    assert (last["changed"], last["restart"], last["restart_required"]) == (False, None, False)
    assert list_versions()["git"] == "5.3.0"


def test_dependencies_of_pinned_version_are_installed(go: Go, sandbox: Sandbox, tmp_path: pathlib.Path) -> None:
    """Other tools omit them if a version is specified (ansible#20000, geerlingguy/ansible-role-jenkins#358)."""
    path = tmp_path / "own.hpi"
    path.write_bytes(plugin_file("own", "3.0", Plugin_Dependencies="middle:1.0"))
    assert ok(go({"name": "own", "src": str(path)}))["changed"]
    assert {"base", "middle", "own"} <= list_versions().keys()
    assert not ok(go({"name": "own", "src": str(path)}))["changed"]
    assert ok(go({"name": "plain", "version": "0.9", "exact": True}))["changed"]
    assert list_versions()["plain"] == "0.9"
    assert not ok(go({"name": "plain", "version": "0.9", "exact": True}))["changed"]


@pytest.mark.parametrize(
    "attributes",
    [
        {"Jenkins_Version": "9.0"},
        {"Plugin_Dependencies": "nowhere:1.0"},
        {"Plugin_Dependencies": "plain:1.1"},
        {"Plugin_Dependencies": "git:5.3.0"},
        {"Plugin_Dependencies": "git:9;resolution:=optional"},
    ],
)
@pytest.mark.parametrize("restart", ["never", "when_needed"])
def test_nothing_changes_when_file_cannot_be_loaded(
    go: Go, sandbox: Sandbox, tmp_path: pathlib.Path, attributes: dict[str, str], restart: str
) -> None:
    path = tmp_path / "own.hpi"
    path.write_bytes(plugin_file("own", "3.0", **attributes))
    desired = {"name": "own", "src": str(path)}
    predicted, result = go(desired, restart=restart, check_mode=True), go(desired, restart=restart)
    assert "No plugin was changed because of 1 problem(s)" in result["msg"]
    assert (predicted["msg"], predicted["changed"]) == (result["msg"], result["changed"])
    assert set(writes(sandbox)) <= {"refresh_metadata"}
    assert ok(go("plain"))["changed"]


@pytest.mark.parametrize("active", [True, False], ids=["to be upgraded", "enabled, not running"])
def test_plugin_is_loaded_after_restart_when_dependency_is(go: Go, sandbox: Sandbox, active: bool) -> None:
    lib = {"name": "lib", "version": "1.0", "active": active, "enabled": True}
    needs = [{"name": "lib", "version": "2.0" if active else "1.0"}]
    offers = [{"name": "lib", "version": "2.0"}, {"name": "user", "version": "1.0", "dependencies": needs}]
    sandbox.seed(
        {"ci": {"plugins": [lib], "update_sites": [{"url": URL, "fetched": True, "plugins": [*offers, *OFFERS]}]}}
    )
    predicted, result = ok(go("user", "plain", check_mode=True)), ok(go("user", "plain"))
    assert result["restart_required"]
    assert predicted["plugins"] == result["plugins"]
    assert "plain" in list_versions()
    assert "user" not in list_versions()
    assert not ok(go("user", "plain"))["changed"]
    assert ok(go("user", "plain", restart="when_needed"))["restart"]["completed"]
    assert {"plain", "user"} <= list_versions().keys()


def test_check_mode_predicts_what_a_new_server_cannot_know(go: Go, sandbox: Sandbox) -> None:
    admin = {"name": "admin", "password": "x", "tokens": [TOKENS["admin"]], "permissions": ["Overall/Administer"]}
    new = {"users": [admin], "update_site": URL, "update_sites": [{"url": URL, "plugins": OFFERS}]}
    sandbox.seed({"ci": new}, reset=True)
    sandbox.switch("ci", install_seconds=0.05)
    desired = ["top", {"name": "plain", "version": "0.5"}, {"name": "base", "version": "latest"}]
    predicted = ok(go(*desired, check_mode=True))
    assert "Assumed that the update site offers top, plain, base:" in predicted["warnings"][0]
    assert not writes(sandbox)
    result = ok(go(*desired))
    assert (predicted["changed"], result["changed"]) == (True, True)
    assert {step["name"] for step in predicted["plan"]} <= {step["name"] for step in result["plan"]}
    assert predicted["plugins"].keys() <= result["plugins"].keys()
    assert {tuple(state) for state in predicted["plugins"].values()} == {("installed", "version", "enabled")}
    assert not ok(go(*desired, check_mode=True))["changed"]


def test_pinned_version_is_upgraded_and_downgraded(go: Go) -> None:
    """Other tools use the pin request, which has no effect (community.general#5001)."""
    for version in ("1.0", "0.9", "1.0"):
        pinned = {"name": "plain", "version": version, "exact": True}
        assert ok(go(pinned, restart="when_needed"))["changed"]
        assert list_versions()["plain"] == version
        assert not ok(go(pinned, restart="when_needed"))["changed"]


def test_many_plugins_need_one_request_and_one_restart(go: Go, sandbox: Sandbox) -> None:
    result = ok(go("plain", "top", "static", {"name": "git", "version": "latest"}, restart="when_needed"))
    assert result["restart_required"] is False
    labels = writes(sandbox)
    assert [labels.count(label) for label in ("install_plugins", "restart_after_installing")] == [1, 1]
    assert {"plain", "top", "static"} <= list_versions().keys()


def test_disabled_dependency_is_enabled(go: Go, sandbox: Sandbox) -> None:
    """Jenkins fails to enable it if it has to load the plugin immediately."""
    offers = [{"name": "ldap", "version": "1.0", "dependencies": [{"name": "pam-auth", "version": "3.0"}]}]
    sandbox.seed(seed(plugins=[*offers, {"name": "pam-auth", "version": "3.2.1"}]))
    result = ok(go("ldap", restart="when_needed"))
    assert [step["action"] for step in result["plan"]] == ["enable", "install"]
    assert "ldap" in list_versions()


def test_file_at_a_url_must_have_the_version_of_the_task(go: Go) -> None:
    url = "https://updates.jenkins.io/download/plugins/plain/0.9/plain.hpi"
    refused = go({"name": "plain", "version": "1.0", "url": url})
    assert (refused["changed"], f"the file at {url} contains plain 0.9." in refused["msg"]) == (False, True)
    assert "plain" not in list_versions()
    assert ok(go({"name": "plain", "version": "0.9", "url": url}))["plugins"]["plain"]["version"] == "0.9"
    missing = go({"name": "top", "version": "1.0", "url": "https://files.example.com/top.hpi"})
    assert "Jenkins cannot read the file at https://files.example.com/top.hpi (java.io.FileNotFound" in missing["msg"]


def test_uninstalled_plugin_is_installed_before_restart(go: Go) -> None:
    ok(go("plain"))
    assert ok(go({"name": "plain", "state": "absent"}))["changed"]
    assert ok(go("plain"))["changed"]
    assert ok(go("plain", restart="when_needed"))["plugins"]["plain"]["installed"]
    assert "plain" in list_versions()


def test_plugin_that_failed_to_load_is_not_absent(go: Go) -> None:
    go("broken")
    result = go({"name": "broken", "state": "absent"})
    assert (
        "broken is not loaded (java.lang.ClassNotFoundException: broken.PluginImpl), but Jenkins tries to load its file"
        in result["msg"]
    )
    listed = ok(running.run("ci_plugin_info", names=["broken", "nothing", "git"], failed_to_load=True))
    assert listed["missing"] == ["broken", "nothing"]
    failed = {"name": "broken", "reason": "java.lang.ClassNotFoundException: broken.PluginImpl"}
    assert listed["failed_to_load"] == [failed]
    assert ok(running.run("ci_plugin_info", failed_to_load=True))["failed_to_load"] == [failed]
    assert ok(running.run("ci_plugin_info", names=["nothing"], failed_to_load=True))["failed_to_load"] == []


def test_metadata_with_invalid_signature_is_rejected(go: Go, sandbox: Sandbox) -> None:
    sandbox.seed(seed(broken="signature"))
    result = go({"name": "git", "version": "latest"})
    assert "the update site failed (No signature block found in update center 'default')" in result["msg"]


def post(sandbox: Sandbox, path: str, **options: Any) -> dict[str, Any]:
    """Send a request of another client."""
    auth = (sandbox.environment["JENKINS_USER_ID"], sandbox.environment["JENKINS_API_TOKEN"])
    address = sandbox.environment["JENKINS_URL"] + path
    return {"status": requests.post(address, auth=auth, timeout=60, allow_redirects=False, **options).status_code}


def test_restart_waits_for_downloads_of_other_clients(go: Go, sandbox: Sandbox) -> None:
    """Other kinds of restart discard them silently."""
    sandbox.switch("ci", install_seconds=0.3)
    ok(go({"name": "pam-auth", "state": "enabled"}))
    post(sandbox, "/pluginManager/installPlugins", json={"plugins": ["top"], "dynamicLoad": True})
    assert ok(go({"name": "pam-auth", "state": "enabled"}, restart="when_needed"))["restart"]["completed"]
    assert {"base", "middle", "top"} <= list_versions().keys()


def test_task_fails_when_another_client_restarts_server(go: Go, sandbox: Sandbox) -> None:
    sandbox.switch("ci", install_seconds=3600)

    def restart() -> dict[str, Any]:
        wait_for(lambda: "install_plugins" in writes(sandbox), "the installation to begin")
        return post(sandbox, "/restart")

    results = run_concurrently(lambda: go("top", retries=0), restart)
    failed = next(result for result in results if "plan" in result)
    assert "the server restarted, which discards queued installations. Run the task again." in failed["msg"]
    sandbox.switch("ci", install_seconds=0.05)
    assert ok(go("top"))["changed"]


def test_two_tasks_install_in_parallel(go: Go) -> None:
    for result in run_concurrently(lambda: go("top"), lambda: go("plain", "middle")):
        ok(result)
    assert {"base", "middle", "plain", "top"} <= list_versions().keys()


def test_task_fails_when_server_cannot_restart(go: Go, sandbox: Sandbox) -> None:
    sandbox.switch("ci", restart_supported=False)
    result = go("static", restart="when_needed")
    assert "The restart failed: Jenkins cannot restart itself" in result["msg"]
    assert result["changed"]


def test_plugins_of_a_file_replace_all_others(sandbox: Sandbox, monkeypatch: Any, tmp_path: pathlib.Path) -> None:
    """A plugin that an image was built without is removed, but nothing that a plugin of the file needs."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    sandbox.switch("ci", restart_seconds=0.3, install_seconds=0.05)
    file = tmp_path / "plugins.txt"
    file.write_text("git:latest\ntimestamper:1.28\nssh-slaves\n")
    options = {
        "plugins_file": str(file),
        "undeclared": "remove",
        "allow_lockout": True,  # removes the plugin of the authorization strategy
        "restart": "when_needed",
        "wait_delay": 0.1,
        "wait_timeout": 120,
    }
    first = ok(running.run("ci_plugin", **options))
    assert "workflow-aggregator" in first["undeclared"]
    assert "dependencies of timestamper" in first["warnings"][-1]
    assert "workflow-aggregator" in list_versions()
    second = ok(running.run("ci_plugin", **options))
    assert second["changed"]
    needed = ["credentials", "ssh-credentials", "trilead-api"]
    assert list(list_versions()) == sorted(["git", "ssh-slaves", "timestamper", *needed])
    third = ok(running.run("ci_plugin", **options))
    assert (third["changed"], third["undeclared"]) == (False, [])
