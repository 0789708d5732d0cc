# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the tarball twice, check it with galaxy-importer, inspect its files, and run a task of each service.

Usage: python tools/dist.py GALAXY_IMPORTER_ENVIRONMENT
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from export import CHECKOUT
from licenses import LICENSE, find_wrong_licenses
from site_links import find_dead_markdown_links
from tarball import build

WORK = CHECKOUT / "build/dist"
COLLECTIONS = WORK / "collections"
INSTALLED = COLLECTIONS / "ansible_collections/buildworks/toolchain"

# Files for developers, and build and test output
UNWANTED = re.compile(r"^/(build|tools|tests|requirements|\.\w+)/|^/Makefile$|/__pycache__/")

TERMINAL = {"COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "ANSIBLE_FORCE_COLOR"}

QUESTIONS = ("artifact_repository_info", "ci_info", "review_project_info", "inference_model_info")


def main() -> None:
    """Build the collection tarball and inspect it."""
    # Ansible must not find the collection of the checkout.
    os.environ["ANSIBLE_COLLECTIONS_PATH"] = str(COLLECTIONS)
    shutil.rmtree(WORK, ignore_errors=True)
    tarball = build(WORK)
    if build_elsewhere(WORK / "again").read_bytes() != tarball.read_bytes():
        sys.exit("The tarball is not reproducible: compare build/dist and build/dist/again.")
    print(f"{tarball.relative_to(CHECKOUT)}, SHA-256 {hashlib.sha256(tarball.read_bytes()).hexdigest()}")
    run_galaxy_importer(tarball, Path(sys.argv[1]).resolve())
    print("galaxy-importer: no problems")
    run("ansible-galaxy", "collection", "install", "--offline", "--collections-path", COLLECTIONS, tarball)
    inspect()
    run_tasks()


def build_elsewhere(folder: Path) -> Path:
    """Build the tarball with another temporary directory and another umask."""
    folder.mkdir()
    tempfile.tempdir = str(folder)
    previous = os.umask(0o077)
    try:
        return build(folder)
    finally:
        os.umask(previous)
        tempfile.tempdir = None


def run_galaxy_importer(tarball: Path, environment: Path) -> None:
    """Run galaxy-importer, whose exit status is 0 even if its linters report problems."""
    verdict = run(
        environment / "bin/python",
        "-m",
        "galaxy_importer.main",
        tarball,
        GALAXY_IMPORTER_CHECK_REQUIRED_TAGS="1",
        GALAXY_IMPORTER_RUN_ANSIBLE_LINT="0",  # make lint-ansible runs it without a time limit
        PATH=f"{environment / 'bin'}:{os.environ['PATH']}",
    )
    complaints = [line for line in verdict.splitlines() if line.startswith(("WARNING", "ERROR"))]
    if complaints:
        sys.exit("galaxy-importer:\n" + "\n".join(complaints))


def inspect() -> None:
    """Inspect the content of the tarball."""
    paths = list(INSTALLED.rglob("*"))
    complaints = {
        "The tarball holds what it should not": [
            name for path in paths if UNWANTED.search(name := f"/{path.relative_to(INSTALLED)}")
        ],
        f"Files without '{LICENSE}'": find_wrong_licenses(INSTALLED, paths),
        "These links lead nowhere": find_dead_markdown_links(INSTALLED),
    }
    for complaint, names in complaints.items():
        if names:
            sys.exit("\n".join([f"{complaint}:", *names]))
    print("All files have a license, and there are no dead links.")


def run_tasks() -> None:
    """Run a task of each service with the installed collection, without access to the checkout."""
    sys.path.insert(0, str(INSTALLED / "extensions"))
    from sandbox import client

    modules = [f"buildworks.toolchain.{question}" for question in QUESTIONS]
    playbook = WORK / "ask.yml"
    tasks = [{"name": f"Ask with {module}", module: {}} for module in modules]
    playbook.write_text(json.dumps([{"name": "Ask", "hosts": "localhost", "gather_facts": False, "tasks": tasks}]))
    with client.start() as sandbox:
        run("ansible-playbook", playbook, **sandbox.environment)
    for module in modules:
        print(f"{module}: OK with the installed collection")


def run(*command: str | Path, **environment: str) -> str:
    """Return the output of a successful command, without colors and line wrapping."""
    done = subprocess.run(
        command,
        cwd=WORK,
        env={name: value for name, value in os.environ.items() if name not in TERMINAL} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed with status {done.returncode}:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    main()
