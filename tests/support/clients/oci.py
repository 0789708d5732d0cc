# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""crane, an OCI client in Go, built at the version of go/go.mod by the Go toolchain of requirements/go.in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from build_folder import BUILD, fill_once
from support.servers.environments import environment
from support.servers.process import UnavailableError

MODULE = Path(__file__).with_name("go")


def crane() -> Path:
    """Return the program, built once."""
    key = "".join((MODULE / name).read_text() for name in ("go.mod", "go.sum"))
    return fill_once(BUILD / "go", key, _build) / "crane"


def _build(folder: Path) -> None:
    """Build the tools of the module; go checks each dependency against go.sum."""
    # Without cgo no C compiler is required; GOTOOLCHAIN=local prevents the download of another toolchain.
    settings = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    try:
        go = environment("go") / "go"
        command = [go, "build", "-o", f"{folder}/", "tool"]
        subprocess.run(command, cwd=MODULE, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError as failed:
        raise UnavailableError(f"crane cannot be built: {failed}; {failed.stderr}") from failed
