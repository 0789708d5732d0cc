# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether files say the license of the collection."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

LICENSE = "SPDX-License-Identifier: GPL-3.0-or-later"

# The text of the license, and what antsibull-changelog and ansible-galaxy write
WITHOUT_HEADER = {"LICENSE", "CHANGELOG.md", "changelogs/changelog.yaml", "MANIFEST.json", "FILES.json"}


def without_license(folder: Path, paths: Iterable[Path]) -> list[str]:
    """Each file of a folder that says another license than the collection's, or none, with what it says."""
    names = {str(path.relative_to(folder)): path for path in paths if path.is_file()}
    said = {name: license_of(path) for name, path in sorted(names.items()) if name not in WITHOUT_HEADER}
    return [f"{name}: {license}" for name, license in said.items() if license != LICENSE]


def license_of(path: Path) -> str:
    """All that a file says of its license, or, where it has no comments, the file next to it; `none` unless on top."""
    beside = path.with_name(f"{path.name}.license")
    text = (beside if beside.exists() else path).read_text(errors="replace")
    lines = [line.strip("{#/*<!->} ") for line in text.splitlines()]
    said = dict.fromkeys(line for line in lines if line.startswith("SPDX-License-Identifier"))
    return ", ".join(said) if said.keys() & set(lines[:10]) else "none"
