# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Child process of the evaluator: runs functions of files, with one line of JSON for each call and each result."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import re
import resource
import sys
from types import ModuleType
from typing import Any

MEMORY_LIMIT = 2**30  # bytes


def search(patterns: list[str], text: str) -> list[bool]:
    """Return for each regular expression whether it matches anywhere in a text."""
    return [re.search(pattern, text) is not None for pattern in patterns]


def fullmatch(pattern: str, texts: list[str]) -> list[bool]:
    """Return for each text whether a regular expression matches all of it."""
    return [re.fullmatch(pattern, text) is not None for text in texts]


@functools.cache
def _load_module(path: str) -> ModuleType:
    """Load a module from a file. It must not import modules of the sandbox, because that takes too long."""
    spec = importlib.util.spec_from_file_location(f"evaluated_{len(path)}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Serve calls until the sandbox closes the pipe."""
    with contextlib.suppress(ValueError, OSError):  # not supported on all systems
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    for line in sys.stdin.buffer:
        path, function, arguments = json.loads(line)
        result: Any = getattr(_load_module(path), function)(*arguments)
        sys.stdout.buffer.write(json.dumps(result).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
