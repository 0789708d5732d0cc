# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many hosts, each of them a service."""

from __future__ import annotations

from typing import Any

from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from bench.rows.ask import OURS
from sandbox.client import Sandbox

ROWS = (
    Row("hosts_scale", "seconds a host with 200 hosts, over that with 10; ten forks", "<=", 1.2),
    Row("hosts_memory", "memory of the largest process of the controller with 200 hosts, over that with 10", "<=", 1.2),
)
COUNTS = (1, 10, 50, 200)
ROUNDS = 5
TASKS = 5


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """The same task on one host, ten, fifty, two hundred, in turn."""
    plays = [{"hosts": f"hosts_{count}", "tasks": [named(f"{count} hosts", OURS)]} for count in COUNTS]
    seconds = play(sandbox, plays, rounds=ROUNDS, inventory=inventory(sandbox), ANSIBLE_FORKS="10").task
    a_host = {count: [each / count for each in seconds[f"{count} hosts"]] for count in COUNTS}
    told = {count: milliseconds(each) for count, each in a_host.items()}
    megabytes = {count: memory(sandbox, count) for count in COUNTS}
    return {
        "hosts_scale": ratio(a_host[200], a_host[10], ms_by_hosts=told),
        "hosts_memory": Figure(round(megabytes[200] / megabytes[10], 2), more={"megabytes": megabytes}),
    }


def memory(sandbox: Sandbox, count: int) -> float:
    """Megabytes of the largest process for some tasks on so many hosts, in a run of its own: none are given back."""
    one = {"hosts": f"hosts_{count}", "tasks": [named(f"{count} hosts", OURS)]}
    found = play(sandbox, [one], rounds=TASKS, warm_up=False, inventory=inventory(sandbox), ANSIBLE_FORKS="10")
    return round(found.megabytes, 1)


def inventory(sandbox: Sandbox) -> dict[str, Any]:
    """Groups of so many hosts; all are the same sandbox."""
    variables = {
        "toolchain_artifact_url": sandbox.url,
        "toolchain_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
    }
    groups = {f"hosts_{count}": {"hosts": {f"service{number}": None for number in range(count)}} for count in COUNTS}
    return {"all": {"vars": variables, "children": groups}}
