# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host of an inventory is a service: its variables are all that ad hoc commands, playbooks and roles need."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import PLAYBOOK, SUPPORT, Done, Run, environment, finished, run_tasks, until

ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
ASK = {"buildworks.toolchain.artifact_properties_info": ITEM}
# What the environment says leads nowhere: nothing may come from there
ELSEWHERE = {
    "JFROG_URL": "http://127.0.0.1:1",
    "JFROG_ACCESS_TOKEN": "of-the-environment",
    "JENKINS_URL": "http://127.0.0.1:1",
    "JENKINS_USER_ID": "nobody",
    "JENKINS_API_TOKEN": "of-the-environment",
    "KLOCWORK_URL": "http://127.0.0.1:1",
    "KLOCWORK_LTOKEN": "/nowhere",
    "OPENAI_BASE_URL": "http://127.0.0.1:1",
    "OPENAI_API_KEY": "of-the-environment",
}
BOTH_WAYS = [{"toolchain_in_process": True}, {"toolchain_in_process": False}]
HOSTS = {
    "repo": "artifact_repository_info",
    "ci": "ci_info",
    "review": "review_project_info",
    "inference": "inference_model_info",
}
pytestmark = pytest.mark.ansible_core


@pytest.fixture
def inventory(sandbox: Sandbox, tmp_path: Path) -> str:
    """Services that are nothing else: no host of them could be logged in to."""
    of = sandbox.environment
    repo = {"toolchain_artifact_url": of["JFROG_URL"], "toolchain_artifact_token": of["JFROG_ACCESS_TOKEN"]}
    groups = {
        "artifact": {
            "repo": {
                "toolchain_artifact_url": "{{ address }}",
                "address": of["JFROG_URL"],
                "toolchain_artifact_token": of["JFROG_ACCESS_TOKEN"],
                "toolchain_artifact_username": "{{ omit }}",
                "toolchain_artifact_password": None,
            },
            "typo": {**repo, "toolchain_artifact_url": "{{ staging_addres }}"},
            "machine": {**repo, "ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_ssh_retries": 0},
            "only-address": {"toolchain_artifact_url": of["JFROG_URL"]},
            "wrong": {**repo, "toolchain_artifact_token": "of-the-host"},
        },
        "ci": {
            "jenkins": {
                "toolchain_ci_url": of["JENKINS_URL"],
                "toolchain_ci_username": of["JENKINS_USER_ID"],
                "toolchain_ci_api_token": of["JENKINS_API_TOKEN"],
            }
        },
        "review": {
            "klocwork": {
                "toolchain_review_url": of["KLOCWORK_URL"],
                "toolchain_review_ltoken_file": of["KLOCWORK_LTOKEN"],
            }
        },
        "inference": {
            "openai": {
                "toolchain_inference_url": of["OPENAI_BASE_URL"],
                "toolchain_inference_api_key": of["OPENAI_API_KEY"],
            }
        },
    }
    path = tmp_path / "hosts.yml"
    path.write_text(yaml.safe_dump({name: {"hosts": hosts} for name, hosts in groups.items()}))
    return str(path)


