# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `maintenance`: it always ends the quiet-down mode, or reports that the mode is still active."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from sandbox.client import Sandbox
from support.playbook import environment, has_written, interrupt_playbook, play_mistakes, run_ansible

QUIET, RESTART = ["quiet_down"], ["safe_restart"]


def command(sandbox: Sandbox, folder: Path, hosts: dict[str, dict[str, Any]], *options: str) -> list[str | Path]:
    """Return the command line of the playbook, for hosts on this machine."""
    inventory = folder / "hosts.yml"
    connection = {
        "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
        "toolchain_ci_username": sandbox.environment["JENKINS_USER_ID"],
        "toolchain_ci_api_token": sandbox.environment["JENKINS_API_TOKEN"],
        "ansible_connection": "local",
    }
    described = {name: {**connection, **variables} for name, variables in hosts.items()}
    inventory.write_text(json.dumps({"ci": {"hosts": described}}))
    return ["buildworks.toolchain.maintenance", "-i", inventory, *options]


def maintain(
    sandbox: Sandbox, folder: Path, hosts: dict[str, dict[str, Any]], *options: str
) -> tuple[str, list[str], bool]:
    """Run the playbook; return the output in one line, the writes, and whether it succeeded."""
    sandbox.clear_journal()
    output, good = run_ansible(command(sandbox, folder, hosts, *options))
    writes = [entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"]
    return output, writes, good


def api(sandbox: Sandbox, method: str, path: str) -> requests.Response:
    """Send a request of another client."""
    variables = sandbox.environment
    auth = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    return requests.request(method, variables["JENKINS_URL"] + path, auth=auth, timeout=60, allow_redirects=False)


def start_build(sandbox: Sandbox, seconds: float) -> None:
    sandbox.seed({"ci": {"jobs": [{"name": "slow", "seconds": seconds, "quiet_period": 0}]}})
    assert api(sandbox, "POST", "/job/slow/build").status_code == 201


def state(sandbox: Sandbox) -> tuple[bool, str | None]:
    """Return whether the server is in quiet-down mode, and the reason."""
    document = api(sandbox, "GET", "/api/json?tree=quietingDown,quietDownReason").json()
    return document["quietingDown"], document["quietDownReason"]


def tasks(folder: Path, *lines: str) -> str:
    """Write a file with tasks and return its path."""
    path = folder / "tasks.yml"
    path.write_text("".join(f"- {line}\n" for line in lines))
    return str(path)


def read_state_task(sandbox: Sandbox, result: Path) -> str:
    """Return a task that stores the state of the quiet-down mode."""
    url = f"{sandbox.environment['JENKINS_URL']}/api/json?tree=quietDownReason"
    user, token = (sandbox.environment[name] for name in ("JENKINS_USER_ID", "JENKINS_API_TOKEN"))
    return f"ansible.builtin.command: curl -s -g -u {user}:{token} -o {result} {url}"


def test_tasks_run_in_quiet_down_mode(sandbox: Sandbox, tmp_path: Path) -> None:
    start_build(sandbox, 1)
    state_file = tmp_path / "seen"
    variables = {
        "ci_maintenance_tasks_from": tasks(tmp_path, read_state_task(sandbox, state_file)),
        "ci_maintenance_message": "Disks & more",
    }
    hosts = {"jenkins": variables, "only-restart": {}, "no-restart": {"ci_maintenance_restart": False}}
    output, writes, well = maintain(sandbox, tmp_path, hosts, "--tags", "maintenance")
    assert well, output
    assert writes == [*QUIET, *RESTART, *QUIET, *RESTART, *QUIET, "cancel_quiet_down"]
    assert json.loads(state_file.read_text())["quietDownReason"] == "Disks & more"
    ending = f"ansible jenkins -i {tmp_path}/hosts.yml -m buildworks.toolchain.ci_quiet_down -a state=absent"
    assert ending in output
    assert api(sandbox, "GET", "/job/slow/1/api/json").json()["result"] == "SUCCESS"
    assert state(sandbox) == (False, None)


def test_mistakes_are_reported_before_anything_happens(sandbox: Sandbox, tmp_path: Path) -> None:
    playbook = tmp_path / "role.yml"
    play = {"hosts": "ci", "gather_facts": False, "roles": ["buildworks.toolchain.ci_maintenance"]}
    playbook.write_text(json.dumps([play]))
    mistakes = [{"ci_maintenance_wait_timeout": "long"}, {"ci_maintenance_on_timeout": "kill"}]
    sandbox.clear_journal()
    timeout, overrun = play_mistakes(str(playbook), "ci", mistakes, tmp_path, sandbox=sandbox)
    assert "ci_maintenance_wait_timeout" in timeout
    assert "value of ci_maintenance_on_timeout must be one of" in overrun
    assert not has_written(sandbox, "ci")


def test_repeated_maintenance_stops_builds(sandbox: Sandbox, tmp_path: Path) -> None:
    start_build(sandbox, 3600)
    sandbox.seed({"ci": {"quieting_down": "Maintenance"}})
    variables = {"ci_maintenance_wait_timeout": 0.5, "ci_maintenance_on_timeout": "stop"}
    output, writes, well = maintain(sandbox, tmp_path, {"jenkins": variables})
    assert well, output
    assert writes == ["stop_build", *RESTART]
    assert api(sandbox, "GET", "/job/slow/1/api/json").json()["result"] == "ABORTED"
    assert state(sandbox) == (False, None)


def interrupted_maintenance(sandbox: Sandbox, folder: Path, is_due: Callable[[], bool], **variables: Any) -> str:
    """Interrupt a maintenance at a moment and return its output in one line."""
    sandbox.clear_journal()
    output = interrupt_playbook(command(sandbox, folder, {"jenkins": variables}), environment(), is_due)
    return re.sub(r"\s+", " ", output)


def test_interruption_while_waiting_ends_quiet_down(sandbox: Sandbox, tmp_path: Path) -> None:
    start_build(sandbox, 600)
    output = interrupted_maintenance(sandbox, tmp_path, lambda: has_written(sandbox, "ci"))
    assert "interrupted during the quiet-down. The quiet-down mode was ended." in output
    assert state(sandbox) == (False, None)


def test_interruption_of_tasks_is_reported(sandbox: Sandbox, tmp_path: Path) -> None:
    marker = tmp_path / "moment"
    tasks_file = tasks(tmp_path, f"ansible.builtin.shell: touch {marker}; sleep 300")
    output = interrupted_maintenance(sandbox, tmp_path, marker.exists, ci_maintenance_tasks_from=tasks_file)
    quiet, _why = state(sandbox)
    assert quiet
    message = (
        f"jenkins: Jenkins is still in quiet-down mode. Resume it with: ansible jenkins -i {tmp_path}/hosts.yml -m "
    )
    assert message in output.partition("Run the maintenance tasks")[2]
