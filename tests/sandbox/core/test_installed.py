# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the Python package of the sandbox and its command."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
import requests
import yaml

import export
from sandbox import client
from support.wire.core import EXTENSIONS

SOURCE = EXTENSIONS / "sandbox"
NOT_INSTALLED = {"README.md", "pyproject.toml"}


def pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def tracked_files() -> set[str]:
    """Return the files of the sandbox that are under version control."""
    return {str(file.relative_to(SOURCE)) for file in export.files() if SOURCE in file.parents and file.exists()}


@pytest.fixture(scope="module")
def wheel(tracked_files, tmp_path_factory) -> Path:
    """Return the wheel, built from a copy because a build creates files."""
    copy, wheels = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheels")
    for name in tracked_files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, copy / name)
    pip("wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, copy)
    (built,) = wheels.iterdir()
    return built


def test_package_contains_exactly_the_files_of_the_sandbox(wheel, tracked_files):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert sorted(names) == sorted(f"sandbox/{name}" for name in tracked_files - NOT_INSTALLED)


def test_package_has_the_requirements_of_requirements_txt(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    requirements = re.findall(r"^[A-Za-z].*", (SOURCE / "requirements.txt").read_text(), re.MULTILINE)
    assert re.findall(r"^Requires-Dist: ([^;\n]*)$", metadata, re.MULTILINE) == requirements


def test_package_has_the_version_of_the_collection():
    galaxy = yaml.safe_load((EXTENSIONS.parent / "galaxy.yml").read_text())
    assert tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]["version"] == galaxy["version"]


def test_command_starts_serves_and_stops(wheel, tmp_path):
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip("--python", venv / "bin/python", "install", "--no-index", "--no-deps", wheel)
    command = venv / "bin/toolchain-sandbox"
    # The requirements are installed, but not the sandbox.
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    usage = subprocess.check_output([command, "--help"], cwd=tmp_path, env=environment, text=True)
    assert usage.startswith("usage: toolchain-sandbox [-h] [--host HOST] [--port PORT]")
    with subprocess.Popen([command], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        ready = next(line for line in process.stdout if line.startswith(client.READY))
        url = ready.removeprefix(client.READY).strip()
        assert requests.get(f"{url}/_sandbox/health").json()["status"] == "ok"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