def ad_hoc(sandbox: Sandbox, inventory: str, host: str, module: str, *options: str) -> tuple[int, str]:
    """Status and output of an ad hoc command, in an environment that leads nowhere."""
    command = [PLAYBOOK.with_name("ansible"), host, "-i", inventory, "-m", f"buildworks.toolchain.{module}", *options]
    done = subprocess.run(
        command,
        env=environment(sandbox, **ELSEWHERE),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def run(sandbox: Sandbox, inventory: str, host: str, tasks: list[dict[str, Any]]) -> Run:
    """These tasks on this host, in an environment that leads nowhere."""
    named = [{"name": str(number), "ignore_unreachable": True, **task} for number, task in enumerate(tasks)]
    return run_tasks(sandbox, named, "-i", inventory, name=f"inventory-{host}", hosts=host, settings=ELSEWHERE)


def run_both_ways(sandbox: Sandbox, inventory: str, host: str, *tasks: dict[str, Any]) -> list[list[Done]]:
    """Run these tasks on this host in process and as modules, and return what they did each way."""
    both = [{**task, "vars": {**task.get("vars", {}), **way}} for way in BOTH_WAYS for task in tasks]
    done = run(sandbox, inventory, host, both).done
    return [done[: len(tasks)], done[len(tasks) :]]


@pytest.mark.parametrize("way", [[], ["-e", "toolchain_in_process=false"]], ids=["in process", "as a module"])
def test_an_ad_hoc_command_needs_no_more(sandbox: Sandbox, inventory: str, way: list[str]) -> None:
    status, shown = ad_hoc(sandbox, inventory, "repo", HOSTS["repo"], *way)
    assert status == 0, shown
    assert "SUCCESS" in shown
    assert "WARNING" not in shown


def test_a_task_of_each_service_needs_no_more(sandbox: Sandbox, inventory: str) -> None:
    plays = [
        {
            "hosts": host,
            "gather_facts": False,
            "tasks": [{f"buildworks.toolchain.{module}": {}, "vars": way} for way in BOTH_WAYS],
        }
        for host, module in HOSTS.items()
    ]
    path = Path(inventory).with_name("services.yml")
    path.write_text(yaml.safe_dump(plays))
    output, status = finished(["-i", inventory, path], environment(sandbox, **ELSEWHERE))
    assert status == 0, output
    assert len(re.findall("^ok: ", output, re.MULTILINE)) == len(HOSTS) * len(BOTH_WAYS)
    assert "WARNING" not in output


def test_a_task_runs_here_whichever_way(sandbox: Sandbox, inventory: str) -> None:
    tasks = [
        ASK,
        {**ASK, "environment": {"NAME": "value"}},
        {**ASK, "vars": {"toolchain_in_process": False}},
        {**ASK, "become": True, "become_method": "ansible.builtin.su"},
        {**ASK, "async": 60, "poll": 0},
        {**ASK, "delegate_to": "localhost"},
        {**ASK, "loop": [1, 2]},
    ]
    done = run(sandbox, inventory, "repo", tasks).done
    assert [one.status for one in done] == ["ok"] * len(tasks), [one.result for one in done]
    assert all(one.result["properties"]["build.name"] == ["app"] for one in done[:4])
    result = Path(done[4].result["results_file"])
    until(lambda: "properties" in result.read_text(), "what nobody waits for did not end")


def test_a_task_that_is_delegated_to_a_service_asks_that_service(sandbox: Sandbox, inventory: str) -> None:
    tasks = [{**ASK, "delegate_to": "repo"}, {**ASK, "delegate_to": "repo", "environment": {"NAME": "value"}}]
    for host in ("localhost", "wrong"):
        done = run(sandbox, inventory, host, tasks).done
        assert [one.status for one in done] == ["ok", "ok"], [one.result for one in done]


def test_a_job_that_has_to_be_asked_for_says_what_it_needs(sandbox: Sandbox, inventory: str) -> None:
    failed = run(sandbox, inventory, "repo", [{**ASK, "async": 60, "poll": 1}]).of("0")
    assert failed.status == "failed"
    assert "set 'ansible_connection: local'" in failed.result["msg"]
    assert not failed.requests


def test_a_host_that_is_a_machine_is_asked_from_there(sandbox: Sandbox, inventory: str) -> None:
    assert run(sandbox, inventory, "machine", [ASK]).of("0").status == "unreachable"


def test_an_undefined_variable_fails_by_its_name(sandbox: Sandbox, inventory: str) -> None:
    for [failed] in run_both_ways(sandbox, inventory, "typo", ASK):
        assert failed.result["msg"].startswith("The variable 'toolchain_artifact_url' cannot be used: ")
        assert "'staging_addres' is undefined" in failed.result["msg"]
        assert not failed.requests


def test_nothing_comes_half_from_the_environment(sandbox: Sandbox, inventory: str) -> None:
    for [failed] in run_both_ways(sandbox, inventory, "only-address", ASK):
        assert failed.result["msg"].endswith("No credential was sent: give 'token', or 'username' and 'password'.")
    no_address = {**ASK, "vars": {"toolchain_artifact_token": "of-the-play"}}
    for [failed] in run_both_ways(sandbox, inventory, "localhost", no_address):
        assert failed.result["msg"].startswith("Option 'url': is required: ")
        assert "JFROG_URL of the environment does not count" in failed.result["msg"]


def test_address_and_credential_come_from_the_host_or_the_task(sandbox: Sandbox, inventory: str) -> None:
    name = "buildworks.toolchain.artifact_properties_info"
    tasks = [
        {name: {**ITEM, "token": sandbox.environment["JFROG_ACCESS_TOKEN"]}},
        {**ASK, "module_defaults": {name: {"token": sandbox.environment["JFROG_ACCESS_TOKEN"]}}},
    ]
    assert [one.status for one in run(sandbox, inventory, "only-address", tasks).done] == ["ok", "ok"]


def refused() -> Iterator[tuple[dict[str, Any], str]]:
    """Tasks whose credential is refused, and where it came from."""
    name = "buildworks.toolchain.artifact_properties_info"
    group = {"group/buildworks.toolchain.artifact": {"username": "admin", "password": "of-the-defaults"}}
    yield {name: {**ITEM, "token": "of-the-task"}, "module_defaults": group}, "'token' came from the task."
    yield {**ASK, "module_defaults": group}, "'password' came from module_defaults."
    yield ASK, "'token' came from the variable toolchain_artifact_token."


def test_a_refused_credential_is_reported_with_its_origin(sandbox: Sandbox, inventory: str) -> None:
    tasks, expected = zip(*refused(), strict=True)
    for done in run_both_ways(sandbox, inventory, "wrong", *tasks):
        for one, where in zip(done, expected, strict=True):
            assert one.result["msg"].endswith(where)
            assert "of-the-" not in json.dumps(one.result)
            assert "refused_credential" not in one.result
    of_environment = [{**ASK, "vars": {"toolchain_artifact_timeout": 5, **way}} for way in BOTH_WAYS]
    settings = {"JFROG_ACCESS_TOKEN": "of-the-environment"}
    for one in run_tasks(sandbox, of_environment, name="inventory-env", settings=settings).done:
        assert one.result["msg"].endswith("'token' came from the environment variable JFROG_ACCESS_TOKEN.")


def test_a_role_needs_no_more(sandbox: Sandbox, inventory: str) -> None:
    role = {"ansible.builtin.include_role": {"name": "buildworks.toolchain.ci_provision"}}
    variables = {"ci_provision_minimum_version": "2.440", "ci_provision_plugins": [{"name": "git"}]}
    playbook = [{"hosts": "ci", "gather_facts": False, "vars": variables, "tasks": [role]}]
    path = Path(inventory).with_name("role.yml")
    path.write_text(yaml.safe_dump(playbook))
    done = subprocess.run(
        [PLAYBOOK, "-i", inventory, path],
        env=environment(sandbox, **ELSEWHERE),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed=0" in done.stdout


def test_a_variable_that_is_set_on_this_machine_only_is_told(sandbox: Sandbox, inventory: str) -> None:
    settings = {"ANSIBLE_CONNECTION_PLUGINS": str(SUPPORT / "connection_plugins")}
    task = {"name": "ask", **ASK, "vars": {"ansible_connection": "another_machine"}}
    failed = run_tasks(sandbox, [task], name="inventory-there", settings=settings).of("ask")
    assert failed.result["msg"].endswith(
        "JFROG_URL is set on this machine, but the module ran on another: set it there."
    )
