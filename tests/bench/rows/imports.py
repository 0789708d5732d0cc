# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time that the collection adds to the start of ansible-playbook."""

from __future__ import annotations

import statistics
import subprocess
import sys

from bench.row import Figure, Row
from sandbox.client import Sandbox
from support.cases import MODULES
from support.playbook import ROOT

ROWS = (Row("import_ms", "milliseconds that importing the first action takes"),)
ROUNDS = 5
PROGRAM = """
import sys, time
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader([sys.argv[1]])
action_loader.get("ansible.builtin.normal", class_only=True)
start = time.perf_counter()
for name in sys.argv[2:]:
    assert action_loader.get(f"buildworks.toolchain.{name}", class_only=True)
print(1000 * (time.perf_counter() - start))
"""


def measure(_sandbox: Sandbox) -> dict[str, Figure]:
    """Import one action, and all of them."""
    one, every_module = (
        [measure_import(*names) for _round in range(ROUNDS)] for names in (["artifact_properties"], MODULES)
    )
    details = {f"all {len(MODULES)}": round(statistics.median(every_module), 1)}
    return {"import_ms": Figure(round(statistics.median(one), 1), details=details)}


def measure_import(*names: str) -> float:
    """Return the milliseconds that importing these actions takes in a new process."""
    command = [sys.executable, "-c", PROGRAM, str(ROOT / "build" / "collections"), *names]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
