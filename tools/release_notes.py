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

# As Galaxy takes them
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+][\w.+-]+)?")
# The tarball by its name, and the package of the sandbox, and where they are named
NAMED = re.compile(r'buildworks-toolchain-(\d[\w.+-]*)\.tar\.gz|^version = "(.*)"', re.MULTILINE)
NAMED_IN = ("README.md", "docs/**/*.rst", "docs/**/*.yml", "examples/**/*.yml", "extensions/sandbox/pyproject.toml")

# What has documentation, but for roles
KINDS = ("modules", "lookup", "filter", "callback")


def main() -> None:
    version = str(yaml.safe_load((CHECKOUT / "galaxy.yml").read_text())["version"])
    if not VERSION.fullmatch(version):
        sys.exit(f"'{version}' of galaxy.yml is no version such as 0.2.0.")
    if others := [f"{path}: {other}" for path, other in versions_named() if other != version]:
        sys.exit("\n".join([f"These files name another version than galaxy.yml, {version}:", *others]))
    waiting = {path.name for path in (CHECKOUT / "changelogs/fragments").glob("*.yml")}
    releases = released(CHECKOUT)
    if version not in releases:
        if not waiting:
            sys.exit(f"changelogs/fragments is empty: describe the changes of {version}.")
        releases = rehearse()
    elif waiting:
        sys.exit(f"{version} is already released, without {first(waiting)}: set the next version in galaxy.yml.")
    told = {name for release in releases.values() for name in named(release)}
    if forgotten := {name for name, _path in documented()} - told:
        sys.exit(f"No release has {first(forgotten)}: version_added of what is new must be {version}.")
    state = "is released" if not waiting else f"can be released, by make changelog: {len(waiting)} fragments"
    print(f"{version} {state}, {len(list(named(releases[version])))} new modules, plugins and roles")


def versions_named() -> list[tuple[str, str]]:
    """The versions of the collection that its files name, each with the file."""
    return [
        (str(path.relative_to(CHECKOUT)), found[1] or found[2])
        for pattern in NAMED_IN
        for path in sorted(CHECKOUT.glob(pattern))
        for found in NAMED.finditer(path.read_text())
    ]


def first(names: set[str]) -> str:
    """As many of the names as one likes to read."""
    shown = sorted(names)[:5]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


def rehearse() -> dict[str, Any]:
    export(COPY)
    # antsibull-changelog asks git which files there are.
    subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    command = ["antsibull-changelog", "release", "--reload-plugins"]
    done = subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)
    return released(COPY)


def released(collection: Path) -> dict[str, Any]:
    """The releases of a changelog by version."""
    return yaml.safe_load((collection / "changelogs/changelog.yaml").read_text())["releases"]


def named(release: dict[str, Any]) -> list[str]:
    """What is new in a release."""
    kinds = [*release.get("plugins", {}).values(), *release.get("objects", {}).values()]
    return [each["name"] for kind in [release.get("modules", []), *kinds] for each in kind]


def documented() -> list[tuple[str, Path]]:
    """The modules, plugins and roles that there are, each with the file that documents it."""
    plugins = [path for kind in KINDS for path in CHECKOUT.glob(f"plugins/{kind}/*.py")]
    roles = CHECKOUT.glob("roles/*/meta/argument_specs.yml")
    return [(path.stem, path) for path in plugins] + [(path.parent.parent.name, path) for path in roles]


if __name__ == "__main__":
    main()
