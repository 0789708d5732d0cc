# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many users of Artifactory that are already as declared. The server returns each user on its own."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support import running
from support.session import Session

ROUNDS = 5
WORKERS = 8
GROUPS = [{"name": f"group-{number:02}"} for number in range(50)]
USERS = [
    {"name": f"user-{number:03}", "email": f"user-{number:03}@example.com", "groups": [f"group-{number % 50:02}"]}
    for number in range(500)
]
ROWS = (
    Row("users_noop_requests", "requests to compare 500 users", "<=", len(USERS)),
    Row(
        "users_noop_seconds_vs_client",
        "compare 500 users, without Ansible: over a concurrent client",
        "<=",
        1.2,
    ),
)


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Compare the users with the module, and read them with a client, in turn.

    The module runs in this process, because Ansible takes 0.1 seconds to evaluate the arguments of any such task.
    """
    os.environ.update(sandbox.environment)
    sandbox.seed({"artifact": {"groups": GROUPS, "users": USERS}})
    modules, clients, requests = [], [], 0
    for _round in range(ROUNDS):
        clients.append(read_users(sandbox))
        sandbox.clear_journal()
        modules.append(compare_users())
        requests = len(sandbox.journal("artifact"))
    return {
        "users_noop_requests": Figure(requests),
        "users_noop_seconds_vs_client": ratio(modules, clients, ms=median_ms(modules)),
    }


def compare_users() -> float:
    """Return the seconds that the module takes for users that are already as declared."""
    items = [{**user, "purge": True} for user in USERS]
    start = time.perf_counter()
    result = running.run("artifact_user", items=items, workers=WORKERS)
    if result.get("failed") or result["changed"]:
        raise SystemExit(f"Unexpected result: {result}")
    return time.perf_counter() - start


def read_users(sandbox: Sandbox) -> float:
    """Return the seconds in which a client reads all users, with one session in each thread."""
    local = threading.local()

    def read(name: str) -> str:
        if not hasattr(local, "session"):
            local.session = Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"])
        return str(local.session.get(f"/api/v2/users/{name}").json()["email"])

    start = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as pool:
        emails = list(pool.map(read, [user["name"] for user in USERS]))
    if emails != [user["email"] for user in USERS]:
        raise SystemExit("The client read other users than those declared.")
    return time.perf_counter() - start
