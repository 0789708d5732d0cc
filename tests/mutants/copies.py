# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of the checkout, in which sources are mutated and tests run."""

from __future__ import annotations

import hashlib
import importlib.util
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
COLLECTION = Path("build/collections/ansible_collections/buildworks/toolchain")

# Imports of third-party packages take longer than most tests: one process does them, and forks for each run of pytest
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["pytest", "hypothesis.strategies", "requests", "yaml", "ansible.module_utils.basic"])


class Copy:
    """A copy of the files that Git tracks or would track after `git add`.

    :ivar root: the folder, which is replaced
    :ivar digest: of the names and contents of all files
    """

    def __init__(self, checkout: Path, root: Path) -> None:
        self.root = root
        shutil.rmtree(root, ignore_errors=True)
        digest = hashlib.sha256()
        for name in tracked_files(checkout):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, root / name)
            digest.update(f"{name}\0".encode() + hashlib.sha256((root / name).read_bytes()).digest())
        self.digest = digest.hexdigest()
        (root / COLLECTION).parent.mkdir(parents=True)
        (root / COLLECTION).symlink_to("../../../..")
        (root / "build" / "env").symlink_to(checkout / "build" / "env")

    def write(self, path: str, source: str) -> None:
        """Write a source file, and drop its byte code: it may have the same size and time as before."""
        file = self.root / path
        file.write_text(source)
        Path(importlib.util.cache_from_source(file)).unlink(missing_ok=True)

    def pytest(self, arguments: list[str], timeout: float | None = None, **environment: str) -> tuple[int | None, str]:
        """Run pytest, and return its exit status and output; the status is `None` after a timeout."""
        environment["ANSIBLE_HOME"] = str(self.root / "build" / "ansible")
        environment["ANSIBLE_COLLECTIONS_PATH"] = str(self.root / "build" / "collections")
        environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        output = self.root / "build" / "output.txt"
        process = _PROCESSES.Process(target=_run_pytest, args=(self.root, arguments, environment, output))
        process.start()
        process.join(timeout)
        if process.exitcode is None and process.pid is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
            return None, ""
        return process.exitcode, output.read_text()


def _run_pytest(root: Path, arguments: list[str], environment: dict[str, str], output: Path) -> None:
    os.setsid()
    os.chdir(root)
    os.environ.update(environment)
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.exit(pytest.main(["-p", "mutants.selection", *arguments]))


def tracked_files(checkout: Path) -> list[str]:
    """Return the names of the files that git tracks or would track."""
    listing = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=checkout, text=True
    )
    return sorted({name for name in listing.split("\0") if name and (checkout / name).is_file()})
