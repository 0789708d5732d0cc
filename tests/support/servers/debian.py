# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Installation of Debian packages, if possible."""

from __future__ import annotations

import os
import shutil
import subprocess

from build_folder import BUILD, exclusive_lock
from support.servers.process import UnavailableError


def install(package: str, *programs: str) -> None:
    """Install the package unless its programs are on the path."""
    with exclusive_lock(BUILD / "debian"):
        if not all(map(shutil.which, programs)):
            _install(package)


def _install(package: str) -> None:
    if os.geteuid() or not shutil.which("apt-get"):
        raise UnavailableError(f"{package} is not installed, and installing it requires root and apt-get")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    output = []
    # If the package lists cannot be fetched, older ones may do.
    for command in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        done = subprocess.run(
            ["apt-get", "-o", "DPkg::Lock::Timeout=600", *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        output += [f"apt-get {command[0]}:", *done.stdout.split()]
    if done.returncode:
        raise UnavailableError(f"{package} cannot be installed: {' '.join(output)[-1000:]}")
