# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs ansible-test sanity on a copy of the collection, in a home folder of its own.

ansible-test wants the path ansible_collections/NAMESPACE/NAME, a git repository of its own, and keeps its virtual
environments in the home folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import ansible_test

from export import CHECKOUT, export

WORK = CHECKOUT / "build/sanity"
COPY = WORK / "ansible_collections/buildworks/toolchain"
HOME = WORK / "home"
BIN = WORK / "bin"

# Instead of the pip that ansible-test would download for each environment
GET_PIP = """\
import ensurepip

ensurepip.bootstrap()
"""

# Of the Pythons that only hosts have: the oldest that modules support
OLDEST = "python3.9"


def main() -> int:
    export(COPY)
    subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    seed_pip()
    offer_oldest_python()
    return subprocess.run(
        ["ansible-test", "sanity", "--color", "no", *sys.argv[1:]], cwd=COPY, env=environment(), check=False
    ).returncode


def seed_pip() -> None:
    """Put our bootstrap where ansible-test keeps the one that it downloaded."""
    source = Path(ansible_test.__path__[0]) / "_internal/python_requirements.py"
    version = re.search(r"pip='([\d.]+)'", source.read_text())
    if not version:
        raise SystemExit(f"{source} does not say which pip it installs; tools/sanity.py must learn to find it")
    cache = HOME / ".ansible/test/cache"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / f"get_pip_{version[1].replace('.', '_')}.py").write_text(GET_PIP)


def offer_oldest_python() -> None:
    found = subprocess.check_output([CHECKOUT / "tools/find-python.sh", OLDEST], text=True)
    BIN.mkdir(exist_ok=True)
    link = BIN / OLDEST
    link.unlink(missing_ok=True)
    if found:
        link.symlink_to(found.split()[0])
    else:
        print(f"No {OLDEST} here: modules are not tried with it")


def environment() -> dict[str, str]:
    # The shims of pyenv pretend to be Pythons that cannot be run.
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder).name != "shims"]
    return os.environ | {"HOME": str(HOME), "PATH": os.pathsep.join([*path, str(BIN)]), "PIP_QUIET": "1"}


if __name__ == "__main__":
    sys.exit(main())
