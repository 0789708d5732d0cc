# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issues of a code-analysis server: a million of them found, many cited, a gate over a project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from sandbox.client import Sandbox
from support import running
from support.playbook import ROOT

ROWS = (
    Row("search_mb_per_million", "megabytes above idle for 1,000,000 issues to a file", "<=", 30),
    Row("search_vs_floor", "seconds of that, over a bare loop of json.loads on the same answer", "<=", 1.5),
    Row("triage_requests", "requests to set the status of 10,000 of 100,000 issues", "<=", 60),
    Row("gate_vs_uri", "a gate of three queries by uri and Jinja, over the role review_quality_gate", ">=", 10),
)
MANY, SOME, CITED = 1_000_000, 100_000, 10_000
ROUNDS = 9
BUILDS = [{"name": f"build_{number}", "date": number} for number in (1, 2, 3)]
# Both print seconds; ours also megabytes above those after a first, small search, and the count
OURS = """
import json, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
run("review_issue_info", project="mobile-app", to_file=sys.argv[2])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
result = run("review_issue_info", project="search", query="", timeout=600, to_file=sys.argv[2])
assert not result.get("failed"), result["msg"]
more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
print(json.dumps([time.perf_counter() - start, more, result["count"]]))
"""
FLOOR = """
import json, sys, time, urllib.request
start, count = time.perf_counter(), 0
with urllib.request.urlopen(sys.argv[1], data=sys.argv[2].encode(), timeout=600) as answer:
    for line in answer:
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
    """The gate first, on a sandbox that holds little."""
    os.environ.update(sandbox.environment)
    gate = against_uri(sandbox)
    requests = triage(sandbox)
    plant(sandbox, "search", MANY)
    floor, _count = floor_of(sandbox)
    seconds, megabytes, count = ours()
    assert count == MANY
    return {
        "search_mb_per_million": Figure(round(megabytes, 1)),
        "search_vs_floor": Figure(round(seconds / floor, 2), more={"seconds": round(seconds), "floor": round(floor)}),
        "triage_requests": Figure(requests),
        "gate_vs_uri": gate,
    }


def plant(sandbox: Sandbox, name: str, number: int) -> None:
    """A project with so many issues."""
    project = {"name": name, "creator": "admin", "builds": BUILDS, "generate_issues": number}
    sandbox.seed({"review": {"projects": [project]}})


def ours() -> tuple[float, float, int]:
    """Seconds, megabytes and issues of a search to a file in a new process."""
    paths = json.dumps([str(ROOT / name) for name in ("build/collections", "tests", "extensions")])
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-c", OURS, paths, str(Path(folder) / "issues")]
        seconds, megabytes, count = json.loads(subprocess.check_output(command))
    return seconds, megabytes, count


def floor_of(sandbox: Sandbox) -> tuple[float, int]:
    """Seconds and lines of the same search by a client that does nothing with it."""
    form = f"action=search&project=search&query=grouping:off&summary=true&{login(sandbox)}"
    url = f"{sandbox.environment['KLOCWORK_URL']}/review/api"
    seconds, count = json.loads(subprocess.check_output([sys.executable, "-c", FLOOR, url, form]))
    return seconds, count


def login(sandbox: Sandbox) -> str:
    """The form fields that log in."""
    _host, _port, user, token = Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")
    return f"user={user}&ltoken={token}"


def triage(sandbox: Sandbox) -> int:
    """Requests of a task that cites those of the issues that are not right already."""
    plant(sandbox, "triage", SOME)
    sandbox.clear_journal()
    result = running.run("review_issue", project="triage", query="severity:1", status="Fix")
    assert len(result["issues"]) == CITED, result
    assert len(result["rules"][0]["changed_ids"]) < CITED
    return len(sandbox.journal("review"))


def against_uri(sandbox: Sandbox) -> Figure:
    """The sums of the tasks of both, in turn."""
    variables = {"review_quality_gate_project": "mobile-app", "review_quality_gate_checks": CHECKS}
    ours = {"roles": [{"role": "buildworks.toolchain.review_quality_gate", **variables}]}
    seconds = play(sandbox, [ours, {"tasks": by_uri(sandbox)}], rounds=ROUNDS).task
    sums: dict[bool, list[float]] = {
        theirs: [
            sum(task)
            for task in zip(
                *(values for name, values in seconds.items() if name.startswith("uri") is theirs), strict=True
            )
        ]
        for theirs in (True, False)
    }
    return ratio(sums[True], sums[False], ms=milliseconds(sums[False]))


def by_uri(sandbox: Sandbox) -> list[dict[str, Any]]:
    """The same gate as people write it without a collection."""
    query = "{{ item.query | urlencode }}"
    ask = {
        "url": f"{sandbox.environment['KLOCWORK_URL']}/review/api",
        "method": "POST",
        "body": f"action=search&project=mobile-app&query=grouping:off+{query}&{login(sandbox)}",
        "headers": {"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"},
        "return_content": True,
    }
    found = "{{ item.content.splitlines() | map('from_json') | list }}"
    judge = {"that": "(item.content.splitlines() | map('from_json') | length) <= item.item.allowed | default(0)"}
    each = {"loop": "{{ answers.results }}", "loop_control": {"label": "{{ item.item.title }}"}}
    return [
        named("uri ask", {"ansible.builtin.uri": ask}, loop=CHECKS, register="answers"),
        named("uri show", {"ansible.builtin.debug": {"msg": found}}, **each),
        named("uri judge", {"ansible.builtin.assert": judge}, **each),
    ]
