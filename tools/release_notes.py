# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Release the changelog in a copy of the collection, as `make changelog` would, and print a summary.

Fails if the version in galaxy.yml is malformed, if other files name another version, if there are no fragments or
antsibull-changelog refuses one, and if a module, plugin or role is missing from all releases, because its version_added
names another version.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from export import CHECKOUT, export

COPY = CHECKOUT / "build/release/ansible_collections/buildworks/toolchain"

# Versions that Galaxy accepts
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+][\w.+-]+)?")
# Names of the tarball and version of the sandbox package, and the files that contain them
NAMED = re.compile(r'buildworks-toolchain-(\d[\w.+-]*)\.tar\.gz|^version = "(.*)"', re.MULTILINE)
NAMED_IN = ("README.md", "docs/**/*.rst", "docs/**/*.yml", "examples/**/*.yml", "extensions/sandbox/pyproject.toml")

# Documented plugin types
KINDS = ("modules", "lookup", "filter", "callback")


def main() -> None:
    """Check the version and the changelog, and print the release notes."""
    version = str(yaml.safe_load((CHECKOUT / "galaxy.yml").read_text())["version"])
    if not VERSION.fullmatch(version):
        sys.exit(f"galaxy.yml: '{version}' is not a version such as 0.2.0.")
    if others := [f"{path}: {other}" for path, other in find_versions() if other != version]:
        sys.exit("\n".join([f"These files contain another version than galaxy.yml, {version}:", *others]))
    waiting = {path.name for path in (CHECKOUT / "changelogs/fragments").glob("*.yml")}
    releases = read_releases(CHECKOUT)
    if version not in releases:
        if not waiting:
            sys.exit(f"changelogs/fragments is empty: describe the changes of {version}.")
        releases = rehearse()
    elif waiting:
        sys.exit(f"{version} is already released, without {join_first(waiting)}: set the next version in galaxy.yml.")
    listed = {name for release in releases.values() for name in list_new_names(release)}
    if forgotten := {name for name, _path in list_documented()} - listed:
        sys.exit(f"Missing from all releases: {join_first(forgotten)}. Set their version_added to {version}.")
    state = "is released" if not waiting else f"can be released, by make changelog: {len(waiting)} fragments"
    print(f"{version} {state}, {len(list(list_new_names(releases[version])))} new modules, plugins and roles")


def find_versions() -> list[tuple[str, str]]:
    """Return the versions of the collection that files mention, each with its file."""
    return [
        (str(path.relative_to(CHECKOUT)), match[1] or match[2])
        for pattern in NAMED_IN
        for path in sorted(CHECKOUT.glob(pattern))
        for match in NAMED.finditer(path.read_text())
    ]


def join_first(names: set[str]) -> str:
    """Join the first names of a set."""
    displayed = sorted(names)[:5]
    return ", ".join(displayed) + (f" and {len(names) - len(displayed)} more" if len(names) > len(displayed) else "")


def rehearse() -> dict[str, Any]:
    """Build the changelog of a release in a temporary copy."""
    export(COPY)
    # antsibull-changelog lists files with git.
    subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    command = ["antsibull-changelog", "release", "--reload-plugins"]
    done = subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)
    return read_releases(COPY)


def read_releases(collection: Path) -> dict[str, Any]:
    """Return the releases of a changelog by version."""
    return yaml.safe_load((collection / "changelogs/changelog.yaml").read_text())["releases"]


def list_new_names(release: dict[str, Any]) -> list[str]:
    """Return the new modules, plugins and roles of a release."""
    kinds = [*release.get("plugins", {}).values(), *release.get("objects", {}).values()]
    return [each["name"] for kind in [release.get("modules", []), *kinds] for each in kind]


def list_documented() -> list[tuple[str, Path]]:
    """Return all modules, plugins and roles with the files that document them."""
    plugins = [path for kind in KINDS for path in CHECKOUT.glob(f"plugins/{kind}/*.py")]
    roles = CHECKOUT.glob("roles/*/meta/argument_specs.yml")
    return [(path.stem, path) for path in plugins] + [(path.parent.parent.name, path) for path in roles]


if __name__ == "__main__":
    main()
