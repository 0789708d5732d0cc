# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the demo with the installed tarball in a fresh environment for each release line of ansible-core.

The environment gets the newest versions that the requirements of the collection and the sandbox allow.

Usage: python tools/installed.py 2.18=3.11,3.12 2.19=3.11 ...: release lines with their Python versions, of which the
first available one is used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from environments import find, uv_environment, uv_program
from export import CHECKOUT
from tarball import build

WORK = CHECKOUT / "build/installed"


def main(lines: list[str]) -> None:
    """Run the demo for each release line, given as `core=Python versions`."""
    shutil.rmtree(WORK, ignore_errors=True)
    tarball = build(WORK)
    failed = []
    for line in lines:
        core, _equals, versions = line.partition("=")
        here = [version for version in versions.split(",") if find(f"python{version}")]
        if not here:
            print(f"CANNOT RUN HERE: ansible-core {core}: Python {versions} is missing", flush=True)
        elif not run_demo(core, here[0], tarball):
            failed.append(core)
    sys.exit(f"The demo failed with ansible-core {', '.join(failed)}" if failed else None)


def run_demo(core: str, version: str, tarball: Path) -> bool:
    """Return whether the demo succeeds. Otherwise print the path of its output."""
    folder = WORK / f"core{core}"
    collection = folder / "ansible_collections/buildworks/toolchain"
    programs = folder / "environment/bin"
    requirements = [collection / "requirements.txt", collection / "extensions/sandbox/requirements.txt"]
    install: list[str | Path] = [uv_program(), "pip", "install", "--python", programs / "python"]
    steps: list[list[str | Path]] = [
        [uv_program(), "venv", "--python", find(f"python{version}"), folder / "environment"],
        [*install, "--requirements", CHECKOUT / f"requirements/ansible-{core}.in"],
        [programs / "ansible-galaxy", "collection", "install", "--offline", "--collections-path", folder, tarball],
        [*install, *(word for file in requirements for word in ("--requirements", file))],
        [programs / "python", CHECKOUT / "tools/demo.py", collection],
    ]
    folder.mkdir()
    log = folder / "output.txt"
    environment = uv_environment() | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "ANSIBLE_COLLECTIONS_PATH": str(folder),
    }
    with log.open("w") as output:
        done = all(
            subprocess.run(step, env=environment, stdout=output, stderr=output, check=False).returncode == 0
            for step in steps
        )
    verdict = "works as installed" if done else f"does not work; {log.relative_to(CHECKOUT)} tells why"
    print(f"ansible-core {core} on Python {version}: {verdict}", flush=True)
    return done


if __name__ == "__main__":
    main(sys.argv[1:])
