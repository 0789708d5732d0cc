# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print the tests of `make check`: all of them, or those that depend on the given files.

A test file depends on its imports, direct and indirect, and on the modules that it runs by name. A module's life cycle
test depends on the imports of the module. Sandbox files concern the tests of their service.

Usage: python tools/tests_of.py [FILE ...]
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

from export import CHECKOUT
from generate import list_modules
from imports import find_imports

ALWAYS = ["tests/meta/test_architecture.py"]
ALL = ["tests/unit", "tests/ladder", *ALWAYS]
# Import prefixes and their directories
ROOTS = {
    "ansible_collections.buildworks.toolchain.": CHECKOUT,
    "sandbox.": CHECKOUT / "extensions" / "sandbox",
    "support.": CHECKOUT / "tests" / "support",
    "": CHECKOUT / "tools",
}
MODULES = {name: CHECKOUT / "plugins" / "modules" / f"{name}.py" for name in list_modules()}
SANDBOX = CHECKOUT / "extensions" / "sandbox"
LADDER = "tests/ladder/test_ladder.py::test_case_climbs_its_ladder"


def main(names: list[str]) -> None:
    """Print the tests that concern the named files."""
    print(" ".join(select_tests({Path(name).resolve() for name in names}) if names else ALL))


def select_tests(files: set[Path]) -> list[str]:
    """Return the tests that depend on the files."""
    tests = [path for path in sorted((CHECKOUT / "tests").glob("unit/test_*.py")) if files & find_reachable(path)]
    ladders = [name for name, path in MODULES.items() if files & find_reachable(path)]
    named = {path for path in files if path.name.startswith("test_") and path.suffix == ".py"}
    return [
        *ALWAYS,
        *sorted(str(path.relative_to(CHECKOUT)) for path in {*tests, *named}),
        *(f"{LADDER}[{name}]" for name in ladders),
        *sorted({sandbox_tests(path) for path in files if SANDBOX in path.parents}),
    ]


def sandbox_tests(path: Path) -> str:
    """Return the test directory of a sandbox file."""
    part = path.relative_to(SANDBOX).parts[0]
    return f"tests/sandbox/{part}" if (CHECKOUT / "tests/sandbox" / part).is_dir() else "tests/sandbox/core"


def find_reachable(path: Path) -> set[Path]:
    """Return a file with its direct and indirect imports."""
    reachable, unseen = set[Path](), {path}
    while unseen:
        path = unseen.pop()
        reachable.add(path)
        unseen |= find_used_files(path) - reachable
    return reachable


@functools.cache
def find_used_files(path: Path) -> set[Path]:
    """Return the files of the checkout that a file imports, and the modules that it names."""
    tree = ast.parse(path.read_text())
    files = {file for name in find_imports(tree, find_package(path)) for file in find_imported_files(name)}
    constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return files | {file for name, file in MODULES.items() if name in constants}


def find_package(path: Path) -> str:
    """Return the package of a sandbox file, because only these use relative imports."""
    return ".".join(path.parent.relative_to(SANDBOX.parent).parts) if SANDBOX in path.parents else ""


def find_imported_files(name: str) -> Iterator[Path]:
    """Return the files that an import of a dotted name reads."""
    prefix = max(prefix for prefix in ROOTS if f"{name}.".startswith(prefix))
    place = ROOTS[prefix]
    for part in name.removeprefix(prefix).split("."):
        place /= part
        yield from filter(Path.is_file, (place / "__init__.py", place.with_suffix(".py")))


if __name__ == "__main__":
    main(sys.argv[1:])
