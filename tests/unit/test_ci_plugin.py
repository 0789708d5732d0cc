# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from support import plugin_site
from support.ci_server import NEW_SESSION, OLD_SESSION, computers, crumb, page
from support.conversation import Call, call, conversation
from support.plugin_server import (
    available_plugin,
    batch,
    center,
    change,
    failed_script,
    install,
    installed_page,
    job,
    listing,
    manager_page,
    manifest,
    not_offered,
    plugin,
    prevalidate,
    providers,
    refresh,
)
from support.running import run

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
GIT = plugin("git", "5.2.1")


def run_module(*calls: Call, plugins: Any, **parameters: Any) -> dict[str, Any]:
    """Run a task in exactly this conversation; a plugin can be its name."""
    desired = [{"name": one} if isinstance(one, str) else one for one in plugins]
    with conversation(*calls) as server:
        return run("ci_plugin", url=server.url, plugins=desired, **{**TOKEN, **parameters})


def assert_success(result: dict[str, Any]) -> dict[str, Any]:
    assert not result.get("failed"), result["msg"]
    return result


def steps(result: dict[str, Any]) -> list[str]:
    return [f"{step['action']} {step['name']} {step['version']}" for step in result["plan"]]


def test_unchanged_plugins_need_two_reads() -> None:
    assert run_module(listing(GIT), center(), plugins=["git"], diff_mode=True) == {
        "changed": False,
        "plan": [],
        "restart": None,
        "plugins": {"git": {"installed": True, "version": "5.2.1", "enabled": True}},
        "restart_required": False,
        "diff": {"before": {}, "after": {}},
    }


def test_new_plugin_is_installed_with_dependencies() -> None:
    before, after = listing(GIT), listing(GIT, plugin("base"), plugin("top"))
    done = (job(1, "base"), job(2, "top"), batch(3))
    result = run_module(
        before,
        center(),
        installed_page(),
        available_plugin("top", missing_dependency="base"),
        available_plugin("base"),
        install("top"),
        center(job(1, "base", "Pending"), job(2, "top", "Pending"), batch(3, "Pending")),
        center(job(1, "base", "Installing"), job(2, "top", "Pending"), batch(3, "Pending")),
        center(job(1, "base"), job(2, "top", "Pending"), batch(3, "Pending")),
        center(job(1, "base"), job(2, "top", "Skipped"), batch(3, "Pending")),
        center(job(1, "base"), job(2, "top"), batch(3, "Running")),
        center(*done),
        *(after, center(*done)),
        *(after, center(*done)),
        plugins=["top"],
        diff_mode=True,
    )
    there = {"installed": True, "version": "1.0", "enabled": True}
    step = {"action": "install", "old_version": None, "version": "1.0", "needs_restart": None}
    assert assert_success(result) == {
        "changed": True,
        "plan": [{**step, "name": "base", "required_by": "top"}, {**step, "name": "top", "required_by": None}],
        "restart": None,
        "plugins": {"base": there, "top": there},
        "restart_required": False,
        "diff": {"before": {"top": {"installed": False}}, "after": {"base": there, "top": there}},
    }


def administers(status: int = 200, **answer: Any) -> Call:
    """Return the request for a page that only administrators can read."""
    return call("GET", "/scriptText", status, **answer)


def test_check_mode_predicts_the_refusal_when_the_account_is_no_administrator() -> None:
    refusal = page("Access Denied", "Access Denied", "reader is missing the Overall/Administer permission")
    server = listing(GIT), center(), providers(status=403, text=refusal)
    result = run_module(*server, plugins=[{"name": "git", "state": "disabled"}], check_mode=True)
    assert "403 reader is missing the Overall/Administer permission" in result["msg"]
    assert not result["changed"]


def test_check_mode_returns_plan_and_only_reads() -> None:
    result = run_module(
        *(
            listing(GIT),
            center(age=None),
            installed_page(),
            available_plugin("top", missing_dependency="base"),
            available_plugin("base"),
        ),
        administers(),
        plugins=["top"],
        check_mode=True,
    )
    assert steps(assert_success(result)) == ["install base 1.0", "install top 1.0"]
    assert (result["changed"], result["restart"], result["restart_required"]) == (True, None, False)


