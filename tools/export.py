# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Copy the collection as a clone of the checkout would contain it: tracked files, and untracked ones that are not
ignored.

Usage: python tools/export.py DIRECTORY
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def export(destination: Path) -> None:
    """Copy the collection to a directory, which is replaced."""
    shutil.rmtree(destination, ignore_errors=True)
    for source in filter(Path.exists, files()):
        target = destination / source.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def files() -> list[Path]:
    """Return the files of the checkout that are exported."""
    listing = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=CHECKOUT, text=True
    )
    return [CHECKOUT / name for name in listing.split("\0") if name]


if __name__ == "__main__":
    export(Path(sys.argv[1]))
