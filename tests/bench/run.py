# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure tasks against ansible.builtin.uri and the floor (debug), in one run; writes build/bench.json.

All figures are ratios of times that were measured in turn, in one run of ansible-playbook, net of its start-up; the
spread is from the first to the third quartile.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
from collections import defaultdict
from typing import Any

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build"
sys.path[:0] = [str(ROOT / name) for name in ("extensions", "build/collections", "tests", "tools")]

from integration.cases import MODULES  # noqa: E402
from integration.playbook import PLAYBOOK, environment  # noqa: E402
from sandbox import client  # noqa: E402
from unit import running  # noqa: E402

ROUNDS = 5
ITEMS = 200
MANY_ITEMS = 1000
ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
TARGETS = {
    "task_vs_debug": ("<=", 2.0),
    "task_vs_uri": (">=", 15.0),
    "item_vs_uri": (">=", 100.0),
    "module_vs_uri": (">=", 0.9),
    "rss_mb": ("<=", 1.05),
}


def main() -> int:
    """Measure, write build/bench.json and print the table."""
    with client.start() as sandbox:
        set_properties(sandbox)
        figures = ratios(sandbox) | {"import_ms": import_ms()} | requests(sandbox)
    (BUILD / "bench.json").write_text(json.dumps(figures, indent=2) + "\n")
    print_table(figures)
    return 0


def set_properties(sandbox: client.Sandbox) -> None:
    """Give the item of the bench the property that all tasks find in place."""
    run_module(sandbox, "artifact_properties", {**ITEM, "properties": {"qa": "passed"}})


def ratios(sandbox: client.Sandbox) -> dict[str, Any]:
    """The figures that come from the times of tasks and items."""
    events = play(sandbox)
    tasks, items = durations(events)
    return {
        "task_vs_debug": ratio(tasks["ours"], tasks["debug"]),
        "task_vs_uri": ratio(tasks["uri"], tasks["ours"]),
        "item_vs_uri": ratio(items["uri loop"], items["ours loop"]),
        "module_vs_uri": ratio(tasks["uri"], tasks["ours as a module"]),
        "rss_mb": memory([event for event in events if event["task"] == "ours many"]),
        "milliseconds": {
            name: round(1000 * statistics.median(times), 2)
            for name, times in {**tasks, **items}.items()
            if name != "ours many"
        },
    }