@pytest.mark.parametrize(
    ("options", "requests", "changed"),
    [
        ({"version": "5.2.1"}, (), False),
        ({"version": "5.0"}, (prevalidate("git@5.0"),), False),
        ({"version": "5.3"}, (prevalidate("git@5.3", "git"), available_plugin("git", "5.7")), True),
        ({"version": "5.2.1", "exact": True}, (), False),
        ({"version": "5.7", "exact": True}, (available_plugin("git", "5.7"),), True),
        ({"version": "latest"}, (), False),
    ],
)
def test_version_options(options: dict[str, Any], requests: tuple[Call, ...], changed: bool) -> None:
    last = [administers()] if changed else []
    result = run_module(listing(GIT), center(), *requests, *last, plugins=[{"name": "git", **options}], check_mode=True)
    assert assert_success(result)["changed"] is changed
    assert steps(result) == (["install git 5.7"] if changed else [])
    assert result["restart_required"] is changed


def test_latest_version_is_resolved_with_refreshed_metadata() -> None:
    newer = plugin("git", "5.2.1", hasUpdate=True)
    waits = job(1, "git", "SuccessButRequiresRestart", "5.7")
    result = run_module(
        *(listing(GIT), center(age=None), refresh(), manager_page(), center(age=0)),
        *(listing(newer), center(age=0), available_plugin("git", "5.7"), install("git")),
        center(waits, waits=True),
        *[listing(newer), center(waits, waits=True)] * 2,
        plugins=[{"name": "git", "version": "latest"}],
    )
    assert assert_success(result)["plugins"]["git"]["version"] == "5.7"
    assert (result["changed"], result["restart_required"]) == (True, True)
    again = run_module(listing(newer), center(waits, waits=True), plugins=[{"name": "git", "version": "latest"}])
    assert (assert_success(again)["changed"], again["restart_required"]) == (False, True)


@pytest.mark.parametrize(
    ("problem", "age"),
    [("ConnectException: refused", None), ("No signature block found", 0), ("", None)],
    ids=["refused", "signature", "silent"],
)
def test_failed_metadata_refresh_is_reported(problem: str, age: float | None) -> None:
    moved = () if problem else (center(age=age),)
    begin = (listing(GIT), center(age=None))
    requests = (refresh(), manager_page(problem), *moved, listing(GIT), center(age=age))
    result = run_module(*begin, *requests, plugins=[{"name": "git", "version": "latest"}])
    reason = problem or "the metadata did not change"
    assert f"The latest versions are unknown: refreshing the update site failed ({reason})" in result["msg"]
    assert (result["failed"], result["changed"]) == (True, False)
    old = (prevalidate("git@5.3", "git"),)
    result = run_module(*begin, *old, *requests, *old, not_offered("git"), plugins=[{"name": "git", "version": "5.3"}])
    assert "The existing metadata was used" in result["warnings"][0]


def test_all_problems_are_listed_before_any_change() -> None:
    result = run_module(
        *(listing(GIT), center(), prevalidate("git@9", "git"), installed_page()),
        *(
            available_plugin("git", "5.7"),
            not_offered("nothing"),
            available_plugin("orphan", needs="base"),
            not_offered("base"),
        ),
        available_plugin("modern", compatible=False, requiredCore="9.0"),
        plugins=[{"name": "git", "version": "9"}, "nothing", "orphan", "modern"],
    )
    assert result["msg"] == (
        "No plugin was changed because of 4 problem(s): git 9 is not available, only 5.7; "
        "nothing is not available from the update site; "
        "orphan requires base 1.0, which is neither installed nor available; "
        "modern 1.0 requires Jenkins 9.0."
    )
    assert not result["changed"]


FAILED = {
    "download": (
        "Failed to download from https://x/gone.hpi",
        {},
        "gone 1.0: Failed to download from https://x/gone.hpi",
    ),
    "load": (
        "Failed to dynamically deploy this plugin",
        {"gone": "java.io.IOException: Failed to load: Gone (gone 1.0)\n - Plugin is missing: x (1.0)"},
        "gone 1.0: Failed to dynamically deploy this plugin (Plugin is missing: x (1.0))",
    ),
    "silent": (None, {}, "gone 1.0: Jenkins gave no reason"),
}


@pytest.mark.parametrize("case", FAILED)
def test_task_fails_when_plugins_are_missing_after_installation(case: str) -> None:
    error, failed, problem = FAILED[case]
    done = (job(1, "plain"), job(2, "gone", "Failure", errorMessage=error), batch(3))
    after = (listing(plugin("plain")), center(*done))
    why = (installed_page("gone"), failed_script(**failed)) if failed else (installed_page(),)
    result = run_module(
        *(
            listing(),
            center(),
            installed_page(),
            available_plugin("plain"),
            available_plugin("gone"),
            install("plain", "gone"),
        ),
        *(center(*done), *after, *why),
        plugins=["plain", "gone"],
    )
    assert result["msg"] == f"1 of 2 plugin(s) were not installed: {problem}."
    assert (result["failed"], result["changed"]) == (True, True)
    assert [name for name, state in result["plugins"].items() if state["installed"]] == ["plain"]


