# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a task runs, its progress messages, and common mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.playbook import SUPPORT, Run, environment, run_command, run_tasks

pytestmark = pytest.mark.ansible_core

ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
QUERY = {"buildworks.toolchain.artifact_properties_info": ITEM}
IN_PROCESS: dict[str, dict[str, Any]] = {
    "plain": {},
    "check mode": {"check_mode": True},
    "a loop": {"loop": [1, 2]},
    "explicit true": {"vars": {"toolchain_in_process": "{{ 'yes' }}"}},
    "delegated to this machine": {"delegate_to": "127.0.0.1", "vars": {"ansible_connection": "local"}},
}
NOT_IN_PROCESS: dict[str, dict[str, Any]] = {
    "explicit false": {"vars": {"toolchain_in_process": "{{ not true }}"}},
    "environment": {"environment": {"NAME": "value"}},
    "async": {"async": 600, "poll": 1},
    "become": {"become": True, "become_method": "ansible.builtin.su"},
    "another connection": {"vars": {"ansible_connection": "ssh", "ansible_port": 1, "ansible_ssh_retries": 0}},
}


DEFAULTS = {
    "group/buildworks.toolchain.ci": {"url": "http://127.0.0.1:1/ci", "api_token": "t0ken", "username": "ci"},
    "group/buildworks.toolchain.artifact": {"api_key": "sandbox-admin-api-key"},
}
GROUPS: dict[str, dict[str, Any]] = {
    "group ci": {"buildworks.toolchain.ci_info": {}, "module_defaults": DEFAULTS},
    "group artifact": {**QUERY, "module_defaults": DEFAULTS},
    "group all": {**QUERY, "module_defaults": {**DEFAULTS, "group/buildworks.toolchain.all": {"retries": -1}}},
}
BOOLEAN_KEY = {"buildworks.toolchain.artifact_properties": {**ITEM, "properties": {True: "x"}}}
BOOLEAN_KEYS: dict[str, dict[str, Any]] = {
    f"boolean key {in_process}": {**BOOLEAN_KEY, "vars": {"toolchain_in_process": in_process}}
    for in_process in (True, False)
}


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox) -> Run:
    """Run the same task with each keyword, and tasks with defaults and invalid options."""
    running_sandbox.reset()
    queries = {name: {**QUERY, **keywords} for name, keywords in {**IN_PROCESS, **NOT_IN_PROCESS}.items()}
    tasks = [{"name": name, **task} for name, task in {**queries, **GROUPS, **BOOLEAN_KEYS}.items()]
    return run_tasks(running_sandbox, tasks, "-vvv", name="ways")


def output_of(run: Run, task: str) -> str:
    return run.output.split(f"TASK [{task}]")[1].split("TASK [")[0]


@pytest.mark.parametrize("keyword", IN_PROCESS)
def test_task_runs_in_process(run: Run, keyword: str) -> None:
    assert run.of(keyword).status == "ok"
    assert "module" not in output_of(run, keyword).partition("ok: ")[0]


@pytest.mark.parametrize("keyword", ["explicit false", "environment", "async"])
def test_task_runs_as_an_ordinary_module_when_a_keyword_requires_it(run: Run, keyword: str) -> None:
    assert run.of(keyword).result["properties"] == run.of("plain").result["properties"]
    assert "Using module file" in output_of(run, keyword)


@pytest.mark.parametrize("keyword", ["become", "another connection"])
def test_task_runs_as_an_ordinary_module_when_it_has_another_user_or_connection(run: Run, keyword: str) -> None:
    output = output_of(run, keyword)
    assert "Using module file" in output or "ESTABLISH SSH CONNECTION" in output


def test_defaults_apply_to_their_action_group_only(run: Run) -> None:
    assert "127.0.0.1:1" in run.of("group ci").result["msg"]
    assert run.of("group artifact").status == "ok", run.of("group artifact").result
    assert "Option 'retries'" in run.of("group all").result["msg"]


