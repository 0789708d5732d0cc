# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run phases of the test suite in parallel, and print the result and the time of each.

A phase is a target of the Makefile: `unit`, or with variables `integration,ANSIBLE_CORE=2.18`. Environments are built
first and timed separately. The budgets, in CPU seconds, are in CONTRIBUTING.md. The output of each phase is in
build/test/. The output of failed phases is printed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parent.parent
LOGS = CHECKOUT / "build/test"
BUDGETS = re.compile(r"^\| `([a-z-]+)` \|.*\| (\d+) \|$", re.MULTILINE)
MAY_EXCEED = 1.5  # times the budget
MISSING = "CANNOT RUN HERE"
# More than cores, because phases also wait for servers and disks
SIDE_BY_SIDE = (os.cpu_count() or 1) + 1


class Outcome(NamedTuple):
    """The result and the duration of a phase."""

    name: str
    tests: Counter[str]
    wall: float
    cpu: float


@dataclass
class Phase:
    """A target of the Makefile as a running process."""

    name: str

    def __post_init__(self) -> None:
        self.log = LOGS / f"{self.name}.log"
        self.report = LOGS / f"{self.name}.xml"
        self.report.unlink(missing_ok=True)
        self._begin = time.monotonic()
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                ["make", "--no-print-directory", *self.name.split(",")],
                cwd=CHECKOUT,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def _environment(self) -> dict[str, str]:
        """Return the environment without the variables that an outer make passes to an inner one."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        return {**inherited, "PYTEST_ADDOPTS": f"--junitxml={self.report} {os.environ.get('PYTEST_ADDOPTS', '')}"}

    def outcome(self, status: int, cpu: float) -> Outcome:
        """Return the result, given the exit status and the CPU seconds of the process."""
        self.process.returncode = status
        return Outcome(self.name, self._count(status), time.monotonic() - self._begin, cpu)

    def _count(self, status: int) -> Counter[str]:
        if self.report.exists():
            tests = count_tests(self.report)
            return tests | Counter(failed=1) if status or not tests.total() else tests
        if status:
            return Counter(failed=1)
        if MISSING in self.log.read_text():
            return Counter(failed=1) if os.environ.get("TOOLCHAIN_REQUIRE_ALL") == "1" else Counter(skipped=1)
        return Counter(passed=1)


def count_tests(report: Path) -> Counter[str]:
    """Return the numbers of passed, failed and skipped tests of a JUnit report."""
    tests: Counter[str] = Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        number = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        failed = number["failures"] + number["errors"]
        tests.update(passed=number["tests"] - failed - number["skipped"], failed=failed, skipped=number["skipped"])
    return tests


def run(names: list[str]) -> list[Outcome]:
    """Run the phases in parallel in their order, and print each when it finishes."""
    waiting, running, outcomes = deque(names), dict[int, Phase](), list[Outcome]()
    while waiting or running:
        while waiting and len(running) < SIDE_BY_SIDE:
            phase = Phase(waiting.popleft())
            running[phase.process.pid] = phase
        pid, status, usage = os.wait4(-1, 0)
        phase = running.pop(pid)
        outcome = phase.outcome(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime)
        outcomes.append(outcome)
        print(f"{format_status(outcome):7} {outcome.name} after {outcome.wall:.0f} s", flush=True)
        if outcome.tests["failed"]:
            print(phase.log.read_text(), flush=True)
    return outcomes


def format_status(outcome: Outcome) -> str:
    """Return the status line of a phase."""
    if outcome.tests["failed"]:
        return "FAILED"
    return "ok" if outcome.tests["passed"] else "skipped"


def read_budgets() -> dict[str, int]:
    """Return the budgets of the phases in CPU seconds from CONTRIBUTING.md."""
    return {name: int(seconds) for name, seconds in BUDGETS.findall((CHECKOUT / "CONTRIBUTING.md").read_text())}


def format_table(outcomes: list[Outcome]) -> str:
    """Return a table of the phases, longest first, with remarks on those above their budget."""
    allowed = read_budgets()
    rows = [f"{'phase':30} {'tests':>6} {'wall s':>7} {'CPU s':>7} {'budget':>7}"]
    for outcome in sorted(outcomes, key=lambda outcome: -outcome.cpu):
        budget = allowed.get(outcome.name.partition(",")[0])
        remark = "  EXCEEDS ITS BUDGET" if budget and outcome.cpu > MAY_EXCEED * budget else ""
        times = f"{outcome.tests.total():6} {outcome.wall:7.0f} {outcome.cpu:7.0f} {budget or '-':>7}"
        rows.append(f"{outcome.name:30} {times}{remark}")
    return "\n".join(rows)


def main() -> int:
    """Run the phases and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set-up", metavar="TARGET", help="the target that builds the environments")
    parser.add_argument("phases", nargs="+", metavar="PHASE")
    arguments = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    if arguments.set_up:
        (set_up,) = run([arguments.set_up])
        if set_up.tests["failed"]:
            return 1
    begin, load = time.monotonic(), os.getloadavg()[0]
    outcomes = run(arguments.phases)
    wall, cpu = time.monotonic() - begin, sum(outcome.cpu for outcome in outcomes)
    tests = sum((outcome.tests for outcome in outcomes), Counter[str]())
    print(f"\n{format_table(outcomes)}\n")
    if arguments.set_up:
        print(f"set-up: {set_up.wall:.0f} s")
    print(f"tests: {wall:.0f} s, {cpu:.0f} CPU seconds; load at the start {load:.1f}")
    if failed := [outcome.name for outcome in outcomes if outcome.tests["failed"]]:
        print(f"failed: {', '.join(failed)}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format_map(tests))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