@pytest.mark.parametrize(
    ("version", "message"),
    [("1.0", "Jenkins lists version 1.0. Check whether the file"), (None, "Jenkins does not list it. Check whether")],
)
def test_task_fails_when_version_is_wrong_after_installation(version: str | None, message: str) -> None:
    after = (listing(*[plugin("stale", version)] if version else []), center(job(1, "stale", version="2.0"), batch(2)))
    result = run_module(
        *(listing(), center(), installed_page(), available_plugin("stale", "2.0"), install("stale")),
        *(after[1], *after, installed_page()),
        plugins=["stale"],
    )
    assert message in result["msg"]


def test_refusal_with_status_200_is_recognized() -> None:
    refused = {"status": "error", "message": "No such plugin: plain"}
    result = run_module(
        *(listing(), center(), installed_page(), available_plugin("plain"), install("plain", json=refused)),
        plugins=["plain"],
    )
    assert "Installing plugins failed: No such plugin: plain." in result["msg"]


def test_failed_download_is_repeated_by_next_run() -> None:
    failed = job(1, "plain", "Failure", errorMessage="Failed to download from x")
    after = (listing(plugin("plain")), center(failed, batch(2), job(3, "plain"), batch(4)))
    result = run_module(
        *(listing(), center(failed, batch(2)), installed_page(), available_plugin("plain"), install("plain")),
        *(after[1], *after, *after),
        plugins=["plain"],
    )
    assert assert_success(result)["changed"]


def test_installations_of_other_clients_are_awaited_first() -> None:
    result = run_module(
        *(listing(), center(job(1, "plain", "Installing")), center(job(1, "plain"))),
        *(listing(plugin("plain")), center(job(1, "plain"))),
        plugins=["plain"],
    )
    assert not assert_success(result)["changed"]


def test_installation_timeout_is_reported() -> None:
    slow = center(job(1, "plain", "Installing"))
    result = run_module(
        *(listing(), center(), installed_page(), available_plugin("plain"), install("plain"), slow),
        plugins=["plain"],
        wait_timeout=0,
    )
    assert "1 installation(s) are in progress: plain Installing" in result["msg"]


def test_task_fails_when_server_restarts_during_installation() -> None:
    down = call("GET", center().target, 503, text=page("Starting Jenkins", "Jenkins is getting ready to work"))
    result = run_module(
        *(listing(), center(), installed_page(), available_plugin("plain"), install("plain")),
        *(center(job(1, "plain", "Pending")), down, down, center(session=NEW_SESSION)),
        plugins=["plain"],
    )
    assert "the server restarted, which discards queued installations. Run the task again." in result["msg"]


def test_disabled_dependency_is_enabled_and_plugin_is_loaded_after_restart() -> None:
    """The server would fail silently."""
    off, on = plugin("base", enabled=False, active=False), plugin("base", active=False)
    waits = job(1, "top", "SuccessButRequiresRestart")
    result = run_module(
        *(listing(off), center(), installed_page(), available_plugin("top", missing_dependency="base")),
        *(change("base", "makeEnabled"), install("top", dynamic=False)),
        center(waits, waits=True),
        *[listing(on), center(waits, waits=True)] * 2,
        plugins=["top"],
    )
    assert steps(assert_success(result)) == ["enable base 1.0", "install top 1.0"]
    assert [step["needs_restart"] for step in result["plan"]] == [True, True]
    assert result["plugins"] == {
        name: {"installed": True, "version": "1.0", "enabled": True} for name in ("base", "top")
    }


@pytest.mark.parametrize(("state", "action"), [("absent", "doUninstall"), ("disabled", "makeDisabled")])
def test_dependent_plugins_are_listed(state: str, action: str) -> None:
    needed = (
        listing(plugin("base"), plugin("top", needs="base"), plugin("old", needs="base", enabled=False)),
        center(),
    )
    desired = [{"name": "base", "state": state}]
    refused = run_module(*needed, plugins=desired)
    assert refused["msg"].endswith("because of 1 problem(s): base is required by top (see 'break_dependents').")
    assert not refused["changed"]
    effect = {"deleted": True} if state == "absent" else {"enabled": False}
    after = (listing(plugin("base", **effect), plugin("top", needs="base")), center())
    done = run_module(*needed, providers(), change("base", action), *after, plugins=desired, break_dependents=True)
    assert (assert_success(done)["changed"], done["restart_required"]) == (True, True)


