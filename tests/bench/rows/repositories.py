# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many repositories of Artifactory in one task."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench.play import Times, name_task, play
from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support.session import Session

ROWS = (
    Row("repositories_noop_requests", "requests for 1,000 unchanged repositories", "<=", 3),
    Row("repositories_vs_uri", "create 200 repositories: a loop of uri, over one task with items", ">=", 10),
    Row("repositories_vs_client", "the same, over a plain client with as many threads", "<=", 1.3),
)
ROUNDS = 3
WORKERS = 8
REPOSITORIES = [f"bench-{number:04}-local" for number in range(1000)]
CREATED = REPOSITORIES[:200]
MODULE = "buildworks.toolchain.artifact_repository"


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run tasks and clients in turn, on a version with batches of repositories."""
    sandbox.switch("artifact", version="7.111.4")
    return {**measure_creation(sandbox), **count_requests(sandbox)}


def count_requests(sandbox: Sandbox) -> dict[str, Figure]:
    """Return the number of requests for unchanged repositories."""
    manage_repositories(sandbox, "create", REPOSITORIES)
    sandbox.clear_journal()
    seconds = manage_repositories(sandbox, "unchanged", REPOSITORIES)
    requests = len(sandbox.journal("artifact"))
    return {"repositories_noop_requests": Figure(requests, details={"ms": median_ms(seconds.task["unchanged"])})}


def measure_creation(sandbox: Sandbox) -> dict[str, Figure]:
    """Return how fast repositories are created, compared with a loop of uri and with a plain client."""
    loops, tasks, clients = [], [], []
    for _round in range(ROUNDS):
        loops += play(sandbox, [{"tasks": [create_by_uri(sandbox)]}], rounds=1, warm_up=False).task["uri"]
        delete_repositories(sandbox)
        tasks += manage_repositories(sandbox, "create", CREATED).task["create"]
        delete_repositories(sandbox)
        clients.append(run_client(sandbox))
        delete_repositories(sandbox)
    return {
        "repositories_vs_uri": ratio(loops, tasks, ms=median_ms(tasks)),
        "repositories_vs_client": ratio(tasks, clients, ms=median_ms(clients)),
    }


def manage_repositories(sandbox: Sandbox, name: str, keys: Sequence[str], **options: Any) -> Times:
    """Return the durations of a task for these repositories."""
    items = [{"key": key} for key in keys]
    module = {"type": "local", "package_type": "generic", "items": items, "workers": WORKERS, **options}
    tasks = [name_task(name, {MODULE: module})]
    return play(sandbox, [{"tasks": tasks}], rounds=1, warm_up=False)


def delete_repositories(sandbox: Sandbox) -> None:
    """Delete the repositories that were created."""
    manage_repositories(sandbox, "delete", CREATED, state="absent")


def create_by_uri(sandbox: Sandbox) -> dict[str, Any]:
    """Return the loop of uri that creates repositories."""
    uri = {
        "url": f"{sandbox.url}/artifactory/api/repositories/{{{{ item }}}}",
        "method": "PUT",
        "headers": {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"},
        "body_format": "json",
        "body": {"rclass": "local", "packageType": "generic"},
    }
    return name_task("uri", {"ansible.builtin.uri": uri}, loop=CREATED)


def run_client(sandbox: Sandbox) -> float:
    """Return the seconds that a client with several threads takes to create the repositories."""
    start = time.perf_counter()
    with (
        Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"]) as session,
        ThreadPoolExecutor(WORKERS) as pool,
    ):
        list(pool.map(lambda key: create_repository(session, key), CREATED))
    return time.perf_counter() - start


def create_repository(session: Session, key: str) -> None:
    """Create a repository unless it exists."""
    address = f"/artifactory/api/repositories/{key}"
    if session.get(address).status_code != 200:
        session.put(address, json={"rclass": "local", "packageType": "generic"}).raise_for_status()
