# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record which tests execute which lines: one run of all tests with coverage, on a copy without mutations."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from coverage import CoverageData

from mutants.copies import Copy

# In the order in which they are run against a mutant
TESTS = ("tests/meta/test_architecture.py", "tests/unit", "tests/ladder", "tests/faults")


class Record:
    """The lines and the duration of each test of a copy.

    :ivar seconds: duration by node ID
    """

    def __init__(self, copy: Copy, folder: Path) -> None:
        self._copy = copy
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self.seconds: dict[str, float] = json.loads((folder / "seconds.json").read_text())
        self.lines = cache(self._read_lines)

    def tests_of_lines(self, path: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that execute a line; the import of the file before all tests is the one named ''."""
        return {test for line in lines for test in self.lines(path).get(line, ())}

    def tests_of_file(self, path: str) -> set[str]:
        return self.tests_of_lines(path, self.lines(path))

    def _read_lines(self, path: str) -> dict[int, set[str]]:
        contexts = self._data.contexts_by_lineno(str((self._copy.root / path).resolve()))
        lines = defaultdict(set)
        for line, names in contexts.items():
            lines[line] = {name.rpartition("|")[0] for name in names}
        return lines


def record(copy: Copy, folder: Path, package: str, tests: Sequence[str], workers: int) -> Record:
    """Run the tests of a copy, which must pass, and record them in a folder; a record of the same files is reused."""
    folder.mkdir(parents=True, exist_ok=True)
    key, data, seconds = folder / "key", folder / "coverage", folder / "seconds.json"
    current = f"{copy.digest} {package} {tests} {sys.version}"
    if not key.exists() or key.read_text() != current:
        key.unlink(missing_ok=True)
        coverage = [f"--cov={package}", "--cov-context=test", "--cov-report=", f"--seconds={seconds}"]
        side_by_side = [f"--numprocesses={workers}", "--dist=loadscope", "--no-loadscope-reorder"]
        status, output = copy.pytest(["-q", *side_by_side, *coverage, *tests], COVERAGE_FILE=str(data))
        if status:
            raise SystemExit(f"The tests must pass without a mutation:\n{output}")
        key.write_text(current)
    return Record(copy, folder)
