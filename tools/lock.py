# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the locks in requirements/: NAME.txt for each environment of environments.toml, with versions and hashes.

Usage: python tools/lock.py [--upgrade] [NAME...]

A lock keeps its versions as far as its inputs allow, except with --upgrade.
"""

from __future__ import annotations

import argparse
import tomllib
from typing import Any

from environments import REQUIREMENTS, compute_digest, run_uv

ENVIRONMENTS: dict[str, dict[str, Any]] = tomllib.loads((REQUIREMENTS / "environments.toml").read_text())

HEADER = """\
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Written by `make lock`
# inputs: {digest}
"""


def main() -> None:
    """Write the lock files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--upgrade", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.names or ENVIRONMENTS:
        write(name, *["--upgrade"] * arguments.upgrade)


def write(name: str, *options: str) -> None:
    """Resolve the inputs of an environment into its lock."""
    lock = REQUIREMENTS / f"{name}.txt"
    inputs = [REQUIREMENTS / f"{each}.in" for each in ENVIRONMENTS[name]["inputs"]]
    python = ENVIRONMENTS[name]["python"]
    # Prefer one version of each package for all Pythons
    form = ["--universal", "--python-version", python, "--fork-strategy", "fewest", "--no-header", "--no-annotate"]
    run_uv("pip", "compile", "--generate-hashes", *form, *options, "--output-file", lock, *inputs)
    lock.write_text(HEADER.format(digest=inputs_digest(name)) + lock.read_text())


def inputs_digest(name: str) -> str:
    """Return the digest of the inputs of a lock."""
    inputs = [(REQUIREMENTS / f"{each}.in").read_text() for each in ENVIRONMENTS[name]["inputs"]]
    return compute_digest(ENVIRONMENTS[name]["python"], *inputs)


if __name__ == "__main__":
    main()
