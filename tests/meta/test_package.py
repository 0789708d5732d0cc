# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people meet first: requirements, the README, and commands that cannot run where they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import generate

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def run(*command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", [ROOT / "requirements.txt", *sorted((ROOT / "requirements").glob("*.txt"))], ids=str)
def test_requirements_have_no_doubles(path: Path) -> None:
    packages = re.findall(r"^[\w.-]+(?=[=<>])", path.read_text().lower(), re.MULTILINE)
    assert sorted(packages) == sorted(set(packages))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (["ANSIBLE_CORE=2.17"], "ANSIBLE_CORE=2.17 is not supported; there are 2.18 2.19 2.20 2.21 2.22."),
        (["ANSIBLE_CORE=2.22", f"PYTHON={sys.executable}"], "ansible-core 2.22 runs on Python 3.13 3.14, not on 3."),
        (["PYTHON=python2.7"], "PYTHON=python2.7 is no Python 3.11 or newer that can be run here;"),
    ],
)
def test_a_version_that_does_not_fit_is_told_in_one_sentence(settings: list[str], complaint: str) -> None:
    if complaint.endswith("not on 3.") and sys.version_info >= (3, 13):
        pytest.skip("this Python runs it")
    done = run("make", "--dry-run", "demo", *settings)
    assert done.returncode
    assert done.stdout == ""
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_sandbox_says_which_packages_it_lacks() -> None:
    done = run(sys.executable, "-S", "-m", "sandbox", folder=ROOT / "extensions")
    assert done.returncode == 1
    requirements = ROOT / "extensions/sandbox/requirements.txt"
    assert done.stderr == (
        "The sandbox needs Python packages that are missing here (lxml, starlette, uvicorn, wsproto, yaml): "
        f"install them with '{sys.executable} -m pip install -r {requirements}'.\n"
    )
    assert requirements.exists()


def test_a_tarball_that_was_built_is_not_tracked() -> None:
    assert run("git", "check-ignore", "buildworks-toolchain-0.1.0.tar.gz").returncode == 0


def test_the_readme_names_the_permissions_for_each_module() -> None:
    table = README.partition("| task | permission")[2].partition("\n\n")[0]
    assert [module for module in generate.modules() if f"`{module}`" not in table] == []


@pytest.mark.parametrize("module", generate.modules())
def test_each_module_names_the_permission_that_it_needs(module: str) -> None:
    notes = " ".join(generate.documentation(module, "DOCUMENTATION")["notes"])
    assert re.search("Needs|administrator|permission", notes)