def test_plugin_and_dependent_can_be_removed_together() -> None:
    before = (listing(plugin("base"), plugin("top", needs="base")), center())
    after = (listing(plugin("base", deleted=True), plugin("top", needs="base", deleted=True)), center())
    desired = [{"name": name, "state": "absent"} for name in ("base", "top")]
    removals = [change(name, "doUninstall", 302) for name in ("base", "top")]
    assert assert_success(run_module(*before, providers("matrix-auth"), *removals, *after, plugins=desired))["changed"]
    assert not assert_success(run_module(*after, plugins=desired))["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("plugins", "options", "lost"),
    [
        ([{"name": "role-strategy", "state": "absent"}], {}, ("role-strategy", "role-strategy")),
        ([{"name": "role-strategy", "state": "disabled"}], {}, ("role-strategy", "role-strategy")),
        ([{"name": "base", "state": "disabled"}], {"break_dependents": True}, ("base", "role-strategy")),
        ([{"name": "git"}], {"undeclared": "remove"}, ("base, role-strategy", "role-strategy")),
    ],
)
def test_plugins_of_the_security_settings_are_kept_unless_lockout_is_allowed(
    plugins: list[dict[str, str]], options: dict[str, Any], lost: tuple[str, str], check_mode: bool
) -> None:
    before = (listing(GIT, plugin("base"), plugin("role-strategy", needs="base")), center())
    calls = (*before, providers("role-strategy"))
    refused = run_module(*calls, plugins=plugins, check_mode=check_mode, **options)
    assert (refused["changed"], refused.get("failed")) == (False, True)
    assert refused["msg"] == (
        f"Disabling or uninstalling {lost[0]} would lock out all users: Jenkins could not load {lost[1]}, which "
        "provides its authorization strategy or security realm. Change these first, or set 'allow_lockout: true' to "
        "allow the change."
    )


def test_plugin_of_the_security_settings_is_disabled_when_lockout_is_allowed() -> None:
    before = (listing(plugin("ldap")), center())
    after = (listing(plugin("ldap", enabled=False)), center())
    result = run_module(
        *(*before, change("ldap", "makeDisabled"), *after),
        plugins=[{"name": "ldap", "state": "disabled"}],
        allow_lockout=True,
    )
    assert assert_success(result)["changed"]


def test_plugins_are_enabled_and_disabled() -> None:
    off, on = plugin("base", enabled=False, active=False), plugin("base", active=False)
    desired = [{"name": "base", "state": "enabled"}]
    result = run_module(listing(off), center(), change("base", "makeEnabled"), listing(on), center(), plugins=desired)
    assert (assert_success(result)["changed"], result["restart_required"]) == (True, True)
    assert not assert_success(run_module(listing(on), center(), plugins=desired))["changed"]
    ignored = run_module(listing(off), center(), change("base", "makeEnabled"), listing(off), center(), plugins=desired)
    assert "The server accepted the change, but" in ignored["msg"]
    rejected = run_module(listing(), center(), installed_page(), plugins=[{"name": "base", "state": "disabled"}])
    assert "base cannot be disabled: it is not installed" in rejected["msg"]


def test_upgraded_plugin_stays_disabled() -> None:
    off, on = plugin("git", "5.2", enabled=False, active=False), plugin("git", "5.2", active=False)
    waits = job(1, "git", "SuccessButRequiresRestart", "5.7")
    result = run_module(
        *(listing(off), center(), prevalidate("git@5.3", "git"), available_plugin("git", "5.7"), install("git")),
        *(center(waits), listing(on), center(waits), change("git", "makeDisabled"), listing(off), center(waits)),
        plugins=[{"name": "git", "version": "5.3"}],
    )
    assert assert_success(result)["plugins"]["git"] == {"installed": True, "version": "5.7", "enabled": False}


def test_plugin_that_failed_to_load_is_not_absent() -> None:
    script = failed_script(odd="java.lang.ClassNotFoundException: odd.Impl\n\tat x")
    result = run_module(
        listing(), center(), installed_page("odd"), script, plugins=[{"name": "odd", "state": "absent"}]
    )
    assert (
        "odd is not loaded (java.lang.ClassNotFoundException: odd.Impl), but Jenkins tries to load its file"
        in result["msg"]
    )
    unseen = run_module(
        *(listing(), center(), installed_page("odd"), failed_script(403)), plugins=[{"name": "odd", "state": "absent"}]
    )
    assert not assert_success(unseen)["changed"]
    other = run_module(listing(), center(), installed_page("odd-one"), plugins=[{"name": "odd", "state": "absent"}])
    assert not assert_success(other)["changed"]


