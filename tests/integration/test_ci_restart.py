# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts and the quiet-down mode on a server that fails in the same ways as a real one during a restart."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import pytest
import requests

from sandbox.client import Sandbox
from support.playbook import SCRATCH, Done, environment, has_written, interrupt_playbook, run_here, wait_until

PREFIX = "buildworks.toolchain."
NO_SIGHT = ["Overall/Read", "Overall/Manage"]


def api(sandbox: Sandbox, method: str, path: str) -> requests.Response:
    """Send a request of another client."""
    variables = sandbox.environment
    auth = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    return requests.request(method, variables["JENKINS_URL"] + path, auth=auth, timeout=60, allow_redirects=False)


def start_build(sandbox: Sandbox, seconds: float) -> None:
    """Start a build with this duration."""
    sandbox.seed({"ci": {"jobs": [{"name": "slow", "seconds": seconds, "quiet_period": 0}]}})
    assert api(sandbox, "POST", "/job/slow/build").status_code == 201


def end_the_restart(sandbox: Sandbox) -> None:
    """Complete the restart after the next request."""
    while not sandbox.journal("ci"):
        time.sleep(0.05)
    sandbox.clock(advance=3600)


def quieting(sandbox: Sandbox) -> bool:
    """Return whether the server is in quiet-down mode."""
    is_quieting: bool = api(sandbox, "GET", "/api/json?tree=quietingDown").json()["quietingDown"]
    return is_quieting


pytestmark = pytest.mark.usefixtures("sandbox_environment")


def run(sandbox: Sandbox, module: str, **parameters: Any) -> Done:
    """Run a module in this process."""
    return run_here(sandbox, module, **{"wait_delay": 0.1, "wait_timeout": 120, **parameters})


def restart(sandbox: Sandbox, **parameters: Any) -> Done:
    """Run a safe restart."""
    return run(sandbox, "ci_safe_restart", **parameters)


def test_restart_is_awaited_through_all_stages(sandbox: Sandbox) -> None:
    names = ("stopping", "unauthorized", "refused", "hanging", "starting", "unauthorized", "starting")
    sandbox.switch("ci", restart_stages=[{"stage": name, "seconds": 0.4} for name in names])
    done = restart(sandbox)
    assert done.result["changed"], done.result
    assert done.result["restart"]["session_after"] != done.result["restart"]["session_before"]


def test_deadline_is_kept_when_server_does_not_respond(sandbox: Sandbox) -> None:
    sandbox.switch("ci", restart_stages=[{"stage": "hanging", "seconds": 3600}])
    done = restart(sandbox, wait_timeout=1)
    assert "The restart has begun but is not complete." in done.result["msg"]


def test_restart_is_canceled_on_timeout(sandbox: Sandbox) -> None:
    start_build(sandbox, 3600)
    done = restart(sandbox, wait_timeout=0.5, cancel_on_timeout=True)
    assert "1 build(s) are still running: slow #1. The restart was canceled" in done.result["msg"]
    assert not quieting(sandbox)


def test_earlier_quiet_down_is_kept(sandbox: Sandbox) -> None:
    start_build(sandbox, 3600)
    sandbox.seed({"ci": {"quieting_down": "Backup"}})
    done = restart(sandbox, wait_timeout=0.5, cancel_on_timeout=True)
    assert "Jenkins was in quiet-down mode before" in done.result["msg"]
    assert quieting(sandbox)


def test_task_fails_when_another_client_cancels(sandbox: Sandbox) -> None:
    start_build(sandbox, 3600)
    sandbox.switch("ci", quiet_down_seconds=0.5)
    done = restart(sandbox)
    assert done.result["msg"] == "The restart did not take place: another client canceled it."


def test_restart_in_progress_is_awaited(sandbox: Sandbox) -> None:
    sandbox.switch("ci", restart_stages=[{"stage": "stopping", "seconds": 3600}])
    api(sandbox, "POST", "/restart")
    sandbox.clear_journal()
    end = threading.Thread(target=end_the_restart, args=[sandbox])
    end.start()
    done = restart(sandbox)
    end.join()
    assert not done.result["changed"]
    assert done.result["restart"]["requested_by"] == "another client"
    assert not done.writes


