# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many requests it takes to see that an organization is as declared: the service takes but a few a minute."""

from __future__ import annotations

import os

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_rate_limiter import (
    BURST,
)
from bench.row import Figure, Row
from sandbox.client import Sandbox
from support import running

PROJECTS = 50
# One of 100 has all of them
PAGES = 1
# A minute, which the service takes of each kind of call
PACE = 6

ROWS = (Row("admin_requests", "to see that 50 projects with limits are as declared", "<=", PAGES + PROJECTS),)


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Declare the projects, have them made, and look whether there are others."""
    os.environ.update(sandbox.environment)
    limits = [{"model": "gpt-4o", "max_requests_per_1_minute": 5}]
    projects = [{"name": f"Project {number}", "limits": limits} for number in range(PROJECTS)]
    for project in projects:
        done("inference_project", name=project["name"])
        done("inference_rate_limit", project_name=project["name"], limits=limits)
    done("inference_project", name="Sandbox", state="absent")
    sandbox.clear_journal()
    drift = done("inference_drift_info", projects=projects)["drift"]
    if drift:
        raise SystemExit(f"It is not as declared: {drift}")
    minutes = (PROJECTS - BURST) / PACE
    return {"admin_requests": Figure(len(sandbox.journal()), more={"minutes, as paced": round(minutes, 1)})}


def done(module: str, **options: object) -> dict[str, object]:
    """The result of a module that has not failed."""
    result = running.run(module, **options)
    if result.get("failed"):
        raise SystemExit(result["msg"])
    return result