def test_progress_is_printed_while_a_task_waits(sandbox: Sandbox) -> None:
    sandbox.switch("ci", restart_stages=[{"stage": stage, "seconds": 3600} for stage in ("stopping", "unauthorized")])
    lines = []
    with subprocess.Popen(
        [Path(sys.executable).with_name("ansible"), "localhost", "-m", "buildworks.toolchain.ci_safe_restart"],
        env=environment(sandbox, PYTHONUNBUFFERED="1"),
        stderr=subprocess.PIPE,
        text=True,
        stdout=subprocess.DEVNULL,
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if line.startswith("localhost: ci_safe_restart: waiting, "):
                lines.append(line)
                sandbox.clock(advance=3600)  # otherwise the restart would not finish
    assert (process.returncode, len(lines)) == (0, 2), lines


@pytest.mark.parametrize(
    ("variables", "args"), [({"TOOLCHAIN_PROGRESS": "no"}, []), ({}, ["-e", "toolchain_progress=no"])]
)
def test_progress_is_not_printed_when_it_is_disabled(
    sandbox: Sandbox, variables: dict[str, str], args: list[str]
) -> None:
    sandbox.switch("ci", restart_seconds=1.5)
    output, status = run_ad_hoc(sandbox, "ci_safe_restart", "", *args, **variables)
    assert status == 0
    assert "waiting, " not in output


def test_progress_is_not_part_of_machine_readable_output(sandbox: Sandbox) -> None:
    sandbox.fault(service="artifact", kind="status", status=503)
    module = "buildworks.toolchain.artifact_repository_info"
    callbacks = SUPPORT / "callback_plugins"
    done = subprocess.run(
        [Path(sys.executable).with_name("ansible"), "localhost", "-m", module],
        env=environment(
            sandbox,
            ANSIBLE_CALLBACK_PLUGINS=str(callbacks),
            ANSIBLE_STDOUT_CALLBACK="one_document",
            ANSIBLE_LOAD_CALLBACK_PLUGINS="1",
        ),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "503, retry 1 of 3" in done.stderr
    assert json.loads(done.stdout)["repositories"]


@pytest.mark.parametrize("name", BOOLEAN_KEYS)
def test_boolean_key_is_refused(run: Run, name: str) -> None:
    done = run.of(name)
    assert done.result["msg"].startswith("Option 'properties': has the key true, which is not a string")
    assert not done.reads + done.writes


def run_ad_hoc(sandbox: Sandbox, module: str, args: str = "", *options: str, **variables: str) -> tuple[str, int]:
    """Run an ad hoc command and return its output and status."""
    command = ["localhost", "-m", f"buildworks.toolchain.{module}", "-a", args, *options]
    return run_command(command, environment(sandbox, **variables), program="ansible")


def test_ad_hoc_command_prints_the_result(sandbox: Sandbox) -> None:
    output, status = run_ad_hoc(sandbox, "artifact_properties_info", "repo=generic-local path=app/1.0/app-1.0.tar.gz")
    assert status == 0
    assert json.loads(output.partition("=>")[2])["properties"]["build.name"] == ["app"]


def test_ad_hoc_command_fails_when_an_option_is_unknown(sandbox: Sandbox) -> None:
    output, status = run_ad_hoc(sandbox, "artifact_properties_info", "repo=a path=b pth=c", JFROG_ACCESS_TOKEN="wr0ng")
    assert status != 0
    assert "parameters for (buildworks.toolchain.artifact_properties_info) module: pth." in output
    assert "Traceback" not in output
    assert "wr0ng" not in output


@pytest.mark.parametrize(
    ("options", "variables", "expected"),
    [
        ({"path": None}, {}, "missing required arguments: path"),
        ({"path": "nothing"}, {}, "Item 'nothing' does not exist in repository 'generic-local'"),
        ({}, {"JFROG_URL": ""}, "Option 'url': is required"),
        ({}, {"JFROG_URL": "repo.example.com"}, "must be a URL such as https://host:port"),
        ({}, {"JFROG_ACCESS_TOKEN": "wr0ng"}, "The credential was not accepted"),
        ({"retries": 0}, {"JFROG_URL": "http://127.0.0.1:1"}, "Connection refused"),
        ({"timeout": "soon"}, {}, "Option 'timeout': must be a number, not 'soon'."),
    ],
)
def test_message_explains_a_mistake(
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    variables: dict[str, str],
    expected: str,
) -> None:
    for name, value in {**sandbox.environment, **variables}.items():
        monkeypatch.setenv(name, value)
    parameters = {name: value for name, value in {**ITEM, **options}.items() if value is not None}
    result = running.run("artifact_properties_info", **parameters)
    assert result["failed"]
    assert expected in result["msg"]
    assert "Traceback" not in result["msg"]
    assert "wr0ng" not in json.dumps(result)
