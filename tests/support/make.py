# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of the Makefile as tests, so that one summary counts everything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def make(*arguments: str) -> None:
    """Fail with the output of the target when make does; skip when a part of it says that it cannot run."""
    # What an outer make tells an inner one about its jobs does not hold for this one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=CHECKOUT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"make {' '.join(arguments)}:\n{done.stdout}", pytrace=False)
    if missing := [line for line in done.stdout.splitlines() if line.startswith("CANNOT RUN HERE")]:
        pytest.skip("; ".join(missing))
