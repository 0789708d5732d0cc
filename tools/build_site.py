# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site, build/site, without network access. Warnings and dead links are errors.

The pages are in docs/site. antsibull-docs generates the pages of plugins and roles, site_tables.py the tables that
other pages include.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from export import CHECKOUT
from site_links import find_dead_links
from site_tables import tables

SOURCE = CHECKOUT / "build/site-source"
SITE = CHECKOUT / "build/site"
COLLECTION = SOURCE / "collections/buildworks/toolchain"
CONFIGURED = ("--config-file", "docs/site/antsibull-docs.cfg")
INSTALLED = ("--use-current", "--squash-hierarchy", "--fail-on-error", "--no-add-antsibull-docs-version")
STRICT = ("--quiet", "--fail-on-warning", "--fresh-env", "--jobs", "2")


def main() -> None:
    """Build the documentation site."""
    for folder in (SOURCE, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CHECKOUT / "docs/site", SOURCE)
    for name, text in tables().items():
        (SOURCE / name).write_text(text)
    # antsibull-docs refuses directories that other users can write to
    COLLECTION.parent.mkdir(parents=True)
    COLLECTION.mkdir(mode=0o755)
    run("antsibull-docs", *CONFIGURED, "collection", *INSTALLED, "--dest-dir", str(COLLECTION), "buildworks.toolchain")
    run("sphinx-build", *STRICT, "--doctree-dir", f"{SITE}-doctrees", str(SOURCE), str(SITE))
    if dead := find_dead_links(SITE):
        sys.exit("\n".join(["Dead links:", *dead]))


def run(*command: str) -> None:
    """Run a command; exit if it fails. Sphinx finds the extensions of docs/site/conf.py in tools."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "tools")}
    if status := subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode:
        sys.exit(f"{command[0]} ended with status {status}.")


if __name__ == "__main__":
    main()
