# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many hosts, each of which represents a service."""

from __future__ import annotations

from typing import Any

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from bench.rows.request import OURS
from sandbox.client import Sandbox

ROWS = (
    Row("hosts_scale", "seconds per host with 200 hosts, over that with 10; ten forks", "<=", 1.2),
    Row("hosts_memory", "memory of the largest controller process with 200 hosts, over that with 10", "<=", 1.2),
)
COUNTS = (1, 10, 50, 200)
ROUNDS = 5
TASKS = 5


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run the same task on 1, 10, 50 and 200 hosts in turn."""
    plays = [{"hosts": f"hosts_{count}", "tasks": [name_task(f"{count} hosts", OURS)]} for count in COUNTS]
    seconds = play(sandbox, plays, rounds=ROUNDS, inventory=inventory(sandbox), ANSIBLE_FORKS="10").task
    per_host = {count: [value / count for value in seconds[f"{count} hosts"]] for count in COUNTS}
    ms_per_host = {count: median_ms(values) for count, values in per_host.items()}
    megabytes = {count: measure_memory(sandbox, count) for count in COUNTS}
    return {
        "hosts_scale": ratio(per_host[200], per_host[10], ms_by_hosts=ms_per_host),
        "hosts_memory": Figure(round(megabytes[200] / megabytes[10], 2), details={"megabytes": megabytes}),
    }


def measure_memory(sandbox: Sandbox, count: int) -> float:
    """Return the megabytes of the largest process for some tasks on a number of hosts.

    Each call runs a new process, because memory is never returned.
    """
    target = {"hosts": f"hosts_{count}", "tasks": [name_task(f"{count} hosts", OURS)]}
    times = play(sandbox, [target], rounds=TASKS, warm_up=False, inventory=inventory(sandbox), ANSIBLE_FORKS="10")
    return round(times.peak_mb, 1)


def inventory(sandbox: Sandbox) -> dict[str, Any]:
    """Return an inventory with a group for each number of hosts. All hosts use the same sandbox."""
    variables = {
        "toolchain_artifact_url": sandbox.url,
        "toolchain_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
    }
    groups = {f"hosts_{count}": {"hosts": {f"service{number}": None for number in range(count)}} for count in COUNTS}
    return {"all": {"vars": variables, "children": groups}}
