# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Provisions the four services of a sandbox with the demo inventory, twice, and tells what happened.

Ends with status 1 when a task failed, or when the second run changed anything.

Usage: python tools/demo.py [FOLDER_OF_THE_COLLECTION], by default the checkout
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
    os.chdir(COLLECTION)
    with tempfile.TemporaryDirectory(prefix="toolchain-demo-") as scratch, client.start() as sandbox:
        # As after an update of plugins
        sandbox.switch("ci", restart_required=True)
        runs = [provision(sandbox, Path(scratch), title) for title in ("First run", "Second run")]
    print(summary(runs))
    sys.exit(verdict(runs))


def provision(sandbox: client.Sandbox, scratch: Path, title: str) -> Run:
    """Run the playbook as a user would, apart from the callback that takes notes."""
    return run_playbook(sandbox, scratch, PLAYBOOK, title, TMPDIR=str(scratch))


def summary(runs: list[Run]) -> str:
    """What was provisioned, and what each run cost."""
    lines = ["##### What was provisioned", "", *format_tasks(runs[0].changes)]
    lines += ["", f"##### What it took{'first run':>26}{'second run':>20}", ""]
    lines.append(format_row("seconds", [f"{run.seconds:.1f}" for run in runs]))
    lines.append(format_row("milliseconds a task", [milliseconds(run) for run in runs]))
    lines.append(format_row("changes", [str(len(run.changes)) for run in runs]))
    for service in SERVICES:
        lines.append(format_row(f"requests, {service}", [format_requests(run, service) for run in runs]))
    return "\n".join(lines)


def milliseconds(run: Run) -> str:
    """The median of the tasks that ran modules of the collection, loops as a whole."""
    return f"{1000 * statistics.median(run.task_seconds):.0f}" if run.task_seconds else "none"


def verdict(runs: list[Run]) -> str | None:
    """What is wrong, if anything is."""
    if any(run.has_failed for run in runs):
        return "\nA task failed."
    return check_idempotence(runs[1])


if __name__ == "__main__":
    main()
