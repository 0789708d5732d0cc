# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many requests a task takes."""

from __future__ import annotations

import os
from typing import Any

from bench.row import Figure, Row
from sandbox.client import Sandbox
from support import running
from support.cases import review
from support.cases.form import Resource

ROWS = (
    Row("requests_noop", "requests when nothing changes, at most", "<=", 1),
    Row("requests_change", "requests when something does, at most", "<=", 3),
    Row("noop_requests", "requests of a review resource that is as wanted, at most", "<=", 1),
    Row("noop_requests_role", "those of a role: the roles, who has them, and the ids of projects", "<=", 3),
)
CASES: dict[str, dict[str, Any]] = {
    "artifact_properties": {
        "repo": "generic-local",
        "path": "app/1.0/app-1.0.tar.gz",
        "properties": {"qa": "failed"},
    },
    "review_view": {"project": "mobile-app", "name": "bench", "query": "severity:1"},
    "access_token": {"description": "bench", "subject": "ci", "expires_in": 20000},
}
RESOURCES = {
    name: case.options for name, case in review.CASES.items() if isinstance(case, Resource) and not case.by_program
}


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Each module twice: first it changes something, then it finds it so."""
    os.environ.update(sandbox.environment)
    change, noop = ({name: requests(sandbox, name, task) for name, task in CASES.items()} for _run in range(2))
    _change, resources = (
        {name: requests(sandbox, name, task) for name, task in RESOURCES.items()} for _run in range(2)
    )
    role = resources.pop("review_role")
    return {
        "requests_noop": Figure(max(noop.values()), more=noop),
        "requests_change": Figure(max(change.values()), more=change),
        "noop_requests": Figure(max(resources.values()), more=resources),
        "noop_requests_role": Figure(role),
    }


def requests(sandbox: Sandbox, name: str, task: dict[str, Any]) -> int:
    """How many the sandbox serves for a run of the module that the name begins with."""
    sandbox.clear_journal()
    result = running.run(name.split()[0], **task)
    if result.get("failed"):
        raise SystemExit(result["msg"])
    return len(sandbox.journal())