def test_hidden_builds_are_awaited(sandbox: Sandbox) -> None:
    sandbox.seed({"ci": {"users": [{"name": "ops", "password": "ops-secret", "permissions": NO_SIGHT}]}})
    start_build(sandbox, 3600)
    account = {"username": "ops", "password": "ops-secret"}
    done = restart(sandbox, wait_timeout=0.5, cancel_on_timeout=True, **account)
    assert "1 build(s) that the account cannot read are still running. The restart was canceled" in done.result["msg"]


@pytest.mark.parametrize("check_mode", [False, True], ids=["run", "check"])
def test_task_fails_when_server_cannot_restart_itself(sandbox: Sandbox, check_mode: bool) -> None:
    sandbox.switch("ci", restart_supported=False)
    done = restart(sandbox, check_mode=check_mode)
    assert done.status == "failed"
    assert "restart itself" in done.result["msg"]
    assert ("Logging ID=" in done.result["msg"]) is not check_mode


def test_check_mode_fails_when_permission_is_missing(sandbox: Sandbox) -> None:
    sandbox.seed({"ci": {"users": [{"name": "eye", "password": "eye-secret", "permissions": ["Overall/Read"]}]}})
    account = {"username": "eye", "password": "eye-secret"}
    for check_mode in (False, True):
        done = restart(sandbox, check_mode=check_mode, **account)
        assert "eye is missing the Overall/Manage permission" in done.result["msg"]


def test_disabled_plugin_requires_restart(sandbox: Sandbox) -> None:
    api(sandbox, "POST", "/pluginManager/plugin/git/makeDisabled")
    assert restart(sandbox, only_if_required=True).result["changed"]
    assert not restart(sandbox, only_if_required=True).result["changed"]


def test_hard_restart_kills_builds_only_when_requested(sandbox: Sandbox) -> None:
    start_build(sandbox, 3600)
    refused = run(sandbox, "ci_restart")
    assert refused.result["msg"].startswith("Jenkins was not restarted: this would kill slow #1. ")
    assert not refused.writes
    done = run(sandbox, "ci_restart", kill_builds=True)
    assert done.result["restart"]["session_after"] != done.result["restart"]["session_before"]
    assert api(sandbox, "GET", "/job/slow/1/api/json").json()["result"] == "ABORTED"


def test_quiet_down_waits_for_running_build(sandbox: Sandbox) -> None:
    start_build(sandbox, 2)
    done = run(sandbox, "ci_quiet_down", reason="Disks")
    assert done.result["changed"]
    assert api(sandbox, "GET", "/job/slow/1/api/json").json()["result"] == "SUCCESS"
    assert quieting(sandbox)


@pytest.mark.parametrize("cancel", [True, False])
def test_quiet_down_timeout(sandbox: Sandbox, cancel: bool) -> None:
    start_build(sandbox, 3600)
    done = run(sandbox, "ci_quiet_down", wait_timeout=0.5, cancel_on_timeout=cancel)
    remedy = (
        "The quiet-down mode was ended."
        if cancel
        else "Jenkins is still in quiet-down mode. Use ci_quiet_down with 'state: absent'"
    )
    assert f"1 build(s) are still running: slow #1. {remedy}" in done.result["msg"]
    assert quieting(sandbox) is not cancel


INTERRUPTED = {
    "ci_safe_restart": (
        r"interrupted while the restart (is|may be) pending, canceling it",
        "The restart was canceled",
    ),
    "ci_quiet_down": (r"interrupted during the quiet-down\.", "The quiet-down mode was ended."),
}


@pytest.mark.parametrize(
    ("module", "in_process"),
    [("ci_safe_restart", "true"), ("ci_quiet_down", "true"), ("ci_quiet_down", "false")],
    ids=["restart-in-process", "quiet-down-in-process", "quiet-down-module"],
)
def test_interruption_cancels_and_reports_state(sandbox: Sandbox, in_process: str, module: str) -> None:
    start_build(sandbox, 600)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    playbook = SCRATCH / "ci_restart_interrupted.yml"
    playbook.write_text(
        f"- hosts: localhost\n  gather_facts: false\n  vars: {{toolchain_in_process: {in_process}}}\n"
        f"  tasks:\n    - {PREFIX}{module}: {{cancel_on_timeout: true}}\n"
    )
    sandbox.clear_journal()
    output = interrupt_playbook([playbook], environment(sandbox), lambda: has_written(sandbox, "ci"))
    wait_until(lambda: not quieting(sandbox), output)
    if in_process == "true":  # of a module that is interrupted Ansible shows nothing
        message, end = INTERRUPTED[module]
        assert re.search(message, output)
        assert end in output
