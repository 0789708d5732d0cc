# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check that files have the license of the collection."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

LICENSE = "SPDX-License-Identifier: GPL-3.0-or-later"

# The license text, and files that antsibull-changelog and ansible-galaxy write
WITHOUT_HEADER = {"LICENSE", "CHANGELOG.md", "changelogs/changelog.yaml", "MANIFEST.json", "FILES.json"}


def find_wrong_licenses(folder: Path, paths: Iterable[Path]) -> list[str]:
    """Return each file of a directory with another license or none, with its license."""
    names = {str(path.relative_to(folder)): path for path in paths if path.is_file()}
    licenses = {name: read_license(path) for name, path in sorted(names.items()) if name not in WITHOUT_HEADER}
    return [f"{name}: {license}" for name, license in licenses.items() if license != LICENSE]


def read_license(path: Path) -> str:
    """Return the licenses in a file, or in the file next to it if it cannot have comments; `none` unless at the top."""
    beside = path.with_name(f"{path.name}.license")
    text = (beside if beside.exists() else path).read_text(errors="replace")
    lines = [line.strip("{#/*<!->} ") for line in text.splitlines()]
    identifiers = dict.fromkeys(line for line in lines if line.startswith("SPDX-License-Identifier"))
    return ", ".join(identifiers) if identifiers.keys() & set(lines[:10]) else "none"
