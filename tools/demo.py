# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Provisions the four services of a sandbox with the demo inventory, twice, and tells what happened.

Ends with status 1 when a task failed, or when the second run changed anything.

Usage: python tools/demo.py [FOLDER_OF_THE_COLLECTION], by default the checkout
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from export import CHECKOUT

sys.path.insert(0, str(Path(sys.argv[1] if sys.argv[1:] else CHECKOUT) / "extensions"))

from sandbox import client

COLLECTION = Path(client.__file__).resolve().parents[2]
PLAYBOOK = ("ansible-playbook", "buildworks.toolchain.provision", "-i", "inventories/demo", "--diff")
# Settings for other servers than the sandbox
FOREIGN = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
SERVICES = ("artifact", "ci", "review", "inference")


@dataclass(frozen=True)
class Run:
    """What one run of the playbook did."""

    status: int
    seconds: float
    hosts: dict[str, dict[str, int]]
    changes: list[dict[str, str]]
    task_seconds: list[float]
    requests: Counter[tuple[str, str]]

    @property
    def failed(self) -> bool:
        """Whether anything went wrong, for ansible-playbook or for one of its hosts."""
        return self.status != 0 or not self.hosts or any(h["failures"] or h["unreachable"] for h in self.hosts.values())


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="toolchain-demo-") as scratch, client.start() as sandbox:
        # As after an update of plugins
        sandbox.switch("ci", restart_required=True)
        runs = [provision(sandbox, Path(scratch), title) for title in ("First run", "Second run")]
    print(summary(runs))
    sys.exit(verdict(runs))


def provision(sandbox: client.Sandbox, scratch: Path, title: str) -> Run:
    """Run the playbook as a user would, apart from the callback that takes notes."""
    print(f"\n##### {title}: {' '.join(PLAYBOOK)}\n", flush=True)
    notes = scratch / "recap.json"
    notes.unlink(missing_ok=True)
    sandbox.clear_journal()
    environment = {
        **{name: value for name, value in os.environ.items() if name not in FOREIGN},
        **sandbox.environment,
        "no_proxy": "127.0.0.1",
        "TMPDIR": str(scratch),
        "RECAP_FILE": str(notes),
        "ANSIBLE_CALLBACK_PLUGINS": str(CHECKOUT / "tools/callback"),
        "ANSIBLE_CALLBACKS_ENABLED": "recap",
    }
    start = time.monotonic()
    status = subprocess.run(PLAYBOOK, cwd=COLLECTION, env=environment, check=False).returncode
    seconds = time.monotonic() - start
    recap: dict[str, Any] = (
        json.loads(notes.read_text()) if notes.exists() else {"hosts": {}, "changes": [], "seconds": []}
    )
    requests = Counter((request["service"], request["effect"]) for request in sandbox.journal())
    return Run(status, seconds, recap["hosts"], recap["changes"], recap["seconds"], requests)


def summary(runs: list[Run]) -> str:
    """What was provisioned, and what each run cost."""
    lines = ["##### What was provisioned", ""]
    for change in runs[0].changes:
        lines.append(f"{change['host']:14}{change['task']:36}{change['item']}".rstrip())
    lines += ["", f"##### What it took{'first run':>26}{'second run':>20}", ""]
    lines.append(row("seconds", [f"{run.seconds:.1f}" for run in runs]))
    lines.append(row("milliseconds a task", [milliseconds(run) for run in runs]))
    lines.append(row("changes", [str(len(run.changes)) for run in runs]))
    for service in SERVICES:
        lines.append(row(f"requests, {service}", [requests(run, service) for run in runs]))
    return "\n".join(lines)


def milliseconds(run: Run) -> str:
    """The median of the tasks that ran modules of the collection, loops as a whole."""
    return f"{1000 * statistics.median(run.task_seconds):.0f}" if run.task_seconds else "none"


def requests(run: Run, service: str) -> str:
    """How many requests a service served, by kind."""
    return f"{run.requests[service, 'read']} read, {run.requests[service, 'write']} write"


def row(title: str, cells: list[str]) -> str:
    """A line of the table."""
    return f"{title:24}" + "".join(f"{cell:>20}" for cell in cells)


def verdict(runs: list[Run]) -> str | None:
    """What is wrong, if anything is."""
    if any(run.failed for run in runs):
        return "\nA task failed."
    if runs[1].changes or any(host["changed"] for host in runs[1].hosts.values()):
        return "\nThe second run changed something."
    print("\nThe second run had nothing to do.")
    return None


if __name__ == "__main__":
    main()
