# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run tasks with ansible-playbook and return their results and requests."""

from __future__ import annotations

import atexit
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from sandbox.client import Sandbox
from support import running
from support.warm import PROGRAMS, run_playbook, run_program

SUPPORT = pathlib.Path(__file__).resolve().parent
ROOT = SUPPORT.parent.parent
# Processes that run side by side must not share their playbooks
SCRATCH = ROOT / "build" / "integration" / str(os.getpid())
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
PLAYBOOK = pathlib.Path(sys.executable).with_name("ansible-playbook")
LONG = 120  # seconds
FAILED = re.compile(r"(?:fatal|failed): \[([^\]]+)\].*?=> (?=\{)")


@dataclasses.dataclass
class Done:
    """The result of a task, and the requests that it sent."""

    task: str
    status: str
    result: dict[str, Any]
    requests: list[dict[str, Any]]

    @property
    def reads(self) -> list[str]:
        """Return the requests without effect."""
        return [_text(request) for request in self.requests if request["effect"] == "read"]

    @property
    def writes(self) -> list[str]:
        """Return the requests with an effect, also failed ones."""
        return [_text(request) for request in self.requests if request["effect"] == "write"]


@dataclasses.dataclass
class Run:
    """A run of ansible-playbook."""

    status: int
    output: str
    done: list[Done]

    def of(self, task: str) -> Done:
        """Return the result of the task with a name."""
        return next(done for done in self.done if done.task == task)


def environment(sandbox: Sandbox | None = None, **more: str) -> dict[str, str]:
    """Return environment variables for Ansible's commands, with this collection and the services of the sandbox."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    return {
        **plain,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build" / "collections"),
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_NOCOLOR": "true",
        **(sandbox.environment if sandbox else {}),
        **more,
    }


def run_command(
    options: Sequence[str | pathlib.Path],
    variables: dict[str, str],
    folder: pathlib.Path | None = None,
    program: str = "ansible-playbook",
) -> tuple[str, int]:
    """Run a program in a folder with this environment; return its output and exit status."""
    if program in PROGRAMS:
        return run_program(program, options, variables, folder)
    done = subprocess.run(
        [PLAYBOOK.with_name(program), *options],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout + done.stderr, done.returncode


def run_ansible(
    command: Sequence[str | pathlib.Path], sandbox: Sandbox | None = None, folder: pathlib.Path | None = None
) -> tuple[str, bool]:
    """Run ansible-playbook. Return its output in one line and whether it succeeded. Warnings are errors."""
    stdout, status = run_command(command, environment(sandbox), folder)
    output = re.sub(r"\s+", " ", stdout)
    assert "WARNING" not in output, output
    return output, status == 0


def play_mistakes(
    playbook: str,
    group: str,
    mistakes: Sequence[dict[str, Any]],
    folder: pathlib.Path,
    *options: str,
    sandbox: Sandbox | None = None,
) -> list[str]:
    """Run a playbook with one host for each mistake; return the messages of the failed tasks of each host.

    :arg mistakes: the variables of each host
    :arg folder: the place of the inventory
    """
    hosts = {f"mistake{number}": variables for number, variables in enumerate(mistakes)}
    inventory = folder / "mistakes.yml"
    inventory.write_text(yaml.safe_dump({group: {"hosts": hosts}}, allow_unicode=True))
    output, _good = run_ansible([playbook, "-i", inventory, *options], sandbox)
    failures = list_failures(output)
    assert failures.keys() == hosts.keys(), output
    return [failures[host] for host in hosts]


def list_failures(output: str) -> dict[str, str]:
    """Return the messages of the failed tasks of each host, each in one line."""
    failures: dict[str, str] = {}
    for failed in FAILED.finditer(output):
        result, _end = json.JSONDecoder().raw_decode(output, failed.end())
        failures[failed[1]] = " ".join([*failures.get(failed[1], "").split(), *str(result["msg"]).split()])
    return failures


def interrupt_playbook(
    options: Sequence[str | pathlib.Path], variables: dict[str, str], is_ready: Callable[[], bool]
) -> str:
    """Interrupt ansible-playbook with Ctrl-C at a moment, and return its output.

    It may exit before its modules, which receive the signal as well. Use `until` to wait for their clean-up.
    """
    with subprocess.Popen(
        [PLAYBOOK, *options],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        while not is_ready():
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # like a terminal
        return process.communicate(timeout=LONG)[0]


def wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    """Wait for a condition, with a long timeout for busy machines."""
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)


def has_written(sandbox: Sandbox, service: str) -> bool:
    """Return whether the journal contains a write request."""
    return any(entry["effect"] == "write" for entry in sandbox.journal(service))


def run_here(sandbox: Sandbox, module: str, check_mode: bool = False, **parameters: Any) -> Done:
    """Run a module in this process. The environment must contain the variables of the sandbox."""
    sandbox.clear_journal()
    result = running.run(module, check_mode=check_mode, diff_mode=True, **parameters)
    return Done(module, "failed" if result.get("failed") else "ok", result, sandbox.journal())


def run_tasks(
    sandbox: Sandbox,
    tasks: list[dict[str, Any]],
    *options: str,
    name: str,
    hosts: str = "localhost",
    settings: dict[str, str] | None = None,
    **variables: Any,
) -> Run:
    """Run tasks on one host. Continue after failures.

    :arg settings: more variables of the environment
    """
    play = {"hosts": hosts, "vars": variables, "tasks": tasks}
    return run_plays(sandbox, [play], *options, name=name, settings=settings)


def run_plays(
    sandbox: Sandbox, plays: list[dict[str, Any]], *options: str, name: str, settings: dict[str, str] | None = None
) -> Run:
    """Run plays, each on one host, and continue after failed tasks and unreachable hosts.

    :arg settings: more variables of the environment
    """
    SCRATCH.mkdir(parents=True, exist_ok=True)
    tolerant = {"gather_facts": False, "ignore_errors": True, "ignore_unreachable": True}
    playbook, record = SCRATCH / f"{name}.yml", SCRATCH / f"{name}.jsonl"
    playbook.write_text(yaml.safe_dump([{**play, **tolerant} for play in plays], sort_keys=False, allow_unicode=True))
    settings = {"ANSIBLE_CALLBACKS_ENABLED": "record", "RECORD_FILE": str(record), **(settings or {})}
    variables = environment(sandbox, ANSIBLE_CALLBACK_PLUGINS=str(SUPPORT / "callback_plugins"), **settings)
    output, status = run_playbook([playbook, *options], variables)
    assert record.exists(), output
    done = [Done(**json.loads(line)) for line in record.read_text().splitlines()]
    assert len(done) == sum(len(play["tasks"]) for play in plays), output
    return Run(status, output, done)


def _text(request: dict[str, Any]) -> str:
    return f"{request['method']} {request.get('label') or request['path']}"
