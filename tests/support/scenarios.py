# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the molecule scenarios of the roles one after the other against one sandbox.

As a command: `python -m support.scenarios [NAME ...]` (from extensions) runs the named scenarios, or all of them.

`molecule test --all` starts a process tree and a sandbox for each scenario, and stops at the first failure. Here one
sandbox is reset before each scenario, molecule and ansible-playbook are imported once, and all failed scenarios are
reported.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import CompletedProcess

import molecule.app
import molecule.shell

from sandbox.client import Sandbox
from support.warm import run_playbook

FORK = multiprocessing.get_context("fork")
STOP = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    existing = sorted(path.parent.name for path in Path("molecule").glob("*/molecule.yml"))
    names = sys.argv[1:] or existing
    if not names:
        sys.exit("No molecule scenario found: no file matches molecule/*/molecule.yml. Run this command in extensions.")
    if unknown := sorted(set(names) - set(existing)):
        sys.exit(f"No such molecule scenario: {', '.join(unknown)}. The scenarios are {', '.join(existing)}.")
    for number in STOP:
        signal.signal(number, stop)
    with tempfile.TemporaryDirectory(prefix="molecule-") as folder:
        failed = run_scenarios(names, Path(folder))
    if failed:
        sys.exit(f"{len(failed)} of {len(names)} molecule scenarios failed: {', '.join(failed)}")


def stop(number: int, _frame: object) -> None:
    """Exit, and ignore signals during the clean-up."""
    for each in STOP:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def run_scenarios(names: list[str], folder: Path) -> list[str]:
    """Return the names of the scenarios that failed."""
    answer_version_check(folder / "bin")
    # All scenarios use the same Ansible configuration: read it once, before the forks.
    molecule.app.get_app(Path.cwd())
    with started_sandbox(folder) as sandbox:
        return [name for name in names if not passes(name, folder, sandbox)]


def answer_version_check(folder: Path) -> None:
    """Put a cheap `ansible-playbook --version` first on the path: molecule runs that command before each playbook."""
    program = folder / "ansible-playbook"
    real = shutil.which(program.name)
    if not real:
        sys.exit(f"{program.name} is not on the path. Use make molecule.")
    folder.mkdir()
    program.write_text(f'#!/bin/sh\ntest "$1" = --version || exec {shlex.quote(real)} "$@"\n')
    program.chmod(0o700)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


@contextlib.contextmanager
def started_sandbox(folder: Path) -> Iterator[Sandbox]:
    """Run a sandbox, as each scenario does when molecule runs it alone."""
    try:
        play("create", folder)
        exports = shlex.split((folder / "sandbox/output").read_text(), comments=True)
        variables = dict(export.split("=", 1) for export in exports if "=" in export)
        yield Sandbox(variables["SANDBOX_URL"], variables["SANDBOX_SECRET"])
    finally:
        play("destroy", folder)


def play(name: str, folder: Path) -> None:
    """Run a playbook that the scenarios share."""
    done = subprocess.run(
        ["ansible-playbook", "--inventory", "molecule/inventory", f"molecule/{name}.yml"],
        env={**os.environ, "MOLECULE_EPHEMERAL_DIRECTORY": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nextensions/molecule/{name}.yml failed.")


def passes(name: str, folder: Path, sandbox: Sandbox) -> bool:
    """Run a scenario after a reset of the sandbox, and print its output if it fails."""
    started = time.monotonic()
    sandbox.reset()
    log = folder / f"{name}.log"
    passed = run_scenario(name, empty_scenario_folder(folder), log) == 0
    if not passed:
        print(log.read_text(), flush=True)
    print(f"{name}: {'passed' if passed else 'FAILED'} in {time.monotonic() - started:.0f} s", flush=True)
    return passed


def empty_scenario_folder(folder: Path) -> Path:
    """Return the folder of the scenario that runs, the same for all: ansible-playbook reads its configuration there."""
    scenario = folder / "scenario"
    shutil.rmtree(scenario, ignore_errors=True)
    (scenario / "sandbox").mkdir(parents=True)
    (scenario / "sandbox/output").symlink_to(folder / "sandbox/output")
    return scenario


def run_scenario(name: str, folder: Path, log: Path) -> int | None:
    """Run a scenario in a separate process, run the playbooks that it requests, and return its exit status."""
    requests, playbooks = FORK.Pipe()
    process = FORK.Process(target=run_molecule, args=(name, folder, log, playbooks))
    process.start()
    playbooks.close()
    try:
        with contextlib.suppress(EOFError):
            while True:
                requests.send(run_playbook(*requests.recv()))
        process.join()
    finally:
        process.terminate()
    return process.exitcode


def run_molecule(name: str, folder: Path, log: Path, playbooks: Connection) -> None:
    """Run a scenario in this process without the steps create and destroy."""
    with log.open("wb") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    os.environ["MOLECULE_EPHEMERAL_DIRECTORY"] = str(folder)
    molecule.app.get_app(Path.cwd()).runtime.run = lambda args, env, cwd, **_options: request_playbook(
        playbooks, args, env, cwd
    )
    # With a shared state, molecule runs these steps only in the scenario default, which does not exist.
    molecule.shell.main(["test", "--shared-state", "--scenario-name", name])


def request_playbook(playbooks: Connection, args: list[str], env: dict[str, str], cwd: Path) -> CompletedProcess[str]:
    """Run ansible-playbook in the process at the other end of the connection."""
    program, *arguments = args
    assert program == "ansible-playbook", args
    playbooks.send((arguments, env, cwd))
    output, status = playbooks.recv()
    print(output, flush=True)
    return CompletedProcess(args, status, output, "")


if __name__ == "__main__":
    main()
