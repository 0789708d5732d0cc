# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Provision the four services of a sandbox twice with the demo inventory, and print a summary.

The exit status is 1 if a task fails or if the second run changes anything.

Usage: python tools/demo.py [COLLECTION_DIRECTORY], by default the checkout
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

from export import CHECKOUT

sys.path.insert(0, str(Path(sys.argv[1] if sys.argv[1:] else CHECKOUT) / "extensions"))

from sandbox import client
from sandbox.rehearsal.environment import SERVICES
from sandbox.rehearsal.report import check_idempotence, format_requests, format_row, format_tasks
from sandbox.rehearsal.runs import Run, run_playbook

COLLECTION = Path(client.__file__).resolve().parents[2]
PLAYBOOK = ("ansible-playbook", "buildworks.toolchain.provision", "-i", "inventories/demo", "--diff")


def main() -> None:
    """Run the demonstration."""
    os.chdir(COLLECTION)
    with tempfile.TemporaryDirectory(prefix="toolchain-demo-") as scratch, client.start() as sandbox:
        # Like after an update of plugins
        sandbox.switch("ci", restart_required=True)
        runs = [provision(sandbox, Path(scratch), title) for title in ("First run", "Second run")]
    print(format_summary(runs))
    sys.exit(find_problem(runs))


def provision(sandbox: client.Sandbox, scratch: Path, title: str) -> Run:
    """Run the playbook like a user, with a callback that records the tasks."""
    return run_playbook(sandbox, scratch, PLAYBOOK, title, TMPDIR=str(scratch))


def format_summary(runs: list[Run]) -> str:
    """Return the provisioned objects, and the costs of each run."""
    lines = ["##### What was provisioned", "", *format_tasks(runs[0].changes)]
    lines += ["", f"##### What it took{'first run':>26}{'second run':>20}", ""]
    lines.append(format_row("seconds", [f"{run.seconds:.1f}" for run in runs]))
    lines.append(format_row("milliseconds a task", [median_milliseconds(run) for run in runs]))
    lines.append(format_row("changes", [str(len(run.changes)) for run in runs]))
    for service in SERVICES:
        lines.append(format_row(f"requests, {service}", [format_requests(run, service) for run in runs]))
    return "\n".join(lines)


def median_milliseconds(run: Run) -> str:
    """Return the median duration of module tasks. A loop counts as one task."""
    return f"{1000 * statistics.median(run.task_seconds):.0f}" if run.task_seconds else "none"


def find_problem(runs: list[Run]) -> str | None:
    """Return the problem with the runs, or None."""
    if any(run.has_failed for run in runs):
        return "\nA task failed."
    return check_idempotence(runs[1])


if __name__ == "__main__":
    main()
