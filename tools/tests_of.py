# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print the tests of `make check`: all of them, or those that concern the named files.

A test file concerns what it imports, directly or through other files, and the modules that it runs by name. A module's
ladder concerns what the module imports. Files of the sandbox concern the tests of their service.

Usage: python tools/tests_of.py [FILE ...]
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

from export import CHECKOUT
from generate import modules
from imports import find_imports

ALWAYS = ["tests/meta/test_architecture.py"]
ALL = ["tests/unit", "tests/ladder", *ALWAYS]
# Where imported names start, and the folder that they name
ROOTS = {
    "ansible_collections.buildworks.toolchain.": CHECKOUT,
    "sandbox.": CHECKOUT / "extensions" / "sandbox",
    "support.": CHECKOUT / "tests" / "support",
    "": CHECKOUT / "tools",
}
MODULES = {name: CHECKOUT / "plugins" / "modules" / f"{name}.py" for name in modules()}
SANDBOX = CHECKOUT / "extensions" / "sandbox"
LADDER = "tests/ladder/test_ladder.py::test_case_climbs_its_ladder"


def main(names: list[str]) -> None:
    print(" ".join(selected({Path(name).resolve() for name in names}) if names else ALL))


def selected(files: set[Path]) -> list[str]:
    """Return the tests that concern the files."""
    tests = [path for path in sorted((CHECKOUT / "tests").glob("unit/test_*.py")) if files & reached(path)]
    ladders = [name for name, path in MODULES.items() if files & reached(path)]
    named = {path for path in files if path.name.startswith("test_") and path.suffix == ".py"}
    return [
        *ALWAYS,
        *sorted(str(path.relative_to(CHECKOUT)) for path in {*tests, *named}),
        *(f"{LADDER}[{name}]" for name in ladders),
        *sorted({tests_of_sandbox(path) for path in files if SANDBOX in path.parents}),
    ]


def tests_of_sandbox(path: Path) -> str:
    """Return the folder with the tests of a file of the sandbox."""
    part = path.relative_to(SANDBOX).parts[0]
    return f"tests/sandbox/{part}" if (CHECKOUT / "tests/sandbox" / part).is_dir() else "tests/sandbox/core"


def reached(path: Path) -> set[Path]:
    """Return a file and all files that it uses, directly or through others."""
    found, unseen = set[Path](), {path}
    while unseen:
        path = unseen.pop()
        found.add(path)
        unseen |= used(path) - found
    return found


@functools.cache
def used(path: Path) -> set[Path]:
    """Return the files of the checkout that a file imports, and the modules that it names."""
    tree = ast.parse(path.read_text())
    files = {file for name in find_imports(tree, package_of(path)) for file in files_of(name)}
    constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return files | {file for name, file in MODULES.items() if name in constants}


def package_of(path: Path) -> str:
    """Return the package of a file of the sandbox, the only one with relative imports."""
    return ".".join(path.parent.relative_to(SANDBOX.parent).parts) if SANDBOX in path.parents else ""


def files_of(name: str) -> Iterator[Path]:
    """Return the files that an import of a dotted name reads: packages on the way, and the module itself."""
    prefix = max(prefix for prefix in ROOTS if f"{name}.".startswith(prefix))
    place = ROOTS[prefix]
    for part in name.removeprefix(prefix).split("."):
        place /= part
        yield from filter(Path.is_file, (place / "__init__.py", place.with_suffix(".py")))


if __name__ == "__main__":
    main(sys.argv[1:])
