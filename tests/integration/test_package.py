# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of commands in a checkout whose requirements are missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["ANSIBLE_CORE=2.17"], "ANSIBLE_CORE=2.17 is not supported. Use one of: 2.18 2.19 2.20 2.21 2.22."),
        (["ANSIBLE_CORE=2.22", f"PYTHON={sys.executable}"], "ansible-core 2.22 does not support Python 3."),
        (["PYTHON=python2.7"], "PYTHON=python2.7 is not Python 3.11 or newer."),
    ],
)
def test_make_prints_one_line_when_a_version_is_not_supported(settings: list[str], message: str) -> None:
    if message.endswith("Python 3.") and sys.version_info >= (3, 13):
        pytest.skip("ansible-core 2.22 supports this Python")
    done = run("make", "--dry-run", "demo", *settings)
    assert done.returncode
    assert done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_sandbox_names_the_missing_packages() -> None:
    done = run(sys.executable, "-S", "-m", "sandbox", folder=ROOT / "extensions")
    assert done.returncode == 1
    requirements = ROOT / "extensions/sandbox/requirements.txt"
    assert done.stderr == (
        "The sandbox requires Python packages that are not installed: lxml, starlette, uvicorn, wsproto, yaml. "
        f"Install them with '{sys.executable} -m pip install -r {requirements}'.\n"
    )
    assert requirements.exists()


def test_git_ignores_the_tarball() -> None:
    assert run("git", "check-ignore", "buildworks-toolchain-0.1.0.tar.gz").returncode == 0
