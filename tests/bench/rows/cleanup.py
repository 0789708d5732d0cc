# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean-ups: memory and duration of a plan by number of artifacts, and compared with artifactory-cleanup."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.row import Figure, Row, ratio
from sandbox.client import Sandbox
from support.playbook import ROOT
from support.servers.environments import environment

ROWS = (
    Row("cleanup_mb_per_million", "megabytes above idle for the plan of 1,000,000 artifacts", "<=", 100),
    Row("cleanup_linear", "seconds per artifact for a plan of 1,000,000, over those for 10,000", "<=", 1.3),
    Row("cleanup_vs_peer", "seconds of artifactory-cleanup for a plan of 100,000, over ours", ">=", 3),
    Row("deletes_vs_peer", "verified deletions per second, over unverified ones of artifactory-cleanup", ">=", 1.2),
    Row("deletes_vs_peer_5ms", "the same with 5 ms more latency per request"),
)
FEW, SOME, MANY = 10_000, 100_000, 1_000_000
FILES_PER_FOLDER, KEEP = 10, 5
DELETES, WORKERS, ROUNDS = 1000, 4, 3
OLD = {"created": "2024-01-01T00:00:00Z", "modified": "2024-01-01T00:00:00Z", "size": 100}
# Prints seconds, megabytes above those after a first, small clean-up, and the number of planned items
PROGRAM = """
import json, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
run("artifact_cleanup", rules=[{"repos": ["generic-local"], "older_than": "1d"}], check_mode=True)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
result = run("artifact_cleanup", **json.loads(sys.argv[2]))
assert not result.get("failed"), result["msg"]
megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
print(json.dumps([time.perf_counter() - start, megabytes, result["plan"]["items"]]))
"""


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Plan the clean-up of repositories of each size, then measure deletions."""
    for number in (FEW, SOME, MANY):
        seed_artifacts(sandbox, f"plan-{number}", number)
    few = [run_ours(sandbox, **plan_options(FEW))[0] for _round in range(ROUNDS)]
    many, megabytes, items = run_ours(sandbox, **plan_options(MANY))
    assert items == MANY * (FILES_PER_FOLDER - KEEP) // FILES_PER_FOLDER
    some = [run_ours(sandbox, **plan_options(SOME))[0] for _round in range(ROUNDS)]
    keep = [{"rule": "KeepLatestNFilesInFolder", "count": KEEP}]
    peer = [run_theirs(sandbox, f"plan-{SOME}", keep)]
    deletes = [[delete_ours(sandbox, number), delete_theirs(sandbox, number)] for number in range(ROUNDS)]
    sandbox.fault(kind="latency", seconds=0.005, service="artifact", times=0)
    slow_deletes = [
        [delete_ours(sandbox, number), delete_theirs(sandbox, number)] for number in range(ROUNDS, 2 * ROUNDS)
    ]
    sandbox.clear_faults()
    return {
        "cleanup_mb_per_million": Figure(round(megabytes, 1), details={"seconds": round(many, 1)}),
        "cleanup_linear": Figure(round((many / MANY) / (sorted(few)[ROUNDS // 2] / FEW), 2)),
        "cleanup_vs_peer": Figure(round(peer[0] / sorted(some)[ROUNDS // 2], 1), details={"peer s": round(peer[0], 1)}),
        "deletes_vs_peer": compare_rates(deletes),
        "deletes_vs_peer_5ms": compare_rates(slow_deletes),
    }


def seed_artifacts(sandbox: Sandbox, repo: str, number: int) -> None:
    """Create a repository with old artifacts."""
    count = number // FILES_PER_FOLDER
    generate = [{"path": f"app/{{n}}/{file}.bin", "count": count, **OLD} for file in range(FILES_PER_FOLDER)]
    repository = {"key": repo, "rclass": "local", "packageType": "generic", "generate": generate}
    sandbox.seed({"artifact": {"repositories": [repository]}})


def plan_options(number: int) -> dict[str, Any]:
    return {"rules": [{"repos": [f"plan-{number}"], "older_than": "30d", "keep_newest": KEEP}], "check_mode": True}


def run_ours(sandbox: Sandbox, **options: Any) -> tuple[float, float, int]:
    """Run our clean-up in a new process and return seconds, megabytes and the number of planned items."""
    paths = json.dumps([str(ROOT / name) for name in ("build/collections", "tests", "extensions")])
    command = [sys.executable, "-c", PROGRAM, paths, json.dumps(options)]
    output = subprocess.run(
        command, env={**os.environ, **sandbox.environment}, stdout=subprocess.PIPE, check=True
    ).stdout
    seconds, megabytes, items = json.loads(output)
    return seconds, megabytes, items


def run_theirs(sandbox: Sandbox, repo: str, rules: list[dict[str, Any]], *arguments: str) -> float:
    """Run artifactory-cleanup and return its seconds."""
    program = environment("artifactory-cleanup") / "artifactory-cleanup"
    policy = {"name": "old", "rules": [{"rule": "Repo", "name": repo}, {"rule": "DeleteOlderThan", "days": 30}, *rules]}
    login = {"server": f"{sandbox.url}/artifactory", "user": "admin", "password": "sandbox-admin"}
    with TemporaryDirectory() as folder:
        config = Path(folder) / "policies.yml"
        config.write_text(json.dumps({"artifactory-cleanup": {**login, "policies": [policy]}}))
        start = time.perf_counter()
        subprocess.run([program, "--config", config, *arguments], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start


def delete_ours(sandbox: Sandbox, number: int) -> float:
    """Return the deletions per second of our clean-up, including its queries before and after."""
    repo = f"ours-{number}"
    seed_artifacts(sandbox, repo, DELETES)
    sandbox.clear_journal()
    run_ours(sandbox, rules=[{"repos": [repo], "older_than": "30d"}], workers=WORKERS)
    return deletion_rate(sandbox, f"/{repo}/", "search/aql")


def delete_theirs(sandbox: Sandbox, number: int) -> float:
    """Return the deletions per second of artifactory-cleanup."""
    repo = f"theirs-{number}"
    seed_artifacts(sandbox, repo, DELETES)
    sandbox.clear_journal()
    run_theirs(sandbox, repo, [], "--destroy", "--worker-count", str(WORKERS))
    return deletion_rate(sandbox, f"/{repo}/", f"/{repo}/")


def deletion_rate(sandbox: Sandbox, deleted: str, last: str) -> float:
    """Return the deletions per second.

    The period starts with the request before the first deletion and ends with the last request whose path contains
    `last`.
    """
    journal = sandbox.journal("artifact")
    deletes = [index for index, entry in enumerate(journal) if entry["method"] == "DELETE" and deleted in entry["path"]]
    assert len(deletes) == DELETES
    ends = [entry["time"] for entry in journal if last in entry["path"]]
    return DELETES / (max(ends) - journal[deletes[0] - 1]["time"])


def compare_rates(pairs: list[list[float]]) -> Figure:
    """Return the ratio of our rates to theirs."""
    our_rates, their_rates = zip(*pairs, strict=True)
    return ratio(our_rates, their_rates, ours=f"{sorted(our_rates)[len(our_rates) // 2]:.0f}/s")