UPLOADED = {"headers": {"Location": "/pluginManager/updates/"}}


def upload(**sent: Any) -> Call:
    return call("POST", "/pluginManager/uploadPlugin", 302, **UPLOADED, **sent)


def test_exact_version_is_uploaded_from_url() -> None:
    """An installation would install the offered version or nothing."""
    waits = job(1, "git", "SuccessButRequiresRestart", "0")
    result = run_module(
        *(listing(GIT), center(), available_plugin("git", "5.7"), upload(), center(waits, waits=True)),
        *[listing(GIT), center(waits, waits=True)] * 2,
        plugins=[{"name": "git", "version": "5.0", "exact": True}],
    )
    assert steps(assert_success(result)) == ["upload git 5.0"]
    assert result["plugins"]["git"]["version"] == "5.0"
    nowhere = run_module(
        *(listing(GIT), center(), available_plugin("git", "5.7", url=None)),
        plugins=[{"name": "git", "version": "5.0", "exact": True}],
    )
    assert "git 5.0 is not available, only 5.7: set its file in 'src' or 'url'" in nowhere["msg"]


OWN = {"name": "own", "version": "1.0", "url": "https://x/own.hpi"}


def own_manifest(name: str | None = "own", version: str | None = "1.0", **answer: Any) -> Call:
    return manifest("https://x/own.hpi", name, version, **answer)


def test_inaccessible_url_is_reported() -> None:
    oops = page("Jenkins - Jenkins", "Oops!", "A problem occurred Logging ID=9bd0e6d2")
    failing = call("POST", "/pluginManager/uploadPlugin", 500, text=oops)
    result = run_module(
        listing(), center(), installed_page(), own_manifest(), failing, listing(), center(), plugins=[OWN]
    )
    assert "Check whether https://x/own.hpi is accessible and a plugin." in result["msg"]


def test_file_at_the_url_is_uploaded_when_it_is_the_plugin() -> None:
    after = (listing(plugin("own", "1.0")), center(job(1, "own", version="0")))
    result = run_module(
        *(listing(), center(), installed_page(), own_manifest(), upload(), center(job(1, "own", version="0"))),
        *(*after, *after),
        plugins=[OWN],
    )
    assert steps(assert_success(result)) == ["upload own 1.0"]
    assert not assert_success(run_module(listing(plugin("own", "1.0")), center(), plugins=[OWN]))["changed"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"version": "0.9"}, "own 1.0: the file at https://x/own.hpi contains own 0.9"),
        ({"name": "other"}, "own 1.0: the file at https://x/own.hpi contains other 1.0"),
        ({"name": None, "version": None}, "own 1.0: the file at https://x/own.hpi is not a plugin"),
        (
            {"error": {"type": "java.io.FileNotFoundException", "message": "https://x/own.hpi"}},
            "own 1.0: Jenkins cannot read the file at https://x/own.hpi (java.io.FileNotFoundException: https://x/own.hpi)",
        ),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_file_at_the_url_is_refused_when_it_is_another_plugin(
    answer: dict[str, Any], problem: str, check_mode: bool
) -> None:
    calls = (listing(), center(), installed_page(), own_manifest(**answer))
    result = run_module(*calls, plugins=[OWN], check_mode=check_mode)
    assert result["msg"] == f"No plugin was changed because of 1 problem(s): {problem}."
    assert not result["changed"]


def test_uninstalled_plugin_is_uploaded_instead_of_installed() -> None:
    """An installation would report success without any effect."""
    deleted = plugin("git", "5.7", deleted=True)
    waits = job(1, "git", "SuccessButRequiresRestart", "0")
    result = run_module(
        *(listing(deleted), center(), available_plugin("git", "5.7"), upload(), center(waits, waits=True)),
        *[listing(plugin("git", "5.7")), center(waits, waits=True)] * 2,
        plugins=["git"],
    )
    assert steps(assert_success(result)) == ["upload git 5.7"]


def plugin_file(folder: Path, name: str = "own", version: str = "3.0", **attributes: str) -> Path:
    path = folder / f"{name}.hpi"
    path.write_bytes(plugin_site.plugin_file(name, version, **attributes))
    return path


