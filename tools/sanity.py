# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ansible-test sanity on a copy of the published files, with a separate home directory.

Tests and tools are not published. ruff checks them with its implementation of pylint rules.

ansible-test requires the path ansible_collections/NAMESPACE/NAME and a git repository. It stores its virtual
environments in the home directory, and passes on neither pip's environment variables nor the pyenv version.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ansible_test
import yaml

from environments import PYTHON_VERSION, find, read_pip_settings
from export import CHECKOUT, export

WORK = CHECKOUT / "build/sanity"
COPY = WORK / "ansible_collections/buildworks/toolchain"
HOME = WORK / "home"
BIN = WORK / "bin"
ANSIBLE_TEST = Path(ansible_test.__path__[0])

# Replaces the pip that ansible-test would download for each environment
GET_PIP = """\
import ensurepip

ensurepip.bootstrap()
"""

# The oldest Python that modules support
OLDEST = "python3.9"


def main() -> int:
    """Run ansible-test sanity and return the exit code."""
    export(COPY)
    remove_unpublished()
    subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    seed_pip()
    configure_pip()
    offer_oldest_python()
    if sys.argv[1:]:
        return run(*sys.argv[1:])
    skips = [option for test in (*find_unobtainable_tests(), "import") for option in ("--skip-test", test)]
    return run(*skips) or test_imports()


def run(*options: str) -> int:
    """Return the exit status of ansible-test sanity with these options."""
    command = ["ansible-test", "sanity", "--color", "no", *options]
    return subprocess.run(command, cwd=COPY, env=environment(), check=False).returncode


def test_imports() -> int:
    """Import modules with the oldest Python, and controller plugins with this one; return the exit status.

    All other tests import the modules with this Python. The action plugins are generated, and integration tests run
    each of them.
    """
    if not find(OLDEST):
        return run("--test", "import", "--python", PYTHON_VERSION)
    folders = ("callback", "filter", "lookup", "plugin_utils")
    on_controllers = [f"plugins/{folder}/" for folder in folders]
    oldest = OLDEST.removeprefix("python")
    return run("--test", "import", "--python", oldest) or run(
        "--test", "import", "--python", PYTHON_VERSION, *on_controllers
    )


def remove_unpublished() -> None:
    """Remove files that are not in the tarball of the collection."""
    for pattern in yaml.safe_load((COPY / "galaxy.yml").read_text())["build_ignore"]:
        for path in COPY.glob(pattern):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def seed_pip() -> None:
    """Store our bootstrap where ansible-test keeps its downloaded one."""
    source = ANSIBLE_TEST / "_internal/python_requirements.py"
    version = re.search(r"pip='([\d.]+)'", source.read_text())
    if not version:
        sys.exit(f"Cannot find the pip version in {source}. Adapt tools/sanity.py.")
    cache = HOME / ".ansible/test/cache"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / f"get_pip_{version[1].replace('.', '_')}.py").write_text(GET_PIP)


def configure_pip() -> None:
    """Copy the pip configuration of this machine to the home directory of ansible-test."""
    settings = read_pip_settings()
    lines = [f"{name} = {value}\n" for name, value in settings.items()]
    folder = HOME / ".config/pip"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pip.conf").write_text("".join(["[global]\n", *lines, "[install]\nquiet = 1\n"]))


def offer_oldest_python() -> None:
    """Make the oldest supported Python available to ansible-test."""
    interpreter = find(OLDEST)
    shutil.rmtree(BIN, ignore_errors=True)
    BIN.mkdir()
    if interpreter:
        (BIN / OLDEST).symlink_to(interpreter)
    else:
        report_unavailable(f"import and compile with {OLDEST}: there is no such Python")


def find_unobtainable_tests() -> list[str]:
    """Return the tests that require a download from another server than the package index, which may be unreachable."""
    tests = []
    for file in sorted((ANSIBLE_TEST / "_data/requirements").glob("sanity.*.txt")):
        if package := re.search(r"^(\S+) @ https?://([^/\s]+)", file.read_text(), re.MULTILINE):
            tests.append(file.name.split(".")[1])
            report_unavailable(f"{tests[-1]}: this ansible-core wants {package[1]} from {package[2]}")
    return tests


def report_unavailable(what: str) -> None:
    """Report a test that cannot run."""
    print(f"CANNOT RUN HERE: the sanity test {what}", flush=True)


def environment() -> dict[str, str]:
    """Return the environment variables for ansible-test."""
    # pyenv has shims for Pythons that are not installed.
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder).name != "shims"]
    return os.environ | {"HOME": str(HOME), "PATH": os.pathsep.join([*path, str(BIN)])}


if __name__ == "__main__":
    sys.exit(main())
