# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases the changelog in a copy of the collection, as `make changelog` would, and tells what the release has.

Fails when a fragment does not fit, when the version of galaxy.yml is released without some of the fragments, and when a
module, plugin or role is in no release, because its version_added is of another one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from export import CHECKOUT, export

COPY = CHECKOUT / "build/release/ansible_collections/buildworks/toolchain"

# What has documentation, but for roles
KINDS = ("modules", "lookup", "filter", "callback")


def main() -> None:
    version = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text())["version"]
    fragments = {path.name for path in (CHECKOUT / "changelogs/fragments").glob("*.yml")}
    releases = released(CHECKOUT)
    waiting = fragments - {name for release in releases.values() for name in release.get("fragments", [])}
    if version in releases:
        if waiting:
            sys.exit(
                f"{version} is released without {', '.join(sorted(waiting))}: name the next version in galaxy.yml."
            )
    else:
        releases = rehearse()
    told = {name for release in releases.values() for name in named(release)}
    if forgotten := {name for name, _path in documented()} - told:
        sys.exit(f"No release has {', '.join(sorted(forgotten))}: version_added of what is new must be {version}.")
    state = "is released" if not waiting else f"can be released, by make changelog: {len(waiting)} fragments"
    print(f"{version} {state}, {len(list(named(releases[version])))} new modules, plugins and roles")


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
