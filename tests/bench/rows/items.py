# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many items in one task."""

from __future__ import annotations

import itertools
import time

from pyartifactory import Artifactory

from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from sandbox.client import Sandbox
from support.session import Session

ROWS = (
    Row("items_vs_loop", "properties of 1,000 items set: a loop of ours over one task with items", ">=", 5),
    Row("items_vs_client", "the same by pyartifactory in plain Python, over ours", ">=", 1),
)
ROUNDS = 3
PATHS = [f"bench/{number}.txt" for number in range(1000)]
MODULE = "buildworks.toolchain.artifact_properties"


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """The three in turn, each with values that are not there yet."""
    deploy(sandbox)
    values = itertools.count()
    loops, tasks, clients = [], [], []
    for _round in range(ROUNDS):
        loop = {MODULE: {"repo": "generic-local", "path": "{{ item }}", "properties": {"round": next(values)}}}
        items = [{"path": path} for path in PATHS]
        one = {MODULE: {"repo": "generic-local", "properties": {"round": next(values)}, "items": items, "workers": 4}}
        seconds = play(
            sandbox, [{"tasks": [named("loop", loop, loop=PATHS), named("items", one)]}], rounds=1, warm_up=False
        )
        loops += seconds.task["loop"]
        tasks += seconds.task["items"]
        clients.append(by_pyartifactory(sandbox, str(next(values))))
    return {
        "items_vs_loop": ratio(loops, tasks, ms=milliseconds(tasks)),
        "items_vs_client": ratio(clients, tasks, ms=milliseconds(clients)),
    }


def deploy(sandbox: Sandbox) -> None:
    """Make the items."""
    with Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"]) as session:
        for path in PATHS:
            session.put(f"/generic-local/{path}", data=b"content").raise_for_status()


def by_pyartifactory(sandbox: Sandbox, value: str) -> float:
    """Seconds that the client takes."""
    token = sandbox.environment["JFROG_ACCESS_TOKEN"]
    artifacts = Artifactory(url=f"{sandbox.url}/artifactory", access_token=token, api_version=1).artifacts
    began = time.perf_counter()
    for path in PATHS:
        artifacts.set_properties(f"generic-local/{path}", {"round": [value]})
    return time.perf_counter() - began