def play(sandbox: client.Sandbox) -> list[dict[str, Any]]:
    """Run all tasks in turn, several rounds of them, and give what the timing callback wrote down."""
    playbook, record = BUILD / "bench.yml", BUILD / "bench.jsonl"
    tasks = [task for _round in range(ROUNDS + 1) for task in one_round(sandbox)]
    tasks.append(named("ours many", ours(), loop=list(range(MANY_ITEMS))))
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
    playbook.write_text(yaml.safe_dump([play], sort_keys=False))
    variables = environment(
        sandbox,
        ANSIBLE_CALLBACK_PLUGINS=str(HERE / "callback_plugins"),
        ANSIBLE_CALLBACKS_ENABLED="timing",
        TIMING_FILE=str(record),
    )
    done = subprocess.run([PLAYBOOK, playbook], env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return [json.loads(line) for line in record.read_text().splitlines()]


def one_round(sandbox: client.Sandbox) -> list[dict[str, Any]]:
    """Each kind of task once; the first round only warms up."""
    uri = {
        "ansible.builtin.uri": {
            "url": f"{sandbox.url}/artifactory/api/storage/{ITEM['repo']}/{ITEM['path']}?properties",
            "headers": {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"},
            "return_content": True,
        }
    }
    loop = list(range(ITEMS))
    return [
        named("debug", {"ansible.builtin.debug": {"msg": "nothing"}}),
        named("ours", ours()),
        named("uri", uri),
        named("ours as a module", ours(), vars={"toolchain_in_process": False}),
        named("ours loop", ours(), loop=loop),
        named("uri loop", uri, loop=loop),
    ]


def ours() -> dict[str, Any]:
    return {"buildworks.toolchain.artifact_properties": {**ITEM, "properties": {"qa": "passed"}}}


def named(name: str, action: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    return {"name": name, **action, **keywords}


def durations(events: list[dict[str, Any]]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Seconds of each run of a task that has no loop, and of each item of those that have; the first round left out."""
    tasks, items = defaultdict(list), defaultdict(list)
    started, previous, seen = 0.0, 0.0, defaultdict(int)
    for event in events:
        name = event["task"]
        if event["event"] == "start":
            started = previous = event["at"]
            seen[name] += 1
        elif event["event"] == "item":
            if seen[name] > 1 and event["number"] > 1:
                items[name].append(event["at"] - previous)
            previous = event["at"]
        elif seen[name] > 1 and "loop" not in name:
            tasks[name].append(event["at"] - started)
    return tasks, items


def ratio(one: list[float], other: list[float]) -> dict[str, Any]:
    """The median of one over the median of the other, and its spread by their quartiles."""
    low, high = (statistics.quantiles(times, n=4, method="inclusive") for times in (one, other))
    return {
        "value": round(statistics.median(one) / statistics.median(other), 2),
        "spread": [round(low[0] / high[2], 2), round(low[2] / high[0], 2)],
        "samples": [len(one), len(other)],
    }


def memory(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The worker's memory after all items over that after ten."""
    items = {event["number"]: event["rss_kb"] for event in events if event["event"] == "item"}
    early, late = items[10], items[MANY_ITEMS]
    return {"value": round(late / early, 3), "megabytes": [round(early / 1024, 1), round(late / 1024, 1)]}


def import_ms() -> dict[str, Any]:
    """What importing one action, and all of them, adds to the controller's start."""
    program = """
import sys, time
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader([sys.argv[1]])
action_loader.get("ansible.builtin.normal", class_only=True)
start = time.perf_counter()
for name in sys.argv[2:]:
    assert action_loader.get(f"buildworks.toolchain.{name}", class_only=True)
print(1000 * (time.perf_counter() - start))
"""

    def measured(*names: str) -> float:
        command = [sys.executable, "-c", program, str(BUILD / "collections"), *names]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    one = [measured("artifact_properties") for _round in range(ROUNDS)]
    return {
        "value": round(statistics.median(one), 1),
        "all_modules": round(statistics.median(measured(*MODULES) for _round in range(ROUNDS)), 1),
        "modules": len(MODULES),
    }


def requests(sandbox: client.Sandbox) -> dict[str, Any]:
    """How many requests it takes when nothing changes, and when something does."""
    cases = {
        "artifact_properties": {**ITEM, "properties": {"qa": "failed"}},
        "review_view": {"project": "mobile-app", "name": "bench", "query": "severity:1"},
        "access_token": {"description": "bench", "subject": "ci", "expires_in": 20000},
    }
    counts: dict[str, dict[str, int]] = {"requests_noop": {}, "requests_change": {}}
    for module, options in cases.items():
        for figure in ("requests_change", "requests_noop"):
            sandbox.clear_journal()
            run_module(sandbox, module, options)
            counts[figure][module] = len(sandbox.journal())
    return counts


def run_module(sandbox: client.Sandbox, module: str, options: dict[str, Any]) -> None:
    """Run a module in this process."""
    os.environ.update(sandbox.environment)
    result = running.run(module, **options)
    if result.get("failed"):
        raise SystemExit(result["msg"])


def print_table(figures: dict[str, Any]) -> None:
    """The figures for people."""
    print(f"{'figure':18}{'value':>10}  {'to reach':>9}  spread, or more of it")
    for name, (comparison, limit) in TARGETS.items():
        figure = figures[name]
        reached = figure["value"] <= limit if comparison == "<=" else figure["value"] >= limit
        more = figure.get("spread") or f"{figure['megabytes']} MB"
        print(f"{name:18}{figure['value']:>10}  {comparison + str(limit):>9}  {more}{'' if reached else '  SHORT'}")
    for name in ("import_ms", "requests_noop", "requests_change", "milliseconds"):
        print(f"{name:18}{json.dumps(figures[name])}")


if __name__ == "__main__":
    sys.exit(main())
