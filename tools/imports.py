# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the names that a Python file imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def find_imports(tree: ast.Module, package: str = "") -> Iterator[str]:
    """Yield the absolute names of all imports of a file, including those for type checking.

    :arg package: the package of the file, for relative imports
    :return: `a.b` for `import a.b` and for `from a import b`
    """
    folders = package.split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = folders[: len(folders) - node.level + 1] if node.level else []
            module = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
