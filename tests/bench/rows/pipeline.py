# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many builds by the role ci_pipeline."""

from __future__ import annotations

from typing import Any

from bench.play import play
from bench.row import Figure, Row, median_ms
from sandbox.client import Sandbox

ROWS = (Row("builds_at_once", "50 builds of 1 s by ci_pipeline: one after another, over in parallel", ">=", 5),)
COUNT = 50
PARAMETERS = [{"name": "NUMBER", "type": "string", "default": "0"}]
JOB = {"name": "app", "seconds": 1, "quiet_period": 0, "concurrent": True, "parameters": PARAMETERS}
TASK = "buildworks.toolchain.ci_pipeline : Run the builds"


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run the builds one after another and in parallel, once each: a minute averages out variations."""
    sandbox.seed({"ci": {"executors": COUNT, "jobs": [JOB]}})
    seconds = play(sandbox, [build_play(1), build_play(COUNT)], rounds=1, warm_up=False).task[TASK]
    in_order, in_parallel = seconds
    return {"builds_at_once": Figure(round(in_order / in_parallel, 2), details={"ms": median_ms([in_parallel])})}


def build_play(parallel: int) -> dict[str, Any]:
    builds = [{"job": "app", "parameters": {"NUMBER": number}} for number in range(COUNT)]
    stages = [{"name": "all", "builds": builds, "parallel": parallel}]
    return {"roles": [{"role": "buildworks.toolchain.ci_pipeline", "ci_pipeline_stages": stages}]}
