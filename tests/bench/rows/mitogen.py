# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison with `ansible.builtin.uri` under Mitogen, the fastest way to run modules, on ansible-core 2.18."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

from bench.play import name_task, play
from bench.row import CannotRunError, Figure, Row, median_ms, ratio
from bench.rows.request import OURS, uri_task
from sandbox.client import Sandbox
from support.playbook import ROOT
from support.servers.environments import environment

ROWS = (
    Row("task_vs_mitogen", "a task of uri under Mitogen, over one of ours", ">=", 2),
    Row("item_vs_mitogen", "a loop item of uri under Mitogen, over one of ours", ">=", 8),
)
ROUNDS = 5
TASKS = 10
ITEMS = 30
NEWEST = (3, 13)  # newest Python that ansible-core 2.18 supports


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run both in turn."""
    programs = environment("mitogen", find_python())
    strategies = next(programs.parent.glob("lib/python*/site-packages/ansible_mitogen/plugins/strategy"))
    mitogen = {"ANSIBLE_STRATEGY_PLUGINS": str(strategies), "ANSIBLE_STRATEGY": "mitogen_linear"}
    task: dict[str, list[float]] = {"uri": [], "ours": []}
    item: dict[str, list[float]] = {"uri": [], "ours": []}
    for _round in range(ROUNDS):
        for name, action, settings in (("uri", uri_task(sandbox), mitogen), ("ours", OURS, {})):
            tasks = [name_task("task", action), name_task("loop", action, loop=list(range(ITEMS)))]
            seconds = play(
                sandbox, [{"tasks": [tasks[0]] * TASKS + [tasks[1]]}], rounds=1, programs=programs, **settings
            )
            task[name].append(statistics.median(seconds.task["task"]))
            item[name] += seconds.item["loop"]
    return {
        "task_vs_mitogen": ratio(task["uri"], task["ours"], ms=median_ms(task["uri"])),
        "item_vs_mitogen": ratio(item["uri"], item["ours"], ms=median_ms(item["uri"])),
    }


def find_python() -> str:
    """Return a Python that ansible-core 2.18 supports."""
    if sys.version_info[:2] <= NEWEST:
        return sys.executable
    command = [ROOT / "tools" / "find-python.sh", "python{}.{}".format(*NEWEST)]
    paths = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if not paths:
        raise CannotRunError("ansible-core 2.18 needs a Python between 3.11 and 3.13")
    return str(Path(paths[0]))
