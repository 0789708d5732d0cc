# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run tasks through ansible-playbook in rounds, and tell the seconds that each took."""

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
    """Seconds by the name of a task, one value a round: of the whole task, and of an item of its loop (the median).

    And the megabytes of the largest process, which is the controller or one of its workers.
    """

    task: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    item: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    events: list[dict[str, Any]] = field(default_factory=list)
    megabytes: float = 0.0


def named(name: str, action: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    """A task with a name, by which its times are found."""
    return {"name": name, **action, **keywords}


def play(
    sandbox: Sandbox,
    one_round: list[Play],
    *,
    rounds: int,
    warm_up: bool = True,
    inventory: dict[str, Any] | None = None,
    programs: Path = Path(sys.executable).parent,
    **settings: str,
) -> Times:
    """Run these plays so many times in one run of ansible-playbook; once more before, as what runs first loads more."""
    BUILD.mkdir(parents=True, exist_ok=True)
    playbook, hosts, record = BUILD / "playbook.yml", BUILD / "inventory.yml", BUILD / "events.jsonl"
    defaults = {"hosts": "localhost", "gather_facts": False}
    playbook.write_text(
        yaml.safe_dump([{**defaults, **one} for one in one_round * (warm_up + rounds)], sort_keys=False)
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
    megabytes = run(command, variables)
    found = times([json.loads(line) for line in record.read_text().splitlines()], leave_out=int(warm_up))
    found.megabytes = megabytes
    return found


def run(command: Sequence[str | Path], variables: dict[str, str]) -> float:
    """Run a command that has to succeed, and tell the megabytes of the largest of its processes."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, env=variables, stdout=output, stderr=output)
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(output.read())
    return usage.ru_maxrss / 1024


def times(events: list[dict[str, Any]], leave_out: int) -> Times:
    """What the events tell, without so many of the first runs of each task."""
    found = Times(events=events)
    seen: dict[str, int] = defaultdict(int)
    for run in _runs(events):
        start, *later = run
        name = start["task"]
        seen[name] += 1
        if seen[name] > leave_out:
            found.task[name].append(later[-1]["at"] - start["at"])
            items = [event["at"] for event in later if event["event"] == "item"]
            if len(items) > 1:
                found.item[name].append(statistics.median(end - begin for begin, end in itertools.pairwise(items)))
    return found


def _runs(events: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The events of each run of a task, on however many hosts."""
    starts = [index for index, event in enumerate(events) if event["event"] == "start"]
    return [events[begin:end] for begin, end in itertools.pairwise([*starts, len(events)])]
