# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that a drift check of an OpenAI organization needs, because the API allows only a few per minute."""

from __future__ import annotations

import os

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_rate_limiter import (
    BURST,
)
from bench.row import Figure, Row
from sandbox.client import Sandbox
from support import running

PROJECTS = 50
# One page of 100 contains all projects
PAGES = 1
# Requests per minute that the API accepts for each kind of call
REQUESTS_PER_MINUTE = 6

ROWS = (Row("admin_requests", "requests to check 50 projects with limits for drift", "<=", PAGES + PROJECTS),)


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Create the projects and check the organization for drift."""
    os.environ.update(sandbox.environment)
    limits = [{"model": "gpt-4o", "max_requests_per_1_minute": 5}]
    projects = [{"name": f"Project {number}", "limits": limits} for number in range(PROJECTS)]
    for project in projects:
        run_module("inference_project", name=project["name"])
        run_module("inference_rate_limit", project_name=project["name"], limits=limits)
    run_module("inference_project", name="Sandbox", state="absent")
    sandbox.clear_journal()
    drift = run_module("inference_drift_info", projects=projects)["drift"]
    if drift:
        raise SystemExit(f"Unexpected drift: {drift}")
    minutes = (PROJECTS - BURST) / REQUESTS_PER_MINUTE
    return {"admin_requests": Figure(len(sandbox.journal()), details={"minutes at the rate limit": round(minutes, 1)})}


def run_module(module: str, **options: object) -> dict[str, object]:
    """Run a module that must succeed and return its result."""
    result = running.run(module, **options)
    if result.get("failed"):
        raise SystemExit(result["msg"])
    return result
