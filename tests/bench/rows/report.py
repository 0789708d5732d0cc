# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run: 200 hosts, 20 tasks, of which two change each host and one fails on every tenth host."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

from bench.play import BUILD, run
from bench.row import Figure, Row, ratio
from bench.rows.hosts import inventory
from bench.rows.request import ITEM, OURS
from sandbox.client import Sandbox
from support.playbook import environment

ROWS = (Row("report_cpu", "CPU seconds of a run with the report, over those without; 200 hosts, 20 tasks", "<=", 1.03),)
ROUNDS = 3
CALLBACK = {"ANSIBLE_CALLBACKS_ENABLED": "buildworks.toolchain.report"}
PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")
CHANGE = {
    "buildworks.toolchain.artifact_properties": {**ITEM, "properties": {"host": "{{ inventory_hostname }}"}},
    "check_mode": True,
    "diff": True,
}
FAIL = {
    "ansible.builtin.fail": {"msg": "{{ inventory_hostname }} is not ready"},
    "when": "inventory_hostname.endswith('0')",
}


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run the same playbook with and without the report at the same time, so that the machine slows both down."""
    command = [PLAYBOOK, "--inventory", *write_run(sandbox)]
    variables = environment(sandbox, ANSIBLE_FORKS="10")
    files = {f"TOOLCHAIN_REPORT_{kind.upper()}": f"{BUILD}/report.{kind}" for kind in ("html", "json")}
    without: list[float] = []
    with_report: list[float] = []
    with ThreadPoolExecutor(2) as threads:
        for _round in range(ROUNDS):
            plain = threads.submit(run, command, variables, expected_status=2)
            reported = threads.submit(run, command, {**variables, **CALLBACK, **files}, expected_status=2)
            without.append(plain.result().cpu_seconds)
            with_report.append(reported.result().cpu_seconds)
    return {"report_cpu": ratio(with_report, without, digits=3, seconds=[round(value, 1) for value in with_report])}


def write_run(sandbox: Sandbox) -> list[Path]:
    """Write an inventory and a playbook, and return their paths."""
    BUILD.mkdir(parents=True, exist_ok=True)
    tasks: list[dict[str, Any]] = [{"name": f"query {number}", **OURS} for number in range(17)]
    tasks += [{"name": f"change {number}", **CHANGE} for number in range(2)]
    tasks.append({"name": "fail", **FAIL})
    hosts, playbook = BUILD / "report_inventory.yml", BUILD / "report.yml"
    hosts.write_text(yaml.safe_dump(inventory(sandbox)))
    playbook.write_text(yaml.safe_dump([{"hosts": "hosts_200", "gather_facts": False, "tasks": tasks}]))
    return [hosts, playbook]