def test_file_is_uploaded(tmp_path: Path) -> None:
    path = plugin_file(tmp_path)
    after = (listing(plugin("own", "3.0")), center(job(1, "own", version="0")))
    desired = [{"name": "own", "src": str(path)}]
    result = run_module(listing(), center(), installed_page(), upload(), after[1], *after, *after, plugins=desired)
    assert steps(assert_success(result)) == ["upload own 3.0"]
    assert not assert_success(run_module(*after, plugins=desired))["changed"]


OLD_BASE = plugin("base", "1.0")


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("attributes", "server", "problem"),
    [
        ({"Jenkins_Version": "2.600"}, [listing()], "own 3.0 requires Jenkins 2.600, but the server is 2.579"),
        ({"Hudson_Version": "2.600"}, [listing()], "own 3.0 requires Jenkins 2.600, but the server is 2.579"),
        (
            {"Plugin_Dependencies": "base:2.0"},
            [listing(), not_offered("base")],
            "own requires base 2.0, which is neither installed nor available",
        ),
        (
            {"Plugin_Dependencies": "base:2.0"},
            [listing(), available_plugin("base", "1.5")],
            "own requires base 2.0, which is neither installed nor available",
        ),
        (
            {"Plugin_Dependencies": "base:2.0"},
            [listing(OLD_BASE), available_plugin("base", "2.0")],
            "own 3.0 requires base, which Jenkins loads at its next start",
        ),
        (
            {"Plugin_Dependencies": "other:1.0;resolution:=optional,base:2.0;resolution:=optional"},
            [listing(OLD_BASE), not_offered("base")],
            "own requires base 2.0, which is neither installed nor available",
        ),
        (
            {"Plugin_Dependencies": "base:1.0"},
            [listing(plugin("base", enabled=False, active=False))],
            "own 3.0 requires base, which Jenkins loads at its next start",
        ),
        (
            {"Plugin_Dependencies": "base:1.0"},
            [listing(plugin("base", active=False))],
            "own 3.0 requires base, which Jenkins loads at its next start",
        ),
        (
            {"Plugin_Dependencies": "base:1.0"},
            [listing(plugin("base", deleted=True))],
            "own requires base, which is uninstalled at the next start",
        ),
    ],
)
def test_file_is_not_uploaded_when_it_cannot_be_loaded(
    attributes: dict[str, str], server: list[Call], problem: str, check_mode: bool, tmp_path: Path
) -> None:
    desired = [{"name": "own", "src": str(plugin_file(tmp_path, **attributes))}]
    list_of_plugins, *offers = server
    result = run_module(list_of_plugins, center(), installed_page(), *offers, plugins=desired, check_mode=check_mode)
    assert f"No plugin was changed because of 1 problem(s): {problem}" in result["msg"]
    assert not result["changed"]


def test_server_version_is_read_from_login_page_when_header_is_missing(tmp_path: Path) -> None:
    desired = [{"name": "own", "src": str(plugin_file(tmp_path, Jenkins_Version="2.600"))}]
    listed = listing(json={"plugins": []})
    result = run_module(listed, center(), installed_page(), login(), plugins=desired)
    assert "own 3.0 requires Jenkins 2.600, but the server is 2.579" in result["msg"]


def test_available_dependencies_of_file_are_installed(tmp_path: Path) -> None:
    path = plugin_file(tmp_path, Jenkins_Version="2.579", Plugin_Dependencies="base:1.0,x:9;resolution:=optional")
    desired = [{"name": "own", "src": str(path)}]
    server = listing(), center(), installed_page(), available_plugin("base"), administers()
    result = run_module(*server, plugins=desired, check_mode=True)
    assert steps(assert_success(result)) == ["install base 1.0", "upload own 3.0"]


def test_loaded_plugin_is_replaced_when_dependency_needs_restart(tmp_path: Path) -> None:
    desired = [{"name": "own", "src": str(plugin_file(tmp_path, Plugin_Dependencies="base:2.0"))}]
    server = listing(plugin("own", "2.0"), OLD_BASE), center(), available_plugin("base", "2.0"), administers()
    result = run_module(*server, plugins=desired, check_mode=True)
    assert steps(assert_success(result)) == ["install base 2.0", "upload own 3.0"]
    assert result["restart_required"]


def test_files_are_uploaded_in_the_order_of_their_dependencies(tmp_path: Path) -> None:
    own = plugin_file(tmp_path, Plugin_Dependencies="base:2.0")
    base = plugin_file(tmp_path, "base", "2.0", Plugin_Dependencies="own:1.0;resolution:=optional")
    desired = [{"name": "own", "src": str(own)}, {"name": "base", "src": str(base)}]
    result = run_module(listing(), center(), installed_page(), administers(), plugins=desired, check_mode=True)
    assert steps(assert_success(result)) == ["upload base 2.0", "upload own 3.0"]
    base = plugin_file(tmp_path, "base", "1.9")
    result = run_module(listing(), center(), installed_page(), plugins=desired, check_mode=True)
    assert "own requires base 2.0, but this task installs 1.9" in result["msg"]


