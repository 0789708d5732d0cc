# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments for software that must not share ours.

As a command: `python -m support.servers.environments NAME [another]` (from tests) builds the one of
requirements/NAME.txt, by another Python than this one if so said, and prints where its programs are.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

from support.servers.build import BUILD, ROOT, fill_once


def environment(name: str, python: str = sys.executable) -> Path:
    """Return the folder with the programs of the environment of requirements/<name>.txt, built when new or changed."""
    requirements = ROOT / "requirements" / f"{name}.txt"
    version = subprocess.run([python, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    folder = BUILD / "env" / f"{name}-py{version.rpartition('.')[0]}"

    def install(folder: Path) -> None:
        subprocess.run([python, "-m", "venv", folder], check=True)
        # Compiling every file would take longer than the rest; Python compiles what it imports.
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
        subprocess.run([*pip, "--requirement", str(requirements)], check=True)

    # The scripts in an environment name its place, so that a moved checkout needs a new one.
    key = f"{version} {folder} {_text(requirements)}"
    return fill_once(folder, hashlib.sha256(key.encode()).hexdigest(), install) / "bin"


def another_python() -> str:
    """The newest Python of this machine that runs Ansible and is another than this one; else this one."""
    this = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in ("3.13", "3.12", "3.11"):
        if version != this and (found := find(f"python{version}")):
            return found
    return sys.executable


def find(python: str) -> str:
    """The path of a Python; empty when there is none."""
    found = subprocess.run([ROOT / "tools" / "find-python.sh", python], check=True, capture_output=True, text=True)
    return found.stdout.split()[0] if found.stdout else ""


def _text(requirements: Path) -> str:
    """The text of a file of requirements, and of those that it includes."""
    text = requirements.read_text()
    included = re.findall(r"^-[rc] (\S+)", text, re.MULTILINE)
    return "\n".join([text, *(_text(requirements.parent / name) for name in included)])


if __name__ == "__main__":
    _program, name, *another = sys.argv
    print(environment(name, another_python() if another else sys.executable))
