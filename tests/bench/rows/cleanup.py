# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean-ups: memory and time of a plan by the number of artifacts, and against artifactory-cleanup."""

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
    Row("cleanup_linear", "seconds an artifact for a plan of 1,000,000, over those for 10,000", "<=", 1.3),
    Row("cleanup_vs_peer", "seconds of artifactory-cleanup for a plan of 100,000, over ours", ">=", 3),
    Row("deletes_vs_peer", "verified deletes a second, over unverified ones of artifactory-cleanup", ">=", 1.2),
    Row("deletes_vs_peer_5ms", "the same where each request takes 5 ms more"),
)
FEW, SOME, MANY = 10_000, 100_000, 1_000_000
IN_A_FOLDER, KEPT = 10, 5
DELETES, WORKERS, ROUNDS = 1000, 4, 3
OLD = {"created": "2024-01-01T00:00:00Z", "modified": "2024-01-01T00:00:00Z", "size": 100}
# Prints seconds, and megabytes above those after a first, small clean-up
PROGRAM = """
import json, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
run("artifact_cleanup", rules=[{"repos": ["generic-local"], "older_than": "1d"}], check_mode=True)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
result = run("artifact_cleanup", **json.loads(sys.argv[2]))
assert not result.get("failed"), result["msg"]
more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
print(json.dumps([time.perf_counter() - start, more, result["plan"]["items"]]))
"""


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Plans of repositories of each size, then deletes."""
    for number in (FEW, SOME, MANY):
        plant(sandbox, f"plan-{number}", number)
    few = [ours(sandbox, **plan_of(FEW))[0] for _round in range(ROUNDS)]
    many, megabytes, items = ours(sandbox, **plan_of(MANY))
    assert items == MANY * (IN_A_FOLDER - KEPT) // IN_A_FOLDER
    some = [ours(sandbox, **plan_of(SOME))[0] for _round in range(ROUNDS)]
    keep = [{"rule": "KeepLatestNFilesInFolder", "count": KEPT}]
    peer = [theirs(sandbox, f"plan-{SOME}", keep)]
    deletes = [[delete_ours(sandbox, number), delete_theirs(sandbox, number)] for number in range(ROUNDS)]
    sandbox.fault(kind="latency", seconds=0.005, service="artifact", times=0)
    late = [[delete_ours(sandbox, number), delete_theirs(sandbox, number)] for number in range(ROUNDS, 2 * ROUNDS)]
    sandbox.clear_faults()
    return {
        "cleanup_mb_per_million": Figure(round(megabytes, 1), more={"seconds": round(many, 1)}),
        "cleanup_linear": Figure(round((many / MANY) / (sorted(few)[ROUNDS // 2] / FEW), 2)),
        "cleanup_vs_peer": Figure(round(peer[0] / sorted(some)[ROUNDS // 2], 1), more={"peer s": round(peer[0], 1)}),
        "deletes_vs_peer": against(deletes),
        "deletes_vs_peer_5ms": against(late),
    }


def plant(sandbox: Sandbox, repo: str, number: int) -> None:
    """Old artifacts, so many in a folder."""
    count = number // IN_A_FOLDER
    generate = [{"path": f"app/{{n}}/{file}.bin", "count": count, **OLD} for file in range(IN_A_FOLDER)]
    repository = {"key": repo, "rclass": "local", "packageType": "generic", "generate": generate}
    sandbox.seed({"artifact": {"repositories": [repository]}})


def plan_of(number: int) -> dict[str, Any]:
    return {"rules": [{"repos": [f"plan-{number}"], "older_than": "30d", "keep_newest": KEPT}], "check_mode": True}


def ours(sandbox: Sandbox, **options: Any) -> tuple[float, float, int]:
    """Seconds and megabytes of a clean-up of ours in a new process, and the items of its plan."""
    paths = json.dumps([str(ROOT / name) for name in ("build/collections", "tests", "extensions")])
    command = [sys.executable, "-c", PROGRAM, paths, json.dumps(options)]
    output = subprocess.run(
        command, env={**os.environ, **sandbox.environment}, stdout=subprocess.PIPE, check=True
    ).stdout
    seconds, megabytes, items = json.loads(output)
    return seconds, megabytes, items


def theirs(sandbox: Sandbox, repo: str, rules: list[dict[str, Any]], *arguments: str) -> float:
    """Seconds of a clean-up by artifactory-cleanup, as a command."""
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
    """Deletes a second, with all looks before and after them."""
    repo = f"ours-{number}"
    plant(sandbox, repo, DELETES)
    sandbox.clear_journal()
    ours(sandbox, rules=[{"repos": [repo], "older_than": "30d"}], workers=WORKERS)
    return rate(sandbox, f"/{repo}/", "search/aql")


def delete_theirs(sandbox: Sandbox, number: int) -> float:
    """Deletes a second."""
    repo = f"theirs-{number}"
    plant(sandbox, repo, DELETES)
    sandbox.clear_journal()
    theirs(sandbox, repo, [], "--destroy", "--worker-count", str(WORKERS))
    return rate(sandbox, f"/{repo}/", f"/{repo}/")


def rate(sandbox: Sandbox, deleted: str, last: str) -> float:
    """Deletes a second, from the request before the first of them to the last request of a kind."""
    journal = sandbox.journal("artifact")
    deletes = [place for place, entry in enumerate(journal) if entry["method"] == "DELETE" and deleted in entry["path"]]
    assert len(deletes) == DELETES
    ends = [entry["time"] for entry in journal if last in entry["path"]]
    return DELETES / (max(ends) - journal[deletes[0] - 1]["time"])


def against(pairs: list[list[float]]) -> Figure:
    """Ours over theirs."""
    one, other = [ours for ours, _theirs in pairs], [theirs for _ours, theirs in pairs]
    return ratio(one, other, ours=f"{sorted(one)[len(one) // 2]:.0f}/s")