def test_dependencies_of_file_are_assumed_available_on_new_server(tmp_path: Path) -> None:
    nothing = call("GET", "/updateCenter/api/json?tree=availables%5Bname%5D%7B0%2C1%7D", json={"availables": []})
    own = plugin_file(tmp_path, Plugin_Dependencies="base:2.0,other:1.0")
    desired = [{"name": "base"}, {"name": "own", "src": str(own)}]
    server = listing(), center(age=None), installed_page(), not_offered("base"), nothing, not_offered("other")
    result = run_module(*server, administers(), plugins=desired, check_mode=True)
    assert steps(assert_success(result)) == ["install base None", "install other None", "upload own 3.0"]
    assert "Assumed that the update site offers base, other" in result["warnings"][0]


def test_file_is_rejected_when_task_removes_its_dependency(tmp_path: Path) -> None:
    own = plugin_file(tmp_path, Plugin_Dependencies="base:1.0")
    desired = [{"name": "own", "src": str(own)}, {"name": "base", "state": "absent"}]
    result = run_module(listing(OLD_BASE), center(), installed_page(), plugins=desired)
    assert "own requires base, which this task uninstalls or disables" in result["msg"]


def test_dependency_without_version_is_rejected(tmp_path: Path) -> None:
    path = plugin_file(tmp_path, Plugin_Dependencies="base")
    result = run_module(plugins=[{"name": "own", "src": str(path)}])
    assert result["msg"].endswith(f"must be a plugin, but in '{path}' the dependency 'base' has no version.")


@pytest.mark.parametrize(
    ("desired", "message"),
    [
        ([], "plugins': must not be empty"),
        ([{"name": "a.b"}], "plugins[0].name': must be a short name"),
        ([{"name": ""}], "plugins[0].name': must be a short name"),
        ([{"name": "a"}, {"name": "a"}], "plugins[1].name': must be unique: 'a' occurs twice"),
        ([{"name": "a", "version": "1@2"}], "plugins[0].version': must be a version number, such as"),
        ([{"name": "a", "exact": True}], "plugins[0].exact': requires a version"),
        ([{"name": "a", "exact": True, "version": "latest"}], "plugins[0].exact': requires a version"),
        (
            [{"name": "a", "state": "absent", "version": "1"}],
            "plugins[0].version': cannot be combined with state=absent",
        ),
        ([{"name": "a", "url": "http://x/a.hpi"}], "plugins[0].url': must be the URL of a .hpi"),
        ([{"name": "a", "url": "http://x/a.zip", "version": "1"}], "plugins[0].url': must be the URL of a .hpi"),
        ([{"name": "a", "src": "/nowhere/a.hpi"}], "plugins[0].src': '/nowhere/a.hpi' cannot be read"),
        ([{"name": "a", "src": "/etc/passwd"}], "plugins[0].src': must be a .hpi or .jpi file"),
    ],
)
def test_invalid_options_are_rejected(desired: list[dict[str, Any]], message: str) -> None:
    result = run_module(plugins=desired)
    assert message in result["msg"]
    assert not result["changed"]


