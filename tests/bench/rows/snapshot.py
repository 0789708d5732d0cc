# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A snapshot of many items, and the start of a sandbox from it."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.play import run
from bench.row import Figure, Row
from sandbox import client
from sandbox.client import Sandbox
from support.playbook import PLAYBOOK, environment

ROWS = (
    Row("snapshot_seconds", "seconds of the role snapshot for 100,000 items", "<=", 120),
    Row("snapshot_mb", "megabytes of its largest process", "<=", 200),
    Row("snapshot_start_seconds", "seconds until a sandbox seeded from it is ready", "<=", 60),
    Row("snapshot_start_mb", "peak megabytes of this sandbox"),
)
FILES, FOLDERS = 90_000, 10_000
GENERATE = {
    "count": FOLDERS,
    "size": 100,
    "created": ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"],
    "downloaded": ["2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
    "properties": {"build.name": "app", "build.number": "{n}"},
}


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Take a snapshot and start a sandbox from it."""
    seed_items(sandbox)
    with TemporaryDirectory() as folder:
        seconds, megabytes = take_snapshot(sandbox, Path(folder))
        with (Path(folder) / "artifact" / "items.jsonl").open() as items:
            assert sum(1 for _item in items) >= FILES + FOLDERS
        start = time.perf_counter()
        with client.start(seed=folder) as copy:
            start_seconds, start_megabytes = time.perf_counter() - start, peak_memory(copy)
    return {
        "snapshot_seconds": Figure(round(seconds, 1)),
        "snapshot_mb": Figure(round(megabytes, 1)),
        "snapshot_start_seconds": Figure(round(start_seconds, 1)),
        "snapshot_start_mb": Figure(round(start_megabytes, 1)),
    }


def seed_items(sandbox: Sandbox) -> None:
    """Create files with properties and downloads in many folders."""
    files = [{"path": f"app/{{n}}/{number}.bin", **GENERATE} for number in range(FILES // FOLDERS)]
    repository = {"key": "many-local", "rclass": "local", "packageType": "generic", "generate": files}
    sandbox.seed({"artifact": {"repositories": [repository]}})


def take_snapshot(sandbox: Sandbox, folder: Path) -> tuple[float, float]:
    """Run the playbook and return its seconds and the megabytes of its largest process."""
    hosts = folder / "hosts.ini"
    hosts.write_text("[artifact]\nrepo\n")
    command = [PLAYBOOK, "buildworks.toolchain.snapshot", "-i", hosts, "-e", f"snapshot_folder={folder}"]
    start = time.perf_counter()
    megabytes = run(command, environment(sandbox)).peak_mb
    return time.perf_counter() - start, megabytes


def peak_memory(sandbox: Sandbox) -> float:
    """Return the peak megabytes of a sandbox process."""
    status = Path(f"/proc/{sandbox.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))
