# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs in Go, built by the Go toolchain of requirements/go.in at the versions of a go.mod."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from build_folder import BUILD, fill_once
from support.servers.environments import environment
from support.servers.process import UnavailableError


def build_programs(module: Path, package: str) -> Path:
    """Return the folder with the programs of a package, built once. Go checks each dependency against go.sum.

    :arg package: a package of the module, or `tool` for its tools
    """
    sources = (module / "go.mod", module / "go.sum", *sorted(module.glob("*.go")))
    key = "".join(path.read_text() for path in sources)
    return fill_once(BUILD / module.name, key, lambda folder: _build(module, package, folder))


def _build(module: Path, package: str, folder: Path) -> None:
    # Without cgo no C compiler is required; GOTOOLCHAIN=local prevents the download of another toolchain.
    settings = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    try:
        command = [environment("go") / "go", "build", "-o", f"{folder}/", package]
        subprocess.run(command, cwd=module, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError as failed:
        raise UnavailableError(f"{module.name} cannot be built: {failed}; {failed.stderr}") from failed
