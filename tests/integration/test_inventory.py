# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host of an inventory represents a service: its variables suffice for ad hoc commands, playbooks and roles."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import PLAYBOOK, SUPPORT, Run, environment, run_command, run_plays, run_tasks, wait_until

ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
QUERY = {"buildworks.toolchain.artifact_properties_info": ITEM}
# Unusable values: no task may use the environment
UNUSABLE = {
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
HOSTS = {
    "repo": "artifact_repository_info",
    "jenkins": "ci_info",
    "klocwork": "review_project_info",
    "openai": "inference_model_info",
}
pytestmark = pytest.mark.ansible_core


@pytest.fixture
def inventory(sandbox: Sandbox, tmp_path: Path) -> str:
    """Return the path of the inventory."""
    return write_inventory(sandbox, tmp_path / "hosts.yml")


def write_inventory(sandbox: Sandbox, path: Path) -> str:
    """Write an inventory of hosts that represent services and accept no login. Return its path."""
    values = sandbox.environment
    repo = {"toolchain_artifact_url": values["JFROG_URL"], "toolchain_artifact_token": values["JFROG_ACCESS_TOKEN"]}
    groups = {
        "artifact": {
            "repo": {
                "toolchain_artifact_url": "{{ address }}",
                "address": values["JFROG_URL"],
                "toolchain_artifact_token": values["JFROG_ACCESS_TOKEN"],
                "toolchain_artifact_username": "{{ omit }}",
                "toolchain_artifact_password": None,
            },
            "typo": {**repo, "toolchain_artifact_url": "{{ staging_addres }}"},
            "machine": {**repo, "ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_ssh_retries": 0},
            "only-address": {"toolchain_artifact_url": values["JFROG_URL"]},
            "wrong": {**repo, "toolchain_artifact_token": "of-the-host"},
        },
        "ci": {
            "jenkins": {
                "toolchain_ci_url": values["JENKINS_URL"],
                "toolchain_ci_username": values["JENKINS_USER_ID"],
                "toolchain_ci_api_token": values["JENKINS_API_TOKEN"],
            }
        },
        "review": {
            "klocwork": {
                "toolchain_review_url": values["KLOCWORK_URL"],
                "toolchain_review_ltoken_file": values["KLOCWORK_LTOKEN"],
            }
        },
        "inference": {
            "openai": {
                "toolchain_inference_url": values["OPENAI_BASE_URL"],
                "toolchain_inference_api_key": values["OPENAI_API_KEY"],
            }
        },
    }
    path.write_text(yaml.safe_dump({name: {"hosts": hosts} for name, hosts in groups.items()}))
    return str(path)


def run_ad_hoc(sandbox: Sandbox, inventory: str, host: str, module: str, *options: str) -> tuple[int, str]:
    """Run an ad hoc command with unusable environment variables and return its status and output."""
    command = [PLAYBOOK.with_name("ansible"), host, "-i", inventory, "-m", f"buildworks.toolchain.{module}", *options]
    done = subprocess.run(
        command,
        env=environment(sandbox, **UNUSABLE),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def list_plays(sandbox: Sandbox) -> list[dict[str, Any]]:
    """Return plays that query hosts of the inventory. Task names are unique."""
    module = "buildworks.toolchain.artifact_properties_info"
    token = {"token": sandbox.environment["JFROG_ACCESS_TOKEN"]}
    plays: list[tuple[str, dict[str, dict[str, Any]]]] = [
        ("localhost", {"delegated from localhost": {**QUERY, "delegate_to": "repo"}}),
        ("wrong", {"delegated from wrong": {**QUERY, "delegate_to": "repo", "environment": {"NAME": "value"}}}),
        ("repo", {"awaited job": {**QUERY, "async": 60, "poll": 1}}),
        ("machine", {"machine": QUERY}),
        ("typo", list_both_ways("typo", QUERY)),
        ("only-address", list_both_ways("only address", QUERY)),
        ("localhost", list_both_ways("no address", QUERY, toolchain_artifact_token="of-the-play")),
        (
            "only-address",
            {
                "token of the task": {module: {**ITEM, **token}},
                "token of the defaults": {**QUERY, "module_defaults": {module: token}},
            },
        ),
        ("wrong", {name: refused for name, (refused, _origin) in REFUSED.items()}),
        ("repo", ON_CONTROLLER),
    ]
    return [{"hosts": host, "tasks": [{"name": name, **task} for name, task in tasks.items()]} for host, tasks in plays]


def list_both_ways(name: str, task: dict[str, Any], **variables: str) -> dict[str, dict[str, Any]]:
    """Return the task in process and as a module."""
    ways = {"in process": True, "as a module": False}
    return {f"{name} {way}": {**task, "vars": {"toolchain_in_process": ways[way], **variables}} for way in ways}


GROUP = {"group/buildworks.toolchain.artifact": {"username": "admin", "password": "of-the-defaults"}}
FACTORY = {"group/buildworks.toolchain.artifact": {"username": "admin", "password": "password"}}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "refused token of the task": (
        {"buildworks.toolchain.artifact_properties_info": {**ITEM, "token": "of-the-task"}, "module_defaults": GROUP},
        "'token' came from the task.",
    ),
    "refused password of the defaults": (
        {**QUERY, "module_defaults": GROUP},
        "'password' came from module_defaults.",
    ),
    **{
        name: (task, "'token' came from the variable toolchain_artifact_token.")
        for name, task in list_both_ways("refused token of the host", QUERY).items()
    },
    # the factory setting of Artifactory
    **{
        name: ({**task, "module_defaults": FACTORY}, "'password' came from module_defaults.")
        for name, task in list_both_ways("refused factory password", QUERY).items()
    },
}
# The background job is last, so that its requests are not counted for another task
ON_CONTROLLER = {
    "plain": QUERY,
    "module": {**QUERY, "vars": {"toolchain_in_process": False}},
    "become": {**QUERY, "become": True, "become_method": "ansible.builtin.su"},
    "delegated": {**QUERY, "delegate_to": "localhost"},
    "loop": {**QUERY, "loop": [1, 2]},
    "job": {**QUERY, "async": 60, "poll": 0},
}


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run all plays with unusable environment variables."""
    running_sandbox.reset()
    hosts = write_inventory(running_sandbox, tmp_path_factory.mktemp("inventory") / "hosts.yml")
    plays = list_plays(running_sandbox)
    return run_plays(running_sandbox, plays, "-i", hosts, name="inventory", settings=UNUSABLE)


def test_inventory_suffices_for_an_ad_hoc_command(sandbox: Sandbox, inventory: str) -> None:
    status, output = run_ad_hoc(sandbox, inventory, "repo", "artifact_repository_info")
    assert status == 0, output
    assert "SUCCESS" in output
    assert "WARNING" not in output


def test_inventory_suffices_for_tasks_and_roles(sandbox: Sandbox, inventory: str) -> None:
    plays: list[dict[str, Any]] = [
        {"hosts": host, "gather_facts": False, "tasks": [{f"buildworks.toolchain.{module}": {}}]}
        for host, module in HOSTS.items()
    ]
    variables = {"ci_provision_minimum_version": "2.440", "ci_provision_required_plugins": [{"name": "git"}]}
    role = {"ansible.builtin.include_role": {"name": "buildworks.toolchain.ci_provision"}}
    plays.append({"hosts": "ci", "gather_facts": False, "vars": variables, "tasks": [role]})
    path = Path(inventory).with_name("services.yml")
    path.write_text(yaml.safe_dump(plays))
    output, status = run_command(["-i", inventory, path], environment(sandbox, **UNUSABLE))
    assert status == 0, output
    assert not [host for host in HOSTS if f"ok: [{host}]" not in output]
    assert "buildworks.toolchain.ci_provision : " in output
    assert "WARNING" not in output


def test_task_runs_on_the_controller_host_with_each_keyword(run: Run) -> None:
    done = [run.of(name) for name in ON_CONTROLLER]
    assert [step.status for step in done] == ["ok"] * len(ON_CONTROLLER), [step.result for step in done]
    assert all(step.result["properties"]["build.name"] == ["app"] for step in done[:4])
    result = Path(run.of("job").result["results_file"])
    wait_until(lambda: "properties" in result.read_text(), "the background job did not finish")


@pytest.mark.parametrize("host", ["localhost", "wrong"])
def test_delegated_task_uses_the_variables_of_the_service(run: Run, host: str) -> None:
    done = run.of(f"delegated from {host}")
    assert done.status == "ok", done.result


def test_async_task_requires_a_local_connection_when_it_is_polled(run: Run) -> None:
    failed = run.of("awaited job")
    assert failed.status == "failed"
    assert "Set 'ansible_connection: local'" in failed.result["msg"]
    assert not failed.requests


def test_task_runs_on_the_host_when_the_host_has_an_address(run: Run) -> None:
    assert run.of("machine").status == "unreachable"


@pytest.mark.parametrize("name", list_both_ways("typo", QUERY))
def test_undefined_variable_is_named_in_the_message(run: Run, name: str) -> None:
    failed = run.of(name)
    assert failed.result["msg"].startswith("The variable 'toolchain_artifact_url' cannot be used: ")
    assert "'staging_addres' is undefined" in failed.result["msg"]
    assert not failed.requests


@pytest.mark.parametrize("name", list_both_ways("only address", QUERY))
def test_credential_of_the_environment_is_ignored_when_the_host_has_the_url(run: Run, name: str) -> None:
    message = run.of(name).result["msg"]
    assert message.endswith("No credential was sent. Set 'token', or 'username' and 'password'.")


@pytest.mark.parametrize("name", list_both_ways("no address", QUERY))
def test_url_of_the_environment_is_ignored_when_the_play_has_the_credential(run: Run, name: str) -> None:
    message = run.of(name).result["msg"]
    assert message.startswith("Option 'url': is required: ")
    assert "environment variable JFROG_URL is ignored" in message


@pytest.mark.parametrize("name", ["token of the task", "token of the defaults"])
def test_url_of_the_host_is_combined_with_the_credential_of_the_task(run: Run, name: str) -> None:
    assert run.of(name).status == "ok"


@pytest.mark.parametrize("name", REFUSED)
def test_message_names_the_origin_when_a_credential_is_refused(run: Run, name: str) -> None:
    done, (_task, origin) = run.of(name), REFUSED[name]
    # since ansible-core 2.22, callbacks receive '$REDACTED$' for each text that equals a secret, even a name
    message = done.result["msg"].replace("$REDACTED$", "password")
    assert message.endswith(origin)
    assert "of-the-" not in json.dumps(done.result)
    assert "refused_credential" not in done.result


def test_messages_name_environment_variables(sandbox: Sandbox) -> None:
    settings = {
        "ANSIBLE_CONNECTION_PLUGINS": str(SUPPORT / "connection_plugins"),
        "JFROG_ACCESS_TOKEN": "of-the-environment",
    }
    tasks = [
        {"name": "refused", **QUERY, "vars": {"toolchain_artifact_timeout": 5}},
        {"name": "remote", **QUERY, "vars": {"ansible_connection": "another_machine"}},
    ]
    run = run_tasks(sandbox, tasks, name="inventory-environment", settings=settings)
    refused, remote = (run.of(name).result["msg"] for name in ("refused", "remote"))
    assert refused.endswith("'token' came from the environment variable JFROG_ACCESS_TOKEN.")
    assert remote.endswith("JFROG_URL is set on this machine, but the module ran on another machine. Set it there.")
