# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execution environments: their contents, and their work for another machine."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ansible_runner
import pytest
import yaml

from sandbox import client
from sandbox.client import Sandbox
from support.playbook import ROOT, run_command
from support.playbook import environment as ansible_environment
from support.runner import PROVISION, RunnerFolder
from support.running import run
from support.servers.environments import environment, find_other_python
from support.session import Session
from tarball import build

GUIDE = ROOT / "docs/site/guides"
PROGRAMS = Path(sys.executable).parent
# Without PyYAML, which ansible-core installs. ansible-builder leaves it out
REQUIREMENTS = re.findall(r"^(?!PyYAML)\w.*", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
# Identifies the processes of a worker independently of their parents, groups and sessions
MARK = "TOOLCHAIN_TEST_WORKER"


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("tarball"))


@pytest.fixture(scope="module")
def worker_programs() -> Path:
    """Return the programs of an execution environment, on another Python than that of the tests."""
    python = find_other_python()
    if python == sys.executable:
        pytest.skip("CANNOT RUN HERE: there is only one Python from 3.11 to 3.13")
    return environment("execution", python)


@pytest.fixture(scope="module")
def collections(tarball: Path, worker_programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the collection, installed from its tarball as in an execution environment."""
    folder = tmp_path_factory.mktemp("collections")
    install = [worker_programs / "ansible-galaxy", "collection", "install", "--offline", "--collections-path", folder]
    # If ansible-galaxy found the collection of the checkout, it would install nothing
    settings = ansible_environment(ANSIBLE_COLLECTIONS_PATH=str(folder))
    subprocess.run([*install, tarball], env=settings, check=True, capture_output=True)
    return folder


# --- Contents ---


def run_builder(folder: Path, *command: str | Path) -> str:
    output, status = run_command(command, dict(os.environ), folder, program="ansible-builder")
    assert status == 0, output
    return output


@pytest.fixture
def definition(tarball: Path, tmp_path: Path) -> Path:
    """Return a directory with the execution environment of the guide and its tarball."""
    shutil.copy(GUIDE / "execution-environment.yml", tmp_path)
    shutil.copy(tarball, tmp_path)
    return tmp_path


def test_collection_declares_its_requirements(collections: Path, tmp_path: Path) -> None:
    requirements = yaml.safe_load(run_builder(tmp_path, "introspect", collections))
    origin = "  # from collection buildworks.toolchain"
    assert requirements == {"python": [f"{name}{origin}" for name in REQUIREMENTS], "system": []}


def test_guide_installs_the_collection_and_its_requirements(definition: Path, collections: Path) -> None:
    assert "No matches" not in run_builder(definition, "create", "--output-filename", "Containerfile")
    context = definition / "context/_build"
    guide = yaml.safe_load((GUIDE / "execution-environment.yml").read_text())
    collection = guide["dependencies"]["galaxy"]["collections"][0]
    assert yaml.safe_load((context / "requirements.yml").read_text()) == {"collections": [collection]}
    (tarball,) = definition.glob("*.tar.gz")
    assert (context / collection["name"]).read_bytes() == tarball.read_bytes()

    stages = (definition / "context/Containerfile").read_text()
    assert 'ANSIBLE_INSTALL_REFS="ansible-core>=2.18 ansible-runner"' in stages
    # The Containerfile runs this in the builder stage, with the collections of the stage before
    assert "introspect.py introspect --write-bindep" in stages
    python = definition / "python.txt"
    run_builder(context, "introspect", collections, f"--write-pip={python}")
    packages = {line.partition(" ")[0] for line in python.read_text().splitlines()}
    assert "python" not in guide["dependencies"]
    assert packages == set(REQUIREMENTS)


def container_engine() -> str:
    """Return a container engine that works and can pull the base image of the guide."""
    image = yaml.safe_load((GUIDE / "execution-environment.yml").read_text())["images"]["base_image"]["name"]
    for engine in filter(shutil.which, ("podman", "docker")):
        with contextlib.suppress(subprocess.SubprocessError):
            for command in (["info"], ["pull", image]):
                subprocess.run([engine, *command], check=True, capture_output=True, timeout=120)
            return engine
    pytest.xfail("neither podman nor docker can pull images here")


def test_execution_environment_is_built_and_run_when_containers_are_available(
    definition: Path, sandbox: Sandbox
) -> None:
    engine = container_engine()
    run_builder(definition, "build", "--container-runtime", engine, "--tag", "toolchain-test")
    inventory = yaml.safe_load((GUIDE / "inventory.yml").read_text())
    folder = RunnerFolder(definition / "toolchain", yaml.safe_load((GUIDE / "look.yml").read_text()), inventory)
    (folder.path / "env/envvars").write_text(
        yaml.safe_dump({name: value for name, value in sandbox.environment.items() if name != "KLOCWORK_LTOKEN"})
    )
    result = subprocess.run(
        [
            *(PROGRAMS / "ansible-runner", "run", folder.path, "-p", "play.yml", "--ident", "1"),
            *("--process-isolation", "--process-isolation-executable", engine),
            *("--container-image", "toolchain-test", "--container-option=--network=host", "--limit", "!review"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


# --- Work for another machine: transmit, worker, process ---


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Sandbox]:
    """Start a separate sandbox, because requests are left hanging in it."""
    with client.start() as sandbox:
        yield sandbox


def artifact_hosts(sandbox: Sandbox, names: list[str], **variables: Any) -> dict[str, Any]:
    group_variables = {"toolchain_artifact_url": sandbox.environment["JFROG_URL"], **variables}
    return {"artifact": {"hosts": dict.fromkeys(names), "vars": group_variables}}


class Mesh:
    """Transmits runs to a worker with its own directory, Python and collection, like receptor."""

    def __init__(self, programs: Path, collections: Path, folder: Path) -> None:
        self.programs, self.collections, self.folder = programs, collections, folder
        self.statuses: list[dict[str, Any]] = []

    def run(self, job: RunnerFolder, ident: str, *options: str, on_event: Callable[[dict[str, Any]], None]) -> str:
        """Run a job and return its status on the processing side."""
        self.statuses.clear()
        transmit = [PROGRAMS / "ansible-runner", "transmit", job.path, "-p", "play.yml", "--ident", ident, *options]
        variables = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        with (
            subprocess.Popen(transmit, env=variables, stdout=subprocess.PIPE) as transmitter,
            (self.folder / "worker.log").open("w") as log,
            subprocess.Popen(
                [self.programs / "ansible-runner", "worker", "--private-data-dir", self.folder / "worker", "--delete"],
                cwd=self.folder,
                env=self._environment(),
                stdin=transmitter.stdout,
                stdout=subprocess.PIPE,
                stderr=log,
            ) as worker,
        ):
            transmitter.stdout.close()  # type: ignore[union-attr]
            result = ansible_runner.run(
                streamer="process",
                private_data_dir=str(job.path),
                ident=ident,
                quiet=True,
                _input=worker.stdout,
                status_handler=lambda status, runner_config: self.statuses.append(status),
                event_handler=lambda event: on_event(event) or True,
                cancel_callback=lambda: False,  # prevents signal handlers
            )
            return str(result.status)

    def _environment(self) -> dict[str, str]:
        variables = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        return {
            **variables,
            "PATH": f"{self.programs}{os.pathsep}{variables['PATH']}",
            "ANSIBLE_COLLECTIONS_PATH": str(self.collections),
            "ANSIBLE_CALLBACKS_ENABLED": "buildworks.toolchain.report",
            MARK: str(self.folder),
        }

    def kill(self) -> None:
        """Kill all processes of the worker at once, like a failure of its machine."""
        while processes := self.processes():
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

    def processes(self) -> list[int]:
        return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if self._is_marked(folder)]

    def _is_marked(self, process: Path) -> bool:
        try:
            return f"{MARK}={self.folder}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:  # it has ended or belongs to another user
            return False


@pytest.fixture
def mesh(worker_programs: Path, collections: Path, tmp_path: Path) -> Iterator[Mesh]:
    folder = tmp_path / "node"
    folder.mkdir()
    mesh = Mesh(worker_programs, collections, folder)
    yield mesh
    mesh.kill()


def is_change(event: dict[str, Any]) -> bool:
    return event["event"] == "runner_on_ok" and event["event_data"]["res"].get("changed") is True


CACHE_FACTS = {
    "name": "Cache a fact",
    "hosts": "artifact",
    "gather_facts": False,
    "tags": ["always"],
    "tasks": [
        {
            "name": "Remember the service",
            "ansible.builtin.set_fact": {"served": "{{ toolchain_artifact_url }}", "cacheable": True},
            "run_once": True,
        }
    ],
}


def test_worker_returns_all_results_when_hosts_outnumber_forks(services: Sandbox, mesh: Mesh, tmp_path: Path) -> None:
    names = [f"repo{number}" for number in range(12)]
    file = {"repo": "generic-local", "path": "{{ inventory_hostname }}/LATEST", "content": "1.1"}
    inventory = artifact_hosts(services, names, artifact_provision_files=[file])
    secret = services.environment["JFROG_ACCESS_TOKEN"]
    job = RunnerFolder(tmp_path / "job", [*PROVISION, CACHE_FACTS], inventory, toolchain_artifact_token=secret)
    fault = {"status": 503, "headers": {"Retry-After": "2"}, "times": 2}  # progress is reported after one second
    services.fault(service="artifact", kind="status", path="repo7/LATEST", **fault)
    events: list[dict[str, Any]] = []
    options = ("--forks", "5", "--cmdline", "--tags files,always")
    status = mesh.run(job, "first", *options, on_event=events.append)
    assert status == "successful", (mesh.folder / "worker.log").read_text()
    assert [status["status"] for status in mesh.statuses] == ["starting", "running", "successful"]
    assert sorted(event["event_data"]["host"] for event in events if is_change(event)) == sorted(names)
    assert (job.read("first", "status"), job.read("first", "rc")) == ("successful", "0")
    assert "repo11" in job.read("first", "stdout").partition("PLAY RECAP")[2]
    (stats,) = job.events("first", "playbook_on_stats")
    assert stats["event_data"]["changed"] == dict.fromkeys(names, 1)
    assert "repo7: artifact_file: 0 of 1 done" in [event["stdout"] for event in job.events("first", "verbose")]
    facts = {file.name.removeprefix("s1_"): file.read_text() for file in job.artifacts("first").glob("fact_cache/*")}
    assert facts.keys() == set(names)
    assert all(services.environment["JFROG_URL"] in fact for fact in facts.values())
    report = json.loads(job.read("first", "toolchain-report.json"))
    assert len(report["changes"]) == len(names)
    assert job.read("first", "toolchain-report.html").startswith("<!DOCTYPE html>")
    assert secret not in job.everything("first")
    assert not (mesh.folder / "worker").exists()


def test_next_run_completes_the_work_when_a_worker_dies(services: Sandbox, mesh: Mesh, tmp_path: Path) -> None:
    names = ["late1", "late2", *(f"repo{number}" for number in range(4))]
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    inventory = artifact_hosts(
        services,
        names,
        toolchain_artifact_token=services.environment["JFROG_ACCESS_TOKEN"],
        artifact_provision_files=[{"repo": "generic-local", "path": "{{ inventory_hostname }}/LATEST", "content": "1"}],
        artifact_provision_tokens=[
            {
                "description": "of {{ inventory_hostname }}",
                "subject": "ci",
                "token_file": f"{secrets}/{{{{ inventory_hostname }}}}",
            }
        ],
    )
    job = RunnerFolder(tmp_path / "job", PROVISION, inventory)
    hosts_with_token: list[str] = []

    def kill_after_two_tokens(event: dict[str, Any]) -> None:
        if is_change(event) and event["event_data"]["task_action"] == "buildworks.toolchain.access_token":
            hosts_with_token.append(event["event_data"]["host"])
            if len(hosts_with_token) == 2:
                mesh.kill()

    options = ("--forks", "10", "--cmdline", "--tags files,tokens")
    # Two hosts cannot finish before the worker is killed
    services.fault(service="artifact", kind="latency", seconds=600, path="late[12]/LATEST", times=0)
    assert mesh.run(job, "first", *options, on_event=kill_after_two_tokens) == "error"
    assert "worker stream" in mesh.statuses[-1]["job_explanation"]
    assert not {"rc", "status", "stdout"} & {file.name for file in job.artifacts("first").iterdir()}
    assert set(hosts_with_token) <= list_working_tokens(services, secrets) < set(names)

    services.clear_faults()
    events: list[dict[str, Any]] = []
    assert mesh.run(job, "second", *options, on_event=events.append) == "successful", job.read("second", "stdout")
    assert list_working_tokens(services, secrets) == set(names)
    assert any(map(is_change, events))
    assert not (mesh.folder / "worker").exists()
    for host in names:
        assert not is_unfinished(services, host, secrets / host)


def is_unfinished(sandbox: Sandbox, host: str, token_file: Path) -> bool:
    """Return whether another run would change the token or the file of a host."""
    admin = {"url": sandbox.environment["JFROG_URL"], "token": sandbox.environment["JFROG_ACCESS_TOKEN"]}
    token = {"description": f"of {host}", "subject": "ci", "token_file": str(token_file)}
    file = {"repo": "generic-local", "path": f"{host}/LATEST", "content": "1"}
    return any(
        run(module, check_mode=True, **admin, **item)["changed"]
        for module, item in (("access_token", token), ("artifact_file", file))
    )


def list_working_tokens(sandbox: Sandbox, secrets: Path) -> set[str]:
    """Return the hosts with a token. Verify that each file is private and its token is accepted."""
    files = [file for file in secrets.iterdir() if not file.name.startswith(".new-")]
    for file in files:
        assert file.stat().st_mode & 0o777 == 0o600
        response = Session(f"{sandbox.url}/artifactory", file.read_text().strip()).get("/api/repositories")
        assert response.status_code == 200, file.name
    return {file.name for file in files}