def test_file_of_another_plugin_is_rejected(tmp_path: Path) -> None:
    path = plugin_file(tmp_path)
    assert (
        f"must be other, but '{path}' is the plugin own 3.0"
        in run_module(plugins=[{"name": "other", "src": str(path)}])["msg"]
    )
    wrong = run_module(plugins=[{"name": "own", "version": "4", "src": str(path)}])
    assert "must be own 4, but" in wrong["msg"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Short-Name: own\n" * 9)
    content = path.read_bytes()
    damaged = content[:55] + b"\xff" * 5 + content[60:]
    for data in (b"PK", damaged):
        path.write_bytes(data)
        assert "must be a plugin" in run_module(plugins=[{"name": "own", "src": str(path)}])["msg"]


def login(headers: dict[str, str] = OLD_SESSION, status: int = 200) -> Call:
    return call("GET", "/login", status, headers=headers, text=page("Sign in - Jenkins", "Sign in"))


def quieting(value: bool) -> Call:
    document = {"_class": "hudson.model.Hudson", "quietingDown": value}
    return call("GET", "/api/json?tree=quietingDown", json=document, headers=OLD_SESSION)


def restart_behind() -> Call:
    return call("POST", "/updateCenter/safeRestart", 302, headers={"Location": "/updateCenter/"})


BACK = (login(NEW_SESSION), call("GET", "/api/json?tree=mode", json={"mode": "NORMAL"}))
WAITS = plugin("base", active=False)


def test_restart_waits_for_installations_and_is_verified(delays: list[float]) -> None:
    pending = center(job(1, "x", "Pending"), batch(2, "Pending", "RestartJenkinsJob"))
    result = run_module(
        *(listing(WAITS), center(), computers(), restart_behind()),
        *(login(), quieting(False), pending, computers()),
        *(login({}, 503), *BACK, listing(plugin("base")), center()),
        plugins=[{"name": "base", "state": "enabled"}],
        restart="when_needed",
    )
    assert assert_success(result)["changed"]
    assert result["restart"] == {
        "completed": True,
        "requested_by": "this task",
        "session_before": "5f0c9a3e",
        "session_after": "77aa01bc",
    }
    assert result["restart_required"] is False


def test_server_is_not_restarted_when_not_required() -> None:
    result = run_module(listing(plugin("base")), center(), plugins=["base"], restart="when_needed")
    assert (assert_success(result)["changed"], result["restart"]) == (False, None)


def test_check_mode_predicts_the_restart() -> None:
    result = run_module(listing(WAITS), center(), plugins=["base"], restart="when_needed", check_mode=True)
    assert (assert_success(result)["changed"], result["restart_required"], result["restart"]) == (True, True, None)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("Failure", "The restart failed: Jenkins cannot restart itself"),
        ("Canceled", "The restart did not take place: another client canceled it"),
    ],
)
def test_failed_restart_is_reported(status: str, message: str) -> None:
    ended = batch(1, status, "RestartJenkinsJob", errorMessage="Jenkins cannot restart itself")
    result = run_module(
        *(listing(WAITS), center(), computers(), restart_behind(), login(), quieting(False), center(ended)),
        plugins=["base"],
        restart="when_needed",
    )
    assert message in result["msg"]


def test_task_fails_when_plugin_is_not_loaded_after_restart() -> None:
    why = "java.io.IOException: Failed to load: Base (base 1.0)\n - Jenkins (9.0) or higher required"
    result = run_module(
        *(listing(WAITS), center(), computers(), restart_behind(), *BACK, listing(), center()),
        *(installed_page("base"), failed_script(base=why)),
        plugins=["base"],
        restart="when_needed",
    )
    assert result["msg"].endswith("not in the desired state: base: Jenkins (9.0) or higher required.")
    assert (result["failed"], result["changed"]) == (True, True)


def test_unloaded_plugin_is_uninstalled_after_restart() -> None:
    waits = job(1, "static", "SuccessButRequiresRestart")
    before = (listing(), center(waits, waits=True))
    desired = [{"name": "static", "state": "absent"}]
    refused = run_module(*before, plugins=desired, check_mode=True)
    assert "static can only be uninstalled after the pending restart (see 'restart')" in refused["msg"]
    done = run_module(
        *(*before, providers(), computers(), restart_behind(), *BACK, listing(plugin("static")), center()),
        *(change("static", "doUninstall", 302), listing(plugin("static", deleted=True)), center()),
        *(computers(NEW_SESSION), restart_behind(), login(OLD_SESSION), BACK[1], listing(), center()),
        plugins=desired,
        restart="when_needed",
    )
    assert (assert_success(done)["changed"], done["restart_required"]) == (True, False)


def test_crumb_is_requested_once_with_password() -> None:
    """Other tools send the crumb without its session."""
    cookie = {"sent_headers": {"Cookie": "JSESSIONID.5f=abc", "Jenkins-Crumb": "c0ffee" * 10}}
    off, on = plugin("base", enabled=False, active=False), plugin("base", active=False)
    enable = call("POST", "/pluginManager/plugin/base/makeEnabled", **cookie)
    result = run_module(
        *(listing(off), center(), crumb(cookie="JSESSIONID.5f=abc"), enable, listing(on), center()),
        plugins=[{"name": "base", "state": "enabled"}],
        api_token=None,
        password="s3cret-of-mine",
    )
    assert assert_success(result)["changed"]


def test_task_fails_when_server_does_not_list_plugins() -> None:
    not_found = {"status": 404, "text": page("Error 404", "Not Found")}
    assert "The server does not list its plugins" in run_module(listing(**not_found), plugins=["git"])["msg"]
    assert "The server has no update center" in run_module(listing(GIT), center(**not_found), plugins=["git"])["msg"]
