# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build virtual environments from the locks in requirements/ with uv.

Usage: python tools/environments.py NAME [PYTHON]

Builds the environment of requirements/NAME.txt unless it is up to date, and prints its program directory. PYTHON is a
path, a name such as python3.9, or "another": the newest other Python from 3.11 to 3.13. By default it is the Python
that runs this program.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from build_folder import BUILD, ROOT, fill_once

REQUIREMENTS = ROOT / "requirements"
PYTHON_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"

# pip settings, and the corresponding variables of uv
VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
}
# pip settings with several values, the corresponding variables of uv, and their separators
LISTS = {
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}


def build(name: str, python: str = sys.executable) -> Path:
    """Return the program directory of an environment, built if it is missing or its lock has changed."""
    lock = REQUIREMENTS / f"{name}.txt"
    describe = "import sys; print(*sys.version_info[:2], sep='.'); print(sys.base_prefix, sys.version)"
    version, identity = subprocess.check_output([python, "-c", describe], text=True).split("\n", 1)
    folder = BUILD / "env" / f"{name}-py{version}"

    def install(folder: Path) -> None:
        run_uv("venv", "--no-project", "--allow-existing", "--python", python, folder)
        run_uv("pip", "sync", "--require-hashes", "--python", folder / "bin/python", lock)

    # Scripts contain the path of their environment, so a moved checkout requires a new one.
    return fill_once(folder, compute_digest(identity, str(folder), lock.read_text()), install) / "bin"


def find(python: str) -> str:
    """Return the path of a Python, or an empty text if it is missing."""
    output = subprocess.check_output([ROOT / "tools/find-python.sh", python], text=True)
    return output.split()[0] if output else ""


def find_other_python() -> str:
    """Return the newest other Python of this machine that supports ansible-core, or else this one."""
    others = (find(f"python{version}") for version in ("3.13", "3.12", "3.11") if version != PYTHON_VERSION)
    return next(filter(None, others), sys.executable)


def compute_digest(*texts: str) -> str:
    """Return a SHA-256 of the texts, in hexadecimal."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def run_uv(*arguments: str | Path) -> None:
    """Run uv with the settings of pip on this machine."""
    subprocess.run([uv_program(), "--quiet", *arguments], env=uv_environment(), check=True)


def uv_program() -> Path:
    """Return the path of uv."""
    return install_uv() / "bin/uv"


@functools.cache
def install_uv() -> Path:
    """Return the directory of an environment with uv, which pip installs once."""
    lock = REQUIREMENTS / "uv.txt"

    def install(folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip: list[str | Path] = [
            folder / "bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-compile",
        ]
        subprocess.run([*pip, "--require-hashes", "--requirement", lock], check=True)

    # One per Python, because environments of other Pythons may be built at the same time.
    folder = BUILD / f"uv-py{PYTHON_VERSION}"
    return fill_once(folder, compute_digest(sys.base_prefix, sys.version, str(folder), lock.read_text()), install)


@functools.cache
def uv_environment() -> dict[str, str]:
    """Return environment variables that make uv use the pip settings of this machine, unless they are set."""
    settings = read_pip_settings()
    variables = {name: settings[setting] for setting, name in VARIABLES.items() if setting in settings}
    for setting, (name, separator) in LISTS.items():
        if setting in settings:
            variables[name] = separator.join(settings[setting].split())
    # pip takes a version from any index; the hashes identify the file.
    variables |= {"UV_PYTHON_DOWNLOADS": "never", "UV_INDEX_STRATEGY": "unsafe-best-match"}
    return variables | os.environ


def read_pip_settings() -> dict[str, str]:
    """Return the pip settings of this machine from files and environment variables."""
    listing = subprocess.check_output([install_uv() / "bin/python", "-m", "pip", "config", "list"], text=True)
    settings: dict[str, str] = {}
    # Precedence of pip: variables, section of the command, global section.
    for section in ("global", "install", ":env:"):
        entries = re.findall(rf"^{section}\.([\w-]+)=(.*)$", listing, re.MULTILINE)
        settings |= {name: ast.literal_eval(value) for name, value in entries}
    return settings


def main(name: str, python: str = "") -> None:
    """Create an environment and print its path."""
    path = find_other_python() if python == "another" else find(python or sys.executable)
    if not path:
        sys.exit(f"CANNOT RUN HERE: the environment {name} needs {python}, which is missing")
    print(build(name, path))


if __name__ == "__main__":
    main(*sys.argv[1:])
