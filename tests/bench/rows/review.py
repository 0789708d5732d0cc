# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Klocwork issues: a search with a million results, a triage of many, and a quality gate for a project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support import running
from support.playbook import ROOT

ROWS = (
    Row("search_mb_per_million", "megabytes above idle for 1,000,000 issues to a file", "<=", 30),
    Row("search_vs_floor", "seconds of that, over a bare loop of json.loads on the same response", "<=", 1.5),
    Row("triage_requests", "requests to set the status of 10,000 of 100,000 issues", "<=", 60),
    Row("gate_vs_uri", "a gate of three queries by uri and Jinja, over the role review_quality_gate", ">=", 10),
)
MANY, SOME, TRIAGED = 1_000_000, 100_000, 10_000
ROUNDS = 9
BUILDS = [{"name": f"build_{number}", "date": number} for number in (1, 2, 3)]
# Both print seconds and the count of issues; ours also megabytes above those after a first, small search
OURS = """
import json, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
run("review_issue_info", project="mobile-app", to_file=sys.argv[2])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
result = run("review_issue_info", project="search", query="", timeout=600, to_file=sys.argv[2])
assert not result.get("failed"), result["msg"]
megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
print(json.dumps([time.perf_counter() - start, megabytes, result["count"]]))
"""
FLOOR = """
import json, sys, time, urllib.request
start, count = time.perf_counter(), 0
with urllib.request.urlopen(sys.argv[1], data=sys.argv[2].encode(), timeout=600) as response:
    for line in response:
        json.loads(line)
        count += 1
print(json.dumps([time.perf_counter() - start, count]))
"""
CHECKS = [
    {"title": "new critical issues", "query": "state:New severity:1"},
    {"title": "errors", "query": "severity:2 status:+Analyze", "allowed": 5},
    {"title": "in the core", "query": "file:src/core", "allowed": 5},
]


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Start with the gate, while the sandbox contains little data."""
    os.environ.update(sandbox.environment)
    gate = compare_gates(sandbox)
    requests = triage(sandbox)
    seed_issues(sandbox, "search", MANY)
    floor, _count = run_bare_loop(sandbox)
    seconds, megabytes, count = run_search()
    assert count == MANY
    return {
        "search_mb_per_million": Figure(round(megabytes, 1)),
        "search_vs_floor": Figure(
            round(seconds / floor, 2), details={"seconds": round(seconds), "floor": round(floor)}
        ),
        "triage_requests": Figure(requests),
        "gate_vs_uri": gate,
    }


def seed_issues(sandbox: Sandbox, name: str, number: int) -> None:
    """Create a project with generated issues."""
    project = {"name": name, "creator": "admin", "builds": BUILDS, "generate_issues": number}
    sandbox.seed({"review": {"projects": [project]}})


def run_search() -> tuple[float, float, int]:
    """Write a search result to a file in a new process and return seconds, megabytes and the number of issues."""
    paths = json.dumps([str(ROOT / name) for name in ("build/collections", "tests", "extensions")])
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-c", OURS, paths, str(Path(folder) / "issues")]
        seconds, megabytes, count = json.loads(subprocess.check_output(command))
    return seconds, megabytes, count


def run_bare_loop(sandbox: Sandbox) -> tuple[float, int]:
    """Return seconds and lines of the same search by a client that discards the result."""
    form = f"action=search&project=search&query=grouping:off&summary=true&{login(sandbox)}"
    url = f"{sandbox.environment['KLOCWORK_URL']}/review/api"
    seconds, count = json.loads(subprocess.check_output([sys.executable, "-c", FLOOR, url, form]))
    return seconds, count


def login(sandbox: Sandbox) -> str:
    """Return the form fields that log in."""
    _host, _port, user, token = Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")
    return f"user={user}&ltoken={token}"


def triage(sandbox: Sandbox) -> int:
    """Return the number of requests of a task that sets the status of those issues that do not have it yet."""
    seed_issues(sandbox, "triage", SOME)
    sandbox.clear_journal()
    result = running.run("review_issue", project="triage", query="severity:1", status="Fix")
    assert len(result["issues"]) == TRIAGED, result
    assert len(result["rules"][0]["changed_ids"]) < TRIAGED
    return len(sandbox.journal("review"))


def compare_gates(sandbox: Sandbox) -> Figure:
    """Return the ratio of the total duration of the tasks with uri to that of the role."""
    variables = {"review_quality_gate_project": "mobile-app", "review_quality_gate_checks": CHECKS}
    role = {"roles": [{"role": "buildworks.toolchain.review_quality_gate", **variables}]}
    seconds = play(sandbox, [role, {"tasks": gate_by_uri(sandbox)}], rounds=ROUNDS).task
    sums: dict[bool, list[float]] = {
        is_uri: [
            sum(task)
            for task in zip(
                *(values for name, values in seconds.items() if name.startswith("uri") is is_uri), strict=True
            )
        ]
        for is_uri in (True, False)
    }
    return ratio(sums[True], sums[False], ms=median_ms(sums[False]))


def gate_by_uri(sandbox: Sandbox) -> list[dict[str, Any]]:
    """Return the tasks of the same gate as people write them without a collection."""
    query = "{{ item.query | urlencode }}"
    search = {
        "url": f"{sandbox.environment['KLOCWORK_URL']}/review/api",
        "method": "POST",
        "body": f"action=search&project=mobile-app&query=grouping:off+{query}&{login(sandbox)}",
        "headers": {"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"},
        "return_content": True,
    }
    issues = "{{ item.content.splitlines() | map('from_json') | list }}"
    check = {"that": "(item.content.splitlines() | map('from_json') | length) <= item.item.allowed | default(0)"}
    loop = {"loop": "{{ searches.results }}", "loop_control": {"label": "{{ item.item.title }}"}}
    return [
        name_task("uri search", {"ansible.builtin.uri": search}, loop=CHECKS, register="searches"),
        name_task("uri show", {"ansible.builtin.debug": {"msg": issues}}, **loop),
        name_task("uri judge", {"ansible.builtin.assert": check}, **loop),
    ]
