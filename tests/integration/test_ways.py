# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a task runs, what it tells meanwhile, and what users do with tasks."""

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
ASK = {"buildworks.toolchain.artifact_properties_info": ITEM}
HERE: dict[str, dict[str, Any]] = {
    "plain": {},
    "check mode": {"check_mode": True},
    "a loop": {"loop": [1, 2]},
    "said so": {"vars": {"toolchain_in_process": "{{ 'yes' }}"}},
    "delegated to this machine": {"delegate_to": "127.0.0.1", "vars": {"ansible_connection": "local"}},
}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "said so not": {"vars": {"toolchain_in_process": "{{ not true }}"}},
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
    "group artifact": {**ASK, "module_defaults": DEFAULTS},
    "group all": {**ASK, "module_defaults": {**DEFAULTS, "group/buildworks.toolchain.all": {"retries": -1}}},
}
BOOLEAN_KEY = {"buildworks.toolchain.artifact_properties": {**ITEM, "properties": {True: "x"}}}
BOOLEAN_KEYS: dict[str, dict[str, Any]] = {
    f"boolean key {in_process}": {**BOOLEAN_KEY, "vars": {"toolchain_in_process": in_process}}
    for in_process in (True, False)
}


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox) -> Run:
    """Run the same task with each of the keywords, and tasks with defaults and mistakes."""
    running_sandbox.reset()
    named = {name: {**ASK, **keywords} for name, keywords in {**HERE, **ELSEWHERE}.items()}
    tasks = [{"name": name, **task} for name, task in {**named, **GROUPS, **BOOLEAN_KEYS}.items()]
    return run_tasks(running_sandbox, tasks, "-vvv", name="ways")


def output_of(run: Run, task: str) -> str:
    return run.output.split(f"TASK [{task}]")[1].split("TASK [")[0]


@pytest.mark.parametrize("way", HERE)
def test_a_task_runs_in_the_worker(run: Run, way: str) -> None:
    assert run.of(way).status == "ok"
    assert "module" not in output_of(run, way).partition("ok: ")[0]


@pytest.mark.parametrize("way", ["said so not", "environment", "async"])
def test_a_task_runs_as_an_ordinary_module(run: Run, way: str) -> None:
    assert run.of(way).result["properties"] == run.of("plain").result["properties"]
    assert "Using module file" in output_of(run, way)


@pytest.mark.parametrize("way", ["become", "another connection"])
def test_a_task_goes_where_it_is_sent(run: Run, way: str) -> None:
    shown = output_of(run, way)
    assert "Using module file" in shown or "ESTABLISH SSH CONNECTION" in shown


def test_action_groups_stay_apart(run: Run) -> None:
    assert "127.0.0.1:1" in run.of("group ci").result["msg"]
    assert run.of("group artifact").status == "ok", run.of("group artifact").result
    assert "Option 'retries'" in run.of("group all").result["msg"]


def test_a_wait_tells_what_it_is_doing_while_it_does(sandbox: Sandbox) -> None:
    sandbox.switch("ci", restart_stages=[{"stage": stage, "seconds": 3600} for stage in ("stopping", "unauthorized")])
    told = []
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
                told.append(line)
                sandbox.clock(advance=3600)  # without that there is no end
    assert (process.returncode, len(told)) == (0, 2), told


@pytest.mark.parametrize(
    ("variables", "args"), [({"TOOLCHAIN_PROGRESS": "no"}, []), ({}, ["-e", "toolchain_progress=no"])]
)
def test_progress_can_be_silenced(sandbox: Sandbox, variables: dict[str, str], args: list[str]) -> None:
    sandbox.switch("ci", restart_seconds=1.5)
    shown, status = ad_hoc(sandbox, "ci_safe_restart", "", *args, **variables)
    assert status == 0
    assert "waiting, " not in shown


def test_progress_leaves_machine_readable_output_alone(sandbox: Sandbox) -> None:
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
def test_a_key_that_yaml_takes_for_a_boolean_is_refused(run: Run, name: str) -> None:
    done = run.of(name)
    assert done.result["msg"].startswith("Option 'properties': has the key true, which is not a string")
    assert not done.reads + done.writes


def ad_hoc(sandbox: Sandbox, module: str, args: str = "", *options: str, **variables: str) -> tuple[str, int]:
    """Output and status of an ad hoc command."""
    command = ["localhost", "-m", f"buildworks.toolchain.{module}", "-a", args, *options]
    return run_command(command, environment(sandbox, **variables), program="ansible")


def test_ad_hoc_works_and_reads_well(sandbox: Sandbox) -> None:
    shown, status = ad_hoc(sandbox, "artifact_properties_info", "repo=generic-local path=app/1.0/app-1.0.tar.gz")
    assert status == 0
    assert json.loads(shown.partition("=>")[2])["properties"]["build.name"] == ["app"]


def test_an_unknown_option_is_reported_to_an_ad_hoc_command(sandbox: Sandbox) -> None:
    shown, status = ad_hoc(sandbox, "artifact_properties_info", "repo=a path=b pth=c", JFROG_ACCESS_TOKEN="wr0ng")
    assert status != 0
    assert "parameters for (buildworks.toolchain.artifact_properties_info) module: pth." in shown
    assert "Traceback" not in shown
    assert "wr0ng" not in shown


@pytest.mark.parametrize(
    ("options", "variables", "expected"),
    [
        ({"path": None}, {}, "missing required arguments: path"),
        ({"path": "nothing"}, {}, "Item 'nothing' does not exist in repository 'generic-local'"),
        ({}, {"JFROG_URL": ""}, "Option 'url': is required"),
        ({}, {"JFROG_URL": "repo.example.com"}, "must be a URL such as https://host:port"),
        ({}, {"JFROG_ACCESS_TOKEN": "wr0ng"}, "The credential was not accepted"),
        ({"retries": 0}, {"JFROG_URL": "http://127.0.0.1:1"}, "Connection refused"),
        ({"timeout": "soon"}, {}, "argument 'timeout' is of type"),
    ],
)
def test_a_mistake_gets_a_clear_message(
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    variables: dict[str, str],
    expected: str,
) -> None:
    for name, value in {**sandbox.environment, **variables}.items():
        monkeypatch.setenv(name, value)
    given = {name: value for name, value in {**ITEM, **options}.items() if value is not None}
    result = running.run("artifact_properties_info", **given)
    assert result["failed"]
    assert expected in result["msg"]
    assert "Traceback" not in result["msg"]
    assert "wr0ng" not in json.dumps(result)
