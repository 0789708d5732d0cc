# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many items in one task."""

from __future__ import annotations

import itertools
import time

from pyartifactory import Artifactory

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support.session import Session

ROWS = (
    Row("items_vs_loop", "set properties of 1,000 items: a loop, over one task with items", ">=", 5),
    Row("items_vs_client", "the same with pyartifactory in plain Python, over ours", ">=", 1),
)
ROUNDS = 3
PATHS = [f"bench/{number}.txt" for number in range(1000)]
MODULE = "buildworks.toolchain.artifact_properties"


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run a loop, a task with items and a client in turn, each with new property values."""
    deploy(sandbox)
    values = itertools.count()
    loops, tasks, clients = [], [], []
    for _round in range(ROUNDS):
        loop = {MODULE: {"repo": "generic-local", "path": "{{ item }}", "properties": {"round": next(values)}}}
        items = [{"path": path} for path in PATHS]
        one = {MODULE: {"repo": "generic-local", "properties": {"round": next(values)}, "items": items, "workers": 4}}
        seconds = play(
            sandbox,
            [{"tasks": [name_task("loop", loop, loop=PATHS), name_task("items", one)]}],
            rounds=1,
            warm_up=False,
        )
        loops += seconds.task["loop"]
        tasks += seconds.task["items"]
        clients.append(run_pyartifactory(sandbox, str(next(values))))
    return {
        "items_vs_loop": ratio(loops, tasks, ms=median_ms(tasks)),
        "items_vs_client": ratio(clients, tasks, ms=median_ms(clients)),
    }


def deploy(sandbox: Sandbox) -> None:
    """Upload the artifacts."""
    with Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"]) as session:
        for path in PATHS:
            session.put(f"/generic-local/{path}", data=b"content").raise_for_status()


def run_pyartifactory(sandbox: Sandbox, value: str) -> float:
    """Return the seconds that pyartifactory takes."""
    token = sandbox.environment["JFROG_ACCESS_TOKEN"]
    artifacts = Artifactory(url=f"{sandbox.url}/artifactory", access_token=token, api_version=1).artifacts
    start = time.perf_counter()
    for path in PATHS:
        artifacts.set_properties(f"generic-local/{path}", {"round": [value]})
    return time.perf_counter() - start
