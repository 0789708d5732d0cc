# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the tests that may detect a mutation, the cheapest first, until one of them fails.

These are the tests that execute the mutated lines. Code that runs at import can affect any test, so all tests run,
starting with those of the files that import the mutated one.
"""

from __future__ import annotations

import enum
import json
import queue
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from mutants.copies import Copy
from mutants.importers import distances
from mutants.mutations import Mutation
from mutants.recording import TESTS, Record, record

_COPIES = 2
# Test files whose tests are run before all others are collected
_FIRST_FILES = 3
_AT_IMPORT = ""


class Outcome(enum.Enum):
    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"
    NOT_EXECUTED = "not executed"


SURVIVED = (Outcome.SURVIVED, Outcome.NOT_EXECUTED)


@dataclass(frozen=True)
class Trial:
    """A mutation, its outcome, and the tests that were chosen for it, in their order."""

    mutation: Mutation
    outcome: Outcome
    tests: list[str]


def run(
    checkout: Path, sample: Sequence[Mutation], *, tests: Sequence[str], sources: str = "plugins", workers: int = 2
) -> Iterator[Trial]:
    """Try each mutation of a sample, several at a time, in copies of a checkout below its build/mutants.

    :arg tests: files and folders
    :arg sources: the folder with all files that may import a mutated one
    :arg workers: the number of processes that run the tests before they are tried
    """
    folder = checkout / "build" / "mutants"
    copies = [Copy(checkout, folder / str(number)) for number in range(_COPIES)]
    recorded = record(copies[0], folder / "record", sources, tests, workers)
    free: queue.Queue[Copy] = queue.Queue()
    for copy in copies:
        free.put(copy)

    def attempt(mutation: Mutation) -> Trial:
        copy = free.get()
        try:
            return _attempt(copy, recorded, mutation, choose(mutation, recorded, checkout, sources))
        finally:
            free.put(copy)

    with ThreadPoolExecutor(_COPIES) as pool:
        yield from pool.map(attempt, sample)


def choose(mutation: Mutation, recorded: Record, checkout: Path, sources: str) -> list[str]:
    """Return the tests that may notice a mutation, the cheapest file of the first folder first."""
    first, last = mutation.lines
    chosen = recorded.tests_of_lines(mutation.path, range(first, last + 1))
    near = dict.fromkeys(map(_file, chosen), 0)
    if _AT_IMPORT in chosen or not mutation.in_function:
        for path, distance in distances(checkout, sources, mutation.path).items():
            for test in recorded.tests_of_file(path):
                near.setdefault(_file(test), distance)
        chosen = set(recorded.seconds)
    cost: dict[str, float] = defaultdict(float)
    for test in chosen:
        cost[_file(test)] += recorded.seconds.get(test, 0)

    def order(test: str) -> tuple[int, int, float, str, float]:
        file = _file(test)
        folder = next((number for number, name in enumerate(TESTS) if file.startswith(name)), len(TESTS))
        return folder, near.get(file, 1000), cost[file], file, recorded.seconds.get(test, 0)

    return sorted(chosen - {_AT_IMPORT}, key=order)


def _attempt(copy: Copy, recorded: Record, mutation: Mutation, tests: list[str]) -> Trial:
    if not tests:
        return Trial(mutation, Outcome.NOT_EXECUTED, tests)
    copy.write(mutation.path, mutation.mutated_source)
    try:
        for part in _parts(tests):
            status = _run_tests(copy, recorded, part)
            if status is None:
                return Trial(mutation, Outcome.TIMED_OUT, tests)
            if status not in (0, 5):  # 5: none of the tests exists any more
                return Trial(mutation, Outcome.KILLED, tests)
        return Trial(mutation, Outcome.SURVIVED, tests)
    finally:
        copy.write(mutation.path, mutation.source)


def _run_tests(copy: Copy, recorded: Record, tests: list[str]) -> int | None:
    listed = copy.root / "build" / "listed.json"
    listed.write_text(json.dumps(tests))
    files = list(dict.fromkeys(map(_file, tests)))
    seconds = sum(recorded.seconds.get(test, 0) for test in tests)
    status, _output = copy.pytest(["-x", "-q", f"--listed={listed}", *files], timeout=30 + 5 * seconds)
    return status


def _parts(tests: list[str]) -> Iterator[list[str]]:
    """Divide tests so that few have to be collected for most mutations."""
    first_files = list(dict.fromkeys(map(_file, tests)))[:_FIRST_FILES]
    for _key, part in groupby(tests, key=lambda test: (_file(test) in first_files, test.startswith(TESTS[-1]))):
        yield list(part)


def _file(test: str) -> str:
    return test.partition("::")[0]
