# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m sandbox`, or `toolchain-sandbox` where it is installed.

Starts it, or says in one sentence what it lacks to run here.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PACKAGES = ("lxml", "starlette", "uvicorn", "wsproto", "yaml")


def main() -> None:
    """Serve as the command line says."""
    if sys.version_info < (3, 11):  # noqa: UP036  an older one gets as far as this
        sys.exit(f"The sandbox needs Python 3.11 or newer, and this is {sys.version.partition(' ')[0]}.")
    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        sys.exit(
            f"The sandbox needs Python packages that are missing here ({', '.join(missing)}): "
            f"install them with '{sys.executable} -m pip install -r {REQUIREMENTS}'."
        )
    from . import command_line

    command_line.main()


if __name__ == "__main__":
    main()
