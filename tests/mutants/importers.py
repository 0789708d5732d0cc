# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files import a file, directly or through others."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from imports import find_imports


def distances(checkout: Path, sources: str, path: str) -> dict[str, int]:
    """Return the files that import a file, and the file itself, each with the number of imports between them."""
    distance_by_path, level = {path: 0}, [path]
    while level:
        level = sorted(
            {importer for name in level for importer in _importers(checkout, sources)[name]} - distance_by_path.keys()
        )
        distance_by_path.update(dict.fromkeys(level, max(distance_by_path.values()) + 1))
    return distance_by_path


@cache
def _importers(checkout: Path, sources: str) -> dict[str, set[str]]:
    """Return, for each file below a folder, the files that import it."""
    importers: dict[str, set[str]] = defaultdict(set)
    for file in sorted((checkout / sources).rglob("*.py")):
        for name in find_imports(ast.parse(file.read_text())):
            for module in (name, name.rpartition(".")[0]):  # a name may be one of a module's members
                below = module.replace(".", "/").rpartition(f"{sources}/")
                importers[f"{sources}/{below[2]}.py"].add(str(file.relative_to(checkout)))
    return importers
