# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Entry point of `python -m sandbox`, and of the command `toolchain-sandbox` if the sandbox is installed.

Checks the Python version and the required packages before it imports anything that needs them.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PACKAGES = ("lxml", "starlette", "uvicorn", "wsproto", "yaml")


def main() -> None:
    """Check the requirements and run the command line."""
    if sys.version_info < (3, 11):  # noqa: UP036  this file also runs in older versions
        sys.exit(f"The sandbox requires Python 3.11 or newer. This is Python {sys.version.partition(' ')[0]}.")
    if missing_packages := [package for package in PACKAGES if find_spec(package) is None]:
        sys.exit(
            f"The sandbox requires Python packages that are not installed: {', '.join(missing_packages)}. "
            f"Install them with '{sys.executable} -m pip install -r {REQUIREMENTS}'."
        )
    from . import command_line

    command_line.main()


if __name__ == "__main__":
    main()
