# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run plays in rounds with ansible-playbook and measure the duration of each task."""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from sandbox.client import Sandbox
from support.playbook import ROOT, environment

BUILD = ROOT / "build" / "bench"
CALLBACKS = Path(__file__).resolve().parent / "callback_plugins"
Play = dict[str, Any]


@dataclass
class Times:
    """Durations in seconds by task name, one value per round, and the peak memory of the run.

    :ivar task: duration of the whole task
    :ivar item: median duration of a loop item
    :ivar peak_mb: resident memory of the largest process, which is the controller or one of its workers
    """

    task: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    item: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    events: list[dict[str, Any]] = field(default_factory=list)
    peak_mb: float = 0.0


def name_task(name: str, action: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    """Return a task with a name, which is the key of its durations."""
    return {"name": name, **action, **keywords}


def play(
    sandbox: Sandbox,
    plays: list[Play],
    *,
    rounds: int,
    warm_up: bool = True,
    inventory: dict[str, Any] | None = None,
    programs: Path = Path(sys.executable).parent,
    **settings: str,
) -> Times:
    """Run the plays once per round in one ansible-playbook process, after a warm-up round."""
    BUILD.mkdir(parents=True, exist_ok=True)
    playbook, hosts, record = BUILD / "playbook.yml", BUILD / "inventory.yml", BUILD / "events.jsonl"
    defaults = {"hosts": "localhost", "gather_facts": False}
    playbook.write_text(
        yaml.safe_dump([{**defaults, **entry} for entry in plays * (warm_up + rounds)], sort_keys=False)
    )
    hosts.write_text(yaml.safe_dump(inventory or {"all": {"hosts": {"localhost": {"ansible_connection": "local"}}}}))
    variables = environment(
        sandbox,
        ANSIBLE_CALLBACK_PLUGINS=str(CALLBACKS),
        ANSIBLE_CALLBACKS_ENABLED="timing",
        ANSIBLE_PYTHON_INTERPRETER=str(programs / "python"),
        TIMING_FILE=str(record),
        **settings,
    )
    command = [programs / "ansible-playbook", "--inventory", hosts, playbook]
    peak_mb = run(command, variables).peak_mb
    result = compute_times([json.loads(line) for line in record.read_text().splitlines()], skip=int(warm_up))
    result.peak_mb = peak_mb
    return result


@dataclass(frozen=True)
class Usage:
    """What a command and its child processes used: the CPU seconds of all, and the megabytes of the largest."""

    cpu_seconds: float
    peak_mb: float


def run(command: Sequence[str | Path], variables: dict[str, str], expected_status: int = 0) -> Usage:
    """Run a command that must end with a status, and return its usage."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, env=variables, stdout=output, stderr=output)
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != expected_status:
            output.seek(0)
            raise SystemExit(output.read())
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def compute_times(events: list[dict[str, Any]], skip: int) -> Times:
    """Compute durations from the events of the `timing` callback.

    :arg skip: how many of the first runs of each task to skip
    """
    result = Times(events=events)
    run_counts: dict[str, int] = defaultdict(int)
    for run in split_into_runs(events):
        start, *following = run
        name = start["task"]
        run_counts[name] += 1
        if run_counts[name] > skip:
            result.task[name].append(following[-1]["at"] - start["at"])
            items = [event["at"] for event in following if event["event"] == "item"]
            if len(items) > 1:
                result.item[name].append(statistics.median(end - begin for begin, end in itertools.pairwise(items)))
    return result


def split_into_runs(events: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Split the events by runs of a task, on any number of hosts."""
    starts = [index for index, event in enumerate(events) if event["event"] == "start"]
    return [events[begin:end] for begin, end in itertools.pairwise([*starts, len(events)])]
